/** Owns what is computed with points in time and intervals: sums, differences and ages, by the clocks of UTC or of no zone. */
import { daysOf, monthsOf, setInterval, timeOf } from './interval.ts'
import { setJustified } from './interval-arithmetic.ts'
import { type Registers, TAG } from './registers.ts'
import {
  addMonths,
  dateOfDay,
  dayOf,
  dayOfMonth,
  daysInMonth,
  floorTo,
  microsecondOfDay,
  MICROSECONDS_PER_DAY,
  monthOf,
  setTimestampOf,
  setTimestampOfDay,
  yearOf,
} from './timestamp-calendar.ts'

/**
 * Writes the time of register `a` and an interval, taken away with the sign -1: first its months, the 31st becoming the last of a
 * shorter month, then its days, then its microseconds. Of a date or timestamp it is a timestamp. False, and nothing is written: out of range.
 */
export function addInterval(r: Registers, out: number, a: number, interval: number, sign: 1 | -1): boolean {
  const isInstant = r.tag[a] === TAG.TIMESTAMP || r.tag[a] === TAG.BIG_TIMESTAMP
  const begin = dayOf(r, a)
  const microsecond = microsecondOfDay(r, a, begin)
  const months = sign * monthsOf(r, interval)
  const day = (months === 0 ? begin : addMonths(dateOfDay(begin), months)) + sign * daysOf(r, interval)
  if (!addMicroseconds(r, out, day, microsecond, interval, sign)) return false
  if (!isInstant) r.toLocal(out)
  return true
}

function addMicroseconds(
  r: Registers,
  out: number,
  day: number,
  microsecond: number,
  interval: number,
  sign: 1 | -1,
): boolean {
  if (r.tag[interval] === TAG.INTERVAL) {
    const sum = microsecond + sign * (r.num[interval] as number)
    if (Number.isSafeInteger(sum)) {
      const cut = floorTo(sum, MICROSECONDS_PER_DAY)
      return setTimestampOfDay(r, out, day + cut / MICROSECONDS_PER_DAY, sum - cut)
    }
  }
  const time = BigInt(microsecond) + BigInt(sign) * timeOf(r, interval)
  return setTimestampOf(r, out, BigInt(day) * BigInt(MICROSECONDS_PER_DAY) + time)
}

/** Writes a - b of two points in time: days, and a time of the same sign. */
export function subtractTimes(r: Registers, out: number, a: number, b: number): void {
  const left = dayOf(r, a)
  const right = dayOf(r, b)
  setJustified(r, out, 0, left - right, microsecondOfDay(r, a, left) - microsecondOfDay(r, b, right))
}

/** Writes the age at `a` of what began at `b`: years and months by the calendar, then days and a time. */
export function subtractByCalendar(r: Registers, out: number, a: number, b: number): void {
  const left = dayOf(r, a)
  const right = dayOf(r, b)
  const leftTime = microsecondOfDay(r, a, left)
  const rightTime = microsecondOfDay(r, b, right)
  const leftDate = dateOfDay(left)
  const rightDate = dateOfDay(right)
  const sign = left < right || (left === right && leftTime < rightTime) ? -1 : 1
  let months = sign * ((yearOf(leftDate) - yearOf(rightDate)) * 12 + monthOf(leftDate) - monthOf(rightDate))
  let days = sign * (dayOfMonth(leftDate) - dayOfMonth(rightDate))
  let time = sign * (leftTime - rightTime)
  if (time < 0) {
    time += MICROSECONDS_PER_DAY
    days--
  }
  // the month of the earlier one tells how long a month is
  const earlier = sign < 0 ? leftDate : rightDate
  while (days < 0) {
    days += daysInMonth(yearOf(earlier), monthOf(earlier))
    months--
  }
  setInterval(r, out, sign * months, sign * days, sign * time)
}
