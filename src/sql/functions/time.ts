/** Owns functions of time: date_trunc, time_bucket, extract, to_timestamp and its kin. All in UTC. */
import { type Decimal, divideHalfAway, powerOfTen } from '../../core/decimal.ts'
import { RollupdError } from '../../core/errors.ts'
import { type Interval, type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import { bucketOf } from '../../core/timestamp-bucket.ts'
import { MICROSECONDS_PER_SECOND, setTimestampOf } from '../../core/timestamp-calendar.ts'
import { type ReadField, readFieldOf, TIMESTAMP_FIELDS } from '../../core/timestamp-field.ts'
import { type Truncate, TRUNCATE_UNITS, truncateTo } from '../../core/timestamp-truncate.ts'
import type { Expression } from '../expression.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumberType, isOneOf, isText, isTimestamp, quote, textOf, wrongKind } from './argument.ts'
import { roundHalfEven } from './round-half-even.ts'

/** Microseconds from 1970 to 2000, where PostgreSQL's own count begins: to_timestamp rounds there. */
const POSTGRES_EPOCH_SECONDS = 946_684_800
const TIME_ADVICE = ': cast it with ::timestamptz'

function isTimeType(type: ScalarType | undefined): boolean {
  return type === 'timestamptz' || type === 'any'
}

/** Writes an error and gives false where the register isn't a time. */
function isTime(r: Registers, out: number, name: string, index: number): boolean {
  if (isTimestamp(r, index)) return true
  wrongKind(r, out, name, index, isText(r, index) ? TIME_ADVICE : '')
  return false
}

function outOfRange(r: Registers, out: number): void {
  r.setError(out, 'timestamp_out_of_range', 'timestamp out of range')
}

/** The text of a literal argument, in lower case; undefined where it is none. */
function literalWord(argument: Expression | undefined): string | undefined {
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return undefined
  return argument.value.toLowerCase()
}

function unknownWord(argument: Expression | undefined, what: string, known: readonly string[]): RollupdError {
  return new RollupdError('sql_invalid', `unknown ${what} "${literalWord(argument) ?? ''}"`, {
    position: argument?.position,
    hint: `Write one of ${known.join(', ')}.`,
  })
}

function truncate(r: Registers, out: number, cut: Truncate | undefined, a: number, b: number): void {
  if (!isTime(r, out, 'date_trunc', b)) return
  if (cut === undefined) r.setError(out, 'invalid_argument', `date_trunc knows no unit ${quote(r, a)}`)
  else if (!cut(r, out, b)) outOfRange(r, out)
}

const DATE_TRUNC: FunctionEntry = {
  id: 'date_trunc',
  name: 'date_trunc',
  form: 'function',
  resolve: ([unit, time, further]) =>
    isOneOf(unit, 'text', 'any') && isTimeType(time) && further === undefined ? 'timestamptz' : undefined,
  signature: 'date_trunc(unit text, timestamptz)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b) => {
    if (!isText(r, a)) wrongKind(r, out, 'date_trunc', a)
    else truncate(r, out, truncateTo(textOf(r, a).toLowerCase()), a, b)
  },
  specialize: ([unit]) => {
    const word = literalWord(unit)
    if (word === undefined) return undefined
    const cut = truncateTo(word)
    if (cut === undefined) throw unknownWord(unit, 'unit', TRUNCATE_UNITS)
    return (r, out, a, b) => truncate(r, out, cut, a, b)
  },
  doc: {
    summary: 'The begin of the unit in which the time lies, in UTC; weeks begin on Monday.',
    example: "date_trunc('minute', ts::timestamptz)",
  },
}

function extract(r: Registers, out: number, read: ReadField | undefined, a: number, b: number): void {
  if (!isTime(r, out, 'extract', b)) return
  if (read === undefined) r.setError(out, 'invalid_argument', `extract knows no field ${quote(r, a)}`)
  else r.setDouble(out, read(r, b))
}

function extractEntry(name: 'extract' | 'date_part'): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([field, time, further]) =>
      isOneOf(field, 'text', 'any') && isTimeType(time) && further === undefined ? 'double precision' : undefined,
    signature: name === 'extract' ? 'extract(field FROM timestamptz)' : 'date_part(field text, timestamptz)',
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => {
      if (!isText(r, a)) wrongKind(r, out, name, a)
      else extract(r, out, readFieldOf(textOf(r, a).toLowerCase()), a, b)
    },
    specialize: ([field]) => {
      const word = literalWord(field)
      if (word === undefined) return undefined
      const read = readFieldOf(word)
      if (read === undefined) throw unknownWord(field, 'field', TIMESTAMP_FIELDS)
      return (r, out, a, b) => extract(r, out, read, a, b)
    },
    doc: {
      summary: 'A part of a time, in UTC, as a double.',
      example: name === 'extract' ? 'extract(hour FROM ts::timestamptz)' : "date_part('hour', ts::timestamptz)",
    },
  }
}

