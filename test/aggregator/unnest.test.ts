/** UNNEST at ingest: against the same rollup over a record for each element, against PostgreSQL, and what a record with a bad row leaves. */
import { PGlite } from '@electric-sql/pglite'
import { expect, test } from 'vitest'
import { SeededRandom } from '../fuzz/seeded-random.ts'
import { planOf } from '../support/plan-of.ts'
import { createFold, foldRecords, SHARD, takeBatch } from './fold-records.ts'

const VALUES = ['1', '2.5', '"a"', 'null', '-7', '9007199254740993', '"ü\\n"', 'true', '[1,[2]]', '{"k":1}']
const SPACES = ['', '', ' ', '\n\t']

/** An element, an object mostly; numbers, texts, arrays and what a field may hold else. */
function randomElement(random: SeededRandom): string {
  if (random.chance(0.15)) return random.pick(VALUES)
  const space = (): string => random.pick(SPACES)
  const member = (name: string, values: readonly string[]): string[] =>
    random.chance(0.85) ? [`"${name}"${space()}:${space()}${random.pick(values)}`] : []
  const members = [
    ...member('k', VALUES),
    ...member('v', ['1', '2', '0.1', '1e2', 'null']),
    ...member('ok', ['true', 'false']),
  ]
  return `{${members.join(`${space()},`)}}`
}

function randomItems(random: SeededRandom): string[] {
  return Array.from({ length: random.below(random.chance(0.1) ? 40 : 5) }, () => randomElement(random))
}

test('a record with an array is a record for each of its elements', () => {
  const random = new SeededRandom(7)
  const outputs = (item: string): string =>
    `SELECT ${item}.k, g, COUNT(*) AS n, SUM(${item}.v) FILTER (WHERE ${item}.ok) AS s, COUNT(DISTINCT ${item}) AS d, MAX(${item}.v) AS m`
  const tail = 'WHERE i.v IS DISTINCT FROM 2 GROUP BY GROUPING SETS ((i.k, g), (g), ())'
  for (let run = 0; run < 60; run++) {
    const lists = Array.from({ length: random.below(12) }, () => ({ g: random.below(3), items: randomItems(random) }))
    const records = lists.map(({ g, items }) => `{"g":${g},"items":[${items.join(random.pick([',', ' , ']))}],"h":1}`)
    const exploded = lists.flatMap(({ g, items }) => items.map((item) => `{"g":${g},"i":${item}}`))
    const got = foldRecords(`${outputs('i')} FROM _input CROSS JOIN UNNEST(items) AS i ${tail}`, records)
    const wanted = foldRecords(`${outputs('i')} FROM _input ${tail}`, exploded)
    expect(got.rows).toEqual(wanted.rows)
    expect(got.counts.unnested).toBe(wanted.counts.aggregated)
    expect(got.counts.aggregated + got.counts.filtered).toBe(records.length)
  }
})

test.each([
  ['CROSS JOIN', ''],
  ['LEFT JOIN', ' ON true'],
])('%s gives the rows of PostgreSQL', async (join, on) => {
  const random = new SeededRandom(11)
  const postgres = await PGlite.create()
  await postgres.exec('CREATE TABLE events (doc jsonb)')
  const number = (): string => String(random.below(20) - 5)
  const records = Array.from({ length: 200 }, () => {
    const items = Array.from({ length: random.below(4) }, () => `{"k":"k${random.below(4)}","v":${number()}}`)
    return random.pick([`{"items":[${items.join(',')}]}`, `{"items":[${items.join(',')}]}`, '{"items":null}', '{}'])
  })
  for (const record of records) await postgres.query('INSERT INTO events VALUES ($1)', [record])
  const { rows } = await postgres.query<unknown[]>(
    `SELECT i.item->>'k', count(*)::int, sum((i.item->>'v')::int)::int, min(i.place)::int FROM events
     ${join} LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(doc->'items') = 'array' THEN doc->'items' END)
       WITH ORDINALITY AS i(item, place)${on}
     WHERE (i.item->>'v')::int IS DISTINCT FROM 3 GROUP BY 1 ORDER BY 1`,
    [],
    { rowMode: 'array' },
  )
  await postgres.close()
  const sql = `SELECT i.item.k::text AS k, COUNT(*) AS n, SUM(i.item.v::bigint) AS s, MIN(i.place) AS p FROM _input
    ${join} UNNEST(items) WITH ORDINALITY AS i(item, place)${on} WHERE i.item.v IS DISTINCT FROM 3 GROUP BY 1`
  const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)
  expect(foldRecords(sql, records).rows.map((row) => row.map(plain))).toEqual(rows)
})

const SUM =
  'SELECT i.k, SUM(i.v) AS s, COUNT(*) AS n FROM _input CROSS JOIN UNNEST(items) AS i WHERE i.k <> 9 GROUP BY i.k'

test('a record with a row that fails is a dead letter as a whole', () => {
  const bad = [
    '{"items":[{"k":1,"v":1},{"k":2,"v":2},{"k":3,"v":"x"}]}',
    '{"items":[{"k":1,"v":true}]}',
    '{"items":"no"}',
  ]
  const { rows, counts, deadLetters } = foldRecords(SUM, [
    ...bad,
    '{"items":[{"k":1,"v":5},{"k":9,"v":"x"}]}',
    '{"items":[{"k":9}]}',
  ])
  expect(rows).toEqual([[expect.anything(), 5n, 1n]])
  expect(counts).toMatchObject({ dead: 3, aggregated: 1, filtered: 1, unnested: 1 })
  expect(deadLetters).toEqual([
    "0 wrong_kind: SUM(i.v): sum doesn't take text",
    expect.stringMatching(/^1 wrong_kind: SUM\(i\.v\): /),
    '2 wrong_kind: UNNEST(items): the field holds no array',
  ])
})

test('on_error null takes what it can', () => {
  const records = ['{"items":[{"k":1,"v":1},{"k":1,"v":"x"}]}', '{"items":7}']
  const { rows, counts } = foldRecords(SUM, records, { onError: 'null' })
  expect(rows).toEqual([[expect.anything(), 1n, 2n]])
  expect(counts).toMatchObject({ aggregated: 1, filtered: 1, dead: 0, unnested: 2 })
})

test('an array with too many elements is an error of its record', () => {
  const items = (count: number): string => `{"items":[${Array.from({ length: count }, () => '{"k":1,"v":1}').join()}]}`
  const { rows, counts, deadLetters } = foldRecords(SUM, [items(10_000), items(10_001)])
  expect(rows).toEqual([[expect.anything(), 10_000n, 10_000n]])
  expect(counts).toMatchObject({ aggregated: 1, dead: 1, unnested: 10_000 })
  expect(deadLetters).toEqual(['1 too_many_rows: UNNEST(items): more than 10000 elements'])
})

test('the array may end with its buffer', () => {
  const fold = createFold(planOf('SELECT SUM(i) AS s FROM _input, UNNEST(v) AS i'))
  const records = ['{"v":[1,2,30]}', '{"v":[4]}', '{"v":[5,6]}']
  fold.beginRange(SHARD, 'page_views', 0)
  for (const [offset, record] of records.entries()) {
    const bytes = new Uint8Array(Buffer.from(record))
    const before = bytes.slice()
    fold.beginBatch(bytes)
    fold.record(offset, 0, -1, -1, 0, bytes.length, 0, 0)
    expect(bytes).toEqual(before)
  }
  fold.endRange(records.length, 0, 0)
  expect(takeBatch(fold).groups).toMatchObject([{ records: 6, states: expect.arrayContaining([48]) }])
})
