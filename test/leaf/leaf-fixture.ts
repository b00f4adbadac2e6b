/** Builds what the leaf is given: plans, batches with states of the real aggregates, and a leaf on a file of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StateValue } from '../../src/aggregates/aggregate.ts'
import type { BatchGroup, BatchRange, DeadLetter, PartialBatch } from '../../src/aggregator/partial-batch.ts'
import { HASH_BYTES, hashKey } from '../../src/core/murmur3.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { type Counts, type HaltReason, type Shard, toTopicId, zeroCounts } from '../../src/core/shard.ts'
import type { RollupDefinition } from '../../src/leaf/leaf-store.ts'
import { PLAN_FORMAT, type RollupPlan } from '../../src/planner/plan.ts'

export const TOPIC_ID = toTopicId('AAAAAAAAAAAAAAAAAAAAAQ')

export function shardOf(partition: number): Shard {
  return { topicId: TOPIC_ID, partition }
}

export interface PlanSketch {
  readonly groupBy?: readonly { readonly name: string; readonly type: ScalarType }[]
  readonly partials?: readonly {
    readonly name: string
    readonly aggregate: string
    readonly distinct?: boolean
    readonly type?: ScalarType
  }[]
}

/** SELECT <grouping columns>, <aggregates of fields> FROM _input GROUP BY <grouping columns> */
export function planOf({ groupBy = [], partials = [{ name: 'n', aggregate: 'count' }] }: PlanSketch): RollupPlan {
  const position = 0
  return {
    format: PLAN_FORMAT,
    sql: 'SELECT ...',
    ingest: {
      where: null,
      groupBy: groupBy.map(({ name, type }, index) => ({
        column: `k${index}`,
        expression: { kind: 'field', type: 'any', position, path: [name] },
        type,
        output: name,
      })),
      partials: partials.map(({ name, aggregate, distinct = false, type }, index) => ({
        column: `p${index}`,
        aggregate,
        args: type === undefined ? [] : [{ kind: 'field', type: 'any', position, path: [name] }],
        argTypes: type === undefined ? [] : [type],
        filter: null,
        distinct,
        type: 'bigint',
        call: `${aggregate}(${name})`,
      })),
    },
    wrap: {
      outputs: [
        ...groupBy.map(({ name, type }, index) => ({
          name,
          type,
          role: 'group' as const,
          expression: { kind: 'group' as const, type, position, index },
        })),
        ...partials.map(({ name }, index) => ({
          name,
          type: 'bigint' as const,
          role: 'aggregate' as const,
          expression: { kind: 'partial' as const, type: 'bigint' as const, position, index },
        })),
      ],
      having: null,
    },
    ingestSql: 'SELECT ...',
    wrapSql: 'SELECT ...',
    versions: { timeZones: 'test', unicode: 'test' },
    warnings: [],
  }
}

export function definitionOf(name: string, sketch: PlanSketch, more: Partial<RollupDefinition> = {}): RollupDefinition {
  return {
    name,
    plan: planOf(sketch),
    topic: 'events',
    start: 'earliest',
    onError: 'dead_letter',
    onLoss: 'halt',
    indexes: [],
    shards: [{ shard: shardOf(0), startOffset: 0 }],
    ...more,
  }
}

export interface RangeSketch {
  readonly partition?: number
  readonly shard?: Shard
  readonly first: number
  readonly next: number
  readonly counts?: Partial<Counts>
  readonly halt?: HaltReason
}

/** Offsets that `counts` doesn't speak of are aggregated. */
export function rangeOf({ partition = 0, shard, first, next, counts = {}, halt }: RangeSketch): BatchRange {
  const all = { ...zeroCounts(), ...counts }
  const elsewhere = Object.entries(counts).reduce(
    (sum, [name, count]) => (name === 'kind_mismatch' || name === 'dead_letters_dropped' ? sum : sum + count),
    0,
  )
  if (counts.aggregated === undefined) all.aggregated = next - first - elsewhere
  return {
    shard: shard ?? shardOf(partition),
    first,
    next,
    leaderEpoch: 0,
    counts: all,
    maxTimestampMs: 1_000 + next,
    ...(halt === undefined ? {} : { halt }),
  }
}

export interface GroupSketch {
  readonly bucket?: number | bigint
  /** Hashed for the id, and the key's bytes. */
  readonly key: string
  readonly values?: BatchGroup['values']
  readonly records?: number
  readonly states: StateValue[]
}

/** Cuts a key to its id; a weak one makes ids collide. */
export type KeyHash = (key: Uint8Array) => Uint8Array

export const strongHash: KeyHash = (key) => {
  const id = new Uint8Array(HASH_BYTES)
  hashKey(key, 0, key.length, id, 0)
  return id
}

/** 8 bits: many keys share an id. */
export const weakHash: KeyHash = (key) => {
  const id = new Uint8Array(HASH_BYTES)
  id[0] = strongHash(key)[0] as number
  return id
}

export function batchOf(
  rollupId: number,
  ranges: readonly BatchRange[],
  groups: readonly GroupSketch[] = [],
  more: { readonly deadLetters?: readonly DeadLetter[]; readonly hash?: KeyHash } = {},
): PartialBatch {
  const hash = more.hash ?? strongHash
  const encoded = groups
    .map(({ bucket = 0, key, values = [], records = 1, states }): BatchGroup => {
      const bytes = Buffer.from(key)
      return { bucket, id: hash(bytes), key: bytes, values, records, states }
    })
    .toSorted(
      (a, b) => Number(a.bucket) - Number(b.bucket) || Buffer.compare(a.id, b.id) || Buffer.compare(a.key, b.key),
    )
  return {
    rollupId,
    ranges,
    deadLetters: more.deadLetters ?? [],
    groupCount: encoded.length,
    groups: () => encoded,
  }
}

/** A directory of its own, removed with `remove`. */
export function makeDirectory(): { readonly path: (file: string) => string; readonly remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'rollupd-leaf-'))
  return {
    path: (file) => join(directory, file),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
