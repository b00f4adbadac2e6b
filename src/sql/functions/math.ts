/** Owns abs, sign, round, trunc, floor and ceil, which keep the form of their number: integers stay exact, numerics too. */
import {
  type Decimal,
  decimalOfInteger,
  decimalToDouble,
  EXACT_POWER_MAX,
  EXACT_POWERS_OF_TEN,
  floorOfDecimal,
  negateDecimal,
  parseDecimal,
  powerOfTen,
  roundDecimal,
} from '../../core/decimal.ts'
import { INT64_MIN } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import {
  always,
  isInteger,
  isNumber,
  isNumberType,
  isOneOf,
  isWholeDouble,
  resolveNumber,
  wrongKind,
} from './argument.ts'
import { setBigintResult, setExact } from './number-arithmetic.ts'
import { roundHalfEven } from '../../core/round-half-even.ts'

/** Beyond so many places a double is what it is, and before so many it is 0. */
const PLACES_MAX = 400
/** How near to a half a scaled double may come before its decimal digits decide. */
const HALF_TOLERANCE = 1e-3
/** Up to here the scaled double's own error is far below the tolerance. */
const SCALED_MAX = 2 ** 42

/** Integers may go on as integers, but `/` of the result doesn't truncate: PostgreSQL's is double or numeric. */
function resolveRounded([type, further]: readonly ScalarType[]): ScalarType | undefined {
  if (further !== undefined || !isNumberType(type)) return undefined
  return isOneOf(type, 'double precision', 'numeric') ? type : 'number'
}

function resolvePlaces([type, places, further]: readonly ScalarType[]): ScalarType | undefined {
  return isOneOf(places, 'bigint', 'any') && further === undefined && type !== undefined
    ? resolveRounded([type])
    : undefined
}

function keep(r: Registers, out: number, a: number): void {
  r.copy(out, a)
}

function wholeEntry(
  name: string,
  ofDouble: (value: number) => number,
  ofDecimal: (value: Decimal) => bigint,
  summary: string,
  ofInteger: (r: Registers, out: number, a: number) => void = keep,
): FunctionEntry {
  const evaluate: Evaluate = (r, out, a) => {
    if (r.tag[a] === TAG.DOUBLE) r.setDouble(out, ofDouble(r.num[a] as number))
    else if (r.tag[a] === TAG.NUMERIC) r.setBigInteger(out, ofDecimal(r.ref[a] as Decimal))
    else if (isInteger(r, a)) ofInteger(r, out, a)
    else wrongKind(r, out, name, a)
  }
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveRounded,
    signature: `${name}(number)`,
    strict: true,
    canFail: ([type]) => type === 'any',
    evaluate,
    doc: { summary, example: `${name}(latency_ms)` },
  }
}

const abs: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.INTEGER:
      r.setInteger(out, Math.abs(r.num[a] as number))
      return
    case TAG.DOUBLE:
      r.setDouble(out, Math.abs(r.num[a] as number))
      return
    case TAG.BIG_INTEGER: {
      const value = r.ref[a] as bigint
      // -2^63 has no opposite in int64
      if (value === INT64_MIN) setBigintResult(r, out, -value)
      else r.setBigInteger(out, value < 0n ? -value : value)
      return
    }
    case TAG.NUMERIC: {
      const value = r.ref[a] as Decimal
      setExact(r, out, value.unscaled < 0n ? negateDecimal(value) : value)
      return
    }
    default:
      wrongKind(r, out, 'abs', a)
  }
}

/** A declared numeric has no int64's bounds. */
const absOfNumeric: Evaluate = (r, out, a, b, c, d) => {
  const value = r.ref[a]
  if (r.tag[a] === TAG.BIG_INTEGER && typeof value === 'bigint') r.setBigInteger(out, value < 0n ? -value : value)
  else abs(r, out, a, b, c, d)
}

/**
 * A double rounded to so many places: its shortest decimal text, rounded half away from zero, as PostgreSQL's
 * round(x::numeric, n). So round(2.675, 2) is 2.68, although the double lies below.
 */
function roundToPlaces(value: number, places: number): number {
  if (!Number.isFinite(value) || places > PLACES_MAX) return value
  if (places < -PLACES_MAX) return 0
  if (places >= 0 && places <= EXACT_POWER_MAX) {
    const power = EXACT_POWERS_OF_TEN[places] as number
    const scaled = Math.abs(value) * power
    const floor = Math.floor(scaled)
    const rest = scaled - floor
    if (scaled < SCALED_MAX && Math.abs(rest - 0.5) > HALF_TOLERANCE) {
      // an exact integer by an exact power of ten: one rounding, so the double nearest to the decimal
      const rounded = (rest < 0.5 ? floor : floor + 1) / power
      return value < 0 ? -rounded : rounded
    }
  }
  const decimal = parseDecimal(String(value))
  return decimal === undefined ? value : decimalToDouble(roundDecimal(decimal, places))
}

