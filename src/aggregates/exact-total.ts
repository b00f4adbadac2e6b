/**
 * Owns the exact total of any numbers: integers, doubles and decimals as big integers, and the canonical bytes of one. The
 * slow side of SUM and AVG: the usual totals fit the limbs of exact-sum-state.ts and never come here.
 */
import { assert } from '../core/assert.ts'
import { type Decimal, normalizeDecimal, partsOfDouble, powerOfTen } from '../core/decimal.ts'
import { pushCount, pushInteger, readCount, readInteger } from './state-bytes.ts'

/** Every finite double is an integer times 2^-1074, the smallest double above 0. */
export const BINARY_SCALE = 1074
const BINARY_SCALE_BIG = BigInt(BINARY_SCALE)
/** First byte of the bytes; another layout takes another number. */
const BYTES_VERSION = 1

/** A sum of numbers, changed in place. total = whole + binary * 2^-1074 + unscaled * 10^-scale, and what isn't finite. */
export interface ExactTotal {
  whole: bigint
  binary: bigint
  unscaled: bigint
  scale: number
  numerics: number
  nans: number
  positiveInfinities: number
  negativeInfinities: number
}

export function zeroTotal(): ExactTotal {
  return {
    whole: 0n,
    binary: 0n,
    unscaled: 0n,
    scale: 0,
    numerics: 0,
    nans: 0,
    positiveInfinities: 0,
    negativeInfinities: 0,
  }
}

export function addDouble(total: ExactTotal, value: number): void {
  if (Number.isFinite(value)) total.binary += toBinaryUnits(value)
  else if (Number.isNaN(value)) total.nans += 1
  else if (value > 0) total.positiveInfinities += 1
  else total.negativeInfinities += 1
}

export function addDecimal(total: ExactTotal, value: Decimal): void {
  const scale = Math.max(total.scale, value.scale)
  total.unscaled = rescale(total.unscaled, total.scale, scale) + rescale(value.unscaled, value.scale, scale)
  total.scale = scale
  total.numerics += 1
}

export function addTotal(into: ExactTotal, more: ExactTotal): void {
  const scale = Math.max(into.scale, more.scale)
  into.whole += more.whole
  into.binary += more.binary
  into.unscaled = rescale(into.unscaled, into.scale, scale) + rescale(more.unscaled, more.scale, scale)
  into.scale = scale
  into.numerics += more.numerics
  into.nans += more.nans
  into.positiveInfinities += more.positiveInfinities
  into.negativeInfinities += more.negativeInfinities
}

/** What added takes that total away, its counts too. */
export function negateTotal({ scale, ...total }: ExactTotal): ExactTotal {
  return {
    whole: -total.whole,
    binary: -total.binary,
    unscaled: -total.unscaled,
    scale,
    numerics: -total.numerics,
    nans: -total.nans,
    positiveInfinities: -total.positiveInfinities,
    negativeInfinities: -total.negativeInfinities,
  }
}

/** A finite double's exact value in units of 2^-1074. */
function toBinaryUnits(value: number): bigint {
  const { mantissa, exponent } = partsOfDouble(value)
  return mantissa << BigInt(exponent + BINARY_SCALE)
}

function rescale(unscaled: bigint, from: number, to: number): bigint {
  return from === to ? unscaled : unscaled * powerOfTen(to - from)
}

/** whole and binary as one number in units of 2^-1074. */
export function toBinary(total: ExactTotal): bigint {
  return (total.whole << BINARY_SCALE_BIG) + total.binary
}

/** Whether the total needs more than its binary part: decimals were added, or something that isn't finite. */
export function hasMoreThanBinary(total: ExactTotal): boolean {
  return total.numerics !== 0 || total.nans !== 0 || total.positiveInfinities !== 0 || total.negativeInfinities !== 0
}

/** NaN or an infinity where such inputs decide the sum, as IEEE addition in any order would; undefined where all are finite. */
export function nonFiniteSum(total: ExactTotal): number | undefined {
  if (total.nans > 0 || (total.positiveInfinities > 0 && total.negativeInfinities > 0)) return NaN
  if (total.positiveInfinities > 0) return Infinity
  if (total.negativeInfinities > 0) return -Infinity
  return undefined
}

/** The finite part as a fraction with a positive denominator. */
export function toFraction(total: ExactTotal): { readonly numerator: bigint; readonly denominator: bigint } {
  const binary = toBinary(total)
  if (total.unscaled === 0n) return { numerator: binary, denominator: 1n << BINARY_SCALE_BIG }
  const ten = powerOfTen(total.scale)
  return {
    numerator: binary * ten + (total.unscaled << BINARY_SCALE_BIG),
    denominator: ten << BINARY_SCALE_BIG,
  }
}

