/** Owns variances, covariances and regressions by their definitions about the mean, in fractions; rounded by the language's reader of decimals. */
import { RowError, toDecimal, type NumberValue, type Value } from './value.ts'

/** denominator > 0 */
interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

const ZERO: Fraction = { numerator: 0n, denominator: 1n }
const whole = (value: number): Fraction => ({ numerator: BigInt(value), denominator: 1n })

function toFraction(value: NumberValue): Fraction {
  const { unscaled, scale } = toDecimal(value)
  return { numerator: unscaled, denominator: 10n ** BigInt(scale) }
}

function add(left: Fraction, right: Fraction): Fraction {
  if (left.denominator === right.denominator)
    return { numerator: left.numerator + right.numerator, denominator: left.denominator }
  return {
    numerator: left.numerator * right.denominator + right.numerator * left.denominator,
    denominator: left.denominator * right.denominator,
  }
}

function times(left: Fraction, right: Fraction): Fraction {
  return { numerator: left.numerator * right.numerator, denominator: left.denominator * right.denominator }
}

function over(left: Fraction, right: Fraction): Fraction {
  const sign = right.numerator < 0n ? -1n : 1n
  return {
    numerator: left.numerator * right.denominator * sign,
    denominator: left.denominator * right.numerator * sign,
  }
}

const negative = ({ numerator, denominator }: Fraction): Fraction => ({ numerator: -numerator, denominator })

/** Over a common denominator, so that it doesn't grow with every term. */
function toCommon(values: readonly NumberValue[]): Fraction[] {
  const scale = Math.max(0, ...values.map((value) => toDecimal(value).scale))
  const denominator = 10n ** BigInt(scale)
  return values.map((value) => {
    const fraction = toFraction(value)
    return { numerator: (fraction.numerator * denominator) / fraction.denominator, denominator }
  })
}

function sum(values: readonly Fraction[]): Fraction {
  return values.reduce(add, ZERO)
}

/** The sum of products of what is left when the means are taken away. */
function centered(xs: readonly NumberValue[], ys: readonly NumberValue[]): Fraction {
  const left = toDistances(toCommon(xs))
  const right = toDistances(toCommon(ys))
  return sum(left.map((distance, index) => times(distance, right[index] as Fraction)))
}

function toDistances(values: readonly Fraction[]): Fraction[] {
  const mean = over(sum(values), whole(values.length))
  return values.map((value) => {
    // over the mean's denominator, which all distances share
    const factor = mean.denominator / value.denominator
    return { numerator: value.numerator * factor - mean.numerator, denominator: mean.denominator }
  })
}

/** More digits than any border between two doubles has. */
const DIGITS = 1_200

/** The double nearest to the fraction: its digits, and one more where a rest is left. */
function nearest({ numerator, denominator }: Fraction): number {
  if (numerator < 0n) return -nearest({ numerator: -numerator, denominator }) + 0
  const scaled = numerator * 10n ** BigInt(DIGITS)
  const quotient = scaled / denominator
  return readDigits(quotient, quotient * denominator === scaled)
}

function nearestRoot({ numerator, denominator }: Fraction): number {
  const scaled = numerator * 10n ** BigInt(2 * DIGITS)
  const quotient = scaled / denominator
  const root = floorRoot(quotient)
  return readDigits(root, root * root === quotient && quotient * denominator === scaled)
}

function readDigits(digits: bigint, isExact: boolean): number {
  const value = Number(`${digits}${isExact ? '0' : '1'}e-${DIGITS + 1}`) + 0
  if (!Number.isFinite(value)) throw new RowError('sum_out_of_range')
  return value
}

function floorRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

const isFiniteNumber = (value: NumberValue): boolean => typeof value !== 'number' || Number.isFinite(value)

/** VAR_* and STDDEV_*. */
export function varianceOf(name: string, values: readonly NumberValue[]): Value {
  const isSample = !name.endsWith('_pop')
  const divisor = values.length - (isSample ? 1 : 0)
  if (divisor < 1) return null
  if (!values.every(isFiniteNumber)) return NaN
  const variance = over(centered(values, values), whole(divisor))
  return name.startsWith('stddev') ? nearestRoot(variance) : nearest(variance)
}

export type Pair = readonly [y: NumberValue, x: NumberValue]

/** COVAR_*, CORR and REGR_* of pairs, y before x. */
export function pairMomentOf(name: string, pairs: readonly Pair[]): Value {
  if (name === 'regr_count') return BigInt(pairs.length)
  const count = whole(pairs.length)
  if (pairs.length < (name === 'covar_samp' ? 2 : 1)) return null
  const [ys, xs] = [pairs.map(([y]) => y), pairs.map(([, x]) => x)]
  switch (name) {
    case 'regr_avgx':
      return meanOf(xs)
    case 'regr_avgy':
      return meanOf(ys)
    case 'regr_sxx':
      return rounded(squares(xs, xs))
    case 'regr_syy':
      return rounded(squares(ys, ys))
    case 'regr_sxy':
      return rounded(squares(xs, ys))
    case 'covar_pop':
      return rounded(squares(xs, ys), count)
    case 'covar_samp':
      return rounded(squares(xs, ys), whole(pairs.length - 1))
    default:
      return lineOf(name, xs, ys)
  }
}

/** What needs a spread of x. */
function lineOf(name: string, xs: readonly NumberValue[], ys: readonly NumberValue[]): Value {
  const [sxx, syy, sxy] = [squares(xs, xs), squares(ys, ys), squares(xs, ys)]
  if (isNone(sxx)) return null
  if (isNone(syy) && name === 'corr') return null
  if (isNone(syy) && name === 'regr_r2') return 1
  if (sxx === undefined || syy === undefined || sxy === undefined) return NaN
  switch (name) {
    case 'regr_slope':
      return nearest(over(sxy, sxx))
    case 'regr_intercept': {
      const [sumX, sumY] = [sum(toCommon(xs)), sum(toCommon(ys))]
      const rise = times(over(sxy, sxx), sumX)
      return nearest(over(add(sumY, negative(rise)), whole(xs.length)))
    }
    case 'regr_r2':
      return nearest(over(times(sxy, sxy), times(sxx, syy)))
    case 'corr': {
      const root = nearestRoot(over(times(sxy, sxy), times(sxx, syy)))
      return sxy.numerator < 0n ? -root : root
    }
    default:
      throw new Error(`the naive evaluator has no aggregate ${name}`)
  }
}

/** Undefined where a value isn't finite. */
function squares(left: readonly NumberValue[], right: readonly NumberValue[]): Fraction | undefined {
  return [...left, ...right].every(isFiniteNumber) ? centered(left, right) : undefined
}

const isNone = (value: Fraction | undefined): boolean => value?.numerator === 0n

function rounded(value: Fraction | undefined, divisor = whole(1)): number {
  return value === undefined ? NaN : nearest(over(value, divisor))
}

function meanOf(values: readonly NumberValue[]): number {
  if (!values.every(isFiniteNumber)) {
    const special = values.filter((value) => !isFiniteNumber(value)) as number[]
    return special.reduce((left, right) => left + right)
  }
  return nearest(over(sum(toCommon(values)), whole(values.length)))
}
