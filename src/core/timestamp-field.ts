/** Owns the fields of extract: parts of an instant in UTC, as PostgreSQL numbers them. */
import { decimalToDouble, divideHalfAway, powerOfTen } from './decimal.ts'
import type { Registers } from './registers.ts'
import type { TimeType } from './scalar-type.ts'
import {
  dateOfDay,
  dayOf,
  dayOfDate,
  dayOfMonth,
  isoDayOfWeek,
  isSmallTime,
  microsecondOfDay,
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
  microsecondsOfTime,
  monthOf,
  yearOf,
} from './timestamp-calendar.ts'

/** Reads a field of the time in a register. */
export type ReadField = (r: Registers, index: number) => number

const EPOCH_SCALE = 6
/** Digits behind the point: more than tell doubles apart. */
const JULIAN_SCALE = 25
const JULIAN_DAY_1970 = 2_440_588

const ofDay =
  (field: (day: number) => number): ReadField =>
  (r, index) =>
    field(dayOf(r, index))

const ofTime =
  (field: (microsecond: number) => number): ReadField =>
  (r, index) =>
    field(microsecondOfDay(r, index, dayOf(r, index)))

const yearOfDay = (day: number): number => yearOf(dateOfDay(day))

/** PostgreSQL has no year 0: 1 BC is -1. */
const shown = (year: number): number => (year > 0 ? year : year - 1)

/** Centuries and millennia count from 1 and, before Christ, from -1. */
const periodOf = (year: number, length: number): number =>
  year > 0 ? Math.floor((year + length - 1) / length) : -Math.floor((length - year) / length)

/** The Thursday of a week decides to which year it belongs. */
const isoYearOfDay = (day: number): number => yearOfDay(day - isoDayOfWeek(day) + 4)

function isoWeekOfDay(day: number): number {
  const thursday = day - isoDayOfWeek(day) + 4
  return Math.floor((thursday - dayOfDate(yearOfDay(thursday), 1, 1)) / 7) + 1
}

const secondOf = (microsecond: number): number => microsecond % MICROSECONDS_PER_MINUTE

const FIELDS: ReadonlyMap<string, ReadField> = new Map([
  ['epoch', epochOf],
  ['millennium', ofDay((day) => periodOf(yearOfDay(day), 1_000))],
  ['century', ofDay((day) => periodOf(yearOfDay(day), 100))],
  ['decade', ofDay((day) => Math.floor(yearOfDay(day) / 10))],
  ['year', ofDay((day) => shown(yearOfDay(day)))],
  ['isoyear', ofDay((day) => shown(isoYearOfDay(day)))],
  ['quarter', ofDay((day) => Math.floor((monthOf(dateOfDay(day)) + 2) / 3))],
  ['month', ofDay((day) => monthOf(dateOfDay(day)))],
  ['week', ofDay(isoWeekOfDay)],
  ['day', ofDay((day) => dayOfMonth(dateOfDay(day)))],
  ['doy', ofDay((day) => day - dayOfDate(yearOfDay(day), 1, 1) + 1)],
  ['dow', ofDay((day) => isoDayOfWeek(day) % 7)],
  ['isodow', ofDay(isoDayOfWeek)],
  ['hour', ofTime((microsecond) => Math.floor(microsecond / MICROSECONDS_PER_HOUR))],
  ['minute', ofTime((microsecond) => Math.floor(microsecond / MICROSECONDS_PER_MINUTE) % 60)],
  ['second', ofTime((microsecond) => secondOf(microsecond) / MICROSECONDS_PER_SECOND)],
  ['milliseconds', ofTime((microsecond) => secondOf(microsecond) / 1_000)],
  ['microseconds', ofTime(secondOf)],
  ['julian', julianOf],
  ['timezone', () => 0],
  ['timezone_hour', () => 0],
  ['timezone_minute', () => 0],
])

export const TIMESTAMP_FIELDS: readonly string[] = [...FIELDS.keys()]

/** Only an instant has a zone, and only what has a time of day has parts of it. */
const ZONE_FIELDS: ReadonlySet<string> = new Set(['timezone', 'timezone_hour', 'timezone_minute'])
const TIME_FIELDS: ReadonlySet<string> = new Set(['hour', 'minute', 'second', 'milliseconds', 'microseconds'])

/** Whether extract has the field for a type of points in time. */
export function hasField(type: TimeType, name: string): boolean {
  if (type === 'timestamptz') return FIELDS.has(name)
  return FIELDS.has(name) && !ZONE_FIELDS.has(name) && (type !== 'date' || !TIME_FIELDS.has(name))
}

/** How to read a field, given by its one name; undefined where there is no such field. */
export function readFieldOf(name: string): ReadField | undefined {
  return FIELDS.get(name)
}

/** Days since Julian day 0, the double nearest to the exact value. */
function julianOf(r: Registers, index: number): number {
  const day = dayOf(r, index)
  const microsecond = microsecondOfDay(r, index, day)
  const whole = day + JULIAN_DAY_1970
  if (microsecond === 0) return whole
  const unit = BigInt(MICROSECONDS_PER_DAY)
  const exact = (BigInt(whole) * unit + BigInt(microsecond)) * powerOfTen(JULIAN_SCALE)
  return decimalToDouble({ unscaled: divideHalfAway(exact, unit), scale: JULIAN_SCALE })
}

/** Seconds since 1970, the double nearest to the exact value. */
function epochOf(r: Registers, index: number): number {
  if (isSmallTime(r, index)) return (r.num[index] as number) / MICROSECONDS_PER_SECOND
  return decimalToDouble({ unscaled: microsecondsOfTime(r, index), scale: EPOCH_SCALE })
}
