/**
 * Owns the reading of a topic's shards for the rollups that stand at the same positions: fetch, fold, commit, each overlapping the others.
 * Positions come from the leaf (law 1), and whatever isn't certain halts its shard (law 7). Decisions about halted shards are the
 * service's. Who is read together is decided in ingest-sets.ts: a rollup that a record halts, or whose batch the leaf refuses (law 2), ends
 * the reading of all, which goes on in others from where it stood.
 */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { FoldSet } from '../aggregator/fold-set.ts'
import { assert, at } from '../core/assert.ts'
import type { HaltReason } from '../core/shard.ts'
import type { DecodeStop, RecordBatchDecoder } from '../records/record-batch-decoder.ts'
import type { BatchCommitter, IngestEvents, ShardReport } from './ingest-events.ts'
import type { MeetingPoint } from './meeting-point.ts'
import { OpenBatch, type BatchFate } from './open-batch.ts'
import { describeRecordError, describeStop } from './position-check.ts'
import { RETRY_MS_MIN } from './position-guard.ts'
import { ReadRollup, successorsOf, type Successor } from './read-rollup.ts'
import { READING_PACE, type ReadingPace } from './reading-pace.ts'
import type { FetchAnswer, RecordSource } from './record-source.ts'
import { ShardCursor, type ShardStart } from './shard-cursor.ts'
import { ShardFetches, type PendingFetch, type UsableAnswer } from './shard-fetches.ts'

/** Bounds a batch's memory and the time that its commit keeps others waiting. */
const BATCH_GROUPS_MAX = 60_000
const BATCH_BYTES_MAX = 32 << 20
/** Answers in a row that a batch beyond the log's end is asked for before it counts as damaged. */
const PAST_END_ANSWERS_MAX = 4

export interface TopicIngestOptions {
  readonly topic: string
  readonly cursors: readonly ShardCursor[]
  readonly source: RecordSource
  readonly fold: FoldSet
  readonly decoder: RecordBatchDecoder
  readonly committer: BatchCommitter
  /** Of each member of the fold. */
  readonly events: readonly IngestEvents[]
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** Absent: READING_PACE. */
  readonly pace?: ReadingPace | undefined
}

export class TopicIngest {
  readonly #options: TopicIngestOptions
  readonly #pace: ReadingPace
  readonly #fetches: ShardFetches
  readonly #cursors = new Map<string, ShardCursor>()
  readonly #stopping = new AbortController()
  readonly #rollups: readonly ReadRollup[]
  readonly #batch: OpenBatch
  #running: Promise<void> | undefined
  #meeting: MeetingPoint | undefined
  /** Halts that become known outside once so many batches are stored: the last of them ends where they stand. */
  #halts: { cursor: ShardCursor; reason: HaltReason; afterBatches: number }[] = []

