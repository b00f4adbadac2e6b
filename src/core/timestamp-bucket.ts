/** Owns time buckets: the begin of the interval, counted from an origin, in which an instant lies, in UTC or by a zone's clocks. */
import type { Interval, Registers } from './registers.ts'
import type { TimeZone } from './time-zone.ts'
import { addSeconds, localToInstant, secondsOf } from './zoned-time.ts'
import {
  addMonths,
  dateOfDay,
  dayOf,
  floorTo,
  isSmallTime,
  microsecondOfDay,
  MICROSECONDS_PER_DAY,
  microsecondsOfTime,
  monthOf,
  setTimestampOf,
  setTimestampOfDay,
  yearOf,
} from './timestamp-calendar.ts'

/** Monday, 2000-01-03, in microseconds since 1970: weeks begin on Monday. */
const ORIGIN = 946_857_600_000_000
/** 2000-01-01, the origin of months, in days since 1970. */
const MONTH_ORIGIN_DAY = 10_957

/** Finds the bucket of the time in register `from`; false, and nothing is written, where its begin is out of timestamptz's range. */
export type Bucket = (r: Registers, out: number, from: number) => boolean

/**
 * How to find buckets of that width; a text says why there are none. `originAt` is the register of a time, or -1 for the usual one:
 * 2000-01-03 for days and times, 2000-01-01 for months.
 */
export function bucketOf({ months, days, microseconds: time }: Interval, originAt: number): Bucket | string {
  const microseconds = Number(time)
  const width = days * MICROSECONDS_PER_DAY + microseconds
  if (months !== 0 && width !== 0) return 'the width is months, or days and times, not both'
  if (months < 0 || width < 0 || months + width === 0) return 'the width is not above zero'
  if (!Number.isSafeInteger(microseconds) || !Number.isSafeInteger(width)) return 'the width is too large'
  if (months > 0) return (r, out, from) => monthBucket(r, out, from, months, originAt)
  return (r, out, from) => plainBucket(r, out, from, width, originAt)
}

/** As bucketOf with the usual origin, by the clocks of a zone. */
export function bucketIn(width: Interval, zone: TimeZone): Bucket | string {
  const find = bucketOf(width, -1)
  if (typeof find === 'string') return find
  return (r, out, from) => {
    const offset = zone.offsetAt(secondsOf(r, from))
    return addSeconds(r, out, from, offset) && find(r, out, out) && localToInstant(r, out, out, zone, offset)
  }
}

function plainBucket(r: Registers, out: number, from: number, width: number, originAt: number): boolean {
  if (isSmallTime(r, from) && (originAt < 0 || isSmallTime(r, originAt))) {
    const origin = originAt < 0 ? ORIGIN : (r.num[originAt] as number)
    const distance = (r.num[from] as number) - origin
    const cut = floorTo(distance, width)
    if (Number.isSafeInteger(distance) && Number.isSafeInteger(cut) && Number.isSafeInteger(cut + origin)) {
      r.setTimestamp(out, cut + origin)
      return true
    }
  }
  const origin = originAt < 0 ? BigInt(ORIGIN) : microsecondsOfTime(r, originAt)
  const distance = microsecondsOfTime(r, from) - origin
  const unit = BigInt(width)
  const rest = ((distance % unit) + unit) % unit
  return setTimestampOf(r, out, distance - rest + origin)
}

function monthBucket(r: Registers, out: number, from: number, months: number, originAt: number): boolean {
  const day = dayOf(r, from)
  const originDay = originAt < 0 ? MONTH_ORIGIN_DAY : dayOf(r, originAt)
  const originTime = originAt < 0 ? 0 : microsecondOfDay(r, originAt, originDay)
  const date = dateOfDay(day)
  const origin = dateOfDay(originDay)
  const distance = (yearOf(date) - yearOf(origin)) * 12 + monthOf(date) - monthOf(origin)
  let count = floorTo(distance, months)
  const begin = addMonths(origin, count)
  // the same month, but later in it than the instant
  if (begin > day || (begin === day && originTime > microsecondOfDay(r, from, day))) count -= months
  return setTimestampOfDay(r, out, addMonths(origin, count), originTime)
}
