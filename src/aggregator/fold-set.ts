/**
 * Owns the folding of decoded records into the next partial batches of one rollup or several: what the tailer gives records to, range by range,
 * and takes batches from when it decides to. Rollups of a set share the reading of a record and what their statements have in common; each has
 * its own groups, counts, dead letters and halts, as if it were alone. Counting what the decoder passes over is the decoder's.
 */
import { assert, at } from '../core/assert.ts'
import { JSON_BYTES_MAX, JSON_OUTCOME } from '../core/json-field.ts'
import type { RecordErrorCode } from '../core/record-error.ts'
import type { RecordPlace } from '../core/record-place.ts'
import type { Registers } from '../core/registers.ts'
import { zeroCounts, type Counts, type Shard } from '../core/shard.ts'
import type { RecordVisitor } from '../records/record-visitor.ts'
import { compileIngest, type CompiledIngest, type FoldFailure } from './compile-ingest.ts'
import type { FieldLoader } from './field-loader.ts'
import { TALLY } from './fold-exits.ts'
import { FILTERED, FOLDED } from './fold-outcome.ts'
import { MemberFold, type FoldedRollup } from './member-fold.ts'
import type { RecordMetadata } from './record-metadata.ts'

// Constants of this file: an imported binding is loaded anew at each use (field-loader.ts).
const VALUE_BYTES_MAX = JSON_BYTES_MAX
const READ_OK = JSON_OUTCOME.OK
const RECORD_FOLDED = FOLDED
const RECORD_FILTERED = FILTERED
const NO_OFFSET = -1

export interface FoldSetOptions {
  /** Fewer than 128 bits weaken group ids: for tests of groups that share one. */
  readonly idBits?: number | undefined
}

export class FoldSet implements RecordVisitor {
  readonly members: readonly MemberFold[]
  readonly #compiled: CompiledIngest
  /** Parts of #compiled: a record is too short a time to look them up. */
  readonly #r: Registers
  readonly #fields: FieldLoader
  readonly #metadata: RecordMetadata | undefined
  readonly #place: RecordPlace
  readonly #fold: () => number
  readonly #tally: Float64Array
  readonly #failures: FoldFailure[]
  /** The fold tells the outcome; that of several rollups tallies. */
  readonly #isAlone: boolean
  /** What the decoder passes over in the range that is open. */
  #passed: Counts | undefined
  #acceptedErrorOffset = NO_OFFSET
  #bytes: Uint8Array = new Uint8Array(0)
  /** The record that halted a member. */
  #haltedAt = NO_OFFSET

