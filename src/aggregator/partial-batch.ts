/**
 * Owns the partial batch: what the aggregator hands to the leaf for one rollup, and its versioned bytes. Bytes move between
 * threads as one transferred buffer.
 */
import type { Counts, HaltReason, Shard } from '../core/shard.ts'
import type { RecordErrorCode } from '../core/record-error.ts'
import type { Cell } from '../core/scalar-type.ts'
import type { StateValue } from '../aggregates/aggregate.ts'

/** What was passed on one shard: [first, next). Ranges tile (law 2). */
export interface BatchRange {
  readonly shard: Shard
  readonly first: number
  readonly next: number
  /** Leader epoch of the last folded batch, -1 where none was seen. */
  readonly leaderEpoch: number
  readonly counts: Readonly<Counts>
  /** Largest record timestamp folded, milliseconds; -1 for none. For freshness and lag in seconds. */
  readonly maxTimestampMs: number
  /** The shard can't go on behind `next`. */
  readonly halt?: HaltReason
}

export interface DeadLetter {
  readonly shard: Shard
  readonly offset: number
  readonly timestampMs: number
  readonly code: RecordErrorCode
  readonly reason: string
  /** The record's bytes; null for a value that is too large to keep. */
  readonly value: Uint8Array | null
}

/** One group that the batch touched. */
export interface BatchGroup {
  /** See planner/bucket.ts. */
  bucket: number | bigint
  /** 16 bytes: MurmurHash3 x64 128, seed 0, of the key, big-endian. */
  id: Uint8Array
  /** Group key bytes. */
  key: Uint8Array
  /** One per grouping column, as its storage says; an `any` value is its key bytes. */
  values: Cell[]
  /** Records folded into the group by this batch. */
  records: number
  /** The state columns of all partials, in the plan's order. */
  states: StateValue[]
}

/** The decoded form. `groups` fills one BatchGroup again and again: caller must not keep it. Groups come sorted by (bucket, id, key). */
export interface PartialBatch {
  readonly rollupId: number
  readonly ranges: readonly BatchRange[]
  readonly deadLetters: readonly DeadLetter[]
  readonly groupCount: number
  groups(): Iterable<BatchGroup>
}
