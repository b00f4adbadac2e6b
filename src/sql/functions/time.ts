/** Owns functions of time: extract, to_timestamp and its kin, all in UTC. Cutting times is time-cut.ts. */
import { type Decimal, divideHalfAway, powerOfTen } from '../../core/decimal.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { MICROSECONDS_PER_SECOND, setTimestampOf } from '../../core/timestamp-calendar.ts'
import { type ReadField, readFieldOf, TIMESTAMP_FIELDS } from '../../core/timestamp-field.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumberType, isOneOf, isText, quote, textOf, wrongKind } from './argument.ts'
import { roundHalfEven } from './round-half-even.ts'
import { isTime, isTimeType, literalWord, outOfRange, unknownWord } from './time-argument.ts'
import { TIME_CUT_FUNCTIONS } from './time-cut.ts'

/** Microseconds from 1970 to 2000, where PostgreSQL's own count begins: to_timestamp rounds there. */
const POSTGRES_EPOCH_SECONDS = 946_684_800

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
  ...TIME_CUT_FUNCTIONS,
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