/** Finds the bucket for an interval register's value; `origin` -1: none was given. */
function bucket(r: Registers, out: number, a: number, b: number, origin: number): void {
  if (r.tag[a] !== TAG.INTERVAL) {
    wrongKind(r, out, 'time_bucket', a)
    return
  }
  if (!isTime(r, out, 'time_bucket', b) || (origin >= 0 && !isTime(r, out, 'time_bucket', origin))) return
  const find = bucketOf(r.ref[a] as Interval, origin)
  if (typeof find === 'string') r.setError(out, 'invalid_argument', `time_bucket: ${find}`)
  else if (!find(r, out, b)) outOfRange(r, out)
}

/** The interval of a literal argument, checked; undefined where it is none. */
function literalInterval(argument: Expression | undefined): Interval | undefined {
  if (argument?.kind !== 'literal' || argument.value === null || typeof argument.value !== 'object') return undefined
  const problem = bucketOf(argument.value, -1)
  if (typeof problem !== 'string') return argument.value
  throw new RollupdError('sql_invalid', `time_bucket: ${problem}`, {
    position: argument.position,
    hint: "Write a width such as '5 minutes', '1 day' or '3 months'.",
  })
}

const TIME_BUCKET: FunctionEntry = {
  id: 'time_bucket',
  name: 'time_bucket',
  form: 'function',
  resolve: ([width, time, origin, further]) => {
    const takesOrigin = origin === undefined || isTimeType(origin)
    return width === 'interval' && isTimeType(time) && takesOrigin && further === undefined ? 'timestamptz' : undefined
  },
  signature: 'time_bucket(interval, timestamptz [, origin timestamptz])',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b, c) => bucket(r, out, a, b, c),
  specialize: ([width, , origin]) => {
    const interval = literalInterval(width)
    if (interval === undefined || origin !== undefined) return undefined
    const find = bucketOf(interval, -1)
    if (typeof find === 'string') return undefined
    return (r, out, _a, b) => {
      if (isTime(r, out, 'time_bucket', b) && !find(r, out, b)) outOfRange(r, out)
    }
  },
  doc: {
    summary:
      'The begin of the bucket of that width, counted from an origin: Monday 2000-01-03, or 2000-01-01 for months, unless given.',
    example: "time_bucket('15 minutes', ts::timestamptz)",
  },
}

/** Writes value * unit microseconds; fractions of a microsecond are rounded. `base` seconds are taken away while rounding. */
function countToTimestamp(r: Registers, out: number, name: string, a: number, unit: number, base: number): void {
  switch (r.tag[a]) {
    case TAG.INTEGER: {
      const microseconds = (r.num[a] as number) * unit
      if (Number.isSafeInteger(microseconds)) r.setTimestamp(out, microseconds)
      else if (!setTimestampOf(r, out, BigInt(r.num[a] as number) * BigInt(unit))) outOfRange(r, out)
      return
    }
    case TAG.DOUBLE: {
      const rounded = roundHalfEven(((r.num[a] as number) - base) * unit)
      const microseconds = rounded + base * unit
      if (Number.isSafeInteger(microseconds)) r.setTimestamp(out, microseconds)
      else if (!Number.isFinite(rounded) || !setTimestampOf(r, out, BigInt(rounded) + BigInt(base * unit))) {
        outOfRange(r, out)
      }
      return
    }
    case TAG.BIG_INTEGER:
      if (!setTimestampOf(r, out, (r.ref[a] as bigint) * BigInt(unit))) outOfRange(r, out)
      return
    case TAG.NUMERIC: {
      const { unscaled, scale } = r.ref[a] as Decimal
      if (!setTimestampOf(r, out, divideHalfAway(unscaled * BigInt(unit), powerOfTen(scale)))) outOfRange(r, out)
      return
    }
    default:
      wrongKind(r, out, name, a)
  }
}

function countEntry(name: string, unit: number, base: number, summary: string): FunctionEntry {
  const evaluate: Evaluate = (r, out, a) => countToTimestamp(r, out, name, a, unit, base)
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([count, further]) => (isNumberType(count) && further === undefined ? 'timestamptz' : undefined),
    signature: `${name}(number)`,
    strict: true,
    canFail: always,
    evaluate,
    doc: { summary, example: `${name}(t)` },
  }
}

export const TIME_FUNCTIONS: readonly FunctionEntry[] = [
  DATE_TRUNC,
  TIME_BUCKET,
  extractEntry('extract'),
  extractEntry('date_part'),
  countEntry(
    'to_timestamp',
    MICROSECONDS_PER_SECOND,
    POSTGRES_EPOCH_SECONDS,
    'The time so many seconds after 1970; fractions count, to the microsecond.',
  ),
  countEntry('timestamp_millis', 1_000, 0, 'The time so many milliseconds after 1970.'),
  countEntry('timestamp_micros', 1, 0, 'The time so many microseconds after 1970.'),
]
