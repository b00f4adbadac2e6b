/**
 * Owns the table of casts and try_casts. Text forms are PostgreSQL's, times ISO 8601 only.
 */
import { type Decimal, roundDecimal } from '../../core/decimal.ts'
import { NUMBER_TEXT, numberToText, readDouble, readInteger, setInt64 } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { type ScalarType, TIME_TYPES } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import {
  failsBeyond,
  isUndeclared,
  isWholeDouble,
  never,
  quote,
  refuseCast,
  refuseText,
  setString,
} from './argument.ts'
import { readBoolean } from './boolean-text.ts'
import { toNumeric } from './cast-to-numeric.ts'
import { toDate, toInterval, toLocalTimestamp, toTimestamp } from './casts-of-times.ts'
import { toCanonicalJson } from './json-value.ts'
import { doubleOf } from './number-arithmetic.ts'
import { roundHalfEven } from '../../core/round-half-even.ts'
import { timeTextOf } from './time-value-text.ts'

export const toBigint: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.INTEGER:
      r.copy(out, a)
      return
    case TAG.TEXT: {
      const result = readInteger(r.ref[a] as Uint8Array, r.num[a] as number, r.end[a] as number, r, out)
      if (result === NUMBER_TEXT.INVALID) refuseText(r, out, 'bigint', a)
      else if (result === NUMBER_TEXT.OUT_OF_RANGE) bigintOutOfRange(r, out, quote(r, a))
      return
    }
    case TAG.DOUBLE:
      doubleToBigint(r, out, r.num[a] as number)
      return
    case TAG.BIG_INTEGER:
      setBigint(r, out, a, r.ref[a] as bigint)
      return
    case TAG.NUMERIC:
      setBigint(r, out, a, roundDecimal(r.ref[a] as Decimal, 0).unscaled)
      return
    default:
      refuseCast(r, out, 'bigint', a)
  }
}

function bigintOutOfRange(r: Registers, out: number, text: string): void {
  r.setError(out, 'integer_out_of_range', `${text} is out of range of bigint`)
}

function setBigint(r: Registers, out: number, a: number, value: bigint): void {
  if (!setInt64(r, out, value)) bigintOutOfRange(r, out, numberToText(r, a))
}

/** Half to even, as PostgreSQL rounds a double. */
function doubleToBigint(r: Registers, out: number, value: number): void {
  const rounded = roundHalfEven(value)
  if (Number.isSafeInteger(rounded)) r.setInteger(out, rounded)
  else if (rounded >= -(2 ** 63) && rounded < 2 ** 63) r.setBigInteger(out, BigInt(rounded))
  else bigintOutOfRange(r, out, String(value))
}

export const toDouble: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.INTEGER:
    case TAG.DOUBLE:
      r.setDouble(out, r.num[a] as number)
      return
    case TAG.TEXT: {
      const result = readDouble(r.ref[a] as Uint8Array, r.num[a] as number, r.end[a] as number, r, out)
      if (result === NUMBER_TEXT.INVALID) refuseText(r, out, 'double precision', a)
      else if (result === NUMBER_TEXT.OUT_OF_RANGE) doubleOutOfRange(r, out, quote(r, a))
      return
    }
    case TAG.BIG_INTEGER:
    case TAG.NUMERIC: {
      const value = doubleOf(r, a)
      if (Number.isFinite(value)) r.setDouble(out, value)
      else doubleOutOfRange(r, out, 'the number')
      return
    }
    default:
      refuseCast(r, out, 'double precision', a)
  }
}

function doubleOutOfRange(r: Registers, out: number, text: string): void {
  r.setError(out, 'number_out_of_range', `${text} is out of range of double precision`)
}

const TRUE_BYTES = Buffer.from('true')
const FALSE_BYTES = Buffer.from('false')

/** Anything that has a text; `->>` and `||` use it too. It may write the register that it reads. */
export const toText: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.TEXT:
      r.copy(out, a)
      return
    case TAG.BOOLEAN: {
      const bytes = r.num[a] === 1 ? TRUE_BYTES : FALSE_BYTES
      r.setText(out, bytes, 0, bytes.length)
      return
    }
    case TAG.JSON:
      toCanonicalJson(r, out, a, -1, -1, -1)
      return
    case TAG.NULL:
      r.setNull(out)
      return
    default:
      setString(r, out, timeTextOf(r, a) ?? numberToText(r, a))
  }
}

/**
 * The text of an undeclared value: a double without a fraction has all its digits, as the integer has that it is once it was a key
 * (docs/adr/0004). It may write the register that it reads.
 */
export const toUndeclaredText: Evaluate = (r, out, a, b, c, d) => {
  if (isWholeDouble(r, a)) setString(r, out, BigInt(r.num[a] as number).toString())
  else toText(r, out, a, b, c, d)
}

export const toBoolean: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.BOOLEAN:
      r.copy(out, a)
      return
    case TAG.TEXT: {
      const value = readBoolean(r.ref[a] as Uint8Array, r.num[a] as number, r.end[a] as number)
      if (value === undefined) refuseText(r, out, 'boolean', a)
      else r.setBoolean(out, value)
      return
    }
    case TAG.INTEGER:
    case TAG.BIG_INTEGER:
      r.setBoolean(out, r.tag[a] === TAG.BIG_INTEGER || r.num[a] !== 0)
      return
    case TAG.DOUBLE:
      // a record's 1.0 is the same value as its 1
      if (Number.isInteger(r.num[a])) {
        r.setBoolean(out, r.num[a] !== 0)
        return
      }
      break
    default:
  }
  refuseCast(r, out, 'boolean', a, r.tag[a] === TAG.DOUBLE || r.tag[a] === TAG.NUMERIC ? ' unless it is whole' : '')
}

