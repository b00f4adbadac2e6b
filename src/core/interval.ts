/**
 * Owns intervals in registers: months, days and microseconds, which don't convert into each other. The usual ones make no object. Where
 * intervals are compared a month has 30 days and a day 24 hours, as PostgreSQL compares them; that is their span.
 */
import { INT64_MAX, INT64_MIN } from './number-text.ts'
import { type Interval, type Registers, TAG } from './registers.ts'
import { floorTo, MICROSECONDS_PER_DAY } from './timestamp-calendar.ts'

/** As PostgreSQL turns parts of an interval into each other where it must. */
export const DAYS_PER_MONTH = 30

/** Months and days stand in one number, the days in its lower 32 bits. */
const DAYS_RANGE = 2 ** 32
/** So many months are exact beside the days. */
const PACKED_MONTHS_MAX = 2 ** 20
const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
const DAY = BigInt(MICROSECONDS_PER_DAY)

function isInt32(value: number): boolean {
  return value >= INT32_MIN && value <= INT32_MAX
}

export function monthsOf(r: Registers, index: number): number {
  if (r.tag[index] === TAG.BIG_INTERVAL) return (r.ref[index] as Interval).months
  return Math.floor((r.end[index] as number) / DAYS_RANGE + 0.5)
}

export function daysOf(r: Registers, index: number): number {
  if (r.tag[index] === TAG.BIG_INTERVAL) return (r.ref[index] as Interval).days
  const packed = r.end[index] as number
  return packed - Math.floor(packed / DAYS_RANGE + 0.5) * DAYS_RANGE
}

/** The microseconds of an INTERVAL or BIG_INTERVAL register. */
export function timeOf(r: Registers, index: number): bigint {
  if (r.tag[index] === TAG.BIG_INTERVAL) return (r.ref[index] as Interval).microseconds
  return BigInt(r.num[index] as number)
}

export function intervalOf(r: Registers, index: number): Interval {
  return { months: monthsOf(r, index), days: daysOf(r, index), microseconds: timeOf(r, index) }
}

/** Writes whole numbers; false, and nothing is written, where months or days are beyond 32 bits or microseconds beyond 64. */
export function setInterval(r: Registers, out: number, months: number, days: number, microseconds: number): boolean {
  if (!Number.isSafeInteger(microseconds)) {
    return Number.isFinite(microseconds) && setBigInterval(r, out, months, days, BigInt(microseconds))
  }
  if (!isInt32(days) || !(Math.abs(months) <= PACKED_MONTHS_MAX)) {
    return setBigInterval(r, out, months, days, BigInt(microseconds))
  }
  r.tag[out] = TAG.INTERVAL
  r.num[out] = microseconds + 0
  r.end[out] = months * DAYS_RANGE + days + 0
  return true
}

/** As setInterval, for any number of microseconds. */
export function setBigInterval(r: Registers, out: number, months: number, days: number, microseconds: bigint): boolean {
  if (!isInt32(months) || !isInt32(days) || microseconds < INT64_MIN || microseconds > INT64_MAX) return false
  const small = Number(microseconds)
  if (Number.isSafeInteger(small) && Math.abs(months) <= PACKED_MONTHS_MAX)
    return setInterval(r, out, months, days, small)
  r.tag[out] = TAG.BIG_INTERVAL
  r.ref[out] = { months, days, microseconds } satisfies Interval
  return true
}

/** The span in whole days, rounded down; an integer below 2^38. */
export function spanDaysOf(r: Registers, index: number): number {
  const days = monthsOf(r, index) * DAYS_PER_MONTH + daysOf(r, index)
  if (r.tag[index] === TAG.INTERVAL) {
    return days + floorTo(r.num[index] as number, MICROSECONDS_PER_DAY) / MICROSECONDS_PER_DAY
  }
  const microseconds = (r.ref[index] as Interval).microseconds
  return days + Number((microseconds - spanRest(microseconds)) / DAY)
}

/** The microseconds of the span behind its whole days: 0 up to a day. */
export function spanRestOf(r: Registers, index: number): number {
  if (r.tag[index] === TAG.BIG_INTERVAL) return Number(spanRest((r.ref[index] as Interval).microseconds))
  const microseconds = r.num[index] as number
  return microseconds - floorTo(microseconds, MICROSECONDS_PER_DAY)
}

function spanRest(microseconds: bigint): bigint {
  return ((microseconds % DAY) + DAY) % DAY
}

/** -1, 0 or 1. */
export function compareIntervals(r: Registers, a: number, b: number): number {
  return Math.sign(spanDaysOf(r, a) - spanDaysOf(r, b)) || Math.sign(spanRestOf(r, a) - spanRestOf(r, b))
}

/** Writes the interval that stands for all of a span: days and a time of the same sign, months only beyond 32 bits of days. */
export function setSpan(r: Registers, out: number, days: number, rest: number): void {
  const isNegative = days < 0 && rest > 0
  const whole = isNegative ? days + 1 : days
  const time = isNegative ? rest - MICROSECONDS_PER_DAY : rest
  if (isInt32(whole)) setInterval(r, out, 0, whole, time)
  else setLongSpan(r, out, whole, time)
}

function setLongSpan(r: Registers, out: number, days: number, time: number): void {
  const months = clampInt32(Math.trunc(days / DAYS_PER_MONTH))
  const left = days - months * DAYS_PER_MONTH
  const kept = clampInt32(left)
  setBigInterval(r, out, months, kept, BigInt(left - kept) * DAY + BigInt(time))
}

function clampInt32(value: number): number {
  return Math.min(Math.max(value, INT32_MIN), INT32_MAX)
}
