/** Owns the fields of extract and the units of date_trunc over intervals, as PostgreSQL counts them: months in years, hours in no days. */
import { decimalToDouble } from './decimal.ts'
import { DAYS_PER_MONTH, daysOf, monthsOf, setBigInterval, timeOf } from './interval.ts'
import type { Registers } from './registers.ts'
import {
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
} from './timestamp-calendar.ts'
import type { ReadField } from './timestamp-field.ts'
import type { Truncate } from './timestamp-truncate.ts'

const MONTHS_PER_YEAR = 12
/** A quarter of a day more than 365, as the fields' seconds have it. */
const HOURS_PER_YEAR = 365.25 * 24

const ofMonths =
  (field: (months: number) => number): ReadField =>
  (r, index) =>
    field(monthsOf(r, index)) + 0

const ofTime =
  (field: (microseconds: bigint) => bigint | number): ReadField =>
  (r, index) =>
    Number(field(timeOf(r, index))) + 0

const minuteRest = (time: bigint): number => Number(time % BigInt(MICROSECONDS_PER_MINUTE))

const quarterOf = (months: number): number => (months < 0 ? -Math.floor(-months / 3) - 1 : Math.floor(months / 3) + 1)

const FIELDS: ReadonlyMap<string, ReadField> = new Map([
  ['epoch', epochOf],
  ['millennium', ofMonths((months) => Math.trunc(months / (1_000 * MONTHS_PER_YEAR)))],
  ['century', ofMonths((months) => Math.trunc(months / (100 * MONTHS_PER_YEAR)))],
  ['decade', ofMonths((months) => Math.trunc(months / (10 * MONTHS_PER_YEAR)))],
  ['year', ofMonths((months) => Math.trunc(months / MONTHS_PER_YEAR))],
  ['quarter', ofMonths((months) => quarterOf(months % MONTHS_PER_YEAR))],
  ['month', ofMonths((months) => months % MONTHS_PER_YEAR)],
  ['week', (r, index) => Math.trunc(daysOf(r, index) / 7) + 0],
  ['day', (r, index) => daysOf(r, index)],
  ['hour', ofTime((time) => time / BigInt(MICROSECONDS_PER_HOUR))],
  ['minute', ofTime((time) => (time / BigInt(MICROSECONDS_PER_MINUTE)) % 60n)],
  ['second', ofTime((time) => minuteRest(time) / MICROSECONDS_PER_SECOND)],
  ['milliseconds', ofTime((time) => minuteRest(time) / 1_000)],
  ['microseconds', ofTime(minuteRest)],
])

export const INTERVAL_FIELDS: readonly string[] = [...FIELDS.keys()]

/** How to read a field of an interval, given by its one name; undefined where there is no such field. */
export function readIntervalFieldOf(name: string): ReadField | undefined {
  return FIELDS.get(name)
}

/** All in seconds: the double nearest to the exact value. */
function epochOf(r: Registers, index: number): number {
  const months = monthsOf(r, index)
  const years = Math.trunc(months / MONTHS_PER_YEAR)
  const hours = years * HOURS_PER_YEAR + ((months % MONTHS_PER_YEAR) * DAYS_PER_MONTH + daysOf(r, index)) * 24
  return decimalToDouble({ unscaled: BigInt(hours) * BigInt(MICROSECONDS_PER_HOUR) + timeOf(r, index), scale: 6 })
}

/** Units of months, and how many each has. */
const MONTH_UNITS: ReadonlyMap<string, number> = new Map([
  ['millennium', 12_000],
  ['century', 1_200],
  ['decade', 120],
  ['year', 12],
  ['quarter', 3],
  ['month', 1],
])
const TIME_UNITS: ReadonlyMap<string, number> = new Map([
  ['day', Number.POSITIVE_INFINITY],
  ['hour', MICROSECONDS_PER_HOUR],
  ['minute', MICROSECONDS_PER_MINUTE],
  ['second', MICROSECONDS_PER_SECOND],
  ['milliseconds', 1_000],
  ['microseconds', 1],
])

export const INTERVAL_UNITS: readonly string[] = [...MONTH_UNITS.keys(), ...TIME_UNITS.keys()]

/** How to cut an interval to a unit, towards zero; undefined where there is no such unit. */
export function truncateIntervalTo(unit: string): Truncate | undefined {
  const months = MONTH_UNITS.get(unit)
  if (months !== undefined) {
    return (r, out, from) => setBigInterval(r, out, Math.trunc(monthsOf(r, from) / months) * months + 0, 0, 0n)
  }
  const size = TIME_UNITS.get(unit)
  if (size === undefined) return undefined
  return (r, out, from) => {
    const time = timeOf(r, from)
    const kept = size > MICROSECONDS_PER_DAY ? 0n : time - (time % BigInt(size))
    return setBigInterval(r, out, monthsOf(r, from), daysOf(r, from), kept)
  }
}
