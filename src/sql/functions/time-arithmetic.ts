/**
 * Owns + - * / where a point in time or an interval stands on one side. Months and days are by the clocks of UTC for a timestamptz; by a zone's they
 * are computed with AT TIME ZONE before and behind.
 */
import { addIntervals, divideInterval, multiplyInterval, negateInterval } from '../../core/interval-arithmetic.ts'
import type { Registers } from '../../core/registers.ts'
import { isTimeType, type ScalarType } from '../../core/scalar-type.ts'
import { addInterval, subtractTimes } from '../../core/time-arithmetic.ts'
import { DATE_MAX, DATE_MIN } from '../../core/timestamp-calendar.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isInteger, isNumber, isNumberType, isWholeDouble, never, wrongKind } from './argument.ts'
import { doubleOf } from './number-arithmetic.ts'
import { intervalOutOfRange, outOfRange } from './time-argument.ts'

interface Operator {
  readonly id: string
  readonly name: '+' | '-' | '*' | '/'
  readonly resolve: FunctionEntry['resolve']
  readonly signature: string
  readonly canFail?: FunctionEntry['canFail']
  readonly evaluate: Evaluate
  readonly summary: string
  readonly example: string
}

/** What a time and an interval give. */
function shiftedType(time: ScalarType | undefined, interval: ScalarType | undefined): ScalarType | undefined {
  if (interval !== 'interval' || !isTimeType(time)) return undefined
  return time === 'date' ? 'timestamp' : time
}

const shift =
  (time: 'a' | 'b', sign: 1 | -1): Evaluate =>
  (r, out, a, b) => {
    const isDone = time === 'a' ? addInterval(r, out, a, b, sign) : addInterval(r, out, b, a, sign)
    if (!isDone) outOfRange(r, out)
  }

/** A whole number of days is a bigint, an undeclared one may be. */
function isDays(type: ScalarType | undefined): boolean {
  return type === 'bigint' || type === 'any'
}

function shiftDate(r: Registers, out: number, name: string, date: number, days: number, sign: 1 | -1): void {
  if (!isInteger(r, days) && !isWholeDouble(r, days)) {
    wrongKind(r, out, name, days, ' beside a date unless it is whole')
    return
  }
  const day = (r.num[date] as number) + sign * doubleOf(r, days)
  if (day >= DATE_MIN && day <= DATE_MAX) r.setDate(out, day)
  else r.setError(out, 'timestamp_out_of_range', 'date out of range')
}

function scale(r: Registers, out: number, name: '*' | '/', interval: number, number: number): void {
  if (!isNumber(r, number)) {
    wrongKind(r, out, name, number, ' beside an interval')
    return
  }
  const factor = doubleOf(r, number)
  if (name === '/' && factor === 0) {
    r.setError(out, 'division_by_zero', 'division by zero')
    return
  }
  const isDone = name === '*' ? multiplyInterval(r, out, interval, factor) : divideInterval(r, out, interval, factor)
  if (!isDone) intervalOutOfRange(r, out)
}

const combine =
  (sign: 1 | -1): Evaluate =>
  (r, out, a, b) => {
    if (!addIntervals(r, out, a, b, sign)) intervalOutOfRange(r, out)
  }

