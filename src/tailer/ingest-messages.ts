/** Owns what passes between the ingest thread and the service's thread. Everything can be cloned. */
import type { Answer } from '../core/pending-calls.ts'
import type { HaltReason, Shard } from '../core/shard.ts'
import type { OnError } from '../core/policy.ts'
import type { RollupPlan } from '../planner/plan.ts'
import type { CommittedBatch, ShardReport } from './ingest-events.ts'
import type { ShardStart } from './shard-cursor.ts'

/** What the ingest thread must know of a rollup. */
export interface IngestRollup {
  readonly id: number
  readonly topic: string
  readonly plan: RollupPlan
  readonly onError: OnError
  readonly shards: readonly ShardStart[]
}

/** Service to ingest thread; each is answered with its number. */
export type ToIngest =
  | { readonly kind: 'start'; readonly call: number; readonly rollup: IngestRollup }
  | { readonly kind: 'stop'; readonly call: number; readonly rollupId: number }
  | {
      readonly kind: 'add_shards'
      readonly call: number
      readonly rollupId: number
      readonly shards: readonly ShardStart[]
    }
  /** Stops all rollups, storing what is folded, and closes the source. */
  | { readonly kind: 'close'; readonly call: number }

/** Ingest thread to service. */
export type FromIngest =
  | Answer<undefined>
  | { readonly kind: 'report'; readonly rollupId: number; readonly shards: readonly ShardReport[] }
  | { readonly kind: 'committed'; readonly rollupId: number; readonly batch: CommittedBatch }
  | {
      readonly kind: 'shard_halted'
      readonly rollupId: number
      readonly shard: Shard
      readonly reason: HaltReason
      /** Where it halted. */
      readonly nextOffset: number
    }
  | { readonly kind: 'rollup_halted'; readonly rollupId: number; readonly reason: HaltReason }