/** The wanted places, no more than matter; NaN, with the error written, where an argument is none. */
function placesOf(r: Registers, out: number, name: string, a: number, b: number): number {
  if (!isNumber(r, a) || (!isInteger(r, b) && !isWholeDouble(r, b))) {
    wrongKind(r, out, name, isNumber(r, a) ? b : a)
    return NaN
  }
  const wanted = r.tag[b] === TAG.BIG_INTEGER ? Number(r.ref[b]) : (r.num[b] as number)
  return Math.max(Math.min(wanted, PLACES_MAX + 1), -PLACES_MAX - 1)
}

const roundTo: Evaluate = (r, out, a, b) => {
  const places = placesOf(r, out, 'round', a, b)
  if (Number.isNaN(places)) return
  if (r.tag[a] === TAG.DOUBLE) setRounded(r, out, a, roundToPlaces(r.num[a] as number, places))
  else if (r.tag[a] === TAG.NUMERIC) setExact(r, out, roundDecimal(r.ref[a] as Decimal, places))
  else if (places >= 0) r.copy(out, a)
  else setExact(r, out, roundDecimal(decimalOfInteger(r.bigIntegerOf(a)), places))
}

/** A double cut after so many places of its shortest decimal text. */
function truncateToPlaces(value: number, places: number): number {
  if (!Number.isFinite(value) || places > PLACES_MAX) return value
  const decimal = parseDecimal(String(value))
  return decimal === undefined ? value : decimalToDouble(truncateDecimal(decimal, places))
}

const truncateTo: Evaluate = (r, out, a, b) => {
  const places = placesOf(r, out, 'trunc', a, b)
  if (Number.isNaN(places)) return
  if (r.tag[a] === TAG.DOUBLE) r.setDouble(out, truncateToPlaces(r.num[a] as number, places))
  else if (r.tag[a] === TAG.NUMERIC) setExact(r, out, truncateDecimal(r.ref[a] as Decimal, places))
  else if (places >= 0) r.copy(out, a)
  else setExact(r, out, truncateDecimal(decimalOfInteger(r.bigIntegerOf(a)), places))
}

/** Cut after so many places; negative ones are before the point. */
function truncateDecimal(value: Decimal, places: number): Decimal {
  if (places >= value.scale) return value
  const kept = value.unscaled / powerOfTen(value.scale - places)
  return places >= 0 ? { unscaled: kept, scale: places } : decimalOfInteger(kept * powerOfTen(-places))
}

function signOfInteger(r: Registers, out: number, a: number): void {
  r.setInteger(out, signOf(r.tag[a] === TAG.INTEGER ? (r.num[a] as number) : (r.ref[a] as bigint)))
}

/** Of NaN it is 0, as PostgreSQL has it. */
function signOf(value: number | bigint): number {
  return value > 0 ? 1 : value < 0 ? -1 : 0
}

/** Rounding up at the end of double's range leaves it. */
function setRounded(r: Registers, out: number, a: number, value: number): void {
  if (Number.isFinite(r.num[a]) && !Number.isFinite(value)) {
    r.setError(out, 'number_out_of_range', 'value out of range of double precision: overflow')
  } else r.setDouble(out, value)
}

export const MATH_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'abs',
    name: 'abs',
    form: 'function',
    resolve: resolveNumber,
    signature: 'abs(number)',
    strict: true,
    canFail: ([type]) => !isOneOf(type, 'double precision', 'numeric'),
    evaluate: abs,
    specialize: ([argument]) => (argument?.type === 'numeric' ? absOfNumeric : undefined),
    doc: { summary: 'The number without its sign.', example: 'abs(delta)' },
  },
  wholeEntry(
    'round',
    roundHalfEven,
    (value) => roundDecimal(value, 0).unscaled,
    'The nearest whole number: of a double half to even, of a numeric half away from zero.',
  ),
  {
    id: 'round_to',
    name: 'round',
    form: 'function',
    resolve: resolvePlaces,
    signature: 'round(number, places bigint)',
    strict: true,
    canFail: always,
    evaluate: roundTo,
    doc: {
      summary:
        "The number rounded to so many places of its decimal text, half away from zero, as PostgreSQL's round(numeric, n).",
      example: 'round(price, 2)',
    },
  },
  wholeEntry(
    'trunc',
    Math.trunc,
    ({ unscaled, scale }) => unscaled / powerOfTen(scale),
    'The number without its fraction.',
  ),
  {
    id: 'trunc_to',
    name: 'trunc',
    form: 'function',
    resolve: resolvePlaces,
    signature: 'trunc(number, places bigint)',
    strict: true,
    canFail: always,
    evaluate: truncateTo,
    doc: { summary: 'The number cut after so many places of its decimal text.', example: 'trunc(price, 2)' },
  },
  wholeEntry(
    'sign',
    signOf,
    ({ unscaled }) => BigInt(signOf(unscaled)),
    '-1, 0 or 1: the sign of the number.',
    signOfInteger,
  ),
  wholeEntry('floor', Math.floor, floorOfDecimal, 'The greatest whole number that is not above.'),
  wholeEntry('ceil', Math.ceil, ceilingOfDecimal, 'The least whole number that is not below.'),
  wholeEntry('ceiling', Math.ceil, ceilingOfDecimal, 'The least whole number that is not below.'),
]

function ceilingOfDecimal(value: Decimal): bigint {
  return -floorOfDecimal(negateDecimal(value))
}
