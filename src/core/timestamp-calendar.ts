/**
 * Owns the calendar of times: days since 1970 to dates and back (proleptic Gregorian, UTC), and the split of an instant into day and
 * microsecond of the day, which are numbers also where the whole instant needs a bigint. Source of the date arithmetic:
 * Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
 */
import { type Registers, TAG } from './registers.ts'

export const MICROSECONDS_PER_SECOND = 1_000_000
export const MICROSECONDS_PER_MINUTE = 60_000_000
export const MICROSECONDS_PER_HOUR = 3_600_000_000
export const MICROSECONDS_PER_DAY = 86_400_000_000

/** 4713 BC, November 24: Julian day 0, PostgreSQL's first instant. */
export const TIMESTAMP_MIN = -210_866_803_200_000_000n
/** The last microsecond of int64, in January 294247. PostgreSQL, which counts from 2000, ends 29 years later. */
export const TIMESTAMP_MAX = 2n ** 63n - 1n

/** The days on which the first and the last of these instants lie: dates, days since 1970, have midnights that are instants. */
export const DATE_MIN = -2_440_588
export const DATE_MAX = 106_751_991

/** Days since 1970-01-01; month 1..12. */
export function dayOfDate(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = (((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0) + day - 1
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Year, month and day packed into one number, so that no object is made: see yearOf, monthOf, dayOfMonth. */
export function dateOfDay(day: number): number {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1_460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0))
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0
  const dayInMonth = dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return year * 512 + month * 32 + dayInMonth
}

/** Astronomical: 0 is 1 BC. */
export function yearOf(date: number): number {
  return Math.floor(date / 512)
}

export function monthOf(date: number): number {
  return (date - Math.floor(date / 512) * 512) >> 5
}

export function dayOfMonth(date: number): number {
  return (date - Math.floor(date / 32) * 32) | 0
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** The day so many months later; the 31st becomes the last of a shorter month. */
export function addMonths(date: number, months: number): number {
  const total = yearOf(date) * 12 + monthOf(date) - 1 + months
  const year = Math.floor(total / 12)
  const month = total - year * 12 + 1
  return dayOfDate(year, month, Math.min(dayOfMonth(date), daysInMonth(year, month)))
}

/** 1 is Monday, 7 Sunday. */
export function isoDayOfWeek(day: number): number {
  return day + 3 - Math.floor((day + 3) / 7) * 7 + 1
}

/** floor(value / unit) * unit, exact for safe integers, where the quotient itself may round up. */
export function floorTo(value: number, unit: number): number {
  const floored = Math.floor(value / unit) * unit
  return floored > value ? floored - unit : floored
}

/** Whether the register's microseconds stand in `num`. */
export function isSmallTime(r: Registers, index: number): boolean {
  const tag = r.tag[index]
  return tag === TAG.TIMESTAMP || tag === TAG.LOCAL_TIMESTAMP
}

/** The day of a timestamptz (in UTC), timestamp or date, days since 1970. */
export function dayOf(r: Registers, index: number): number {
  if (isSmallTime(r, index)) return floorTo(r.num[index] as number, MICROSECONDS_PER_DAY) / MICROSECONDS_PER_DAY
  if (r.tag[index] === TAG.DATE) return r.num[index] as number
  const microseconds = r.ref[index] as bigint
  const unit = BigInt(MICROSECONDS_PER_DAY)
  const quotient = microseconds / unit
  return Number(microseconds < 0n && quotient * unit !== microseconds ? quotient - 1n : quotient)
}

/** The microsecond of that register's day. */
export function microsecondOfDay(r: Registers, index: number, day: number): number {
  if (isSmallTime(r, index)) return (r.num[index] as number) - day * MICROSECONDS_PER_DAY
  if (r.tag[index] === TAG.DATE) return 0
  return Number((r.ref[index] as bigint) - BigInt(day) * BigInt(MICROSECONDS_PER_DAY))
}

/** Microseconds since 1970 of a timestamptz, timestamp or date. */
export function microsecondsOfTime(r: Registers, index: number): bigint {
  if (r.tag[index] !== TAG.DATE) return r.microsecondsOf(index)
  return BigInt(r.num[index] as number) * BigInt(MICROSECONDS_PER_DAY)
}

/** Writes the instant; false, and nothing is written, outside of timestamptz's range. */
export function setTimestampOfDay(r: Registers, out: number, day: number, microsecond: number): boolean {
  const microseconds = day * MICROSECONDS_PER_DAY + microsecond
  if (Number.isSafeInteger(microseconds)) {
    r.setTimestamp(out, microseconds)
    return true
  }
  return setTimestampOf(r, out, BigInt(day) * BigInt(MICROSECONDS_PER_DAY) + BigInt(microsecond))
}

/** Writes the instant of these microseconds since 1970; false, and nothing is written, outside of timestamptz's range. */
export function setTimestampOf(r: Registers, out: number, microseconds: bigint): boolean {
  if (microseconds < TIMESTAMP_MIN || microseconds > TIMESTAMP_MAX) return false
  r.setBigTimestamp(out, microseconds)
  return true
}
