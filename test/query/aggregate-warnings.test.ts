/** Aggregates whose value is less than was asked for say so in the answer's warnings: finalized, merged and over rows. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STATE_BOUNDS } from '../../src/aggregates/entry-list.ts'
import { QueryFixture } from './query-fixture.ts'

let fixture: QueryFixture

beforeAll(async () => {
  fixture = await QueryFixture.create()
  fixture.rollup('lists', 'SELECT g, ARRAY_AGG(x) AS list, COUNT(*) AS n FROM _input GROUP BY g')
  const records = Array.from({ length: STATE_BOUNDS.valuesMax }, (_, x) => ({ g: 'full', x }))
  fixture.ingest('lists', [...records, { g: 'one', x: -1 }])
  fixture.ingest('lists', [{ g: 'more', x: 0 }, ...records.map((record) => ({ ...record, g: 'more' }))])
})

afterAll(() => fixture.close())

function warningsOf(sql: string): readonly string[] {
  return fixture.run(sql).answer.meta.warnings ?? []
}

const WARNING = expect.stringContaining('array_agg keeps the first 1000 values') as string

test('a group within the bound has no warning, one beyond it has', () => {
  expect(warningsOf("SELECT list FROM lists WHERE g = 'full'")).toEqual([])
  expect(warningsOf("SELECT list FROM lists WHERE g = 'more'")).toEqual([WARNING])
  expect(warningsOf('SELECT g, list, list AS again FROM lists')).toEqual([WARNING])
})

test('groups that are beyond it together have one', () => {
  expect(warningsOf("SELECT MEASURE(list) AS list FROM lists WHERE g = 'one'")).toEqual([])
  expect(warningsOf("SELECT MEASURE(list) AS list FROM lists WHERE g <> 'more'")).toEqual([WARNING])
  expect(warningsOf("SELECT MEASURE(n) AS n FROM lists WHERE g <> 'more'")).toEqual([])
})

test('rows are not bounded as groups are', () => {
  const rows = Array.from({ length: STATE_BOUNDS.valuesMax + 1 }, (_, x) => ({ x }))
  fixture.rollup('rows', 'SELECT x FROM _input GROUP BY x')
  fixture.ingest('rows', rows)
  const { text, answer } = fixture.run('SELECT ARRAY_AGG(x) AS list FROM rows', { format: 'ndjson' })
  expect(answer.meta.warnings).toBeUndefined()
  const [line = ''] = text.split('\n')
  expect(JSON.parse(line)).toEqual({ list: rows.map(({ x }) => x) })
})
