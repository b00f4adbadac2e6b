import { afterEach, beforeEach, expect, test } from 'vitest'
import { BrokenInvariant } from '../../src/core/assert.ts'
import { RollupdError } from '../../src/core/errors.ts'
import { zeroCounts } from '../../src/core/shard.ts'
import { openLeafReader } from '../../src/leaf/leaf-database.ts'
import { SqliteLeaf, type SqliteLeafOptions } from '../../src/leaf/sqlite-leaf.ts'
import { batchOf, definitionOf, makeDirectory, rangeOf, shardOf, weakHash } from './leaf-fixture.ts'

const BY_COUNTRY = { groupBy: [{ name: 'country', type: 'text' as const }] }

let directory: ReturnType<typeof makeDirectory>
let leaf: SqliteLeaf

function openLeaf(more: Partial<SqliteLeafOptions> = {}): SqliteLeaf {
  return new SqliteLeaf(directory.path('leaf.db'), { now: () => Date.UTC(2026, 0, 1), ...more })
}

/** Rows as a query process sees them. */
function rowsOf(sql: string): unknown[] {
  const reader = openLeafReader(directory.path('leaf.db'))
  try {
    return reader.prepare(sql).raw().safeIntegers(false).all()
  } finally {
    reader.close()
  }
}

function us(records: number): Parameters<typeof batchOf>[2] {
  return [{ key: 'US', values: ['US'], records, states: [records] }]
}

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof RollupdError) return error.code
    throw error
  }
  return 'no error'
}

beforeEach(() => {
  directory = makeDirectory()
  leaf = openLeaf()
})

afterEach(() => {
  leaf.close()
  directory.remove()
})

test('a created rollup is listed with its shards, zero counts and no groups', () => {
  const created = leaf.createRollup(
    definitionOf('views', BY_COUNTRY, {
      start: { offsets: { 0: 7 } },
      shards: [{ shard: shardOf(0), startOffset: 7 }],
    }),
  )
  expect(created).toMatchObject({
    name: 'views',
    version: 1,
    status: 'running',
    start: { offsets: { 0: 7 } },
    createdAt: '2026-01-01T00:00:00.000Z',
    groups: 0,
    pruned: { shards: 0, passed: 0, counts: zeroCounts() },
    shards: [
      { shard: shardOf(0), startOffset: 7, nextOffset: 7, leaderEpoch: -1, closed: false, counts: zeroCounts() },
    ],
  })
  expect(leaf.listRollups()).toEqual([created])
  expect(leaf.findRollup('views')).toEqual(created)
  expect(leaf.findRollup('other')).toBeUndefined()
})

test('a name that is taken is refused and leaves nothing behind', () => {
  leaf.createRollup(definitionOf('views', BY_COUNTRY))
  expect(codeOf(() => leaf.createRollup(definitionOf('views', {})))).toBe('already_exists')
  expect(rowsOf(`SELECT count(*) FROM sqlite_schema WHERE name LIKE 'g%'`)).toEqual([[3]])
})

test('states merge into the stored groups, and position, counts and epoch go with them', () => {
  const { id } = leaf.createRollup(
    definitionOf('views', {
      ...BY_COUNTRY,
      partials: [
        { name: 'n', aggregate: 'count' },
        { name: 'most', aggregate: 'max', type: 'bigint' },
      ],
    }),
  )
  const first = leaf.commit([
    batchOf(
      id,
      [rangeOf({ first: 0, next: 5, counts: { filtered: 1, holes: 1 } })],
      [
        { key: 'US', values: ['US'], records: 2, states: [2, 40] },
        { key: 'DE', values: ['DE'], records: 1, states: [1, 7] },
      ],
    ),
  ])
  const second = leaf.commit([
    batchOf(id, [rangeOf({ first: 5, next: 6 })], [{ key: 'US', values: ['US'], states: [1, 30] }]),
  ])
  expect(first.batches).toEqual([
    { taken: true, ranges: [{ shard: shardOf(0), outcome: 'accepted', nextOffset: 5 }], records: 3, groups: 2 },
  ])
  expect(second.epoch).toBe(first.epoch + 1)
  expect(rowsOf(`SELECT k0, n, p0, p1, epoch FROM g${id} ORDER BY k0`)).toEqual([
    ['DE', 1, 1, 7, first.epoch],
    ['US', 3, 3, 40, second.epoch],
  ])
  const stored = leaf.findRollup('views')
  expect(stored).toMatchObject({ groups: 2, overflowGroups: 0 })
  expect(stored?.shards[0]).toMatchObject({
    nextOffset: 6,
    leaderEpoch: 0,
    maxTimestampMs: 1006,
    counts: { ...zeroCounts(), aggregated: 4, filtered: 1, holes: 1 },
  })
})