  constructor(rollups: readonly FoldedRollup[], { idBits }: FoldSetOptions = {}) {
    const plans = rollups.map(({ plan, onError }) => ({ half: plan.ingest, onError }))
    this.#compiled = compileIngest(plans, { idBits })
    this.members = rollups.map((rollup, index) => new MemberFold(rollup, at(this.#compiled.plans, index)))
    this.#r = this.#compiled.r
    this.#fields = this.#compiled.fields
    this.#metadata = this.#compiled.metadata
    this.#place = this.#compiled.place
    this.#fold = this.#compiled.fold
    this.#tally = this.#compiled.tally
    this.#failures = this.#compiled.failures
    this.#isAlone = rollups.length === 1
  }

  /**
   * Opens a range of the shard at its next offset: the records that come next are the range's. `acceptedErrorOffset`: the record there
   * becomes a dead letter although on_error is halt. Returns the counts that the decoder adds to. Each beginRange has its
   * endRange; a shard's ranges in one batch are one.
   */
  beginRange(shard: Shard, topicName: string, first: number, acceptedErrorOffset = NO_OFFSET): Counts {
    assert(this.#passed === undefined, 'a range begins when the last one has ended')
    for (const member of this.members) member.beginRange(shard, first)
    this.#passed = zeroCounts()
    this.#acceptedErrorOffset = acceptedErrorOffset
    this.#haltedAt = NO_OFFSET
    this.#metadata?.setShard(topicName, shard.partition)
    this.#place.setShard(shard)
    return this.#passed
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
    if (this.#haltedAt !== NO_OFFSET) return
    if (valueEnd - valueStart > VALUE_BYTES_MAX) {
      return this.#rejectValue(offset, timestampMs, 'too_large', 'the value is over 16 MiB', valueStart, valueEnd)
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
    if (this.#isAlone) this.#foldAlone()
    else this.#fold()
    if (this.#failures.length > 0) this.#rejectFailed(offset, timestampMs, valueStart, valueEnd)
  }

  #foldAlone(): void {
    const r = this.#r
    r.kindMismatch = false
    const outcome = this.#fold()
    if (outcome === RECORD_FOLDED) this.#tally[TALLY.folded]!++
    else if (outcome === RECORD_FILTERED) this.#tally[TALLY.filtered]!++
    else return
    if (r.kindMismatch) this.#tally[TALLY.mismatched]!++
  }

  /** By the members that have failed. */
  #rejectFailed(offset: number, timestampMs: number, start: number, end: number): void {
    for (const { error, context } of this.#failures) {
      const reason = `${context.text}: ${error.message}`
      this.#reject(context.plan, offset, timestampMs, error.code, reason, context.position, start, end)
    }
    this.#failures.length = 0
  }

  #rejectDocument(outcome: number, offset: number, timestampMs: number, start: number, end: number): void {
    const byte = this.#fields.reader.errorOffset
    switch (outcome) {
      case JSON_OUTCOME.EMPTY:
        return this.#rejectValue(offset, timestampMs, 'empty_value', 'the value has no bytes', start, end)
      case JSON_OUTCOME.NOT_OBJECT:
        return this.#rejectValue(
          offset,
          timestampMs,
          'not_an_object',
          'the value is JSON but not an object',
          start,
          end,
        )
      case JSON_OUTCOME.TOO_DEEP:
        return this.#rejectValue(offset, timestampMs, 'too_deep', `nested beyond 512 at byte ${byte}`, start, end)
      default:
        return this.#rejectValue(offset, timestampMs, 'invalid_json', `not JSON at byte ${byte}`, start, end)
    }
  }

  /** By all members. */
  #rejectValue(
    offset: number,
    timestampMs: number,
    code: RecordErrorCode,
    reason: string,
    start: number,
    end: number,
  ): void {
    for (let member = 0; member < this.members.length; member++) {
      this.#reject(member, offset, timestampMs, code, reason, 0, start, end)
    }
  }

  #reject(
    plan: number,
    offset: number,
    timestampMs: number,
    code: RecordErrorCode,
    reason: string,
    position: number,
    start: number,
    end: number,
  ): void {
    const member = at(this.members, plan)
    const isAccepted = offset === this.#acceptedErrorOffset
    member.reject(offset, timestampMs, code, reason, position, isAccepted, this.#bytes, start, end)
    if (member.haltedRecord !== undefined) this.#haltedAt = offset
  }

  /** The walk ends before the record that halted a member. */
  get isHalted(): boolean {
    return this.#haltedAt !== NO_OFFSET
  }

  /**
   * Closes the range. `next`: from batch headers (law 3), or the halted record's offset; the decoder's counts are those of
   * [first, next). `leaderEpoch` -1: no batch was seen. `maxTimestampMs` -1: no record. Members that aren't halted have taken the
   * record at which another one was: their range ends behind it.
   */
  endRange(next: number, leaderEpoch: number, maxTimestampMs: number): void {
    const passed = this.#passed
    assert(passed !== undefined, 'a range ends that has begun')
    const isHalted = this.#haltedAt !== NO_OFFSET
    assert(!isHalted || next === this.#haltedAt, `a range halted at ${this.#haltedAt} but ends at ${next}`)
    const unnested = this.#compiled.rows?.takeCount() ?? 0
    for (const [index, member] of this.members.entries()) {
      const tally = index * TALLY.size
      const counts = {
        ...passed,
        aggregated: this.#tally[tally + TALLY.folded]!,
        filtered: this.#tally[tally + TALLY.filtered]!,
        kind_mismatch: this.#tally[tally + TALLY.mismatched]!,
        unnested,
      }
      const hasTaken = isHalted && member.haltedRecord === undefined
      member.endRange(hasTaken ? next + 1 : next, leaderEpoch, maxTimestampMs, counts)
    }
    this.#tally.fill(0)
    this.#passed = undefined
  }

  /** Groups that the open batches have touched, of all members together at most. */
  get groupCount(): number {
    return this.#compiled.plans.reduce((sum, { table }) => sum + table.keys.count, 0)
  }

  /** What the open batches hold, about: the tailer's bound on memory. */
  get bytes(): number {
    const { tables, indexes } = this.#compiled
    const groups = [...tables, ...indexes].reduce((sum, { byteSize }) => sum + byteSize, 0)
    return this.members.reduce((sum, member) => sum + member.deadLetterBytes, groups)
  }

  /** Takes each member's batch (partial-batch-codec.ts), undefined where no range has passed anything, and begins the next ones. */
  sealAll(): (ArrayBuffer | undefined)[] {
    assert(this.#passed === undefined, 'batches are sealed between ranges')
    const batches = this.members.map((member) => member.encode())
    this.discard()
    return batches
  }

  /** Forgets what was folded since the last batch: it will be folded again from the leaf's positions. */
  discard(): void {
    assert(this.#passed === undefined, 'a batch ends between ranges')
    for (const member of this.members) member.reset()
    for (const one of [...this.#compiled.tables, ...this.#compiled.indexes]) one.reset()
  }
}
