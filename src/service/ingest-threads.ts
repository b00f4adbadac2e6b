/**
 * Owns which ingest threads read a rollup. One of few groups for its records is read by all threads, each its own shards, and their batches meet
 * in the leaf: merging is associative and commutative, and ranges are by shard, so it doesn't matter who folded what. For one of many
 * groups the leaf's writing is the bound, and batches of several threads would bring it the same groups several times: one thread reads it, if
 * no other rollup shares the reading of its topic.
 */
import { at } from '../core/assert.ts'
import type { HaltReason, Shard } from '../core/shard.ts'
import type { StoredRollup } from '../leaf/leaf-store.ts'
import type { CommittedBatch, ShardReport } from '../tailer/ingest-events.ts'
import type { ShardStart } from '../tailer/shard-cursor.ts'
import type { IngestControl, IngestControlEvents, IngestThreadEvents } from './ingest-control.ts'

/** One of them. */
export interface ThreadControl extends IngestControl {
  listen(events: IngestThreadEvents): void
  prepare(): void
  close(): Promise<void>
}

/** Groups for a record. Measured: at 0.3 one thread is faster than two, at 0.002 two are faster than one. */
const MANY_GROUPS = 0.1
/** Fewer records say nothing, as a batch of one record has one group. */
const TELLING_RECORDS = 20_000

export class IngestThreads implements IngestControl {
  readonly #threads: readonly ThreadControl[]
  /** Topics of the rollups that are read. */
  readonly #topics = new Map<number, string>()
  /** Rollups of many groups. */
  readonly #dense = new Set<number>()
  /** Those that all threads read. */
  readonly #spread = new Set<number>()
  /** Rollups that a thread has halted: none goes on alone. */
  readonly #halted = new Set<number>()
  #events: IngestControlEvents | undefined

  constructor(threads: readonly ThreadControl[]) {
    this.#threads = threads
    for (const thread of threads) {
      thread.listen({
        committed: (rollupId, batch) => this.#noteCommit(rollupId, batch),
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

  /** Starts the threads ahead of the first rollup, which would wait for them. */
  prepare(): void {
    for (const thread of this.#threads) thread.prepare()
  }

  async start(rollup: StoredRollup): Promise<void> {
    const { id, shards, topic } = rollup
    this.#halted.delete(id)
    this.#topics.set(id, topic)
    const records = shards.reduce((sum, { counts }) => sum + counts.aggregated, 0)
    if (hasManyGroups(records, rollup.groups)) this.#dense.add(id)
    if (this.#dense.has(id) && this.#readsAlone(id)) this.#spread.delete(id)
    else this.#spread.add(id)
    await this.#each(id, (thread, isRead) =>
      thread.start({ ...rollup, shards: shards.filter(({ shard }) => isRead(shard)) }),
    )
  }

  async stop(rollupId: number): Promise<void> {
    this.#topics.delete(rollupId)
    await Promise.all(this.#threads.map((thread) => thread.stop(rollupId)))
  }

  async addShards(rollupId: number, shards: readonly ShardStart[]): Promise<void> {
    await this.#each(rollupId, async (thread, isRead) => {
      const own = shards.filter(({ shard }) => isRead(shard))
      if (own.length > 0) await thread.addShards(rollupId, own)
    })
  }

  report(rollupId: number): readonly ShardReport[] {
    return this.#threads.flatMap((thread) => thread.report(rollupId))
  }

  /** What is folded gets stored; returns when the threads have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  async #each(
    rollupId: number,
    work: (thread: ThreadControl, isRead: (shard: Shard) => boolean) => Promise<void>,
  ): Promise<void> {
    const isRead = (thread: ThreadControl, shard: Shard): boolean =>
      at(this.#threads, this.#indexOf(rollupId, shard)) === thread
    await Promise.all(this.#threads.map((thread) => work(thread, (shard) => isRead(thread, shard))))
  }

  /** The same for all rollups that are read alike, since they read a topic together; topics of one partition are spread too. */
  #indexOf(rollupId: number, { topicId, partition }: Shard): number {
    return (hashOf(topicId) + (this.#spread.has(rollupId) ? partition : 0)) % this.#threads.length
  }

  #noteCommit(rollupId: number, batch: CommittedBatch): void {
    this.#events?.committed(rollupId, batch)
    if (this.#dense.has(rollupId) || this.#threads.length === 1 || !hasManyGroups(batch.records, batch.groups)) return
    this.#dense.add(rollupId)
    if (this.#readsAlone(rollupId)) this.#events?.restartWanted(rollupId)
  }

  #readsAlone(rollupId: number): boolean {
    const topic = this.#topics.get(rollupId)
    return [...this.#topics].every(([id, other]) => id === rollupId || other !== topic)
  }

  #noteHalt(rollupId: number, reason: HaltReason): void {
    if (this.#halted.has(rollupId)) return
    this.#halted.add(rollupId)
    this.#events?.rollupHalted(rollupId, reason)
    // fails only where the thread has ended, which its client tells
    this.stop(rollupId).catch(() => undefined)
  }
}

function hasManyGroups(records: number, groups: number): boolean {
  return records >= TELLING_RECORDS && groups > records * MANY_GROUPS
}

function hashOf(text: string): number {
  let hash = 0
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 31) + byte) >>> 0
  return hash
}
