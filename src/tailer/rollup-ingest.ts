/**
 * Owns the reading of one rollup's shards: fetch, fold, commit, each overlapping the others. Positions come from the leaf
 * (law 1), a refused batch is folded again from where the leaf wants it (law 2), and whatever isn't certain halts its shard
 * (law 7). Decisions about halted shards are the service's.
 */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { IngestFold } from '../aggregator/ingest-fold.ts'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { type HaltReason, toShardKey } from '../core/shard.ts'
import type { DecodeStop, RecordBatchDecoder } from '../records/record-batch-decoder.ts'
import type { BatchAnswer, BatchCommitter, CommittedBatch, IngestEvents, ShardReport } from './ingest-events.ts'
import { OpenBatch } from './open-batch.ts'
import { describeLoss, describeRecreation, findTruncation } from './position-check.ts'
import { READING_PACE, type ReadingPace } from './reading-pace.ts'
import type { FetchAnswer, RecordReader, RecordSource } from './record-source.ts'
import { ShardCursor, type ShardStart } from './shard-cursor.ts'
import { ShardTurns } from './shard-turns.ts'

/** Bounds a batch's memory and the time that its commit keeps others waiting. */
const BATCH_GROUPS_MAX = 60_000
const BATCH_BYTES_MAX = 32 << 20
/** How long a fetch waits for the first new record. Long, since it returns with the first one. */
const FETCH_WAIT_MS = 500
/** Bytes of one fetch over all its shards; two of them are in memory at once. */
const FETCH_BYTES_MAX = 8 << 20
/** Back-off of a shard with passing errors. */
const RETRY_MS_MIN = 50
const RETRY_MS_MAX = 2000
/** Answers in a row that a batch beyond the log's end is asked for before it counts as damaged. */
const PAST_END_ANSWERS_MAX = 4

export interface RollupIngestOptions {
  readonly topic: string
  readonly shards: readonly ShardStart[]
  readonly source: RecordSource
  readonly fold: IngestFold
  readonly decoder: RecordBatchDecoder
  readonly committer: BatchCommitter
  readonly events: IngestEvents
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** Absent: READING_PACE. */
  readonly pace?: ReadingPace
}

interface PendingFetch {
  readonly cursors: readonly ShardCursor[]
  readonly from: readonly number[]
  readonly answers: Promise<FetchAnswer[]>
}

export class RollupIngest {
  readonly #options: RollupIngestOptions
  readonly #pace: ReadingPace
  readonly #reader: RecordReader
  readonly #cursors = new Map<string, ShardCursor>()
  readonly #turns = new ShardTurns()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  readonly #batch: OpenBatch
  /** The leaf's next offsets, by shard. */
  readonly #sealed: Map<string, number>
  /** Halts that become known outside once so many batches are stored: the last of them ends where they stand. */
  #halts: { cursor: ShardCursor; reason: HaltReason; afterBatches: number }[] = []
  #failure: RollupdError | undefined
  #isRewinding = false

