/**
 * Owns the bucket of a group: its first time-typed grouping value in microseconds. It leads the key of the leaf's rows and the
 * order of a batch's groups, so that a range of time is a range of keys.
 */
import { INT64_MIN } from '../core/number-text.ts'
import { type Registers, TAG } from '../core/registers.ts'
import { isTimeType } from '../core/scalar-type.ts'
import { MICROSECONDS_PER_DAY } from '../core/timestamp-calendar.ts'
import type { GroupColumn } from './plan.ts'

/** Of groups without any time-typed grouping value. */
export const NO_BUCKET = 0
/** Of groups whose time is null. */
export const NULL_BUCKET = INT64_MIN

/** Index of the grouping column that is the bucket; -1: there is none, and the bucket is NO_BUCKET. */
export function findBucketColumn(groupBy: readonly GroupColumn[]): number {
  return groupBy.findIndex(({ type }) => isTimeType(type))
}

/** The bucket of a time's register, or of NULL. */
export function bucketOfRegister(r: Registers, index: number): number | bigint {
  switch (r.tag[index]) {
    case TAG.NULL:
      return NULL_BUCKET
    case TAG.TIMESTAMP:
    case TAG.LOCAL_TIMESTAMP:
      return r.num[index] as number
    case TAG.DATE:
      return midnightOf(r.num[index] as number)
    default:
      return r.ref[index] as bigint
  }
}

function midnightOf(day: number): number | bigint {
  const microseconds = day * MICROSECONDS_PER_DAY
  return Number.isSafeInteger(microseconds) ? microseconds : BigInt(day) * BigInt(MICROSECONDS_PER_DAY)
}
