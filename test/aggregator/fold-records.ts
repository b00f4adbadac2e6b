/** Owns the folding of records through a rollup's statement, for tests: from values to groups that can be compared. */
import type { StateValue } from '../../src/aggregates/aggregate.ts'
import { aggregateOf } from '../../src/planner/partial-aggregate.ts'
import { IngestFold, type IngestFoldOptions } from '../../src/aggregator/ingest-fold.ts'
import { decodePartialBatch } from '../../src/aggregator/partial-batch-codec.ts'
import type { BatchRange, DeadLetter } from '../../src/aggregator/partial-batch.ts'
import { at } from '../../src/core/assert.ts'
import { Registers } from '../../src/core/registers.ts'
import { type Counts, type Shard, toTopicId } from '../../src/core/shard.ts'
import type { RollupPlan } from '../../src/planner/plan.ts'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import { encodeBatch, type EncodableRecord, type RecordHeader } from '../../src/records/record-batch-encoder.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { planOf } from '../support/plan-of.ts'
import { readRegister } from '../aggregates/fold-values.ts'

await loadParser()

export const SHARD: Shard = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAA'), partition: 3 }

export interface RecordInput {
  /** Text of JSON or any bytes; null: a tombstone. */
  readonly value: string | Uint8Array | null
  readonly key?: string | Uint8Array
  readonly headers?: readonly RecordHeader[]
  readonly timestampMs?: number
}

export type FoldOptions = Partial<Omit<IngestFoldOptions, 'plan' | 'rollupId'>>

export function createFold(plan: RollupPlan, options: FoldOptions = {}): IngestFold {
  return new IngestFold({ rollupId: 7, plan, onError: 'dead_letter', deadLettersMax: 100, ...options })
}

const toBytes = (value: string | Uint8Array): Uint8Array => (typeof value === 'string' ? Buffer.from(value) : value)

function toRecord(input: RecordInput | string): EncodableRecord {
  const { value, key, headers, timestampMs = 1_000 } = typeof input === 'string' ? { value: input } : input
  return {
    key: key === undefined ? null : toBytes(key),
    value: value === null ? null : toBytes(value),
    timestampMs,
    ...(headers === undefined ? {} : { headers }),
  }
}

/** Gives records to the fold as one range of one batch of the shard, from an offset on; says where the walk ended. */
export function passRecords(
  fold: IngestFold,
  inputs: readonly (RecordInput | string)[],
  { first = 0, shard = SHARD, acceptedErrorOffset = -1 } = {},
): { readonly next: number } {
  const bytes = encodeBatch({ baseOffset: first, records: inputs.map(toRecord), leaderEpoch: 5 })
  const counts = fold.beginRange(shard, 'page_views', first, acceptedErrorOffset)
  const answer = { bytes: new Uint8Array(bytes), aborted: [] }
  const result = new RecordBatchDecoder().decode(answer, first, fold, counts)
  fold.endRange(result.next, result.leaderEpoch, result.maxTimestampMs)
  return { next: result.next }
}

export interface FoldedGroup {
  readonly bucket: number | bigint
  readonly id: string
  readonly key: string
  readonly values: readonly unknown[]
  readonly records: number
  readonly states: readonly StateValue[]
}

export interface FoldedBatch {
  readonly groups: readonly FoldedGroup[]
  readonly ranges: readonly BatchRange[]
  readonly deadLetters: readonly DeadLetter[]
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The sealed batch as plain values. */
export function takeBatch(fold: IngestFold): FoldedBatch {
  const buffer = fold.seal()
  if (buffer === undefined) return { groups: [], ranges: [], deadLetters: [] }
  const batch = decodePartialBatch(buffer)
  const groups: FoldedGroup[] = []
  for (const { bucket, id, key, values, records, states } of batch.groups()) {
    groups.push({
      bucket,
      id: toHex(id),
      key: toHex(key),
      values: values.map((value) => (value instanceof Uint8Array ? toHex(value) : value)),
      records,
      states: states.map((value) => (value instanceof Uint8Array ? value.slice() : value)),
    })
  }
  return { groups, ranges: batch.ranges, deadLetters: batch.deadLetters }
}

/** The finished values of a group's partials. */
export function finishGroup(plan: RollupPlan, states: readonly StateValue[]): unknown[] {
  const r = new Registers(1)
  let from = 0
  return plan.ingest.partials.map((partial) => {
    const aggregate = aggregateOf(partial)
    aggregate.finalize(states.slice(from, from + aggregate.columns.length), r, 0, Number.NaN)
    from += aggregate.columns.length
    return readRegister(r, 0)
  })
}

export interface Outcome {
  /** Grouping values and finished partials, in the order of the groups' keys. */
  readonly rows: readonly (readonly unknown[])[]
  readonly counts: Readonly<Counts>
  readonly deadLetters: readonly string[]
}

/** Folds records as one batch. */
export function foldRecords(
  sql: string,
  inputs: readonly (RecordInput | string)[],
  options: FoldOptions = {},
): Outcome {
  const plan = planOf(sql)
  const fold = createFold(plan, options)
  passRecords(fold, inputs)
  const { groups, ranges, deadLetters } = takeBatch(fold)
  const sorted = groups.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return {
    rows: sorted.map(({ values, states }) => [...values, ...finishGroup(plan, states)]),
    counts: at(ranges, 0).counts,
    deadLetters: deadLetters.map(({ offset, code, reason }) => `${offset} ${code}: ${reason}`),
  }
}
