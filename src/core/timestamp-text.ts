/**
 * Owns the reading of times: ISO 8601 alone. The usual form is read without making an object; every other spelling goes through one
 * regular expression. Writing is timestamp-format.ts.
 */
import type { Registers } from './registers.ts'
import {
  DATE_MAX,
  DATE_MIN,
  dayOfDate,
  daysInMonth,
  isLeapYear,
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
  setTimestampOfDay,
} from './timestamp-calendar.ts'

/** How reading a text ended. Only `READ` writes the register. */
export const TIMESTAMP_TEXT = { READ: 0, INVALID: 1, OUT_OF_RANGE: 2 } as const
export type TimestampText = (typeof TIMESTAMP_TEXT)[keyof typeof TIMESTAMP_TEXT]

/** `2026-01-31` */
const DATE_BYTES = 10
/** `2026-01-31T23:59:59` */
const SECONDS_BYTES = 19
/** Longer texts are refused unread; the longest sensible one has some 45 characters. */
const TEXT_BYTES_MAX = 100
/** PostgreSQL's bound of an offset from UTC. */
const OFFSET_HOURS_MAX = 15

const ISO_TEXT = new RegExp(
  '^(?:(?<year>[+-]?\\d{4,7})-(?:(?<month>\\d\\d)-(?<day>\\d\\d)|(?<ordinal>\\d{3}))|(?<basic>\\d{8}))' +
    '(?:(?:[Tt]| +)(?<hour>\\d\\d)(?<colon>:?)(?<minute>\\d\\d)(?:\\k<colon>(?<second>\\d\\d)(?:[.,](?<fraction>\\d*))?)?)?' +
    '(?: *(?:[Zz]|(?<sign>[+-])(?<zoneHour>\\d\\d)(?::?(?<zoneMinute>\\d\\d)(?::?(?<zoneSecond>\\d\\d))?)?))?' +
    '(?: +(?<christ>[Bb][Cc]))?$',
)

/**
 * Reads an instant from UTF-8 [start, end): date with -, basic or ordinal, then T or a space and a time with or without seconds, and an offset
 * in any ISO spelling; no offset is UTC. More than six digits of a second are cut. Refused: now, infinity, names of zones and
 * months, other orders of the date. Source: https://www.postgresql.org/docs/18/datatype-datetime.html
 */
export function readTimestamp(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): TimestampText {
  return readTime(bytes, start, end, r, out, true)
}

/** As readTimestamp, but a timestamp: an offset in the text counts for nothing, as in PostgreSQL. */
export function readLocalTimestamp(
  bytes: Uint8Array,
  start: number,
  end: number,
  r: Registers,
  out: number,
): TimestampText {
  const result = readTime(bytes, start, end, r, out, false)
  if (result === TIMESTAMP_TEXT.READ) r.toLocal(out)
  return result
}

/** As readTimestamp, but a date: a time and an offset in the text count for nothing, as in PostgreSQL. */
export function readDate(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): TimestampText {
  let day = end - start === DATE_BYTES && isUsualDate(bytes, start) ? usualDay(bytes, start) : NaN
  if (Number.isNaN(day)) {
    const groups = matchIso(bytes, start, end)
    if (groups === undefined || Number.isNaN(timeOfText(groups) + offsetOfText(groups))) return TIMESTAMP_TEXT.INVALID
    day = dayOfText(groups)
  }
  if (Number.isNaN(day)) return TIMESTAMP_TEXT.INVALID
  if (day < DATE_MIN || day > DATE_MAX) return TIMESTAMP_TEXT.OUT_OF_RANGE
  r.setDate(out, day)
  return TIMESTAMP_TEXT.READ
}

function readTime(
  bytes: Uint8Array,
  start: number,
  end: number,
  r: Registers,
  out: number,
  usesOffset: boolean,
): TimestampText {
  // behind the seconds: digits of a fraction, and a Z
  const stop = bytes[end - 1] === 0x5a ? end - 1 : end
  const microsecond = isUsual(bytes, start, stop) ? fractionOf(bytes, start + SECONDS_BYTES, stop) : -1
  if (microsecond < 0) return readOther(bytes, start, end, r, out, usesOffset)
  const day = usualDay(bytes, start)
  const hour = twoDigits(bytes, start + 11)
  const minute = twoDigits(bytes, start + 14)
  const second = twoDigits(bytes, start + 17)
  // 24:00, second 60 and what is no date are for the other way
  if (hour > 23 || minute > 59 || second > 59 || day !== day) {
    return readOther(bytes, start, end, r, out, usesOffset)
  }
  const time = (hour * 3_600 + minute * 60 + second) * MICROSECONDS_PER_SECOND + microsecond
  return setTimestampOfDay(r, out, day, time) ? TIMESTAMP_TEXT.READ : TIMESTAMP_TEXT.OUT_OF_RANGE
}

