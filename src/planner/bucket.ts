/**
 * Owns the bucket of a group: its first time-typed grouping value in microseconds. It leads the key of the leaf's rows and the
 * order of a batch's groups, so that a range of time is a range of keys.
 */
import { INT64_MIN } from '../core/number-text.ts'
import type { GroupColumn } from './plan.ts'

/** Of groups without any time-typed grouping value. */
export const NO_BUCKET = 0
/** Of groups whose time is null. */
export const NULL_BUCKET = INT64_MIN

/** Index of the grouping column that is the bucket; -1: there is none, and the bucket is NO_BUCKET. */
export function findBucketColumn(groupBy: readonly GroupColumn[]): number {
  return groupBy.findIndex(({ type }) => type === 'timestamptz')
}
