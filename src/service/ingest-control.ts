/** The port of the ingest threads, as the service sees them. */
import type { HaltReason, Shard } from '../core/shard.ts'
import type { StoredRollup } from '../leaf/leaf-store.ts'
import type { CommittedBatch, ShardReport } from '../tailer/ingest-events.ts'
import type { ShardStart } from '../tailer/shard-cursor.ts'

/** What one ingest thread tells. */
export interface IngestThreadEvents {
  /** `nextOffset`: where it halted. */
  shardHalted(rollupId: number, shard: Shard, reason: HaltReason, nextOffset: number): void
  rollupHalted(rollupId: number, reason: HaltReason): void
  committed(rollupId: number, batch: CommittedBatch): void
}

export interface IngestControlEvents extends IngestThreadEvents {
  /** It would be read in another way if it was started now. */
  restartWanted(rollupId: number): void
}

export interface IngestControl {
  /** Reads the rollup's open shards from their stored positions. */
  start(rollup: StoredRollup): Promise<void>
  /** Returns when nothing more of the rollup comes: what was folded is stored. A rollup that isn't read: at once. */
  stop(rollupId: number): Promise<void>
  addShards(rollupId: number, shards: readonly ShardStart[]): Promise<void>
  /** What was last heard of each shard; empty for a rollup that isn't read. */
  report(rollupId: number): readonly ShardReport[]
}
