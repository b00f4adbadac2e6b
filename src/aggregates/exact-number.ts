/**
 * Owns exact numbers that sums of doubles, integers, decimals and their products come to: numerator * 2^exponent / 5^fives. A
 * decimal is one too, since 10 = 2 * 5. Canonical: the numerator is odd, and no multiple of 5 where fives are left; 0 has neither.
 */
import { type Decimal, partsOfDouble } from '../core/decimal.ts'
import { trailingZeros } from './exact-total.ts'
import { pushCount, pushInteger, readCount, readInteger, type StateReader } from './state-bytes.ts'

export interface ExactNumber {
  readonly numerator: bigint
  readonly exponent: number
  /** >= 0 */
  readonly fives: number
}

const FIVES_STEP_MAX = 4_096

export const EXACT_ZERO: ExactNumber = { numerator: 0n, exponent: 0, fives: 0 }

export function exactOfInteger(value: bigint): ExactNumber {
  return { numerator: value, exponent: 0, fives: 0 }
}

/** Caller keeps: it is finite. */
export function exactOfDouble(value: number): ExactNumber {
  const { mantissa, exponent } = partsOfDouble(value)
  return { numerator: mantissa, exponent, fives: 0 }
}

export function exactOfDecimal({ unscaled, scale }: Decimal): ExactNumber {
  return { numerator: unscaled, exponent: -scale, fives: scale }
}

export function multiplyExact(left: ExactNumber, right: ExactNumber): ExactNumber {
  return {
    numerator: left.numerator * right.numerator,
    exponent: left.exponent + right.exponent,
    fives: left.fives + right.fives,
  }
}

export function addExact(left: ExactNumber, right: ExactNumber): ExactNumber {
  if (left.numerator === 0n) return right
  if (right.numerator === 0n) return left
  const exponent = Math.min(left.exponent, right.exponent)
  const fives = Math.max(left.fives, right.fives)
  return { numerator: numeratorAt(left, exponent, fives) + numeratorAt(right, exponent, fives), exponent, fives }
}

/** The numerator over another denominator. Caller keeps: it is an integer there, exponent not above and fives not below the number's own. */
export function numeratorAt(value: ExactNumber, exponent: number, fives: number): bigint {
  if (value.numerator === 0n) return 0n
  const shifted = value.numerator << BigInt(value.exponent - exponent)
  return fives === value.fives ? shifted : shifted * 5n ** BigInt(fives - value.fives)
}

export function canonicalExact({ numerator, exponent, fives }: ExactNumber): ExactNumber {
  if (numerator === 0n) return EXACT_ZERO
  const zeros = trailingZeros(numerator)
  let rest = numerator >> BigInt(zeros)
  let left = fives
  // in large steps first: a decimal may end with thousands of zeros
  for (let step = FIVES_STEP_MAX; step >= 1 && left > 0; step >>= 1) {
    if (step > left) continue
    const power = 5n ** BigInt(step)
    while (left >= step && rest % power === 0n) {
      rest /= power
      left -= step
    }
  }
  return { numerator: rest, exponent: exponent + zeros, fives: left }
}

/** exponent | fives | numerator; the exponent as twice its value, less one and negated where it is below 0. Caller keeps: it is canonical. */
export function pushExact(bytes: number[], { numerator, exponent, fives }: ExactNumber): void {
  pushCount(bytes, exponent < 0 ? -2 * exponent - 1 : 2 * exponent)
  pushCount(bytes, fives)
  pushInteger(bytes, numerator)
}

export function readExact(reader: StateReader): ExactNumber {
  const coded = readCount(reader)
  const exponent = coded % 2 === 1 ? -(coded + 1) / 2 : coded / 2
  const fives = readCount(reader)
  return { numerator: readInteger(reader), exponent, fives }
}
