/**
 * The port of the leaf: states, positions, counters, dead letters and the catalog of rollups, each change one transaction
 * (laws 1, 2, 8). Everything is synchronous; it lives on the leaf thread.
 */
import type { PartialBatch } from '../aggregator/partial-batch.ts'
import type { OnError, OnLoss } from '../core/policy.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Counts, HaltReason, Shard } from '../core/shard.ts'
import type { RollupPlan } from '../planner/plan.ts'

export type StoredStatus = 'running' | 'paused' | 'halted'

/** Where reading of a shard begins. */
export interface StartPosition {
  readonly shard: Shard
  readonly startOffset: number
}

/** What a rollup is created from; where it begins is already resolved to offsets. */
export interface RollupDefinition {
  readonly name: string
  readonly plan: RollupPlan
  readonly topic: string
  /** As the request had it, to be shown again. */
  readonly start: unknown
  readonly onError: OnError
  readonly onLoss: OnLoss
  /** Output names for each index. */
  readonly indexes: readonly (readonly string[])[]
  /** Empty with a source: the shards are those of the rollup at the top. */
  readonly shards: readonly StartPosition[]
  /** The rollup whose groups are read instead of records. */
  readonly sourceId?: number
}

export interface StoredShard extends StartPosition {
  readonly nextOffset: number
  readonly leaderEpoch: number
  /** Largest record timestamp folded, milliseconds; -1 for none. */
  readonly maxTimestampMs: number
  /** Reading goes on from nextOffset unless closed: a closed shard can't get records any more and keeps its counts. */
  readonly closed: boolean
  readonly halt?: HaltReason
  /** A record that must become a dead letter although on_error is halt: its offset was accepted. */
  readonly acceptedErrorOffset?: number
  readonly counts: Counts
}

/** What a rollup reads that is no topic. Its positions, status and counts are those of the rollup at the top. */
export interface StoredSource {
  readonly id: number
  readonly name: string
  /** The rollup at the top of the line, which reads the topic. */
  readonly topId: number
}

export interface StoredRollup extends Omit<RollupDefinition, 'shards' | 'sourceId'> {
  /** Absent: records of the topic are read. */
  readonly source?: StoredSource
  /** Of this name and version; never used again. */
  readonly id: number
  readonly version: number
  readonly status: StoredStatus
  readonly reason?: HaltReason
  readonly createdAt: string
  readonly groups: number
  /** Of the groups: those whose id is another group's, kept apart by their key. */
  readonly overflowGroups: number
  /** Content of the group rows and their index entries, an estimate that commits keep; free space in pages isn't in it. */
  readonly bytes: number
  /** Kept ones. */
  readonly deadLetters: number
  readonly warnings: readonly string[]
  readonly shards: readonly StoredShard[]
  /** Sums of the shards that were pruned. */
  readonly pruned: { readonly shards: number; readonly passed: number; readonly counts: Counts }
}

/** A SELECT under a name. */
export interface ViewDefinition {
  readonly name: string
  readonly sql: string
  /** Names of the rollups and views in it. */
  readonly reads: readonly string[]
  readonly columns: readonly { readonly name: string; readonly type: ScalarType }[]
}

export interface StoredView extends ViewDefinition {
  readonly createdAt: string
}

/** What became of one range of a committed batch. */
export type RangeOutcome =
  | { readonly shard: Shard; readonly outcome: 'accepted' | 'duplicate'; readonly nextOffset: number }
  | { readonly shard: Shard; readonly outcome: 'refused'; readonly nextOffset: number }
  /** The rollup was dropped, or the shard closed or pruned: nothing more is wanted. */
  | { readonly shard: Shard; readonly outcome: 'gone' }

export interface CommitResult {
  readonly epoch: number
  /** One for each batch, in order. A batch is taken whole or, when any of its ranges isn't accepted, not at all. */
  readonly batches: readonly BatchResult[]
}

export interface BatchResult {
  readonly taken: boolean
  readonly ranges: readonly RangeOutcome[]
  /** Records that were aggregated, and into how many groups; 0 unless it is taken. */
  readonly records: number
  readonly groups: number
}

export interface StoredDeadLetter {
  readonly id: number
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestampMs: number
  readonly code: string
  readonly reason: string
  readonly value: Uint8Array | null
}

/** How a person's or the policy's decision about a halted shard changes it. */
export type ShardChange =
  /** Try again from where it stands. */
  | { readonly kind: 'clear_halt' }
  /** Halt it. */
  | { readonly kind: 'halt'; readonly reason: HaltReason }
  /** Pass [next_offset, to) and count it as lost. */
  | { readonly kind: 'skip_lost'; readonly to: number }
  /** The record at this offset becomes a dead letter. */
  | { readonly kind: 'accept_error'; readonly offset: number }
  /** Keep its counts, read no more of it. */
  | { readonly kind: 'close' }
  /**
   * The log was truncated below our position: the stored shard is closed with its counts, and a new one of the same topic id and
   * partition begins at the offset where the logs diverge. Two rows of one shard are the case; at most one of them is open, and
   * commits and changes mean that one.
   */
  | { readonly kind: 'restart'; readonly at: number }

/** Of the leaf as a whole, since it was opened where nothing else is said. */
export interface LeafFigures {
  /** Number of the last commit. */
  readonly epoch: number
  /** Of the database file, free pages included. */
  readonly fileBytes: number
  /** Ranges that came again and were dropped. */
  readonly duplicateRanges: number
  /** Ranges that stood elsewhere than their shard. */
  readonly refusedRanges: number
}

/** Every method that changes something may end with disk_full (then nothing is written) or owner_lost. */
export interface LeafStore {
  /**
   * Creates tables and positions in one transaction, synced; a rollup of a rollup has all of its source's groups then.
   * Errors: already_exists, bad_parameter for an index, unknown_rollup for a source that is gone.
   */
  createRollup(definition: RollupDefinition): StoredRollup
  /** States, positions and dead letters are gone; late commits are `gone`. Errors: unknown_rollup, rollup_in_use (views read it too). */
  dropRollup(name: string): void
  /**
   * One of that name is replaced. Errors: already_exists for a rollup's name; conflict where what it reads is gone, and where a view that
   * reads it would lose a column.
   */
  putView(view: ViewDefinition): StoredView
  /** Errors: unknown_view; rollup_in_use while another view reads it. */
  dropView(name: string): void
  listViews(): StoredView[]
  /** Errors: unknown_rollup. */
  setStatus(id: number, status: StoredStatus, reason?: HaltReason): void
  listRollups(): StoredRollup[]
  findRollup(name: string): StoredRollup | undefined
  /** New partitions, or the shards of a topic made again. Errors: conflict for a shard that is read already. */
  addShards(id: number, shards: readonly StartPosition[], warning?: string): void
  /** Errors: not_found when that shard isn't read, bad_parameter for an offset before its position. */
  changeShard(id: number, shard: Shard, change: ShardChange, warning?: string): void
  /** One transaction for all given batches. When none is taken, the number of the last commit stands. */
  commit(batches: readonly PartialBatch[]): CommitResult
  /** Ids above `after`, oldest first. */
  listDeadLetters(id: number, limit: number, after: number): StoredDeadLetter[]
  /**
   * Removes these shards' positions; their sums are kept in `pruned`; an old batch of theirs is `gone`. Of a shard with several
   * rows each mention removes one, closed ones first.
   */
  pruneShards(id: number, shards: readonly Shard[]): void
  figures(): LeafFigures
  close(): void
}
