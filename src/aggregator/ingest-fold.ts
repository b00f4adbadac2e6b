/**
 * Owns the folding of decoded records into one rollup's next partial batch: what the tailer gives records to, range by range,
 * and takes a batch from when it decides to. Counting what the decoder passes over is the decoder's.
 */
import { assert } from '../core/assert.ts'
import type { OnError } from '../core/policy.ts'
import type { Registers } from '../core/registers.ts'
import type { RecordErrorCode } from '../core/record-error.ts'
import type { RecordPlace } from '../core/record-place.ts'
import { toShardKey, zeroCounts, type Counts, type Shard } from '../core/shard.ts'
import type { RollupPlan } from '../planner/plan.ts'
import { JSON_BYTES_MAX, JSON_OUTCOME } from '../core/json-field.ts'
import type { RecordVisitor } from '../records/record-visitor.ts'
import { compileIngest, type CompiledIngest } from './compile-ingest.ts'
import { FILTERED, FOLDED } from './fold-outcome.ts'
import type { FieldLoader } from './field-loader.ts'
import type { RecordMetadata } from './record-metadata.ts'
import { DeadLetterList } from './dead-letter-list.ts'
import type { BatchRange } from './partial-batch.ts'
import { encodePartialBatch } from './partial-batch-codec.ts'

// Constants of this file: an imported binding is loaded anew at each use (field-loader.ts).
const VALUE_BYTES_MAX = JSON_BYTES_MAX
const READ_OK = JSON_OUTCOME.OK
const RECORD_FOLDED = FOLDED
const RECORD_FILTERED = FILTERED

export interface IngestFoldOptions {
  readonly rollupId: number
  readonly plan: Pick<RollupPlan, 'ingest'>
  readonly onError: OnError
  /** Dead letters kept per batch, the newest; older ones are counted in `dead_letters_dropped`. */
  readonly deadLettersMax: number
  /** Fewer than 128 bits weaken group ids: for tests of groups that share one. */
  readonly idBits?: number
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

export class IngestFold implements RecordVisitor {
  readonly #rollupId: number
  readonly #halts: boolean
  readonly #compiled: CompiledIngest
  /** Parts of #compiled: a record is too short a time to look them up. */
  readonly #r: Registers
  readonly #fields: FieldLoader
  readonly #metadata: RecordMetadata | undefined
  readonly #place: RecordPlace
  readonly #fold: () => number
  readonly #deadLetters: DeadLetterList
  readonly #ranges = new Map<string, OpenRange>()
  #range: OpenRange | undefined
  #acceptedErrorOffset = -1
  #bytes: Uint8Array = new Uint8Array(0)
  #halted: HaltedRecord | undefined
  #rejectedAt = 0
  /** Of the range that is open; added to its counts at its end. */
  #aggregated = 0
  #filtered = 0
  #kindMismatches = 0

  constructor({ rollupId, plan, onError, deadLettersMax, idBits }: IngestFoldOptions) {
    this.#rollupId = rollupId
    this.#halts = onError === 'halt'
    this.#compiled = compileIngest(plan.ingest, onError, { idBits })
    this.#r = this.#compiled.r
    this.#fields = this.#compiled.fields
    this.#metadata = this.#compiled.metadata
    this.#place = this.#compiled.place
    this.#fold = this.#compiled.fold
    this.#deadLetters = new DeadLetterList(deadLettersMax)
  }