test('a range that came already is dropped, one from elsewhere refused with the position it should have', () => {
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
  leaf.commit([batchOf(id, [rangeOf({ first: 0, next: 10 })], us(10))])
  const { epoch } = leaf.figures()
  const again = leaf.commit([batchOf(id, [rangeOf({ first: 0, next: 10 })], us(10))])
  const inside = leaf.commit([batchOf(id, [rangeOf({ first: 3, next: 7 })], us(4))])
  const overlapping = leaf.commit([batchOf(id, [rangeOf({ first: 5, next: 15 })], us(10))])
  const ahead = leaf.commit([batchOf(id, [rangeOf({ first: 11, next: 12 })], us(1))])
  expect([again, inside, overlapping, ahead].map(({ batches }) => batches[0])).toEqual(
    ['duplicate', 'duplicate', 'refused', 'refused'].map((outcome) => ({
      taken: false,
      ranges: [{ shard: shardOf(0), outcome, nextOffset: 10 }],
      records: 0,
      groups: 0,
    })),
  )
  expect(leaf.figures()).toMatchObject({ epoch, duplicateRanges: 2, refusedRanges: 2 })
  expect(rowsOf(`SELECT n, p0 FROM g${id}`)).toEqual([[10, 10]])
})

test('a batch of several ranges is taken whole or not at all, and the other batches of the commit are not touched by it', () => {
  const shards = [0, 1].map((partition) => ({ shard: shardOf(partition), startOffset: 0 }))
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY, { shards }))
  const other = leaf.createRollup(definitionOf('other', BY_COUNTRY))
  const result = leaf.commit([
    batchOf(id, [rangeOf({ first: 0, next: 2 }), rangeOf({ partition: 1, first: 4, next: 6 })], us(4)),
    batchOf(other.id, [rangeOf({ first: 0, next: 3 })], us(3)),
    // tiles behind the one before it in the same commit
    batchOf(other.id, [rangeOf({ first: 3, next: 4 })], us(1)),
  ])
  expect(result.batches.map(({ taken }) => taken)).toEqual([false, true, true])
  expect(leaf.findRollup('views')?.shards.map(({ nextOffset }) => nextOffset)).toEqual([0, 0])
  expect(rowsOf(`SELECT count(*) FROM g${id}`)).toEqual([[0]])
  expect(rowsOf(`SELECT n, p0 FROM g${other.id}`)).toEqual([[4, 4]])
})

test('a range whose counts do not add up to its offsets is a broken invariant, and nothing of it stays', () => {
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
  const range = rangeOf({ first: 0, next: 10, counts: { aggregated: 9 } })
  expect(() => leaf.commit([batchOf(id, [range], us(9))])).toThrow(BrokenInvariant)
  expect(leaf.findRollup('views')?.shards[0]?.nextOffset).toBe(0)
  expect(rowsOf(`SELECT count(*) FROM g${id}`)).toEqual([[0]])
})

