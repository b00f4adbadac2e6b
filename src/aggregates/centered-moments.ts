/**
 * Owns what finalizing needs of moments: exact integers about the mean, and the unit that they count. With the sums of n values
 * n * sum(x^2) - sum(x)^2 is n times the sum of squares about the mean, without a quotient.
 */
import type { Registers } from '../core/registers.ts'
import { roundQuotient } from './exact-total.ts'
import { numeratorAt, type ExactNumber } from './exact-number.ts'
import { isAllFinite, MOMENT, type Moments } from './moment-state.ts'
import { roundRoot } from './round-root.ts'

/** numerator / denominator, denominator > 0. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

export interface CenteredMoments {
  readonly count: bigint
  /** Sums of values, in units of `unit`. */
  readonly x: bigint
  readonly y: bigint
  /** n times the sums of squares and products about the means, in units of `squareUnit`. */
  readonly xx: bigint
  readonly yy: bigint
  readonly xy: bigint
  readonly unit: Fraction
  readonly squareUnit: Fraction
  readonly isFiniteX: boolean
  readonly isFiniteY: boolean
}

/** Sums that the aggregate doesn't keep count as 0, and what is computed from them means nothing. */
export function centerMoments({ count, x, y, sums }: Moments): CenteredMoments {
  const [sumX, sumY, sumXX, sumYY, sumXY] = sums as [ExactNumber, ExactNumber, ExactNumber, ExactNumber, ExactNumber]
  // one denominator for the values, its square for squares and products
  const exponent = Math.min(
    sumX.exponent,
    sumY.exponent,
    ...[sumXX, sumYY, sumXY].map((one) => Math.floor(one.exponent / 2)),
  )
  const fives = Math.max(sumX.fives, sumY.fives, ...[sumXX, sumYY, sumXY].map((one) => Math.ceil(one.fives / 2)))
  const value = (moment: number): bigint => numeratorAt(sums[moment] as ExactNumber, exponent, fives)
  const square = (moment: number): bigint => numeratorAt(sums[moment] as ExactNumber, 2 * exponent, 2 * fives)
  const n = BigInt(count)
  const [totalX, totalY] = [value(MOMENT.X), value(MOMENT.Y)]
  return {
    count: n,
    x: totalX,
    y: totalY,
    xx: n * square(MOMENT.XX) - totalX * totalX,
    yy: n * square(MOMENT.YY) - totalY * totalY,
    xy: n * square(MOMENT.XY) - totalX * totalY,
    unit: toUnit(exponent, fives),
    squareUnit: toUnit(2 * exponent, 2 * fives),
    isFiniteX: isAllFinite(x),
    isFiniteY: isAllFinite(y),
  }
}

/** 2^exponent / 5^fives */
function toUnit(exponent: number, fives: number): Fraction {
  const five = 5n ** BigInt(fives)
  return exponent >= 0
    ? { numerator: 1n << BigInt(exponent), denominator: five }
    : { numerator: 1n, denominator: five << BigInt(-exponent) }
}

/** numerator / denominator * unit, rounded once. denominator > 0. */
export function setQuotient(r: Registers, out: number, numerator: bigint, denominator: bigint, unit?: Fraction): void {
  const [up, down] = unit === undefined ? [1n, 1n] : [unit.numerator, unit.denominator]
  setFinite(r, out, roundQuotient(numerator * up, denominator * down))
}

/** The root of numerator / denominator * unit, rounded once. numerator >= 0, denominator > 0. */
export function setRoot(r: Registers, out: number, numerator: bigint, denominator: bigint, unit?: Fraction): void {
  const [up, down] = unit === undefined ? [1n, 1n] : [unit.numerator, unit.denominator]
  setFinite(r, out, roundRoot(numerator * up, denominator * down))
}

function setFinite(r: Registers, out: number, value: number): void {
  if (Number.isFinite(value)) r.setDouble(out, value)
  else r.setError(out, 'sum_out_of_range', "the result is beyond double precision's range")
}
