/** What the service tells the outside: for logs and metrics. */
import type { HaltReason } from '../core/shard.ts'
import type { CommittedBatch } from '../tailer/ingest-events.ts'

export interface ServiceEvents {
  committed(batch: CommittedBatch): void
  halted(reason: HaltReason): void
  /** Work that nobody waits for: its failure is logged, and ends the process where an invariant broke. */
  background(work: Promise<void>): void
}
