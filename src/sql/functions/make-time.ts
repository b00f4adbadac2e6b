/** Owns make_date, make_timestamp and make_timestamptz: points in time of their parts. */
import type { Registers } from '../../core/registers.ts'
import { roundHalfEven } from '../../core/round-half-even.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { TimeZone } from '../../core/time-zone.ts'
import {
  DATE_MAX,
  DATE_MIN,
  dayOfDate,
  daysInMonth,
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
  setTimestampOfDay,
} from '../../core/timestamp-calendar.ts'
import { toInstantIn } from '../../core/zoned-time.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isInteger, isNumber, isNumberType, isOneOf, isWholeDouble, variadic, wrongKind } from './argument.ts'
import { doubleOf } from './number-arithmetic.ts'
import { outOfRange } from './time-argument.ts'
import { readTimeZone } from './time-zone-argument.ts'

/** Years far beyond any date; a part of a call is compared with these before it is computed with. */
const YEAR_MAX = 1_000_000

/** The parts as numbers; undefined, and an error is written, where one isn't. All but the sixth, the seconds, are whole. */
function readParts(r: Registers, out: number, name: string, args: readonly number[]): number[] | undefined {
  const parts: number[] = []
  for (const [index, arg] of args.entries()) {
    if (!isNumber(r, arg) || (index < 5 && !isInteger(r, arg) && !isWholeDouble(r, arg))) {
      wrongKind(r, out, name, arg, index < 5 ? ' here unless it is whole' : '')
      return undefined
    }
    parts.push(doubleOf(r, arg))
  }
  return parts
}

/** Days since 1970; NaN, and an error is written, where there is no such date. A negative year is BC. */
function readDay(r: Registers, out: number, name: string, [year = 0, month = 0, day = 0]: readonly number[]): number {
  const astronomical = year < 0 ? year + 1 : year
  const isDate = year !== 0 && Math.abs(year) <= YEAR_MAX && month >= 1 && month <= 12 && day >= 1
  if (isDate && day <= daysInMonth(astronomical, month)) {
    const days = dayOfDate(astronomical, month, day)
    if (days >= DATE_MIN && days <= DATE_MAX) return days
    r.setError(out, 'timestamp_out_of_range', 'date out of range')
  } else r.setError(out, 'invalid_argument', `${name}: there is no date ${year}-${month}-${day}`)
  return NaN
}

/** Microseconds of the day; NaN, and an error is written, where there is no such time. Second 60 and 24:00:00 go over to the next. */
function readTime(r: Registers, out: number, name: string, parts: readonly number[]): number {
  const [hour = 0, minute = 0, second = 0] = parts.slice(3)
  const time =
    hour * MICROSECONDS_PER_HOUR + minute * MICROSECONDS_PER_MINUTE + roundHalfEven(second * MICROSECONDS_PER_SECOND)
  const isTime = hour >= 0 && hour <= 24 && minute >= 0 && minute <= 59 && second >= 0 && second <= 60
  if (isTime && time <= MICROSECONDS_PER_DAY) return time
  r.setError(out, 'invalid_argument', `${name}: there is no time ${hour}:${minute}:${second}`)
  return NaN
}

const MAKE_DATE: FunctionEntry = {
  id: 'make_date',
  name: 'make_date',
  form: 'function',
  variadic: true,
  resolve: (args) => (args.length === 3 && args.every(isNumberType) ? 'date' : undefined),
  signature: 'make_date(year, month, day)',
  strict: true,
  canFail: always,
  evaluate: variadic((r, out, args) => {
    const parts = readParts(r, out, 'make_date', args)
    const day = parts === undefined ? NaN : readDay(r, out, 'make_date', parts)
    if (!Number.isNaN(day)) r.setDate(out, day)
  }),
  doc: { summary: 'The date of these parts; a negative year is BC.', example: 'make_date(2026, 1, 31)' },
}

/** Writes the parts' time as an instant in UTC, or an error and false. */
function makeTime(r: Registers, out: number, name: string, args: readonly number[]): boolean {
  const parts = readParts(r, out, name, args.slice(0, 6))
  if (parts === undefined) return false
  const day = readDay(r, out, name, parts)
  if (Number.isNaN(day)) return false
  const time = readTime(r, out, name, parts)
  if (Number.isNaN(time)) return false
  const isInRange = setTimestampOfDay(r, out, day, time)
  if (!isInRange) outOfRange(r, out)
  return isInRange
}

const areSixNumbers = (args: readonly ScalarType[]): boolean => args.length >= 6 && args.slice(0, 6).every(isNumberType)

const MAKE_TIMESTAMP: FunctionEntry = {
  id: 'make_timestamp',
  name: 'make_timestamp',
  form: 'function',
  variadic: true,
  resolve: (args) => (args.length === 6 && areSixNumbers(args) ? 'timestamp' : undefined),
  signature: 'make_timestamp(year, month, day, hour, minute, second)',
  strict: true,
  canFail: always,
  evaluate: variadic((r, out, args) => {
    if (makeTime(r, out, 'make_timestamp', args)) r.toLocal(out)
  }),
  doc: {
    summary: 'The timestamp of these parts; seconds may have a fraction.',
    example: 'make_timestamp(2026, 1, 31, 10, 0, 12.5)',
  },
}

const MAKE_TIMESTAMPTZ: FunctionEntry = {
  id: 'make_timestamptz',
  name: 'make_timestamptz',
  form: 'function',
  variadic: true,
  resolve: (args) =>
    areSixNumbers(args) && args.length <= 7 && (args.length === 6 || isOneOf(args[6], 'text', 'any'))
      ? 'timestamptz'
      : undefined,
  signature: 'make_timestamptz(year, month, day, hour, minute, second [, zone text])',
  strict: true,
  canFail: always,
  evaluate: variadic((r, out, args) => {
    const zoneArgument = args[6]
    let zone: TimeZone | undefined
    if (zoneArgument !== undefined) {
      zone = readTimeZone(r, out, 'make_timestamptz', zoneArgument)
      if (zone === undefined) return
    }
    if (makeTime(r, out, 'make_timestamptz', args) && zone !== undefined && !toInstantIn(r, out, out, zone)) {
      outOfRange(r, out)
    }
  }),
  doc: {
    summary: "The instant of these parts, by the zone's clocks; without a zone in UTC.",
    example: "make_timestamptz(2026, 1, 31, 10, 0, 0, 'Europe/Berlin')",
  },
}

export const MAKE_TIME_FUNCTIONS: readonly FunctionEntry[] = [MAKE_DATE, MAKE_TIMESTAMP, MAKE_TIMESTAMPTZ]
