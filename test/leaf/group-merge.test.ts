/** Property: whatever the split into commits and their batches, the leaf's rows hold the bytes that folding everything at once gives. */
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { StateValue } from '../../src/aggregates/aggregate.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { openLeafReader } from '../../src/leaf/leaf-database.ts'
import { columnsOf, toLeafSchema } from '../../src/leaf/leaf-schema.ts'
import { SqliteLeaf } from '../../src/leaf/sqlite-leaf.ts'
import { stateOf, type Value } from '../aggregates/fold-values.ts'
import { batchOf, definitionOf, makeDirectory, rangeOf, shardOf, strongHash, weakHash } from './leaf-fixture.ts'

const CALLS: readonly { aggregate: string; type: ScalarType; distinct?: boolean }[] = [
  { aggregate: 'count', type: 'any' },
  { aggregate: 'count', type: 'any', distinct: true },
  { aggregate: 'sum', type: 'any' },
  { aggregate: 'avg', type: 'any' },
  { aggregate: 'min', type: 'any' },
  { aggregate: 'max', type: 'any' },
  { aggregate: 'approx_distinct', type: 'any' },
  { aggregate: 'approx_percentile', type: 'any' },
  { aggregate: 'stddev', type: 'any' },
]
const AGGREGATES = CALLS.map(({ aggregate, type, distinct }) => {
  const resolved = resolveAggregate(aggregate, [type], distinct)
  if (resolved === undefined) throw new Error(`no ${aggregate}`)
  return resolved
})
const SKETCH = {
  groupBy: [{ name: 'key', type: 'text' as const }],
  partials: CALLS.map(({ aggregate, type, distinct = false }) => ({ name: aggregate, aggregate, type, distinct })),
}

/** Integers, doubles that cancel, and totals that leave the fixed-point window. */
const VALUE: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: -50n, max: 50n }) },
  { weight: 2, arbitrary: fc.constantFrom(0.1, -0.1, 1e15, -1e15, 1e300, -1e300, 2 ** -100) },
  fc.constantFrom(2n ** 62n, -(2n ** 62n), 2n ** 63n - 1n),
  fc.constant(null),
)
/** More than an insert takes at once. */
const KEYS = Array.from({ length: 40 }, (_, index) => `key ${index}`)
const BATCH = fc.oneof(
  fc.dictionary(fc.constantFrom(...KEYS.slice(0, 4)), fc.array(VALUE, { minLength: 1, maxLength: 6 })),
  fc.dictionary(fc.constantFrom(...KEYS), fc.array(VALUE, { minLength: 1, maxLength: 2 }), { minKeys: 20 }),
)
/** Later ones come first in some runs. */
const bucketOf = (key: string): number => KEYS.indexOf(key) >> 3
/** Of shards of their own, as several ingest threads send them. */
const TOGETHER_MAX = 3
const COMMITS = fc.array(fc.array(BATCH, { minLength: 1, maxLength: TOGETHER_MAX }), { minLength: 1, maxLength: 6 })
const SHARDS = Array.from({ length: TOGETHER_MAX }, (_, partition) => ({ shard: shardOf(partition), startOffset: 0 }))

let directory: ReturnType<typeof makeDirectory>
let leaf: SqliteLeaf

beforeEach(() => {
  directory = makeDirectory()
  leaf = new SqliteLeaf(directory.path('leaf.db'), { now: () => 0 })
})

afterEach(() => {
  leaf.close()
  directory.remove()
})

function statesOf(values: readonly Value[]): StateValue[] {
  return AGGREGATES.flatMap((aggregate) => stateOf(aggregate, values))
}

/** Numbers and bigints of one value are the same cell. */
function comparable(cells: readonly unknown[]): unknown[] {
  return cells.map((cell) => {
    if (cell instanceof Uint8Array) return Buffer.from(cell).toString('hex')
    return typeof cell === 'number' && Number.isInteger(cell) ? BigInt(cell) : cell
  })
}

test.each([
  ['ids of 128 bits', strongHash],
  ['ids of 8 bits', weakHash],
  ['one id for all', () => new Uint8Array(16)],
])('any split into commits gives the same states, with %s', (_, hash) => {
  const reader = openLeafReader(directory.path('leaf.db'))
  let runs = 0
  fc.assert(
    fc.property(COMMITS, (commits) => {
      const { id, plan } = leaf.createRollup(definitionOf(`r${runs++}`, SKETCH, { shards: SHARDS }))
      const all = new Map<string, Value[]>()
      const next = SHARDS.map(() => 0)
      for (const batches of commits) {
        const together = batches.map((groups, partition) => {
          const sketches = Object.entries(groups).map(([key, values]) => {
            all.set(key, [...(all.get(key) ?? []), ...values])
            return { bucket: bucketOf(key), key, values: [key], records: values.length, states: statesOf(values) }
          })
          const first = next[partition]!++
          return batchOf(id, [rangeOf({ partition, first, next: first + 1 })], sketches, { hash })
        })
        leaf.commit(together)
      }
      expect(leaf.findRollup(`r${runs - 1}`)?.groups).toBe(all.size)
      const schema = toLeafSchema(id, plan)
      const names = columnsOf(schema).map(({ name }) => name)
      const columns = names.filter((name) => !['bucket', 'id', 'key', 'epoch'].includes(name)).join()
      const rows = reader
        .prepare<[], unknown[]>(
          `SELECT ${columns} FROM ${schema.table} UNION ALL SELECT ${columns} FROM ${schema.overflowTable}`,
        )
        .raw()
        .all()
      const expected = [...all].map(([key, values]) => [key, ...comparable([values.length, ...statesOf(values)])])
      const stored = rows.map(([key, ...cells]) => [key, ...comparable(cells)])
      const byKey = (a: unknown[], b: unknown[]): number => String(a[0]).localeCompare(String(b[0]))
      expect(stored.toSorted(byKey)).toEqual(expected.toSorted(byKey))
    }),
    { numRuns: Number(process.env['ROLLUPD_LEAF_RUNS'] ?? 40) },
  )
  reader.close()
})

test('a state that grows where it is stored is counted in the bytes of its rollup', () => {
  const aggregate = resolveAggregate('approx_distinct', ['any'])!
  const partials = [{ name: 'x', aggregate: 'approx_distinct', type: 'any' as const }]
  const { id } = leaf.createRollup(definitionOf('r', { groupBy: SKETCH.groupBy, partials }))
  const commit = (first: number, values: readonly Value[]): number => {
    const range = rangeOf({ first, next: first + values.length })
    leaf.commit([batchOf(id, [range], [{ key: 'a', values: ['a'], states: stateOf(aggregate, values) }])])
    return leaf.findRollup('r')?.bytes ?? 0
  }
  const before = commit(0, [1n, 2n])
  // 8 bytes a hash; 2 is there already
  expect(commit(2, [2n, 3n, 4n]) - before).toBe(16)
  expect(commit(5, [1n, 4n]) - before).toBe(16)
})
