/**
 * Owns exact decimal numbers: value = unscaled * 10^-scale. Sums, differences, products and quotients follow PostgreSQL's
 * numeric; a scale is kept as it comes (0.30 stays 0.30) until `normalizeDecimal`.
 */
import { assert } from './assert.ts'

export interface Decimal {
  readonly unscaled: bigint
  /** >= 0 */
  readonly scale: number
}

/** PostgreSQL's NUMERIC_MIN_SIG_DIGITS, NUMERIC_MAX_DISPLAY_SCALE and the decimal digits of one of its base-10000 digits. */
const QUOTIENT_DIGITS_MIN = 16
const QUOTIENT_SCALE_MAX = 1_000
const DIGIT_GROUP = 4
/** PostgreSQL's limits of numeric: digits before and after the point. */
export const DECIMAL_INTEGER_DIGITS_MAX = 131_072
const DECIMAL_SCALE_MAX = 16_383

const DECIMAL_TEXT = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/

/** 10^22 is the greatest power of ten that is exactly a double, so a product or quotient of exact digits with it rounds once. */
export const EXACT_POWER_MAX = 22
/** The powers up to it. */
export const EXACT_POWERS_OF_TEN = Float64Array.from({ length: EXACT_POWER_MAX + 1 }, (_, power) =>
  Number(`1e${power}`),
)

/** Powers that usual numbers need are at hand: to compute one takes longer than to use it. */
const POWERS_OF_TEN = Array.from({ length: 65 }, (_, exponent) => 10n ** BigInt(exponent))

/** 10^exponent. */
export function powerOfTen(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent)
}

export function decimalOfInteger(value: bigint): Decimal {
  return { unscaled: value, scale: 0 }
}

/** The exact value of a finite double. */
export function decimalOfDouble(value: number): Decimal {
  const { mantissa, exponent } = partsOfDouble(value)
  if (exponent >= 0) return decimalOfInteger(mantissa << BigInt(exponent))
  // m / 2^k = m * 5^k / 10^k
  return normalizeDecimal({ unscaled: mantissa * 5n ** BigInt(-exponent), scale: -exponent })
}

/** The shortest decimal that reads back as a finite double: what a producer wrote, as a rule. */
export function shortestDecimalOf(value: number): Decimal {
  const decimal = parseDecimal(String(value))
  assert(decimal !== undefined, "a double's text is a decimal")
  return normalizeDecimal(decimal)
}

/** A finite double as mantissa * 2^exponent; exponent is that of its last place. */
export function partsOfDouble(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  const magnitude = biased === 0 ? fraction : fraction | 0x10000000000000n
  return { mantissa: bits >> 63n === 1n ? -magnitude : magnitude, exponent: biased === 0 ? -1074 : biased - 1075 }
}

/** The greatest double below a finite one. */
export function nextDoubleDown(value: number): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value + 0)
  if (value === 0) return -Number.MIN_VALUE
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n))
  return view.getFloat64(0)
}

/**
 * Reads sign, digits, point and exponent; undefined: another form, or more digits before or after the point than may be.
 */
export function parseDecimal(
  text: string,
  integerDigitsMax = DECIMAL_INTEGER_DIGITS_MAX,
  scaleMax = DECIMAL_SCALE_MAX,
): Decimal | undefined {
  const match = DECIMAL_TEXT.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', part = '', bare = '', power = '0'] = match
  const fraction = part + bare
  const exponent = Number(power)
  const digits = (whole + fraction).replace(/^0+/, '')
  const scale = fraction.length - exponent
  if (digits === '') return { unscaled: 0n, scale: Math.min(Math.max(scale, 0), scaleMax) }
  if (digits.length - scale > integerDigitsMax || scale > scaleMax) return undefined
  const magnitude = scale < 0 ? BigInt(digits) * powerOfTen(-scale) : BigInt(digits)
  return { unscaled: sign === '-' ? -magnitude : magnitude, scale: Math.max(scale, 0) }
}

