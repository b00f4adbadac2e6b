/**
 * Owns the text of timestamptz: ISO 8601 in, ISO 8601 with Z out. The usual form is read without making an object; every other spelling
 * goes through one regular expression.
 */
import type { Registers } from './registers.ts'
import {
  dateOfDay,
  dayOfDate,
  dayOfMonth,
  daysInMonth,
  isLeapYear,
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
  monthOf,
  setTimestampOfDay,
  yearOf,
} from './timestamp-calendar.ts'

/** How reading a text ended. Only `READ` writes the register. */
export const TIMESTAMP_TEXT = { READ: 0, INVALID: 1, OUT_OF_RANGE: 2 } as const
export type TimestampText = (typeof TIMESTAMP_TEXT)[keyof typeof TIMESTAMP_TEXT]

/** Longer texts are refused unread; the longest sensible one has some 45 characters. */
const TEXT_BYTES_MAX = 100
/** PostgreSQL's bound of an offset from UTC. */
const OFFSET_HOURS_MAX = 15

const ISO_TEXT = new RegExp(
  '^(?:(?<year>[+-]?\\d{4,6})-(?:(?<month>\\d\\d)-(?<day>\\d\\d)|(?<ordinal>\\d{3}))|(?<basic>\\d{8}))' +
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
  const microsecond = isUsual(bytes, start, end) ? fractionOf(bytes, start + 19, end - 1) : -1
  if (microsecond < 0) return readOther(bytes, start, end, r, out)
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)
  const month = twoDigits(bytes, start + 5)
  const day = twoDigits(bytes, start + 8)
  const hour = twoDigits(bytes, start + 11)
  const minute = twoDigits(bytes, start + 14)
  const second = twoDigits(bytes, start + 17)
  // 24:00, second 60 and what is no date are for the other way
  if (hour > 23 || minute > 59 || second > 59 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) {
    return readOther(bytes, start, end, r, out)
  }
  const time = (hour * 3_600 + minute * 60 + second) * MICROSECONDS_PER_SECOND + microsecond
  return setTimestampOfDay(r, out, dayOfDate(year, month, day), time)
    ? TIMESTAMP_TEXT.READ
    : TIMESTAMP_TEXT.OUT_OF_RANGE
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

/** Whether the text is `dddd-dd-dd dd:dd:dd...Z`, with a T or a space, d being digits. */
function isUsual(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 20) return false
  const separator = bytes[start + 10]
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d || (separator !== 0x54 && separator !== 0x20)) return false
  if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a || bytes[end - 1] !== 0x5a) return false
  const digits =
    checkDigits(bytes, start) |
    checkDigits(bytes, start + 2) |
    checkDigits(bytes, start + 5) |
    checkDigits(bytes, start + 8) |
    checkDigits(bytes, start + 11) |
    checkDigits(bytes, start + 14) |
    checkDigits(bytes, start + 17)
  return digits >= 0
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

function readOther(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): TimestampText {
  if (end - start > TEXT_BYTES_MAX) return TIMESTAMP_TEXT.INVALID
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
  const match = ISO_TEXT.exec(text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, ''))
  if (match === null) return TIMESTAMP_TEXT.INVALID
  const day = dayOfText(match.groups ?? {})
  const { hour, minute, second, fraction, sign, zoneHour, zoneMinute, zoneSecond } = match.groups ?? {}
  const microsecond = timeOfDay(hour, minute, second, fraction)
  const offset = offsetSeconds(sign, zoneHour, zoneMinute, zoneSecond)
  if (Number.isNaN(day + microsecond + offset)) return TIMESTAMP_TEXT.INVALID
  const shifted = microsecond - offset * MICROSECONDS_PER_SECOND
  return setTimestampOfDay(r, out, day, shifted) ? TIMESTAMP_TEXT.READ : TIMESTAMP_TEXT.OUT_OF_RANGE
}

/** Days since 1970; NaN where there is no such date. */
function dayOfText(groups: Partial<Record<string, string>>): number {
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
function timeOfDay(hours = '0', minutes = '0', seconds = '0', fraction = ''): number {
  const second = Number(seconds) * MICROSECONDS_PER_SECOND + Number(fraction.slice(0, 6).padEnd(6, '0'))
  const whole = Number(hours) * MICROSECONDS_PER_HOUR + Number(minutes) * MICROSECONDS_PER_MINUTE + second
  const valid = Number(minutes) <= 59 && Number(seconds) <= 60 && whole <= MICROSECONDS_PER_DAY && Number(hours) <= 24
  return valid ? whole : NaN
}

/** Seconds east of UTC; NaN where it is none. */
function offsetSeconds(sign: string | undefined, hours = '0', minutes = '0', seconds = '0'): number {
  const valid = Number(hours) <= OFFSET_HOURS_MAX && Number(minutes) <= 59 && Number(seconds) <= 59
  const total = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return valid ? (sign === '-' ? -total : total) : NaN
}

/**
 * ISO 8601 with Z: 2026-01-01T00:00:00Z, 2026-01-01T00:00:00.123Z; the fraction only where there is one, without zeros at its end.
 * Years outside 0..9999 have a sign and six digits. Date.parse reads it in its own range.
 */
export function formatTimestamp(microseconds: number | bigint): string {
  const whole = BigInt(microseconds)
  const unit = BigInt(MICROSECONDS_PER_DAY)
  const rest = ((whole % unit) + unit) % unit
  const date = dateOfDay(Number((whole - rest) / unit))
  const microsecond = Number(rest)
  const fraction = microsecond % MICROSECONDS_PER_SECOND
  const seconds = (microsecond - fraction) / MICROSECONDS_PER_SECOND
  const two = (value: number): string => value.toString().padStart(2, '0')
  const time = `${two((seconds / 3_600) | 0)}:${two(((seconds / 60) | 0) % 60)}:${two(seconds % 60)}`
  const tail = fraction === 0 ? '' : `.${fraction.toString().padStart(6, '0').replace(/0+$/, '')}`
  return `${formatYear(yearOf(date))}-${two(monthOf(date))}-${two(dayOfMonth(date))}T${time}${tail}Z`
}

function formatYear(year: number): string {
  if (year >= 0 && year <= 9_999) return year.toString().padStart(4, '0')
  return `${year < 0 ? '-' : '+'}${Math.abs(year).toString().padStart(6, '0')}`
}
