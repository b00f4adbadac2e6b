/** Owns functions that give intervals: age, the justify functions, make_interval. */
import { justifyDays, justifyHours, justifyInterval } from '../../core/interval-arithmetic.ts'
import { setInterval } from '../../core/interval.ts'
import type { Registers } from '../../core/registers.ts'
import { roundHalfEven } from '../../core/round-half-even.ts'
import { isTimeType } from '../../core/scalar-type.ts'
import { subtractByCalendar } from '../../core/time-arithmetic.ts'
import {
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
} from '../../core/timestamp-calendar.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isInteger, isNumber, isNumberType, isWholeDouble, never, variadic, wrongKind } from './argument.ts'
import { doubleOf } from './number-arithmetic.ts'
import { intervalOutOfRange } from './time-argument.ts'

const AGE: FunctionEntry = {
  id: 'age',
  name: 'age',
  form: 'function',
  resolve: ([end, begin, further]) =>
    isTimeType(end) && isTimeType(begin) && further === undefined ? 'interval' : undefined,
  signature: 'age(end timestamptz | timestamp | date, begin timestamptz | timestamp | date)',
  strict: true,
  canFail: never,
  evaluate: subtractByCalendar,
  doc: {
    summary: 'The time from begin to end by the calendar: years and months, then days and a time.',
    example: 'age(ended::date, began::date)',
  },
}

type Justify = (r: Registers, out: number, a: number) => boolean

function justifyEntry(name: string, justify: Justify, summary: string, example: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([interval, further]) => (interval === 'interval' && further === undefined ? 'interval' : undefined),
    signature: `${name}(interval)`,
    strict: true,
    canFail: always,
    evaluate: (r, out, a) => {
      if (!justify(r, out, a)) intervalOutOfRange(r, out)
    },
    doc: { summary, example },
  }
}

/** In the order in which make_interval takes them; the last one may have a fraction. */
export const INTERVAL_PARTS: readonly string[] = ['years', 'months', 'weeks', 'days', 'hours', 'mins', 'secs']
const SECONDS_AT = INTERVAL_PARTS.length - 1

function makeInterval(r: Registers, out: number, args: readonly number[]): void {
  const parts = [0, 0, 0, 0, 0, 0, 0]
  for (const [index, arg] of args.entries()) {
    if (!isNumber(r, arg) || (index < SECONDS_AT && !isInteger(r, arg) && !isWholeDouble(r, arg))) {
      wrongKind(
        r,
        out,
        'make_interval',
        arg,
        index < SECONDS_AT ? ` as ${INTERVAL_PARTS[index]} unless it is whole` : '',
      )
      return
    }
    parts[index] = doubleOf(r, arg)
  }
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
  const time =
    hours * MICROSECONDS_PER_HOUR + minutes * MICROSECONDS_PER_MINUTE + roundHalfEven(seconds * MICROSECONDS_PER_SECOND)
  if (!setInterval(r, out, years * 12 + months, weeks * 7 + days, time)) intervalOutOfRange(r, out)
}

const MAKE_INTERVAL: FunctionEntry = {
  id: 'make_interval',
  name: 'make_interval',
  form: 'function',
  variadic: true,
  resolve: (args) => (args.length <= INTERVAL_PARTS.length && args.every(isNumberType) ? 'interval' : undefined),
  signature: `make_interval([${INTERVAL_PARTS.join(' [, ')}${']'.repeat(INTERVAL_PARTS.length)})`,
  strict: true,
  canFail: always,
  evaluate: variadic(makeInterval),
  doc: {
    summary:
      'The interval of these parts; those that are left out are 0. They can be named: make_interval(days => 10).',
    example: 'make_interval(0, 0, 0, 0, 0, 0, seconds)',
  },
}

export const INTERVAL_FUNCTIONS: readonly FunctionEntry[] = [
  AGE,
  justifyEntry('justify_hours', justifyHours, '24 hours become a day.', "justify_hours(INTERVAL '36 hours')"),
  justifyEntry('justify_days', justifyDays, '30 days become a month.', "justify_days(INTERVAL '45 days')"),
  justifyEntry(
    'justify_interval',
    justifyInterval,
    'Both, and all parts have one sign.',
    "justify_interval(INTERVAL '1 month -1 hour')",
  ),
  MAKE_INTERVAL,
]
