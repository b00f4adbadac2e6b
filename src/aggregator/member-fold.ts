/**
 * Owns what a fold keeps of one of its rollups while a batch is open: ranges with their counts, dead letters, and the record that halted it.
 */
import { assert } from '../core/assert.ts'
import type { OnError } from '../core/policy.ts'
import type { RecordErrorCode } from '../core/record-error.ts'
import { addCounts, toShardKey, zeroCounts, type Counts, type Shard } from '../core/shard.ts'
import type { RollupPlan } from '../planner/plan.ts'
import type { CompiledPlan } from './compile-ingest.ts'
import { DeadLetterList } from './dead-letter-list.ts'
import { encodePartialBatch } from './partial-batch-codec.ts'

export interface FoldedRollup {
  readonly rollupId: number
  readonly plan: Pick<RollupPlan, 'ingest'>
  readonly onError: OnError
  /** Dead letters kept per batch, the newest; older ones are counted in `dead_letters_dropped`. */
  readonly deadLettersMax: number
}

/** A record that stopped its shard (on_error halt): it and what follows are not folded. */
export interface HaltedRecord {
  readonly offset: number
  /** The code of record-error.ts, and what is wrong where in the statement. */
  readonly reason: string
}

/** A range that grows while its batch is open. */
interface OpenRange {
  readonly shard: Shard
  readonly first: number
  next: number
  leaderEpoch: number
  readonly counts: Counts
  maxTimestampMs: number
}

export class MemberFold {
  readonly rollupId: number
  readonly #halts: boolean
  readonly #compiled: CompiledPlan
  readonly #deadLetters: DeadLetterList
  readonly #ranges = new Map<string, OpenRange>()
  #range: OpenRange | undefined
  #halted: HaltedRecord | undefined
  #rejectedAt = 0

  constructor({ rollupId, onError, deadLettersMax }: FoldedRollup, compiled: CompiledPlan) {
    this.rollupId = rollupId
    this.#halts = onError === 'halt'
    this.#compiled = compiled
    this.#deadLetters = new DeadLetterList(deadLettersMax)
  }

  beginRange(shard: Shard, first: number): void {
    const key = toShardKey(shard)
    const range = this.#ranges.get(key) ?? createRange(shard, first)
    assert(range.next === first, `a range of ${key} begins at ${first}, the one before ended at ${range.next}`)
    this.#ranges.set(key, range)
    this.#range = range
    this.#halted = undefined
  }

  /** Keeps the record bytes[start, end) as a dead letter, or halts before it. `position`: as rejectedAt. */
  reject(
    offset: number,
    timestampMs: number,
    code: RecordErrorCode,
    reason: string,
    position: number,
    isAccepted: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const range = this.#range
    assert(range !== undefined, 'a record stands in a range')
    this.#rejectedAt = position
    if (this.#halts && !isAccepted) {
      this.#halted = { offset, reason: `${code}: ${reason}` }
      return
    }
    range.counts.dead++
    const dropped = this.#deadLetters.add(range.shard, offset, timestampMs, code, reason, bytes, start, end)
    if (dropped !== undefined) this.#countDroppedLetter(dropped)
  }

  /** The letter is of this batch, so its shard has a range in it. */
  #countDroppedLetter(shard: Shard): void {
    const range = this.#ranges.get(toShardKey(shard))
    assert(range !== undefined, 'a letter is of a range of its batch')
    range.counts.dead_letters_dropped++
  }

  /** Where in the statement the expression begins that rejected a record last: 1-based character, 0 where none has. */
  get rejectedAt(): number {
    return this.#rejectedAt
  }

  /** The record at which the range that is open, or ended last, halted. */
  get haltedRecord(): HaltedRecord | undefined {
    return this.#halted
  }

  /** Closes the range; adds what was counted in it. */
  endRange(next: number, leaderEpoch: number, maxTimestampMs: number, counts: Readonly<Counts>): void {
    const range = this.#range
    assert(range !== undefined, 'a range ends that has begun')
    assert(next >= range.next, `a range ends at ${next}, before its beginning at ${range.next}`)
    range.next = next
    if (leaderEpoch >= 0) range.leaderEpoch = leaderEpoch
    range.maxTimestampMs = Math.max(range.maxTimestampMs, maxTimestampMs)
    addCounts(range.counts, counts)
    this.#range = undefined
  }

  get deadLetterBytes(): number {
    return this.#deadLetters.byteSize
  }

  /** The batch (partial-batch-codec.ts) of what was folded; undefined where no range has passed anything. */
  encode(): ArrayBuffer | undefined {
    const ranges = [...this.#ranges.values()].filter(({ first, next }) => next > first)
    if (ranges.length === 0) return undefined
    return encodePartialBatch({
      rollupId: this.rollupId,
      ranges,
      deadLetters: this.#deadLetters.letters,
      ...this.#compiled,
    })
  }

  /** What its groups hold is reset with their table. */
  reset(): void {
    assert(this.#range === undefined, 'a batch ends between ranges')
    this.#ranges.clear()
    this.#deadLetters.reset()
  }
}

function createRange(shard: Shard, first: number): OpenRange {
  return { shard, first, next: first, leaderEpoch: -1, counts: zeroCounts(), maxTimestampMs: -1 }
}
