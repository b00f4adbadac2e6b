/** Owns what the reading of a rollup needs from the leaf, and what it tells. Everything can be cloned. */
import type { HaltReason, Shard } from '../core/shard.ts'
import type { ShardStatus } from './shard-cursor.ts'

export interface BatchAnswer {
  readonly taken: boolean
  readonly ranges: readonly {
    readonly shard: Shard
    readonly outcome: 'accepted' | 'duplicate' | 'refused' | 'gone'
    readonly nextOffset?: number
  }[]
  /** Records that were aggregated, and into how many groups; 0 unless it is taken. */
  readonly records: number
  readonly groups: number
}

/** Hands a sealed batch to the leaf. Errors: disk_full, owner_lost. */
export interface BatchCommitter {
  commit(batch: ArrayBuffer): Promise<BatchAnswer>
}

export interface ShardReport {
  readonly shard: Shard
  readonly status: ShardStatus
  readonly reason?: HaltReason
  readonly highWatermark: number | null
  readonly isBlockedByTransaction: boolean
  /** Timestamp of the last folded record, milliseconds; -1: none. */
  readonly lastTimestampMs: number
  /** Rollups for which the shard is read once, this one among them; absent: it isn't read yet. */
  readonly readTogether?: number
}

/** A batch is stored and can be queried. */
export interface CommittedBatch {
  readonly positions: readonly { readonly shard: Shard; readonly nextOffset: number }[]
  /** The newest record's timestamp in milliseconds, -1 for none: how fresh the answers are. */
  readonly maxTimestampMs: number
  /** From sealing to stored. */
  readonly elapsedMs: number
  /** Records that were aggregated, and into how many groups. */
  readonly records: number
  readonly groups: number
}

export interface IngestEvents {
  /** A shard halted at that position, which is committed: to be stored, and decided on. */
  shardHalted(shard: Shard, reason: HaltReason, nextOffset: number): void
  /** Nothing more is read until the rollup is started again. */
  rollupHalted(reason: HaltReason): void
  committed(batch: CommittedBatch): void
}