  constructor(options: TopicIngestOptions) {
    const { clock, fold, committer } = options
    this.#options = options
    this.#pace = options.pace ?? READING_PACE
    for (const cursor of options.cursors) this.#cursors.set(cursor.key, cursor)
    this.#rollups = options.events.map((events) => new ReadRollup(events))
    assert(this.#rollups.length === fold.members.length, 'each member of the fold has events')
    this.#fetches = new ShardFetches({
      ...options,
      signal: this.#stopping.signal,
      onHalt: (cursor, reason) => this.#halt(cursor, reason),
    })
    this.#batch = new OpenBatch({
      fold,
      committer,
      clock,
      hasLeft: (member) => at(this.#rollups, member).hasLeft,
      onSettled: (fates, maxTimestampMs) => this.#settle(fates, maxTimestampMs),
    })
  }

  start(): void {
    assert(this.#running === undefined, 'an ingest starts once')
    this.#running = this.#run()
  }

  /** When nothing more is read and what was folded is stored: after stop(), or by itself. Errors: broken invariants only. */
  get ended(): Promise<void> {
    assert(this.#running !== undefined, 'an ingest ends that has started')
    return this.#running
  }

  /** Reads nothing more, commits what is folded, and returns when that is stored. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.ended
  }

  get #isEnding(): boolean {
    return this.#stopping.signal.aborted || this.#rollups.some(({ departure }) => departure !== undefined)
  }

  /** Partitions that were added to the topic, or shards that go on after a decision. */
  addShards(starts: readonly ShardStart[]): void {
    for (const start of starts) {
      const cursor = new ShardCursor(start, this.#pace.fetchBytes)
      this.#cursors.set(cursor.key, cursor)
    }
  }

  get cursors(): readonly ShardCursor[] {
    return [...this.#cursors.values()]
  }

  /** Of an ingest that has ended: who goes on together, and where. Those that can't store anything don't. */
  successors(): Successor[] {
    return successorsOf(this.#rollups, this.cursors)
  }

  /** Reads up to the point and waits there; undefined: goes on. */
  meetAt(point: MeetingPoint | undefined): void {
    this.#meeting = point
  }

  /** It stands at the point of meetAt, and the leaf has all. */
  get hasArrived(): boolean {
    return this.#batch.isEmpty && this.cursors.every((cursor) => this.#meeting?.hasArrived(cursor) ?? false)
  }

  /** It can't arrive any more. */
  get hasMissed(): boolean {
    return this.#isEnding || this.cursors.some((cursor) => !cursor.isOpen || this.#meeting?.hasMissed(cursor) === true)
  }

  report(): ShardReport[] {
    return this.cursors.map((cursor) => ({
      shard: cursor.shard,
      status: cursor.status,
      ...(cursor.reason === undefined ? {} : { reason: cursor.reason }),
      highWatermark: cursor.highWatermark ?? null,
      isBlockedByTransaction: cursor.isBlockedByTransaction,
      lastTimestampMs: cursor.lastTimestampMs,
      readTogether: this.#rollups.length,
    }))
  }

  async #run(): Promise<void> {
    let pending: PendingFetch | undefined
    while (!this.#isEnding) {
      pending ??= this.#beginFetch()
      if (pending === undefined) {
        await this.#idle()
        continue
      }
      const answers = await this.#waitWhileCommitting(pending.answers)
      if (answers === undefined) continue
      const fetched = pending
      pending = undefined
      const usable = await this.#fetches.examine(fetched, answers, (cursor) => this.#isRead(cursor))
      pending = this.#beginFetch(usable)
      await this.#foldAll(usable)
    }
    // the answer of a fetch that is still under way is of no use; its errors are answers, never rejections
    this.#stopping.abort()
    while (!this.#batch.isEmpty) await this.#batch.store()
    this.#tellDepartedHalts()
    await this.#fetches.close()
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
      if (this.#isEnding) return undefined
    }
  }

  #commitAfterMs(): number {
    for (const cursor of this.#cursors.values()) {
      if (!cursor.isOpen || cursor.status !== 'reading' || cursor.isAtEnd) continue
      const { firstCommitAfterMs, commitAfterMsCatchingUp } = this.#pace
      return this.#batch.batchCount <= 1 ? firstCommitAfterMs : commitAfterMsCatchingUp
    }
    return this.#pace.commitAfterMs
  }

  #beginFetch(folding: readonly UsableAnswer[] = []): PendingFetch | undefined {
    const among = this.cursors.filter((cursor) => this.#meeting?.hasArrived(cursor) !== true)
    return this.#fetches.begin(among, folding)
  }

  /** A shard that was added again has another cursor. */
  #isRead(cursor: ShardCursor): boolean {
    return this.#cursors.get(cursor.key) === cursor
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
    for (const { cursor, reason } of told) {
      for (const { events, hasLeft } of this.#rollups)
        if (!hasLeft) events.shardHalted(cursor.shard, reason, cursor.next)
    }
  }

  /** Of members that a record has halted alone: what they have taken before it is stored by now. */
  #tellDepartedHalts(): void {
    for (const { departure, events } of this.#rollups) {
      if (departure?.kind === 'halted') events.shardHalted(departure.cursor.shard, departure.reason, departure.next)
    }
  }

  async #foldAll(usable: readonly UsableAnswer[]): Promise<void> {
    for (const { cursor, answer } of usable) {
      if (!cursor.isOpen || this.#isEnding) continue
      this.#fold(cursor, this.#cut(cursor, answer))
      const { fold } = this.#options
      const isFull = fold.groupCount >= BATCH_GROUPS_MAX || fold.bytes >= BATCH_BYTES_MAX
      const { firstFoldedAtMs } = this.#batch
      const isDue = firstFoldedAtMs !== undefined && this.#options.clock() - firstFoldedAtMs >= this.#commitAfterMs()
      // the leaf still busy with the batch before: this one grows instead, up to its bounds, then waits as bytes
      if (isFull && !this.#batch.canSeal) await this.#batch.storing
      if (isFull || (isDue && this.#batch.storing === undefined)) this.#batch.seal()
      // commits, HTTP reports and other rollups of this thread get their turn
      await nextTurn()
    }
  }

  /** Up to where readers meet. */
  #cut(cursor: ShardCursor, answer: FetchAnswer): FetchAnswer {
    if (this.#meeting === undefined) return answer
    const length = this.#options.decoder.lengthBelow(answer, this.#meeting.offsetOf(cursor))
    return { ...answer, bytes: answer.bytes.subarray(0, length) }
  }

  #fold(cursor: ShardCursor, answer: FetchAnswer): void {
    const { fold, decoder, topic } = this.#options
    const counts = fold.beginRange(cursor.shard, topic, cursor.next, cursor.acceptedErrorOffset)
    const result = decoder.decode(answer, cursor.next, fold, counts)
    if (result.needBytes > 0) cursor.raiseFetchBytes(result.needBytes)
    fold.endRange(result.next, result.leaderEpoch, result.maxTimestampMs)
    const isHalted = fold.isHalted
    // those whom the record didn't halt have taken it
    const next = isHalted && this.#rollups.length > 1 ? result.next + 1 : result.next
    const passed = next > cursor.next
    if (passed) {
      cursor.next = next
      cursor.leaderEpoch = result.leaderEpoch
      if (result.lastTimestampMs >= 0) cursor.lastTimestampMs = result.lastTimestampMs
      this.#batch.noteFolded(result.lastTimestampMs)
    }
    if (isHalted) this.#haltAtRecord(cursor)
    else if (result.stop !== undefined) this.#handleStop(cursor, result.stop, passed)
    else cursor.pastEnds = 0
  }

  /** Members leave for it; one that is alone stays, and its other shards go on. */
  #haltAtRecord(cursor: ShardCursor): void {
    for (const [member, { haltedRecord }] of this.#options.fold.members.entries()) {
      if (haltedRecord === undefined) continue
      const reason = describeRecordError(cursor, haltedRecord)
      if (this.#rollups.length === 1) this.#halt(cursor, reason)
      else at(this.#rollups, member).departure = { kind: 'halted', cursor, next: haltedRecord.offset, reason }
    }
  }

  #handleStop(cursor: ShardCursor, stop: DecodeStop, passed: boolean): void {
    if (stop.code !== 'past_end' || passed) cursor.pastEnds = 0
    if (stop.code === 'past_end') cursor.pastEnds++
    if (stop.code === 'past_end' && cursor.pastEnds < PAST_END_ANSWERS_MAX) {
      // the next answer's watermark is newer than these bytes; a new leader's may lag for a moment
      if (cursor.pastEnds > 1) this.#fetches.backOff(cursor)
      return
    }
    this.#halt(cursor, describeStop(stop))
  }

  #settle(fates: readonly BatchFate[], maxTimestampMs: number): void {
    for (const [member, fate] of fates.entries()) at(this.#rollups, member).settle(fate, maxTimestampMs)
    this.#tellHalts()
  }

  /** No shard can be asked now: wait for a back-off to end, for shards to come, or for others to arrive. */
  async #idle(): Promise<void> {
    await this.#batch.store()
    // an aborted wait is over too
    await delay(RETRY_MS_MIN, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
