/**
 * Owns what the ingest half makes of the records of a sample: the fold that rollups use, with one partial batch for all of them, or one for
 * each record, so that its group, its states or the reason against it can be shown. Merging is the leaf's.
 */
import type { StateValue } from '../../aggregates/aggregate.ts'
import { IngestFold } from '../../aggregator/ingest-fold.ts'
import type { PartialBatch } from '../../aggregator/partial-batch.ts'
import { decodePartialBatch } from '../../aggregator/partial-batch-codec.ts'
import { assert, at } from '../../core/assert.ts'
import type { OnError } from '../../core/policy.ts'
import type { RecordErrorCode } from '../../core/record-error.ts'
import type { Cell } from '../../core/scalar-type.ts'
import { toShardKey } from '../../core/shard.ts'
import type { StartPosition } from '../../leaf/leaf-store.ts'
import type { RollupPlan } from '../../planner/plan.ts'
import type { SampledRecord } from './sampled-record.ts'

/** The group that a record went to. */
export interface TouchedGroup {
  readonly bucket: number | bigint
  readonly id: Uint8Array
  /** One for each grouping column. */
  readonly values: readonly Cell[]
  /** What the record alone adds: the state columns of all partials. */
  readonly states: readonly StateValue[]
}

export type RecordOutcome =
  /** With grouping sets one group of each, in the order of the sets. */
  | { readonly kind: 'aggregated'; readonly groups: readonly [TouchedGroup, ...TouchedGroup[]] }
  | { readonly kind: 'filtered' }
  | {
      readonly kind: 'rejected'
      readonly code: RecordErrorCode
      readonly reason: string
      /** 1-based character of the statement; 0: the record as a whole. */
      readonly position: number
    }

export interface FoldedRecord {
  readonly record: SampledRecord
  readonly outcome: RecordOutcome
  /** Two kinds of values were compared, which gave null. */
  readonly mixesKinds: boolean
}

/** Where each partition of the sample begins. Records stand in the order of their offsets within a partition. */
export function startsOf(records: readonly SampledRecord[]): StartPosition[] {
  const starts = new Map<string, StartPosition>()
  for (const { shard, offset } of records) {
    const key = toShardKey(shard)
    if (!starts.has(key)) starts.set(key, { shard, startOffset: offset })
  }
  return [...starts.values()]
}

export class RecordFold {
  readonly #fold: IngestFold
  readonly #topic: string
  readonly #next = new Map<string, number>()

  constructor(rollupId: number, plan: RollupPlan, onError: OnError, topic: string, starts: readonly StartPosition[]) {
    this.#fold = new IngestFold({ rollupId, plan, onError, deadLettersMax: 1 })
    this.#topic = topic
    for (const { shard, startOffset } of starts) this.#next.set(toShardKey(shard), startOffset)
  }

  /** Adds the record to the batch that is open. */
  add(record: SampledRecord): void {
    const { shard, offset, timestampMs } = record
    const key = toShardKey(shard)
    const first = this.#next.get(key)
    assert(first !== undefined && first <= offset, `the sample begins before offset ${offset} of ${key}`)
    const counts = this.#fold.beginRange(shard, this.#topic, first)
    // offsets without a record, and records that the sample leaves out
    counts.holes += offset - first
    this.#fold.beginBatch(record.bytes)
    this.#fold.record(
      offset,
      timestampMs,
      record.keyStart,
      record.keyEnd,
      record.valueStart,
      record.valueEnd,
      record.headersStart,
      record.headerCount,
    )
    this.#fold.endRange(offset + 1, -1, timestampMs)
    this.#next.set(key, offset + 1)
  }

  /** The batch of what was added since the last one; undefined: nothing was. */
  seal(): PartialBatch | undefined {
    const bytes = this.#fold.seal()
    return bytes === undefined ? undefined : decodePartialBatch(bytes)
  }

  /** A batch of this record alone. */
  fold(record: SampledRecord): { readonly folded: FoldedRecord; readonly batch: PartialBatch } {
    this.add(record)
    const batch = this.seal()
    assert(batch !== undefined, 'a record moves its range')
    const mixesKinds = batch.ranges.some(({ counts }) => counts.kind_mismatch > 0)
    return { batch, folded: { record, mixesKinds, outcome: this.#outcomeOf(batch) } }
  }

  #outcomeOf(batch: PartialBatch): RecordOutcome {
    const [letter] = batch.deadLetters
    if (letter !== undefined) {
      const { code, reason } = letter
      const position = isOfDocument(code) ? 0 : this.#fold.rejectedAt
      return { kind: 'rejected', code, reason, position }
    }
    const touched: { readonly set: number; readonly group: TouchedGroup }[] = []
    for (const { bucket, id, key, values, states } of batch.groups()) {
      const group = { bucket, id: id.slice(), values: [...values], states: [...states] }
      touched.push({ set: at(key, 0), group })
    }
    const [first, ...others] = touched.toSorted((left, right) => left.set - right.set).map(({ group }) => group)
    return first === undefined ? { kind: 'filtered' } : { kind: 'aggregated', groups: [first, ...others] }
  }
}

/** Errors that no expression has made. */
function isOfDocument(code: RecordErrorCode): boolean {
  switch (code) {
    case 'invalid_json':
    case 'not_an_object':
    case 'empty_value':
    case 'too_deep':
    case 'too_large':
      return true
    default:
      return false
  }
}