  constructor(options: RollupIngestOptions) {
    this.#options = options
    this.#pace = options.pace ?? READING_PACE
    this.#reader = options.source.openReader()
    for (const start of options.shards) this.#cursors.set(toShardKey(start.shard), this.#createCursor(start))
    this.#sealed = new Map([...this.#cursors].map(([key, cursor]) => [key, cursor.next]))
    this.#batch = new OpenBatch({
      fold: options.fold,
      committer: options.committer,
      clock: options.clock,
      onStored: (batch) => this.#noteStored(batch),
      onRefused: (answer) => this.#rewind(answer),
      onFailed: (error) => this.#fail(error),
    })
  }

  start(): void {
    assert(this.#running === undefined, 'an ingest starts once')
    this.#running = this.#run()
  }

  /** Reads nothing more, commits what is folded, and returns when that is stored. Errors: broken invariants only. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#reader.close()
  }

  /** Partitions that were added to the topic, or shards that go on after a decision. */
  addShards(starts: readonly ShardStart[]): void {
    for (const start of starts) {
      const key = toShardKey(start.shard)
      this.#cursors.set(key, this.#createCursor(start))
      this.#sealed.set(key, start.nextOffset)
    }
  }

  #createCursor(start: ShardStart): ShardCursor {
    return new ShardCursor(start, this.#pace.fetchBytes)
  }

  report(): ShardReport[] {
    return [...this.#cursors.values()].map((cursor) => ({
      shard: cursor.shard,
      status: cursor.status,
      ...(cursor.reason === undefined ? {} : { reason: cursor.reason }),
      highWatermark: cursor.highWatermark ?? null,
      isBlockedByTransaction: cursor.isBlockedByTransaction,
      lastTimestampMs: cursor.lastTimestampMs,
    }))
  }

  async #run(): Promise<void> {
    let pending: PendingFetch | undefined
    while (!this.#stopping.signal.aborted && this.#failure === undefined) {
      pending ??= this.#beginFetch()
      if (pending === undefined) {
        await this.#idle()
        continue
      }
      const answers = await this.#waitWhileCommitting(pending.answers)
      if (answers === undefined) continue
      const fetched = pending
      pending = undefined
      if (this.#isRewinding) {
        // folded again from the leaf's positions: what is in flight starts elsewhere
        await this.#settle()
        continue
      }
      const usable = await this.#examine(fetched, answers)
      pending = this.#beginFetch(usable)
      await this.#foldAll(usable)
    }
    // the answer of a fetch that is still under way is of no use; its errors are answers, never rejections
    await this.#drain()
  }

  /** Waits for the fetch; meanwhile commits when the batch is due. Undefined: something else needs the loop. */
  async #waitWhileCommitting(answers: Promise<FetchAnswer[]>): Promise<FetchAnswer[] | undefined> {
    for (;;) {
      const { firstFoldedAtMs, storing } = this.#batch
      if (firstFoldedAtMs === undefined) return await answers
      const dueInMs = firstFoldedAtMs + this.#commitAfterMs() - this.#options.clock()
      if (dueInMs <= 0) {
        if (storing === undefined) this.#batch.seal()
        else await Promise.race([answers, storing])
      }
      const winner = await Promise.race([answers, delay(Math.max(0, dueInMs), undefined)])
      if (winner !== undefined) return winner
      if (this.#stopping.signal.aborted || this.#failure !== undefined) return undefined
    }
  }

  #commitAfterMs(): number {
    for (const cursor of this.#cursors.values()) {
      if (cursor.isOpen && cursor.status === 'reading' && !cursor.isAtEnd) return this.#pace.commitAfterMsCatchingUp
    }
    return this.#pace.commitAfterMs
  }

  /**
   * Asks for what comes next. `folding` are answers that are not folded yet: their shards are asked behind them, so that the
   * next fetch is in flight while this one is folded.
   */
  #beginFetch(folding: readonly UsableAnswer[] = []): PendingFetch | undefined {
    const behind = new Map(folding.map((usable) => [usable.cursor, usable.nextAfter]))
    const cursors = this.#turns.choose(this.#cursors.values(), this.#options.clock())
    if (cursors.length === 0) return undefined
    const from = cursors.map((cursor) => behind.get(cursor) ?? cursor.next)
    const { topic } = this.#options
    const answers = this.#reader.fetch(
      cursors.map((cursor, index) => ({
        topic,
        shard: cursor.shard,
        offset: from[index] as number,
        maxBytes: cursor.fetchBytes,
      })),
      { maxWaitMs: FETCH_WAIT_MS, maxBytes: FETCH_BYTES_MAX, signal: this.#stopping.signal },
    )
    return { cursors, from, answers }
  }

  /** Sorts out errors and checks positions; gives the answers that can be folded, the oldest records first. */
  async #examine(fetched: PendingFetch, answers: readonly FetchAnswer[]): Promise<UsableAnswer[]> {
    const usable: UsableAnswer[] = []
    for (const [index, answer] of answers.entries()) {
      const cursor = fetched.cursors[index] as ShardCursor
      if (!cursor.isOpen || this.#cursors.get(toShardKey(cursor.shard)) !== cursor) continue
      if (answer.error !== undefined) {
        await this.#handleError(cursor, answer)
        continue
      }
      // asked behind an answer that then ended early (a halt, a damaged batch): not ours to fold
      if (fetched.from[index] !== cursor.next) continue
      cursor.highWatermark = answer.highWatermark
      cursor.lastStableOffset = answer.lastStableOffset
      if (answer.leaderEpoch !== cursor.checkedEpoch && !(await this.#checkEpoch(cursor, answer.leaderEpoch))) continue
      cursor.read()
      if (answer.bytes.length === 0) continue
      usable.push({ cursor, answer, nextAfter: this.#options.decoder.walkHeaders(answer, cursor.next) })
    }
    return usable.sort((a, b) => a.cursor.lastTimestampMs - b.cursor.lastTimestampMs)
  }

  async #handleError(cursor: ShardCursor, answer: FetchAnswer): Promise<void> {
    const { code, message } = answer.error as NonNullable<FetchAnswer['error']>
    switch (code) {
      case 'recreated':
        this.#halt(cursor, describeRecreation(this.#options.topic, cursor))
        return
      case 'out_of_range':
        // a shard that halts here is behind all the same, and its lag must say so
        if (answer.highWatermark >= 0) cursor.highWatermark = answer.highWatermark
        if (answer.logStartOffset > cursor.next) this.#halt(cursor, describeLoss(cursor, answer.logStartOffset))
        else if (await this.#checkEpoch(cursor, answer.leaderEpoch)) this.#backOff(cursor, undefined)
        return
      case 'unknown_topic':
        this.#backOff(cursor, { code: 'unknown_topic', message })
        return
      case 'broker_away':
        cursor.checkedEpoch = -2
        this.#backOff(cursor, { code: 'broker_away', message })
        return
      case 'stale_leader':
        cursor.checkedEpoch = -2
        this.#backOff(cursor, undefined)
    }
  }

  /** On start, on each change of leader and after errors (KIP-320). False: halted, or to be asked again. */
  async #checkEpoch(cursor: ShardCursor, presentEpoch: number): Promise<boolean> {
    if (cursor.leaderEpoch >= 0) {
      try {
        const { topic, source } = this.#options
        const truncation = findTruncation(cursor, await source.findEndOfEpoch(topic, cursor.shard, cursor.leaderEpoch))
        if (truncation !== undefined) {
          this.#halt(cursor, truncation)
          return false
        }
      } catch (error) {
        if (!(error instanceof RollupdError)) throw error
        this.#backOff(
          cursor,
          error.code === 'broker_away' ? { code: 'broker_away', message: error.message } : undefined,
        )
        return false
      }
    }
    cursor.checkedEpoch = presentEpoch
    return true
  }

  #backOff(cursor: ShardCursor, reason: HaltReason | undefined): void {
    if (reason !== undefined) cursor.wait(reason)
    cursor.askAgainAtMs = this.#options.clock() + Math.min(RETRY_MS_MIN * 2 ** cursor.failures, RETRY_MS_MAX)
    cursor.failures = Math.min(cursor.failures + 1, 10)
  }

  #halt(cursor: ShardCursor, reason: HaltReason): void {
    cursor.halt(reason)
    this.#halts.push({ cursor, reason, afterBatches: this.#batch.batchCount })
    this.#tellHalts()
  }

  /** Once nothing that was read before a halt is still on its way to the leaf; other shards go on meanwhile. */
  #tellHalts(): void {
    const { storedCount } = this.#batch
    const told = this.#halts.filter(({ afterBatches }) => afterBatches <= storedCount)
    this.#halts = this.#halts.filter(({ afterBatches }) => afterBatches > storedCount)
    for (const { cursor, reason } of told) this.#options.events.shardHalted(cursor.shard, reason, cursor.next)
  }

  async #foldAll(usable: readonly UsableAnswer[]): Promise<void> {
    for (const { cursor, answer } of usable) {
      if (!cursor.isOpen || this.#isRewinding || this.#failure !== undefined) continue
      this.#fold(cursor, answer)
      const { fold } = this.#options
      const isFull = fold.groupCount >= BATCH_GROUPS_MAX || fold.bytes >= BATCH_BYTES_MAX
      const { firstFoldedAtMs } = this.#batch
      const isDue = firstFoldedAtMs !== undefined && this.#options.clock() - firstFoldedAtMs >= this.#commitAfterMs()
      // the leaf still busy with the batch before: this one grows instead, up to its bounds
      if (isFull && this.#batch.storing !== undefined) await this.#batch.storing
      if ((isDue || isFull) && this.#batch.storing === undefined) this.#batch.seal()
      // commits, HTTP reports and other rollups of this thread get their turn
      await nextTurn()
    }
  }

  #fold(cursor: ShardCursor, answer: FetchAnswer): void {
    const { fold, decoder, topic } = this.#options
    const counts = fold.beginRange(cursor.shard, topic, cursor.next, cursor.acceptedErrorOffset)
    const result = decoder.decode(answer, cursor.next, fold, counts)
    if (result.needBytes > 0) cursor.raiseFetchBytes(result.needBytes)
    const passed = result.next > cursor.next
    fold.endRange(result.next, result.leaderEpoch, result.maxTimestampMs)
    if (passed) {
      cursor.next = result.next
      cursor.leaderEpoch = result.leaderEpoch
      if (result.lastTimestampMs >= 0) cursor.lastTimestampMs = result.lastTimestampMs
      this.#batch.noteFolded(result.lastTimestampMs)
    }
    const stopped = fold.haltedRecord
    if (stopped !== undefined) {
      this.#halt(cursor, {
        code: 'record_error',
        message: `the record at offset ${stopped.offset} of partition ${cursor.shard.partition}: ${stopped.reason}; resume with accept ["record_error"] to make it a dead letter`,
        goOnAt: stopped.offset,
      })
    } else if (result.stop !== undefined) this.#handleStop(cursor, result.stop, passed)
    else cursor.pastEnds = 0
  }

  #handleStop(cursor: ShardCursor, stop: DecodeStop, passed: boolean): void {
    if (stop.code !== 'past_end' || passed) cursor.pastEnds = 0
    if (stop.code === 'past_end') cursor.pastEnds++
    if (stop.code === 'past_end' && cursor.pastEnds < PAST_END_ANSWERS_MAX) {
      // the next answer's watermark is newer than these bytes; a new leader's may lag for a moment
      if (cursor.pastEnds > 1) this.#backOff(cursor, undefined)
      return
    }
    const code = stop.code === 'codec' ? 'codec' : 'corrupt'
    const hint = code === 'corrupt' ? `; resume with accept ["corrupt"] to go on at offset ${stop.next}` : ''
    this.#halt(cursor, { code, message: stop.message + hint, goOnAt: stop.next })
  }

  #noteStored(batch: CommittedBatch | undefined): void {
    for (const { shard, nextOffset } of batch?.positions ?? []) this.#sealed.set(toShardKey(shard), nextOffset)
    if (batch !== undefined) this.#options.events.committed(batch)
    this.#tellHalts()
  }

  /** The leaf wants another position, or has the batch already: everything folded since is dropped and folded again from there. */
  #rewind(answer: BatchAnswer): void {
    this.#isRewinding = true
    for (const { shard, outcome, nextOffset } of answer.ranges) {
      const key = toShardKey(shard)
      if (outcome === 'gone') this.#cursors.delete(key)
      else if (nextOffset !== undefined) this.#sealed.set(key, nextOffset)
    }
  }

  /** After a refusal: nothing folded, all cursors where the leaf stands. */
  async #settle(): Promise<void> {
    if (this.#batch.storing !== undefined) await this.#batch.storing
    this.#batch.discard()
    this.#halts = []
    for (const [key, cursor] of this.#cursors) {
      const next = this.#sealed.get(key)
      if (next !== undefined && next !== cursor.next) {
        cursor.next = next
        cursor.checkedEpoch = -2
      }
      // a halt that was decided behind the leaf's position comes again when reading gets there
      if (cursor.status === 'halted' && cursor.reason?.code !== 'recreated') cursor.wait(cursor.reason as HaltReason)
    }
    this.#isRewinding = false
  }

  #fail(error: RollupdError): void {
    this.#failure = error
    // the other reason is that the service stops
    if (error.code !== 'disk_full') return
    const message = `${error.message}; make room, then resume: nothing is lost or counted twice`
    this.#options.events.rollupHalted({ code: 'disk_full', message })
  }

  /** No shard can be asked now: wait for a back-off to end, or for shards to come. */
  async #idle(): Promise<void> {
    if (this.#isRewinding) return this.#settle()
    await this.#batch.store()
    await delay(RETRY_MS_MIN)
  }

  /** The end: what is folded gets stored. */
  async #drain(): Promise<void> {
    while (this.#failure === undefined && !this.#isRewinding && !this.#batch.isEmpty) await this.#batch.store()
    this.#batch.discard()
  }
}

interface UsableAnswer {
  readonly cursor: ShardCursor
  readonly answer: FetchAnswer
  /** The position behind it, by its headers. */
  readonly nextAfter: number
}
