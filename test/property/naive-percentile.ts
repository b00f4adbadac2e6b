/**
 * Owns what APPROX_PERCENTILE says of a list of values, by the rule of its documentation: the value that PERCENTILE_DISC would
 * take, moved to the middle of its bucket. Each power of two has 64 buckets of equal width.
 */
import { RowError, toDecimal, type NumberValue, type Value } from './value.ts'

const PARTS = 64
/** Nearer to 0 the bits name no buckets. */
const NORMAL_MIN = 2 ** -1022

/** Errors: RowError for a number beyond doubles. */
function toDouble(value: NumberValue): number {
  if (typeof value === 'number') return value
  const { unscaled, scale } = toDecimal(value)
  const double = Number(`${unscaled}e-${scale}`)
  if (!Number.isFinite(double)) throw new RowError('number_out_of_range')
  return double
}

/** The number that stands for all of a bucket. Errors: RowError for a number beyond doubles. */
export function bucketMiddle(value: NumberValue): number {
  const double = toDouble(value)
  if (!Number.isFinite(double)) return double
  let rest = Math.abs(double)
  if (rest < NORMAL_MIN) return 0
  let power = 1
  for (; rest >= 2; rest /= 2) power *= 2
  for (; rest < 1; rest *= 2) power /= 2
  const low = Math.floor(rest * PARTS)
  const middle = power * ((2 * low * (low + 1)) / (PARTS * (2 * low + 1)))
  return double < 0 ? -middle : middle
}

/** NaN last. */
export function approximatePercentile(inputs: readonly NumberValue[], fraction: number): Value {
  if (inputs.length === 0) return null
  const values = Float64Array.from(inputs, toDouble).toSorted()
  const rank = Math.max(Math.ceil(fraction * values.length) - 1, 0)
  const value = values[rank] as number
  const numbers = values.filter((one) => !Number.isNaN(one))
  if (Number.isNaN(value)) return value
  const [least, greatest] = [numbers[0] as number, numbers.at(-1) as number]
  if (rank === 0) return least
  if (rank === numbers.length - 1) return greatest
  return Math.min(Math.max(bucketMiddle(value), least), greatest) + 0
}
