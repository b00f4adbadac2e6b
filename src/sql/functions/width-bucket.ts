/** Owns width_bucket: which of equally wide buckets a number falls into. Computed in doubles. Source: PostgreSQL, float.c. */
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumberType } from './argument.ts'
import { doubleOf, isWithinDoubles } from './number-arithmetic.ts'
import { isWholeType, wholeNumber } from './text-argument.ts'

/** PostgreSQL's count is an int4. */
const COUNT_MAX = 2 ** 31 - 1

/** From 0 (before `low`) to count + 1 (from `high` on); `low` is below `high`. */
function bucketOf(value: number, low: number, high: number, count: number): number {
  if (value < low) return 0
  if (value >= high) return count + 1
  const width = high - low
  const share = Number.isFinite(width) ? (value - low) / width : (value / 2 - low / 2) / (high / 2 - low / 2)
  // the share may have been rounded up to 1
  return Math.min(Math.trunc(count * share), count - 1) + 1
}

function problemOf(value: number, low: number, high: number, count: number): string | undefined {
  if (!(count >= 1)) return 'the count must be greater than zero'
  if (Number.isNaN(value) || Number.isNaN(low) || Number.isNaN(high)) return 'operand and bounds cannot be NaN'
  if (!Number.isFinite(low) || !Number.isFinite(high)) return 'the bounds must be finite'
  return low === high ? 'the lower bound cannot equal the upper bound' : undefined
}

const NAME = 'width_bucket'

const widthBucket: Evaluate = (r, out, a, b, c, d) => {
  if (!isWithinDoubles(r, out, NAME, a) || !isWithinDoubles(r, out, NAME, b) || !isWithinDoubles(r, out, NAME, c))
    return
  const count = wholeNumber(r, out, NAME, d)
  if (Number.isNaN(count)) return
  const value = doubleOf(r, a)
  const low = doubleOf(r, b)
  const high = doubleOf(r, c)
  const problem = problemOf(value, low, high, count)
  if (problem !== undefined) r.setError(out, 'invalid_argument', `width_bucket: ${problem}`)
  else if (count > COUNT_MAX) r.setError(out, 'integer_out_of_range', 'width_bucket: the count is out of range')
  // falling bounds are rising ones seen from the other side
  else r.setInteger(out, low < high ? bucketOf(value, low, high, count) : bucketOf(-value, -low, -high, count))
}

export const WIDTH_BUCKET: FunctionEntry = {
  id: 'width_bucket',
  name: 'width_bucket',
  form: 'function',
  resolve: ([value, low, high, count, further]: readonly ScalarType[]) =>
    isNumberType(value) && isNumberType(low) && isNumberType(high) && isWholeType(count) && further === undefined
      ? 'bigint'
      : undefined,
  signature: 'width_bucket(number, low number, high number, count bigint)',
  strict: true,
  canFail: always,
  evaluate: widthBucket,
  doc: {
    summary:
      'The number of the bucket, from 1, among equally wide ones between two bounds; 0 before them, count + 1 behind them.',
    example: 'width_bucket(latency_ms, 0, 1000, 20)',
  },
}