/** All digits, as many after the point as the scale says: 0.30, -12, 1000. */
export function decimalToText({ unscaled, scale }: Decimal): string {
  if (scale === 0) return unscaled.toString()
  const negative = unscaled < 0n
  const digits = (negative ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  return `${negative ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The double nearest to the exact value, ties to even; infinite beyond double's range. */
export function decimalToDouble({ unscaled, scale }: Decimal): number {
  if (scale === 0) return Number(unscaled)
  return Number(`${unscaled}e-${scale}`) + 0
}

const NORMALIZING_STEP_MAX = 256

/** The same value with the least scale. */
export function normalizeDecimal(value: Decimal): Decimal {
  let { unscaled, scale } = value
  if (scale === 0 || unscaled % 10n !== 0n) return value
  if (unscaled === 0n) return { unscaled, scale: 0 }
  // in large steps first: a double's expansion has up to 1,074 places
  for (let step = NORMALIZING_STEP_MAX; step >= 1; step >>= 1) {
    if (step > scale) continue
    const power = powerOfTen(step)
    while (scale >= step && unscaled % power === 0n) {
      unscaled /= power
      scale -= step
    }
  }
  return { unscaled, scale }
}

function unscaledAt(value: Decimal, scale: number): bigint {
  return value.scale === scale ? value.unscaled : value.unscaled * powerOfTen(scale - value.scale)
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  return { unscaled: unscaledAt(left, scale) + unscaledAt(right, scale), scale }
}

export function subtractDecimals(left: Decimal, right: Decimal): Decimal {
  return addDecimals(left, negateDecimal(right))
}

export function multiplyDecimals(left: Decimal, right: Decimal): Decimal {
  return { unscaled: left.unscaled * right.unscaled, scale: left.scale + right.scale }
}

export function negateDecimal({ unscaled, scale }: Decimal): Decimal {
  return { unscaled: -unscaled, scale }
}

/**
 * The quotient as PostgreSQL's numeric `/` gives it: at least 16 significant digits, rounded half away from zero.
 * Caller keeps: right is not zero. Source: select_div_scale in PostgreSQL's numeric.c.
 */
export function divideDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = quotientScale(left, right)
  // one extra place of the dividend for each place that the divisor has beyond it
  const shift = scale + right.scale - left.scale
  const dividend = shift >= 0 ? left.unscaled * powerOfTen(shift) : left.unscaled
  const divisor = shift >= 0 ? right.unscaled : right.unscaled * powerOfTen(-shift)
  return { unscaled: divideHalfAway(dividend, divisor), scale }
}

function quotientScale(left: Decimal, right: Decimal): number {
  const [leftWeight, leftDigit] = leadingGroup(left)
  const [rightWeight, rightDigit] = leadingGroup(right)
  const weight = leftWeight - rightWeight - (leftDigit <= rightDigit ? 1 : 0)
  const scale = Math.max(QUOTIENT_DIGITS_MIN - weight * DIGIT_GROUP, left.scale, right.scale, 0)
  return Math.min(scale, QUOTIENT_SCALE_MAX)
}

/** Weight and value of the first base-10000 digit, PostgreSQL's form of a numeric. */
function leadingGroup({ unscaled, scale }: Decimal): readonly [weight: number, digit: number] {
  if (unscaled === 0n) return [0, 0]
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString()
  const exponent = digits.length - 1 - scale
  const weight = Math.floor(exponent / DIGIT_GROUP)
  const length = exponent - weight * DIGIT_GROUP + 1
  return [weight, Number(digits.slice(0, length).padEnd(length, '0'))]
}

/** The integer quotient, rounded half away from zero. Caller keeps: the divisor is not zero. */
export function divideHalfAway(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const rest = dividend % divisor
  const twice = (rest < 0n ? -rest : rest) * 2n
  if (twice < (divisor < 0n ? -divisor : divisor)) return quotient
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n
}

/** The remainder of truncating division, with the sign of the dividend. Caller keeps: right is not zero. */
export function remainderOfDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  return { unscaled: unscaledAt(left, scale) % unscaledAt(right, scale), scale }
}

/** Rounded half away from zero to `places` after the point; a negative number of places rounds before it. */
export function roundDecimal(value: Decimal, places: number): Decimal {
  if (places >= value.scale) return value
  // beyond the first digit nothing is left, and the power of ten would be without bound
  const dropped = Math.min(value.scale - places, value.unscaled.toString().length + 1)
  const rounded = divideHalfAway(value.unscaled, powerOfTen(dropped))
  if (places >= 0) return { unscaled: rounded, scale: places }
  return rounded === 0n ? decimalOfInteger(0n) : decimalOfInteger(rounded * powerOfTen(-places))
}

/** The greatest integer <= value. */
export function floorOfDecimal({ unscaled, scale }: Decimal): bigint {
  const power = powerOfTen(scale)
  const quotient = unscaled / power
  return unscaled < 0n && quotient * power !== unscaled ? quotient - 1n : quotient
}

/** Negative, 0 or positive. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale)
  const a = unscaledAt(left, scale)
  const b = unscaledAt(right, scale)
  return a < b ? -1 : a > b ? 1 : 0
}

/** The double that has the decimal's exact value; undefined where none has. */
export function doubleOfDecimal(value: Decimal): number | undefined {
  const double = decimalToDouble(value)
  return Number.isFinite(double) && compareDecimalWithDouble(value, double) === 0 ? double : undefined
}

/** Compares exactly with a finite or infinite double: negative, 0 or positive. */
export function compareDecimalWithDouble(left: Decimal, right: number): number {
  if (right === Infinity) return -1
  if (right === -Infinity) return 1
  const nearest = decimalToDouble(left)
  if (nearest !== right) return nearest < right ? -1 : 1
  return compareDecimals(left, decimalOfDouble(right))
}
