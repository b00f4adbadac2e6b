/**
 * Owns what is computed with intervals alone: sums, multiples, and the justify functions, each as PostgreSQL does it, with its way of rounding.
 * Every function writes the result, or writes nothing and says false where it is out of an interval's range.
 */
import { DAYS_PER_MONTH, daysOf, monthsOf, setBigInterval, setInterval, timeOf } from './interval.ts'
import { type Registers, TAG } from './registers.ts'
import { roundHalfEven } from './round-half-even.ts'
import { MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND } from './timestamp-calendar.ts'

const SECONDS_PER_DAY = 86_400

/** a + b, or a - b with the sign -1. */
export function addIntervals(r: Registers, out: number, a: number, b: number, sign: 1 | -1): boolean {
  const months = monthsOf(r, a) + sign * monthsOf(r, b)
  const days = daysOf(r, a) + sign * daysOf(r, b)
  if (r.tag[a] === TAG.INTERVAL && r.tag[b] === TAG.INTERVAL) {
    const microseconds = (r.num[a] as number) + sign * (r.num[b] as number)
    if (Number.isSafeInteger(microseconds)) return setInterval(r, out, months, days, microseconds)
  }
  return setBigInterval(r, out, months, days, timeOf(r, a) + BigInt(sign) * timeOf(r, b))
}

export function negateInterval(r: Registers, out: number, a: number): boolean {
  if (r.tag[a] === TAG.INTERVAL) return setInterval(r, out, -monthsOf(r, a), -daysOf(r, a), -(r.num[a] as number))
  return setBigInterval(r, out, -monthsOf(r, a), -daysOf(r, a), -timeOf(r, a))
}

/** Fractions of months go down to days, of days to microseconds. */
export function multiplyInterval(r: Registers, out: number, a: number, factor: number): boolean {
  const months = monthsOf(r, a) * factor
  const days = daysOf(r, a) * factor
  return cascade(r, out, months, days, numberOfTime(r, a) * factor)
}

/** As multiplyInterval; the divisor isn't 0. */
export function divideInterval(r: Registers, out: number, a: number, divisor: number): boolean {
  const months = monthsOf(r, a) / divisor
  const days = daysOf(r, a) / divisor
  return cascade(r, out, months, days, numberOfTime(r, a) / divisor)
}

function numberOfTime(r: Registers, index: number): number {
  return r.tag[index] === TAG.INTERVAL ? (r.num[index] as number) : Number(timeOf(r, index))
}

function cascade(r: Registers, out: number, months: number, days: number, time: number): boolean {
  if (!Number.isFinite(months) || !Number.isFinite(days) || !Number.isFinite(time)) return false
  const wholeMonths = Math.trunc(months)
  let wholeDays = Math.trunc(days)
  const daysOfMonths = roundToMicro((months - wholeMonths) * DAYS_PER_MONTH)
  let seconds = roundToMicro((days - wholeDays + daysOfMonths - Math.trunc(daysOfMonths)) * SECONDS_PER_DAY)
  // the rounding may have made a whole day of it
  if (Math.abs(seconds) >= SECONDS_PER_DAY) {
    const carried = Math.trunc(seconds / SECONDS_PER_DAY)
    wholeDays += carried
    seconds -= carried * SECONDS_PER_DAY
  }
  wholeDays += Math.trunc(daysOfMonths)
  return setInterval(r, out, wholeMonths, wholeDays, roundHalfEven(time + seconds * MICROSECONDS_PER_SECOND))
}

function roundToMicro(value: number): number {
  return roundHalfEven(value * 1e6) / 1e6
}

/** Whole days of the time, rounded towards zero; what is left is restOf. */
function dayCountOf(r: Registers, index: number): number {
  if (r.tag[index] === TAG.INTERVAL) return Math.trunc((r.num[index] as number) / MICROSECONDS_PER_DAY)
  return Number(timeOf(r, index) / BigInt(MICROSECONDS_PER_DAY))
}

/** What whole days leave of the time. */
export function restOf(r: Registers, index: number): number {
  if (r.tag[index] === TAG.INTERVAL) return (r.num[index] as number) % MICROSECONDS_PER_DAY
  return Number(timeOf(r, index) % BigInt(MICROSECONDS_PER_DAY))
}

/** 24 hours become a day. */
export function justifyHours(r: Registers, out: number, a: number): boolean {
  return setJustified(r, out, monthsOf(r, a), daysOf(r, a) + dayCountOf(r, a), restOf(r, a))
}

/** 30 days become a month. */
export function justifyDays(r: Registers, out: number, a: number): boolean {
  const carried = Math.trunc(daysOf(r, a) / DAYS_PER_MONTH)
  let months = monthsOf(r, a) + carried
  let days = daysOf(r, a) - carried * DAYS_PER_MONTH
  if (months > 0 && days < 0) {
    days += DAYS_PER_MONTH
    months--
  } else if (months < 0 && days > 0) {
    days -= DAYS_PER_MONTH
    months++
  }
  if (r.tag[a] === TAG.INTERVAL) return setInterval(r, out, months, days, r.num[a] as number)
  return setBigInterval(r, out, months, days, timeOf(r, a))
}

/** Both, and one sign for all parts. */
export function justifyInterval(r: Registers, out: number, a: number): boolean {
  const time = restOf(r, a)
  const allDays = daysOf(r, a) + dayCountOf(r, a)
  const carried = Math.trunc(allDays / DAYS_PER_MONTH)
  let months = monthsOf(r, a) + carried
  let days = allDays - carried * DAYS_PER_MONTH
  if (months > 0 && (days < 0 || (days === 0 && time < 0))) {
    days += DAYS_PER_MONTH
    months--
  } else if (months < 0 && (days > 0 || (days === 0 && time > 0))) {
    days -= DAYS_PER_MONTH
    months++
  }
  return setJustified(r, out, months, days, time)
}

/** Gives the time the days' sign. */
export function setJustified(r: Registers, out: number, months: number, days: number, time: number): boolean {
  if (days > 0 && time < 0) return setInterval(r, out, months, days - 1, time + MICROSECONDS_PER_DAY)
  if (days < 0 && time > 0) return setInterval(r, out, months, days + 1, time - MICROSECONDS_PER_DAY)
  return setInterval(r, out, months, days, time)
}