const OPERATORS: readonly Operator[] = [
  {
    id: 'add_interval',
    name: '+',
    resolve: ([left, right]) => shiftedType(left, right),
    signature: 'timestamptz | timestamp | date + interval',
    evaluate: shift('a', 1),
    summary:
      'The time so much later: months first (the 31st becomes the last of a shorter month), then days, then the time. Of a date a timestamp.',
    example: "ts::timestamptz + INTERVAL '1 hour'",
  },
  {
    id: 'interval_add',
    name: '+',
    resolve: ([left, right]) => shiftedType(right, left),
    signature: 'interval + timestamptz | timestamp | date',
    evaluate: shift('b', 1),
    summary: 'As the time + the interval.',
    example: "INTERVAL '1 hour' + ts::timestamptz",
  },
  {
    id: 'subtract_interval',
    name: '-',
    resolve: ([left, right]) => shiftedType(left, right),
    signature: 'timestamptz | timestamp | date - interval',
    evaluate: shift('a', -1),
    summary: 'The time so much earlier.',
    example: "day::date - INTERVAL '1 month'",
  },
  {
    id: 'subtract_dates',
    name: '-',
    resolve: ([left, right]) => (left === 'date' && right === 'date' ? 'bigint' : undefined),
    signature: 'date - date',
    canFail: never,
    evaluate: (r, out, a, b) => r.setInteger(out, (r.num[a] as number) - (r.num[b] as number)),
    summary: 'The days from the second to the first.',
    example: 'ended::date - began::date',
  },
  {
    id: 'subtract_times',
    name: '-',
    resolve: ([left, right]) => (isTimeType(left) && isTimeType(right) ? 'interval' : undefined),
    signature: 'timestamptz | timestamp | date - timestamptz | timestamp | date',
    canFail: never,
    evaluate: subtractTimes,
    summary: 'The days of 24 hours and the time from the second to the first.',
    example: 'ended::timestamptz - began::timestamptz',
  },
  {
    id: 'add_days',
    name: '+',
    resolve: ([left, right]) => (left === 'date' && isDays(right) ? 'date' : undefined),
    signature: 'date + bigint',
    evaluate: (r, out, a, b) => shiftDate(r, out, '+', a, b, 1),
    summary: 'The date so many days later.',
    example: 'day::date + 7',
  },
  {
    id: 'days_add',
    name: '+',
    resolve: ([left, right]) => (isDays(left) && right === 'date' ? 'date' : undefined),
    signature: 'bigint + date',
    evaluate: (r, out, a, b) => shiftDate(r, out, '+', b, a, 1),
    summary: 'The date so many days later.',
    example: '7 + day::date',
  },
  {
    id: 'subtract_days',
    name: '-',
    resolve: ([left, right]) => (left === 'date' && isDays(right) ? 'date' : undefined),
    signature: 'date - bigint',
    evaluate: (r, out, a, b) => shiftDate(r, out, '-', a, b, -1),
    summary: 'The date so many days earlier.',
    example: 'day::date - 7',
  },
  {
    id: 'add_intervals',
    name: '+',
    resolve: ([left, right]) => (left === 'interval' && right === 'interval' ? 'interval' : undefined),
    signature: 'interval + interval',
    evaluate: combine(1),
    summary: 'Months, days and times, each added for itself.',
    example: "INTERVAL '1 day' + INTERVAL '2 hours'",
  },
  {
    id: 'subtract_intervals',
    name: '-',
    resolve: ([left, right]) => (left === 'interval' && right === 'interval' ? 'interval' : undefined),
    signature: 'interval - interval',
    evaluate: combine(-1),
    summary: 'Months, days and times, each for itself.',
    example: "INTERVAL '1 day' - INTERVAL '2 hours'",
  },
  {
    id: 'multiply_interval',
    name: '*',
    resolve: ([left, right]) => (left === 'interval' && isNumberType(right) ? 'interval' : undefined),
    signature: 'interval * number',
    evaluate: (r, out, a, b) => scale(r, out, '*', a, b),
    summary: 'Fractions of months become days of 30 a month, fractions of days a time.',
    example: "INTERVAL '15 minutes' * 4",
  },
  {
    id: 'interval_multiply',
    name: '*',
    resolve: ([left, right]) => (isNumberType(left) && right === 'interval' ? 'interval' : undefined),
    signature: 'number * interval',
    evaluate: (r, out, a, b) => scale(r, out, '*', b, a),
    summary: 'As the interval * the number.',
    example: "seconds * INTERVAL '1 second'",
  },
  {
    id: 'divide_interval',
    name: '/',
    resolve: ([left, right]) => (left === 'interval' && isNumberType(right) ? 'interval' : undefined),
    signature: 'interval / number',
    evaluate: (r, out, a, b) => scale(r, out, '/', a, b),
    summary: 'Fractions go down as in multiplication.',
    example: "INTERVAL '1 hour' / 4",
  },
  {
    id: 'negate_interval',
    name: '-',
    resolve: ([argument, further]) => (argument === 'interval' && further === undefined ? 'interval' : undefined),
    signature: '- interval',
    evaluate: (r, out, a) => {
      if (!negateInterval(r, out, a)) intervalOutOfRange(r, out)
    },
    summary: 'Each part with the other sign.',
    example: "-INTERVAL '1 day'",
  },
]

export const TIME_ARITHMETIC_FUNCTIONS: readonly FunctionEntry[] = OPERATORS.map(
  ({ id, name, resolve, signature, canFail = always, evaluate, summary, example }) => ({
    id,
    name,
    form: 'operator',
    resolve,
    signature,
    strict: true,
    canFail,
    evaluate,
    print: ([left, right]) => (right === undefined ? `${name}${left}` : `${left} ${name} ${right}`),
    doc: { summary, example },
  }),
)