test('a rollup without GROUP BY has its row before the first record, and merges into it', () => {
  const { id } = leaf.createRollup(
    definitionOf('total', {
      partials: [
        { name: 'n', aggregate: 'count' },
        { name: 's', aggregate: 'sum', type: 'bigint' },
      ],
    }),
  )
  const [row, ...more] = rowsOf(`SELECT bucket, hex(key), n, p0 FROM g${id}`)
  expect(more).toEqual([])
  expect(row).toEqual([0, '00', 0, 0])
  expect(leaf.findRollup('total')?.groups).toBe(1)
  leaf.commit([batchOf(id, [rangeOf({ first: 0, next: 2 })], [{ key: '\0', records: 2, states: [2, 2, 40, null] }])])
  expect(rowsOf(`SELECT n, p0, groups FROM g${id}, rollup_figures`)).toEqual([[2, 2, 1]])
})

test('groups whose ids collide are kept apart by their key, exactly, and counted', () => {
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
  const keys = Array.from({ length: 600 }, (_, index) => `country ${index}`)
  for (let round = 0; round < 3; round++) {
    const groups = keys.map((key, index) => ({ key, values: [key], records: index, states: [index] }))
    const range = rangeOf({ first: round * 10, next: round * 10 + 10 })
    leaf.commit([batchOf(id, [range], groups, { hash: weakHash })])
  }
  const all = rowsOf(`SELECT k0, n, p0 FROM g${id} UNION ALL SELECT k0, n, p0 FROM g${id}_overflow`) as unknown[][]
  expect(new Map(all.map(([key, ...figures]) => [key, figures]))).toEqual(
    new Map(keys.map((key, index) => [key, [index * 3, index * 3]])),
  )
  const stored = leaf.findRollup('views')
  expect(stored?.groups).toBe(600)
  expect([[stored?.overflowGroups]]).toEqual(rowsOf(`SELECT count(*) FROM g${id}_overflow`))
  expect(stored?.overflowGroups).toBeGreaterThanOrEqual(600 - 256)
})

test('a dropped rollup is gone with its states, its late commits too, and one of the same name starts afresh', () => {
  const sums = (name: string) =>
    definitionOf('r', { groupBy: [{ name: 'k', type: 'text' }], partials: [{ name, aggregate: 'count' }] })
  const old = leaf.createRollup(sums('a'))
  leaf.commit([batchOf(old.id, [rangeOf({ first: 0, next: 1 })], [{ key: 'x', values: ['x'], states: [1] }])])
  leaf.dropRollup('r')
  expect(codeOf(() => leaf.dropRollup('r'))).toBe('unknown_rollup')
  const fresh = leaf.createRollup(sums('b'))
  expect(fresh.id).not.toBe(old.id)
  const late = leaf.commit([
    batchOf(old.id, [rangeOf({ first: 1, next: 2 })], [{ key: 'x', values: ['x'], states: [1] }]),
  ])
  expect(late.batches).toEqual([
    { taken: false, ranges: [{ shard: shardOf(0), outcome: 'gone' }], records: 0, groups: 0 },
  ])
  leaf.commit([batchOf(fresh.id, [rangeOf({ first: 0, next: 1 })], [{ key: 'x', values: ['x'], states: [10] }])])
  leaf.close()
  leaf = openLeaf()
  expect(leaf.listRollups().map(({ name, id }) => [name, id])).toEqual([['r', fresh.id]])
  expect(rowsOf(`SELECT k0, p0 FROM g${fresh.id}`)).toEqual([['x', 10]])
  expect(rowsOf(`SELECT name FROM sqlite_schema WHERE name LIKE 'g${old.id}%'`)).toEqual([])
})

test('the room of a dropped rollup is used again', () => {
  const fill = () => {
    const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
    const groups = Array.from({ length: 12_000 }, (_, index) => ({
      key: `${index}`,
      values: [`${index}`],
      states: [1],
    }))
    leaf.commit([batchOf(id, [rangeOf({ first: 0, next: 12_000 })], groups)])
  }
  fill()
  const { fileBytes } = leaf.figures()
  expect(fileBytes).toBeGreaterThan(500_000)
  for (let round = 0; round < 3; round++) {
    leaf.dropRollup('views')
    fill()
  }
  expect(leaf.figures().fileBytes).toBeLessThan(fileBytes * 1.1)
})