/** Days since 1970 of `dddd-dd-dd`; NaN where there is no such date. */
function usualDay(bytes: Uint8Array, start: number): number {
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)
  const month = twoDigits(bytes, start + 5)
  const day = twoDigits(bytes, start + 8)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NaN
  return dayOfDate(year, month, day)
}

/** Of two bytes that are digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) * 10 + (bytes[at + 1] as number) - 0x30 * 11
}

/** Below 0 where one of the two bytes is no digit. */
function checkDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 0x30
  const ones = (bytes[at + 1] as number) - 0x30
  return tens | (9 - tens) | ones | (9 - ones)
}

/** Whether the text begins with `dddd-dd-dd`, d being digits. */
function isUsualDate(bytes: Uint8Array, start: number): boolean {
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return false
  const digits =
    checkDigits(bytes, start) |
    checkDigits(bytes, start + 2) |
    checkDigits(bytes, start + 5) |
    checkDigits(bytes, start + 8)
  return digits >= 0
}

/** Whether the text begins with `dddd-dd-dd dd:dd:dd`, with a T or a space. */
function isUsual(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < SECONDS_BYTES || !isUsualDate(bytes, start)) return false
  const separator = bytes[start + DATE_BYTES]
  if ((separator !== 0x54 && separator !== 0x20) || bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) {
    return false
  }
  return (checkDigits(bytes, start + 11) | checkDigits(bytes, start + 14) | checkDigits(bytes, start + 17)) >= 0
}

/** The microseconds of a point and digits, 0 where there is nothing; -1: another form. */
function fractionOf(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 0
  if (bytes[start] !== 0x2e) return -1
  let microsecond = 0
  let unit = 100_000
  for (let index = start + 1; index < end; index++) {
    const digit = (bytes[index] as number) - 0x30
    if (digit < 0 || digit > 9) return -1
    microsecond += digit * unit
    // 0 after the sixth digit
    unit = (unit / 10) | 0
  }
  return microsecond
}

type Groups = Partial<Record<string, string>>

function readOther(
  bytes: Uint8Array,
  start: number,
  end: number,
  r: Registers,
  out: number,
  usesOffset: boolean,
): TimestampText {
  const groups = matchIso(bytes, start, end)
  if (groups === undefined) return TIMESTAMP_TEXT.INVALID
  const day = dayOfText(groups)
  const microsecond = timeOfText(groups)
  const offset = offsetOfText(groups)
  if (Number.isNaN(day + microsecond + offset)) return TIMESTAMP_TEXT.INVALID
  const shifted = usesOffset ? microsecond - offset * MICROSECONDS_PER_SECOND : microsecond
  return setTimestampOfDay(r, out, day, shifted) ? TIMESTAMP_TEXT.READ : TIMESTAMP_TEXT.OUT_OF_RANGE
}

function matchIso(bytes: Uint8Array, start: number, end: number): Groups | undefined {
  if (end - start > TEXT_BYTES_MAX) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
  return ISO_TEXT.exec(text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, ''))?.groups
}

/** Days since 1970; NaN where there is no such date. */
function dayOfText(groups: Groups): number {
  const { basic, ordinal, christ } = groups
  const { year = basic?.slice(0, 4), month = basic?.slice(4, 6), day = basic?.slice(6) } = groups
  const written = Number(year)
  // PostgreSQL's 1 BC is the year 0 of ISO 8601
  if (christ !== undefined && written <= 0) return NaN
  const astronomical = christ === undefined ? written : 1 - written
  if (ordinal !== undefined) {
    const last = isLeapYear(astronomical) ? 366 : 365
    return Number(ordinal) >= 1 && Number(ordinal) <= last ? dayOfDate(astronomical, 1, 1) + Number(ordinal) - 1 : NaN
  }
  const valid = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1
  if (!valid || Number(day) > daysInMonth(astronomical, Number(month))) return NaN
  return dayOfDate(astronomical, Number(month), Number(day))
}

/** NaN where it is none. 24:00:00 is the next day's begin, second 60 the next minute's. */
function timeOfText(groups: Groups): number {
  const { hour: hours = '0', minute: minutes = '0', second: seconds = '0', fraction = '' } = groups
  const second = Number(seconds) * MICROSECONDS_PER_SECOND + Number(fraction.slice(0, 6).padEnd(6, '0'))
  const whole = Number(hours) * MICROSECONDS_PER_HOUR + Number(minutes) * MICROSECONDS_PER_MINUTE + second
  const valid = Number(minutes) <= 59 && Number(seconds) <= 60 && whole <= MICROSECONDS_PER_DAY && Number(hours) <= 24
  return valid ? whole : NaN
}

/** Seconds east of UTC; NaN where it is none. */
function offsetOfText(groups: Groups): number {
  const { sign, zoneHour: hours = '0', zoneMinute: minutes = '0', zoneSecond: seconds = '0' } = groups
  const valid = Number(hours) <= OFFSET_HOURS_MAX && Number(minutes) <= 59 && Number(seconds) <= 59
  const total = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return valid ? (sign === '-' ? -total : total) : NaN
}
