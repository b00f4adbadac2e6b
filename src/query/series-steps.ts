/** Owns the values of generate_series, made one by one as they are read: whole numbers, and points in time by an interval. */
import { RollupdError } from '../core/errors.ts'
import { INT64_MAX, INT64_MIN } from '../core/number-text.ts'
import type { Interval } from '../core/registers.ts'
import type { TimeZone } from '../core/time-zone.ts'
import {
  dateOfDay,
  dayOfDate,
  dayOfMonth,
  daysInMonth,
  MICROSECONDS_PER_DAY,
  monthOf,
  TIMESTAMP_MAX,
  TIMESTAMP_MIN,
  yearOf,
} from '../core/timestamp-calendar.ts'

const DAY = BigInt(MICROSECONDS_PER_DAY)
const SECOND = 1_000_000n
/** As intervals are compared. */
const DAYS_PER_MONTH = 30n

/** From the first to the last, both included; it ends where the next would leave 64 bits. Errors: cell_error for a step of zero. */
export function* bigintSeries(start: bigint, stop: bigint, step: bigint): Generator<bigint> {
  if (step === 0n) throw zeroStep()
  for (let value = start; isInside(value, stop, step) && value >= INT64_MIN && value <= INT64_MAX; value += step)
    yield value
}

/** Microseconds since 1970, as bigintSeries; months and days are steps of the zone's clocks, of UTC where there is none. */
export function* timeSeries(
  start: bigint,
  stop: bigint,
  step: Interval,
  zone: TimeZone | undefined,
): Generator<bigint> {
  const { months, days, microseconds } = step
  const sign = (BigInt(months) * DAYS_PER_MONTH + BigInt(days)) * DAY + microseconds
  if (sign === 0n) throw zeroStep()
  for (let value = start; isInside(value, stop, sign);) {
    yield value
    value = addInterval(value, step, zone)
    if (value < TIMESTAMP_MIN || value > TIMESTAMP_MAX) return
  }
}

function isInside(value: bigint, stop: bigint, sign: bigint): boolean {
  return sign > 0n ? value <= stop : value >= stop
}

function zeroStep(): RollupdError {
  return new RollupdError('cell_error', 'the step of generate_series is zero', {
    hint: 'Write a step that leads from the first value to the last.',
  })
}

/** First months, then days, then microseconds; each day begins anew by the zone's clocks. Source: PostgreSQL, timestamptz_pl_interval. */
export function addInterval(value: bigint, { months, days, microseconds }: Interval, zone?: TimeZone): bigint {
  const afterMonths = months === 0 ? value : onClocks(value, zone, (day) => addMonths(day, months))
  const afterDays = days === 0 ? afterMonths : onClocks(afterMonths, zone, (day) => day + days)
  return afterDays + microseconds
}

/** Moves the local day and keeps the time of day. */
function onClocks(value: bigint, zone: TimeZone | undefined, move: (day: number) => number): bigint {
  const local = zone === undefined ? value : value + BigInt(zone.offsetAt(Number(floorDivide(value, SECOND)))) * SECOND
  const day = floorDivide(local, DAY)
  const moved = BigInt(move(Number(day))) * DAY + (local - day * DAY)
  if (zone === undefined) return moved
  const seconds = floorDivide(moved, SECOND)
  return BigInt(zone.toInstant(Number(seconds))) * SECOND + (moved - seconds * SECOND)
}

/** The 31st becomes the last of a shorter month. */
function addMonths(day: number, months: number): number {
  const date = dateOfDay(day)
  const month = yearOf(date) * 12 + monthOf(date) - 1 + months
  const year = Math.floor(month / 12)
  const monthOfYear = month - year * 12 + 1
  return dayOfDate(year, monthOfYear, Math.min(dayOfMonth(date), daysInMonth(year, monthOfYear)))
}

function floorDivide(value: bigint, unit: bigint): bigint {
  const quotient = value / unit
  return value % unit < 0n ? quotient - 1n : quotient
}