  /**
   * Opens a range of the shard at its next offset: the records that come next are the range's. `acceptedErrorOffset`: the record there
   * becomes a dead letter although on_error is halt. Returns the counts that the decoder adds to. Each beginRange has its
   * endRange; a shard's ranges in one batch are one.
   */
  beginRange(shard: Shard, topicName: string, first: number, acceptedErrorOffset = -1): Counts {
    assert(this.#range === undefined, 'a range begins when the last one has ended')
    const key = toShardKey(shard)
    const range = this.#ranges.get(key) ?? createRange(shard, first)
    assert(range.next === first, `a range of ${key} begins at ${first}, the one before ended at ${range.next}`)
    this.#ranges.set(key, range)
    this.#range = range
    this.#acceptedErrorOffset = acceptedErrorOffset
    this.#halted = undefined
    this.#metadata?.setShard(topicName, shard.partition)
    this.#place.setShard(shard)
    return range.counts
  }

  beginBatch(bytes: Uint8Array): void {
    this.#bytes = bytes
    if (this.#metadata !== undefined) this.#metadata.bytes = bytes
  }

  record(
    offset: number,
    timestampMs: number,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
    headersStart: number,
    headerCount: number,
  ): void {
    if (this.#halted !== undefined) return
    if (valueEnd - valueStart > VALUE_BYTES_MAX) {
      return this.#reject(offset, timestampMs, 'too_large', 'the value is over 16 MiB', valueStart, valueEnd)
    }
    const read = this.#fields.read(this.#bytes, valueStart, valueEnd)
    if (read !== READ_OK) return this.#rejectDocument(read, offset, timestampMs, valueStart, valueEnd)
    const metadata = this.#metadata
    if (metadata !== undefined) {
      metadata.offset = offset
      metadata.timestampMs = timestampMs
      metadata.keyStart = keyStart
      metadata.keyEnd = keyEnd
      metadata.headersStart = headersStart
      metadata.headerCount = headerCount
    }
    this.#place.offset = offset
    this.#place.timestampMs = timestampMs
    const r = this.#r
    r.kindMismatch = false
    const outcome = this.#fold()
    if (outcome === RECORD_FOLDED) this.#aggregated++
    else if (outcome === RECORD_FILTERED) this.#filtered++
    else {
      const { error, context, position } = this.#compiled.failure
      this.#rejectedAt = position
      return this.#reject(offset, timestampMs, error.code, `${context}: ${error.message}`, valueStart, valueEnd)
    }
    if (r.kindMismatch) this.#kindMismatches++
  }

  #rejectDocument(outcome: number, offset: number, timestampMs: number, start: number, end: number): void {
    const at = this.#compiled.fields.reader.errorOffset
    switch (outcome) {
      case JSON_OUTCOME.EMPTY:
        return this.#reject(offset, timestampMs, 'empty_value', 'the value has no bytes', start, end)
      case JSON_OUTCOME.NOT_OBJECT:
        return this.#reject(offset, timestampMs, 'not_an_object', 'the value is JSON but not an object', start, end)
      case JSON_OUTCOME.TOO_DEEP:
        return this.#reject(offset, timestampMs, 'too_deep', `nested beyond 512 at byte ${at}`, start, end)
      default:
        return this.#reject(offset, timestampMs, 'invalid_json', `not JSON at byte ${at}`, start, end)
    }
  }

  /** Keeps the record as a dead letter, or halts before it. */
  #reject(
    offset: number,
    timestampMs: number,
    code: RecordErrorCode,
    reason: string,
    start: number,
    end: number,
  ): void {
    const range = this.#range
    assert(range !== undefined, 'a record stands in a range')
    if (this.#halts && offset !== this.#acceptedErrorOffset) {
      this.#halted = { offset, reason: `${code}: ${reason}` }
      return
    }
    range.counts.dead++
    const dropped = this.#deadLetters.add(range.shard, offset, timestampMs, code, reason, this.#bytes, start, end)
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

  /** The walk ends before the halted record. */
  get isHalted(): boolean {
    return this.#halted !== undefined
  }

  /**
   * Closes the range. `next`: from batch headers (law 3), or the halted record's offset; the decoder's counts are those of
   * [first, next). `leaderEpoch` -1: no batch was seen. `maxTimestampMs` -1: no record.
   */
  endRange(next: number, leaderEpoch: number, maxTimestampMs: number): void {
    const range = this.#range
    assert(range !== undefined, 'a range ends that has begun')
    assert(next >= range.next, `a range ends at ${next}, before its beginning at ${range.next}`)
    const { offset } = this.#halted ?? { offset: next }
    assert(next === offset, `a range halted at ${offset} but ends at ${next}`)
    range.next = next
    if (leaderEpoch >= 0) range.leaderEpoch = leaderEpoch
    range.maxTimestampMs = Math.max(range.maxTimestampMs, maxTimestampMs)
    range.counts.aggregated += this.#aggregated
    range.counts.filtered += this.#filtered
    range.counts.kind_mismatch += this.#kindMismatches
    range.counts.unnested += this.#compiled.rows?.takeCount() ?? 0
    this.#aggregated = 0
    this.#filtered = 0
    this.#kindMismatches = 0
    this.#range = undefined
  }

  /** Groups that the open batch has touched. */
  get groupCount(): number {
    return this.#compiled.groupKeys.count
  }

  /** What the open batch holds, about: the tailer's bound on memory. */
  get bytes(): number {
    return this.#compiled.groupKeys.byteSize + this.#compiled.states.byteSize + this.#deadLetters.byteSize
  }

  /** Takes the batch (partial-batch-codec.ts) and begins the next one; undefined where no range has passed anything. */
  seal(): ArrayBuffer | undefined {
    assert(this.#range === undefined, 'a batch is sealed between ranges')
    const ranges: BatchRange[] = [...this.#ranges.values()].filter(({ first, next }) => next > first)
    const { groupKeys, states, aggregates, groupTypes, groupings } = this.#compiled
    const buffer =
      ranges.length === 0
        ? undefined
        : encodePartialBatch({
            rollupId: this.#rollupId,
            ranges,
            deadLetters: this.#deadLetters.letters,
            groupTypes,
            groupings,
            groupKeys,
            states,
            aggregates,
          })
    this.discard()
    return buffer
  }

  /** Forgets what was folded since the last batch: it will be folded again from the leaf's positions. */
  discard(): void {
    assert(this.#range === undefined, 'a batch ends between ranges')
    this.#ranges.clear()
    this.#compiled.states.reset()
    this.#compiled.groupKeys.reset()
    this.#deadLetters.reset()
  }
}

function createRange(shard: Shard, first: number): OpenRange {
  return { shard, first, next: first, leaderEpoch: -1, counts: zeroCounts(), maxTimestampMs: -1 }
}