test('the oldest dead letters beyond the bound are dropped and counted on their shard', () => {
  leaf.close()
  leaf = openLeaf({ deadLetterLimits: { countMax: 5, bytesMax: 1000 } })
  const shards = [0, 1].map((partition) => ({ shard: shardOf(partition), startOffset: 0 }))
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY, { shards }))
  const letters = (partition: number, first: number, next: number, valueBytes = 1) =>
    Array.from({ length: next - first }, (_, index) => ({
      shard: shardOf(partition),
      offset: first + index,
      timestampMs: 1,
      code: 'invalid_json' as const,
      reason: 'bad',
      value: new Uint8Array(valueBytes),
    }))
  const commit = (partition: number, first: number, next: number, valueBytes?: number) =>
    leaf.commit([
      batchOf(id, [rangeOf({ partition, first, next, counts: { dead: next - first } })], [], {
        deadLetters: letters(partition, first, next, valueBytes),
      }),
    ])
  const dropped = () => leaf.findRollup('views')?.shards.map(({ counts }) => counts.dead_letters_dropped)
  commit(0, 0, 3)
  expect(leaf.listDeadLetters(id, 10, 0)).toMatchObject([
    { topic: 'events', partition: 0, offset: 0, code: 'invalid_json', reason: 'bad', timestampMs: 1 },
    {},
    {},
  ])
  commit(1, 0, 4)
  expect(dropped()).toEqual([2, 0])
  // more than are kept in one batch
  commit(1, 4, 20)
  expect(dropped()).toEqual([3, 15])
  expect(leaf.listDeadLetters(id, 10, 0).map(({ offset }) => offset)).toEqual([15, 16, 17, 18, 19])
  // past the bytes
  commit(0, 3, 5, 496)
  expect(leaf.listDeadLetters(id, 10, 0).map(({ offset }) => offset)).toEqual([3, 4])
  const kept = leaf.listDeadLetters(id, 10, 0)
  expect(leaf.listDeadLetters(id, 1, kept[0]?.id ?? 0)).toEqual([kept[1]])
  expect(leaf.findRollup('views')?.deadLetters).toBe(2)
})

test('pruned shards leave their sums, and an old batch of theirs is gone', () => {
  const shards = [0, 1].map((partition) => ({ shard: shardOf(partition), startOffset: 10 }))
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY, { shards }))
  leaf.commit([batchOf(id, [rangeOf({ first: 10, next: 14, counts: { filtered: 1 } })], us(3))])
  leaf.pruneShards(id, [shardOf(0)])
  const stored = leaf.findRollup('views')
  expect(stored?.shards.map(({ shard }) => shard)).toEqual([shardOf(1)])
  expect(stored?.pruned).toEqual({ shards: 1, passed: 4, counts: { ...zeroCounts(), aggregated: 3, filtered: 1 } })
  const late = leaf.commit([batchOf(id, [rangeOf({ first: 14, next: 15 })], us(1))])
  expect(late.batches[0]?.ranges).toEqual([{ shard: shardOf(0), outcome: 'gone' }])
  expect(rowsOf(`SELECT n FROM g${id}`)).toEqual([[3]])
})