/** The integers and decimals as one decimal without trailing zeros. Doubles must not have been added. */
export function toDecimal(total: ExactTotal): Decimal {
  assert((total.binary & ((1n << BINARY_SCALE_BIG) - 1n)) === 0n, 'a decimal total has no binary fraction')
  const whole = total.whole + (total.binary >> BINARY_SCALE_BIG)
  return normalizeDecimal({ unscaled: total.unscaled + rescale(whole, 0, total.scale), scale: total.scale })
}

/**
 * The canonical bytes: equal totals of equally many values of each sort have equal bytes.
 * version | numerics | nans | +infinities | -infinities | scale | unscaled | shift | mantissa, as state-bytes.ts writes them.
 * The binary part is mantissa * 2^(shift - 1074), mantissa odd.
 */
export function encodeTotal(total: ExactTotal): Uint8Array {
  const bytes: number[] = [BYTES_VERSION]
  pushCount(bytes, total.numerics)
  pushCount(bytes, total.nans)
  pushCount(bytes, total.positiveInfinities)
  pushCount(bytes, total.negativeInfinities)
  const decimal = normalizeDecimal(total)
  pushCount(bytes, decimal.scale)
  pushInteger(bytes, decimal.unscaled)
  const binary = toBinary(total)
  const shift = trailingZeros(binary)
  pushCount(bytes, shift)
  pushInteger(bytes, binary >> BigInt(shift))
  return Uint8Array.from(bytes)
}

/** Errors: BrokenInvariant for bytes of another version. */
export function decodeTotal(bytes: Uint8Array): ExactTotal {
  assert(bytes[0] === BYTES_VERSION, `sum state has version ${bytes[0]}`)
  const reader = { bytes, at: 1 }
  const total = zeroTotal()
  total.numerics = readCount(reader)
  total.nans = readCount(reader)
  total.positiveInfinities = readCount(reader)
  total.negativeInfinities = readCount(reader)
  total.scale = readCount(reader)
  total.unscaled = readInteger(reader)
  const shift = readCount(reader)
  total.binary = readInteger(reader) << BigInt(shift)
  return total
}

/** Of 0: 0. */
export function trailingZeros(value: bigint): number {
  if (value === 0n) return 0
  let zeros = 0
  while ((value & 0xffffffffn) === 0n) {
    value >>= 32n
    zeros += 32
  }
  const low = Number(value & 0xffffffffn)
  return zeros + 31 - Math.clz32(low & -low)
}

/** Bits of a double's significand. */
const SIGNIFICAND_BITS = 53
/** Two more than a significand: with the rest's presence in the lowest bit, rounding such a number once is rounding the quotient once. */
const QUOTIENT_BITS = SIGNIFICAND_BITS + 2
/** Exponent of the smallest normal double. */
const NORMAL_EXPONENT_MIN = -1022

/** The double nearest to numerator / denominator, halves to even; an infinity beyond double's range. denominator > 0. */
export function roundQuotient(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0
  const negative = numerator < 0n
  const magnitude = negative ? -numerator : numerator
  // The quotient is in (2^(exponent - 1), 2^(exponent + 1)).
  const exponent = bitLength(magnitude) - bitLength(denominator)
  const rounded =
    exponent <= NORMAL_EXPONENT_MIN
      ? roundSubnormal(magnitude, denominator)
      : roundNormal(magnitude, denominator, exponent)
  return negative ? -rounded + 0 : rounded
}

function roundNormal(magnitude: bigint, denominator: bigint, exponent: number): number {
  const shift = QUOTIENT_BITS - exponent
  const scaled = shift >= 0 ? magnitude << BigInt(shift) : magnitude
  const divisor = shift >= 0 ? denominator : denominator << BigInt(-shift)
  let quotient = scaled / divisor
  if (quotient * divisor !== scaled) quotient |= 1n
  // In two steps: 2^-shift alone may be below the smallest double, or above the greatest.
  const half = Math.trunc(shift / 2)
  return Number(quotient) * 2 ** -half * 2 ** (half - shift)
}

/** Quotients about and below the smallest normal double: whole multiples of 2^-1074. */
function roundSubnormal(magnitude: bigint, denominator: bigint): number {
  const scaled = magnitude << BINARY_SCALE_BIG
  let quotient = scaled / denominator
  const twiceRest = (scaled - quotient * denominator) * 2n
  if (twiceRest > denominator || (twiceRest === denominator && (quotient & 1n) === 1n)) quotient += 1n
  return Number(quotient) * Number.MIN_VALUE
}

/** Of a positive one. */
export function bitLength(value: bigint): number {
  const hex = value.toString(16)
  return (hex.length - 1) * 4 + 32 - Math.clz32(Number.parseInt(hex.charAt(0), 16))
}
