/**
 * Owns which ingest thread reads a shard. A rollup is read by all threads, each its own shards, and their batches meet in the leaf: merging is
 * associative and commutative, and ranges are by shard, so it doesn't matter who folded what.
 */
import { at } from '../core/assert.ts'
import type { HaltReason, Shard } from '../core/shard.ts'
import type { StoredRollup } from '../leaf/leaf-store.ts'
import type { ShardReport } from '../tailer/ingest-events.ts'
import type { ShardStart } from '../tailer/shard-cursor.ts'
import type { IngestControl, IngestControlEvents } from './ingest-control.ts'

/** One of them. */
export interface ThreadControl extends IngestControl {
  listen(events: IngestControlEvents): void
  close(): Promise<void>
}

export class IngestThreads implements IngestControl {
  readonly #threads: readonly ThreadControl[]
  /** Rollups that a thread has halted: none goes on alone. */
  readonly #halted = new Set<number>()
  #events: IngestControlEvents | undefined

  constructor(threads: readonly ThreadControl[]) {
    this.#threads = threads
    for (const thread of threads) {
      thread.listen({
        committed: (rollupId, batch) => this.#events?.committed(rollupId, batch),
        shardHalted: (rollupId, shard, reason, nextOffset) =>
          this.#events?.shardHalted(rollupId, shard, reason, nextOffset),
        rollupHalted: (rollupId, reason) => this.#noteHalt(rollupId, reason),
      })
    }
  }

  /** Whom to tell; set once, before the first start. */
  listen(events: IngestControlEvents): void {
    this.#events = events
  }

  async start(rollup: StoredRollup): Promise<void> {
    this.#halted.delete(rollup.id)
    await this.#each((thread, isRead) =>
      thread.start({ ...rollup, shards: rollup.shards.filter(({ shard }) => isRead(shard)) }),
    )
  }

  async stop(rollupId: number): Promise<void> {
    await this.#each((thread) => thread.stop(rollupId))
  }

  async addShards(rollupId: number, shards: readonly ShardStart[]): Promise<void> {
    await this.#each(async (thread, isRead) => {
      const own = shards.filter(({ shard }) => isRead(shard))
      if (own.length > 0) await thread.addShards(rollupId, own)
    })
  }

  report(rollupId: number): readonly ShardReport[] {
    return this.#threads.flatMap((thread) => thread.report(rollupId))
  }

  /** What is folded gets stored; returns when the threads have ended. */
  async close(): Promise<void> {
    await this.#each((thread) => thread.close())
  }

  async #each(work: (thread: ThreadControl, isRead: (shard: Shard) => boolean) => Promise<void>): Promise<void> {
    await Promise.all(
      this.#threads.map((thread) => work(thread, (shard) => at(this.#threads, this.#indexOf(shard)) === thread)),
    )
  }

  /** The same for every rollup; topics of one partition are spread too. */
  #indexOf({ topicId, partition }: Shard): number {
    return (hashOf(topicId) + partition) % this.#threads.length
  }

  #noteHalt(rollupId: number, reason: HaltReason): void {
    if (this.#halted.has(rollupId)) return
    this.#halted.add(rollupId)
    this.#events?.rollupHalted(rollupId, reason)
    // fails only where the thread has ended, which its client tells
    this.stop(rollupId).catch(() => undefined)
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 31) + byte) >>> 0
  return hash
}