test('decisions about a halted shard: try again, go on past a loss, accept an error, close', () => {
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
  const shard = () => leaf.findRollup('views')?.shards[0]
  const reason = { code: 'lost' as const, message: 'offsets 3 to 8 are gone', goOnAt: 9 }
  leaf.commit([batchOf(id, [rangeOf({ first: 0, next: 3, halt: reason })], us(3))])
  expect(shard()).toMatchObject({ nextOffset: 3, halt: reason })
  leaf.changeShard(id, shardOf(0), { kind: 'clear_halt' })
  expect(shard()?.halt).toBeUndefined()
  leaf.changeShard(id, shardOf(0), { kind: 'halt', reason: { code: 'lost', message: 'again' } })
  expect(shard()?.halt).toEqual({ code: 'lost', message: 'again' })
  leaf.changeShard(id, shardOf(0), { kind: 'skip_lost', to: 9 }, '6 records were lost')
  expect(shard()).toMatchObject({ nextOffset: 9, counts: { ...zeroCounts(), aggregated: 3, lost: 6 } })
  expect(shard()?.halt).toBeUndefined()
  expect(leaf.findRollup('views')?.warnings).toEqual(['6 records were lost'])
  expect(codeOf(() => leaf.changeShard(id, shardOf(0), { kind: 'skip_lost', to: 5 }))).toBe('bad_parameter')
  leaf.changeShard(id, shardOf(0), { kind: 'accept_error', offset: 10 })
  expect(shard()?.acceptedErrorOffset).toBe(10)
  leaf.commit([batchOf(id, [rangeOf({ first: 9, next: 10 })], us(1))])
  expect(shard()?.acceptedErrorOffset).toBe(10)
  leaf.commit([batchOf(id, [rangeOf({ first: 10, next: 11 })], us(1))])
  expect(shard()?.acceptedErrorOffset).toBeUndefined()
  leaf.changeShard(id, shardOf(0), { kind: 'close' })
  expect(shard()).toMatchObject({ closed: true, nextOffset: 11 })
  expect(leaf.commit([batchOf(id, [rangeOf({ first: 11, next: 12 })], us(1))]).batches[0]?.ranges).toEqual([
    { shard: shardOf(0), outcome: 'gone' },
  ])
  expect(codeOf(() => leaf.changeShard(id, shardOf(0), { kind: 'clear_halt' }))).toBe('not_found')
})

test('a truncated shard closes with its counts and starts again lower; pruning takes the closed one', () => {
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
  leaf.commit([batchOf(id, [rangeOf({ first: 0, next: 10 })], us(10))])
  leaf.changeShard(id, shardOf(0), { kind: 'restart', at: 6 })
  expect(
    leaf.findRollup('views')?.shards.map(({ startOffset, nextOffset, closed }) => [startOffset, nextOffset, closed]),
  ).toEqual([
    [0, 10, true],
    [6, 6, false],
  ])
  expect(leaf.commit([batchOf(id, [rangeOf({ first: 10, next: 11 })], us(1))]).batches[0]?.ranges).toMatchObject([
    { outcome: 'refused', nextOffset: 6 },
  ])
  expect(leaf.commit([batchOf(id, [rangeOf({ first: 6, next: 8 })], us(2))]).batches[0]?.taken).toBe(true)
  leaf.pruneShards(id, [shardOf(0)])
  expect(
    leaf.findRollup('views')?.shards.map(({ startOffset, nextOffset, closed }) => [startOffset, nextOffset, closed]),
  ).toEqual([[6, 8, false]])
  expect(leaf.findRollup('views')?.pruned.passed).toBe(10)
})

test('shards are added once, statuses and reasons are stored', () => {
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
  leaf.addShards(id, [{ shard: shardOf(1), startOffset: 5 }], 'a partition was added')
  expect(codeOf(() => leaf.addShards(id, [{ shard: shardOf(1), startOffset: 5 }]))).toBe('conflict')
  leaf.setStatus(id, 'halted', { code: 'disk_full', message: 'no room' })
  leaf.close()
  leaf = openLeaf()
  expect(leaf.findRollup('views')).toMatchObject({
    status: 'halted',
    reason: { code: 'disk_full', message: 'no room' },
    warnings: ['a partition was added'],
    shards: [{ startOffset: 0 }, { startOffset: 5, nextOffset: 5 }],
  })
  leaf.setStatus(id, 'running')
  expect(leaf.findRollup('views')?.reason).toBeUndefined()
  expect(codeOf(() => leaf.setStatus(id + 1, 'paused'))).toBe('unknown_rollup')
})

