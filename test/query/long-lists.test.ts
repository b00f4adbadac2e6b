/** Lists longer than a call in SQLite may be, at ingest and in queries. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { QueryFixture } from './query-fixture.ts'

let fixture: QueryFixture

beforeAll(async () => {
  fixture = await QueryFixture.create()
  const many = Array.from({ length: 600 }, (_, index) => index)
  fixture.rollup(
    'r',
    `SELECT greatest(${many
      .slice(0, 400)
      .map((index) => `v + ${index}`)
      .join(', ')}) AS most,
    CASE ${many.map((index) => `WHEN v = ${index} THEN '${index}'`).join(' ')} END AS word, COUNT(*) AS n FROM _input GROUP BY 1, 2`,
  )
  fixture.ingest('r', [{ v: 3 }, { v: 599 }])
})

afterAll(() => fixture.close())

function rows(sql: string): unknown[] {
  const { text } = fixture.run(sql, { format: 'ndjson' })
  return text
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)
}

const LENGTH = 1_500

function list(item: (index: number) => string, length = LENGTH): string {
  return Array.from({ length }, (_, index) => item(index)).join(', ')
}

test('400 arguments and 600 branches at ingest', () => {
  expect(rows('SELECT most, word FROM r ORDER BY most')).toEqual([
    { most: 402, word: '3' },
    { most: 998, word: '599' },
  ])
})

test('COALESCE', () => {
  expect(rows(`SELECT COALESCE(${list(() => 'NULLIF(n, 1)')}, 7) AS x FROM r WHERE word = '3'`)).toEqual([{ x: 7 }])
})

test('CASE with conditions that can fail', () => {
  const whens = Array.from({ length: LENGTH }, (_, index) => `WHEN 10 / n = ${index + 11} THEN ${index}`).join(' ')
  expect(rows(`SELECT CASE ${whens} WHEN n = 1 THEN -1 END AS x FROM r WHERE word = '3'`)).toEqual([{ x: -1 }])
})

test('IN', () => {
  expect(rows(`SELECT word FROM r WHERE most IN (${list((index) => String(index * 2))})`)).toEqual([
    { word: '3' },
    { word: '599' },
  ])
  expect(rows(`SELECT word FROM r WHERE 10 / n IN (${list((index) => `${index + 11}`)}, 10) AND word = '3'`)).toEqual([
    { word: '3' },
  ])
})

test('concat of declared and undeclared values', () => {
  const text = rows(`SELECT concat(${list(() => 'most, n', 200)}) AS x FROM r WHERE word = '3'`)
  expect(text).toEqual([{ x: '4021'.repeat(200) }])
})
