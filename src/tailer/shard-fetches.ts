/** Owns the asking of a topic's shards: which are asked next and from where, and which of the answers can be folded. */
import { at } from '../core/assert.ts'
import type { HaltReason } from '../core/shard.ts'
import type { RecordBatchDecoder } from '../records/record-batch-decoder.ts'
import { PositionGuard } from './position-guard.ts'
import type { FetchAnswer, RecordReader, RecordSource } from './record-source.ts'
import type { ShardCursor } from './shard-cursor.ts'
import { ShardTurns } from './shard-turns.ts'

/** How long a fetch waits for the first new record. Long, since it returns with the first one. */
const FETCH_WAIT_MS = 500
/** Bytes of one fetch over all its shards; two of them are in memory at once. */
const FETCH_BYTES_MAX = 8 << 20

export interface PendingFetch {
  readonly cursors: readonly ShardCursor[]
  readonly from: readonly number[]
  readonly answers: Promise<FetchAnswer[]>
}

export interface UsableAnswer {
  readonly cursor: ShardCursor
  readonly answer: FetchAnswer
  /** The position behind it, by its headers. */
  readonly nextAfter: number
}

export interface ShardFetchesOptions {
  readonly topic: string
  readonly source: RecordSource
  readonly decoder: RecordBatchDecoder
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** Ends the wait of a fetch. */
  readonly signal: AbortSignal
  readonly onHalt: (cursor: ShardCursor, reason: HaltReason) => void
}

export class ShardFetches {
  readonly #options: ShardFetchesOptions
  readonly #reader: RecordReader
  readonly #guard: PositionGuard
  readonly #turns = new ShardTurns()

  constructor(options: ShardFetchesOptions) {
    this.#options = options
    this.#reader = options.source.openReader()
    this.#guard = new PositionGuard(options)
  }

  /**
   * Asks for what comes next; undefined: no shard can be asked now. `folding` are answers that are not folded yet: their shards are asked
   * behind them, so that the next fetch is in flight while this one is folded.
   */
  begin(among: readonly ShardCursor[], folding: readonly UsableAnswer[]): PendingFetch | undefined {
    const { topic, clock, signal } = this.#options
    const behind = new Map(folding.map((usable) => [usable.cursor, usable.nextAfter]))
    const cursors = this.#turns.choose(among, clock())
    if (cursors.length === 0) return undefined
    const from = cursors.map((cursor) => behind.get(cursor) ?? cursor.next)
    const answers = this.#reader.fetch(
      cursors.map(({ shard, fetchBytes }, index) => ({ topic, shard, offset: at(from, index), maxBytes: fetchBytes })),
      { maxWaitMs: FETCH_WAIT_MS, maxBytes: FETCH_BYTES_MAX, signal },
    )
    return { cursors, from, answers }
  }

  /** Sorts out errors and checks positions; gives the answers that can be folded, the oldest records first. */
  async examine(
    fetched: PendingFetch,
    answers: readonly FetchAnswer[],
    isRead: (cursor: ShardCursor) => boolean,
  ): Promise<UsableAnswer[]> {
    const usable: UsableAnswer[] = []
    for (const [index, answer] of answers.entries()) {
      const cursor = at(fetched.cursors, index)
      if (!cursor.isOpen || !isRead(cursor)) continue
      // asked behind an answer that then ended early (a halt, a damaged batch, a meeting): not ours to fold
      if (answer.error === undefined && fetched.from[index] !== cursor.next) continue
      if (!(await this.#guard.admit(cursor, answer))) continue
      cursor.read()
      if (answer.bytes.length === 0) continue
      usable.push({ cursor, answer, nextAfter: this.#options.decoder.walkHeaders(answer, cursor.next) })
    }
    return usable.sort((a, b) => a.cursor.lastTimestampMs - b.cursor.lastTimestampMs)
  }

  /** The shard is asked again later. */
  backOff(cursor: ShardCursor): void {
    this.#guard.backOff(cursor, undefined)
  }

  async close(): Promise<void> {
    await this.#reader.close()
  }
}