test('after a take-over the old owner can change nothing', () => {
  const { id } = leaf.createRollup(definitionOf('views', BY_COUNTRY))
  const taker = openLeaf()
  try {
    expect(codeOf(() => leaf.commit([batchOf(id, [rangeOf({ first: 0, next: 1 })], us(1))]))).toBe('owner_lost')
    expect(codeOf(() => leaf.dropRollup('views'))).toBe('owner_lost')
    expect(taker.commit([batchOf(id, [rangeOf({ first: 0, next: 1 })], us(1))]).batches[0]?.taken).toBe(true)
  } finally {
    taker.close()
  }
})

test('a disk without room takes nothing of a commit, queries go on, and with room it goes on exactly', () => {
  leaf.close()
  const limits = { pagesMax: 150 as number | undefined }
  leaf = openLeaf({ limits })
  const { id } = leaf.createRollup(definitionOf('r', { groupBy: [{ name: 'id', type: 'bigint' }] }))
  const [perBatch, records] = [5000, 50_000]
  let next = 0
  const commitNext = () => {
    const groups = Array.from({ length: perBatch }, (_, index) => {
      const value = next + index
      return { key: `${value}`, values: [value], states: [1] }
    })
    leaf.commit([batchOf(id, [rangeOf({ first: next, next: next + perBatch })], groups)])
    next += perBatch
  }
  const commitAll = () => {
    for (let batch = next / perBatch; batch < records / perBatch; batch++) commitNext()
  }
  expect(codeOf(commitAll)).toBe('disk_full')
  expect(next).toBeGreaterThan(0)
  expect(next).toBeLessThan(records)
  expect(rowsOf(`SELECT count(*), sum(n) FROM g${id}`)).toEqual([[next, next]])
  expect(leaf.findRollup('r')).toMatchObject({ groups: next, shards: [{ nextOffset: next }] })
  leaf.setStatus(id, 'halted', { code: 'disk_full', message: 'no room' })
  expect(codeOf(commitAll)).toBe('disk_full')
  limits.pagesMax = undefined
  leaf.setStatus(id, 'running')
  commitAll()
  expect(rowsOf(`SELECT count(*), sum(n) FROM g${id}`)).toEqual([[records, records]])
  expect(leaf.findRollup('r')).toMatchObject({ groups: records, shards: [{ nextOffset: records }] })
})

test('search indexes: the leading grouping column by itself, finished columns by option, others refused by name', () => {
  const sketch = {
    groupBy: [
      { name: 'minute', type: 'timestamptz' as const },
      { name: 'country', type: 'text' as const },
      { name: 'path', type: 'text' as const },
    ],
    partials: [
      { name: 'views', aggregate: 'count' },
      { name: 'latency', aggregate: 'avg', type: 'double precision' as const },
    ],
  }
  const { id } = leaf.createRollup(
    definitionOf('views', sketch, { indexes: [['views'], ['country', 'minute'], ['country']] }),
  )
  expect(
    rowsOf(`SELECT sql FROM sqlite_schema WHERE tbl_name = 'g${id}' AND type = 'index' ORDER BY name`).flat(),
  ).toEqual([
    `CREATE INDEX g${id}_i0 ON g${id} (k1)`,
    `CREATE INDEX g${id}_i1 ON g${id} (p0)`,
    `CREATE INDEX g${id}_i2 ON g${id} (k1, k0)`,
  ])
  expect(
    rowsOf(`EXPLAIN QUERY PLAN SELECT * FROM g${id} WHERE k1 = 'US' AND bucket BETWEEN 5 AND 6`).flat().join(),
  ).toContain(`USING INDEX g${id}_i0 (k1=? AND bucket>? AND bucket<?)`)
  for (const [index, words] of [
    [['latency'], '"latency"'],
    [['nothing'], '"nothing"'],
    [['views', 'views'], '"views"'],
    [[], '0 columns'],
  ] as const) {
    const create = () => leaf.createRollup(definitionOf('other', sketch, { indexes: [index] }))
    expect(codeOf(create)).toBe('bad_parameter')
    expect(create).toThrow(words)
  }
  expect(leaf.findRollup('other')).toBeUndefined()
})