interface Cast {
  readonly id: string
  readonly type: ScalarType
  /** Static types that it takes. */
  readonly from: readonly ScalarType[]
  /** Static types that it takes without fail. */
  readonly safeFrom: readonly ScalarType[]
  readonly evaluate: Evaluate
  /** For undeclared values, where it is another. */
  readonly evaluateUndeclared?: Evaluate
  readonly summary: string
}

const TEXTUAL_TYPES: readonly ScalarType[] = [
  ...(['bigint', 'double precision', 'numeric', 'number', 'text', 'boolean'] as const),
  ...(['timestamptz', 'timestamp', 'date', 'interval'] as const),
]

const CASTS: readonly Cast[] = [
  {
    id: 'bigint',
    type: 'bigint',
    from: ['bigint', 'double precision', 'numeric', 'number', 'text', 'any'],
    safeFrom: ['bigint'],
    evaluate: toBigint,
    summary: "A 64-bit integer. Doubles round half to even, numerics half away from zero; text in PostgreSQL's forms.",
  },
  {
    id: 'double',
    type: 'double precision',
    from: ['bigint', 'double precision', 'numeric', 'number', 'text', 'any'],
    safeFrom: ['bigint', 'double precision'],
    evaluate: toDouble,
    summary: 'A double, correctly rounded. Text may say NaN and Infinity.',
  },
  {
    id: 'numeric',
    type: 'numeric',
    from: ['bigint', 'double precision', 'numeric', 'number', 'text', 'any'],
    safeFrom: ['bigint', 'numeric'],
    evaluate: toNumeric,
    summary:
      "An exact decimal: all digits of a text, an integer and a record's number as it was written; of a computed double the shortest that read back as it.",
  },
  {
    id: 'text',
    type: 'text',
    from: [...TEXTUAL_TYPES, 'any'],
    safeFrom: TEXTUAL_TYPES,
    evaluate: toText,
    evaluateUndeclared: toUndeclaredText,
    summary:
      'Numbers as PostgreSQL shows them (undeclared whole ones with all their digits), timestamptz as ISO 8601 with Z, timestamp and date without, intervals as PostgreSQL does, arrays and objects as compact JSON with sorted keys.',
  },
  {
    id: 'boolean',
    type: 'boolean',
    from: ['boolean', 'bigint', 'text', 'any'],
    safeFrom: ['boolean', 'bigint'],
    evaluate: toBoolean,
    summary: "PostgreSQL's words (true, t, yes, y, on, 1, and their opposites); of an integer, whether it isn't 0.",
  },
  {
    id: 'timestamptz',
    type: 'timestamptz',
    from: [...TIME_TYPES, 'text', 'any'],
    safeFrom: TIME_TYPES,
    evaluate: toTimestamp,
    summary:
      'An instant from ISO 8601 text; without a zone it is UTC, more than six digits of a second are cut. A timestamp and the midnight of a date are in UTC.',
  },
  {
    id: 'timestamp',
    type: 'timestamp',
    from: [...TIME_TYPES, 'text', 'any'],
    safeFrom: TIME_TYPES,
    evaluate: toLocalTimestamp,
    summary: 'What a clock and a calendar show, from ISO 8601 text whose offset counts for nothing; an instant in UTC.',
  },
  {
    id: 'date',
    type: 'date',
    from: [...TIME_TYPES, 'text', 'any'],
    safeFrom: TIME_TYPES,
    evaluate: toDate,
    summary: 'A day, from ISO 8601 text whose time and offset count for nothing; that of an instant in UTC.',
  },
  {
    id: 'interval',
    type: 'interval',
    from: ['interval', 'text', 'any'],
    safeFrom: ['interval'],
    evaluate: toInterval,
    summary:
      "A span of time from text in PostgreSQL's forms: 1 day 02:03:04, 5 minutes, P1DT2H, 1-2 for years and months.",
  },
]

function castEntry({ id, type, from, safeFrom, evaluate, evaluateUndeclared, summary }: Cast): FunctionEntry {
  return {
    id: `cast_to_${id}`,
    name: type,
    form: 'cast',
    resolve: ([given, further]) =>
      given !== undefined && further === undefined && from.includes(given) ? type : undefined,
    signature: `cast of ${from.join(', ')} to ${type}`,
    strict: true,
    canFail: failsBeyond(...safeFrom),
    evaluate,
    specialize: ([argument]) => (isUndeclared(argument?.type) ? evaluateUndeclared : undefined),
    // SQLite's own casts are others; only where nothing changes is there native text
    native: ([argument], [given]) => (given === type ? argument : undefined),
    print: ([argument]) => `CAST(${argument} AS ${type})`,
    doc: { summary, example: `CAST(x AS ${type})` },
  }
}

function tryCastEntry(cast: Cast): FunctionEntry {
  const { id, type, evaluate, evaluateUndeclared, summary } = cast
  const trying =
    (attempt: Evaluate): Evaluate =>
    (r, out, a, b, c, d) => {
      attempt(r, out, a, b, c, d)
      if (r.tag[out] === TAG.ERROR) r.setNull(out)
    }
  return {
    ...castEntry(cast),
    id: `try_cast_to_${id}`,
    form: 'try_cast',
    canFail: never,
    evaluate: trying(evaluate),
    specialize: ([argument]) =>
      isUndeclared(argument?.type) && evaluateUndeclared !== undefined ? trying(evaluateUndeclared) : undefined,
    print: ([argument]) => `try_cast(${argument}, '${type}')`,
    doc: { summary: `${summary} Null where the cast fails.`, example: `try_cast(x, '${type}')` },
  }
}

export const CAST_FUNCTIONS: readonly FunctionEntry[] = [...CASTS.map(castEntry), ...CASTS.map(tryCastEntry)]
