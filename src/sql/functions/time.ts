/** Owns the table of functions of time, and of them to_timestamp and its kin. */
import { type Decimal, divideHalfAway, powerOfTen } from '../../core/decimal.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { MICROSECONDS_PER_SECOND, setTimestampOf } from '../../core/timestamp-calendar.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumberType, wrongKind } from './argument.ts'
import { roundHalfEven } from '../../core/round-half-even.ts'
import { EXTRACT_FUNCTIONS } from './extract.ts'
import { INTERVAL_CUT_FUNCTIONS } from './interval-cut.ts'
import { INTERVAL_FUNCTIONS } from './interval-functions.ts'
import { MAKE_TIME_FUNCTIONS } from './make-time.ts'
import { outOfRange } from './time-argument.ts'
import { TIME_ARITHMETIC_FUNCTIONS } from './time-arithmetic.ts'
import { TIME_CUT_FUNCTIONS } from './time-cut.ts'
import { TIME_OF_TEXT_FUNCTIONS } from './time-of-text.ts'
import { TIME_TO_CHAR } from './time-to-char.ts'
import { TIME_ZONE_FUNCTIONS } from './time-zone-functions.ts'

/** Microseconds from 1970 to 2000, where PostgreSQL's own count begins: to_timestamp rounds there. */
const POSTGRES_EPOCH_SECONDS = 946_684_800

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
  ...EXTRACT_FUNCTIONS,
  ...INTERVAL_CUT_FUNCTIONS,
  ...TIME_ARITHMETIC_FUNCTIONS,
  ...INTERVAL_FUNCTIONS,
  ...TIME_ZONE_FUNCTIONS,
  ...MAKE_TIME_FUNCTIONS,
  TIME_TO_CHAR,
  ...TIME_OF_TEXT_FUNCTIONS,
  countEntry(
    'to_timestamp',
    MICROSECONDS_PER_SECOND,
    POSTGRES_EPOCH_SECONDS,
    'The time so many seconds after 1970; fractions count, to the microsecond.',
  ),
  countEntry('timestamp_millis', 1_000, 0, 'The time so many milliseconds after 1970.'),
  countEntry('timestamp_micros', 1, 0, 'The time so many microseconds after 1970.'),
]
