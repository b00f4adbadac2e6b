/** Values in a state end where they end, whatever length or count stands behind them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { QueryFixture } from './query-fixture.ts'

/** Lengths and counts in seven bits a byte begin with each byte there is. */
const SIZES = Array.from({ length: 300 }, (_, index) => index + 1)

let fixture: QueryFixture

beforeAll(async () => {
  fixture = await QueryFixture.create()
})

afterAll(() => fixture.close())

const rows = (sql: string): unknown[] => fixture.lines(sql).map((line) => JSON.parse(line) as unknown)

test('lists beside entries of every length', () => {
  fixture.rollup(
    'lists',
    `SELECT n::bigint AS n, STRING_AGG(v, ',') AS text, ARRAY_AGG(v) AS list, MAP_AGG(v, w) AS map FROM _input GROUP BY 1`,
  )
  fixture.ingest(
    'lists',
    SIZES.flatMap((n) => ['a', 'b'.repeat(n)].map((v) => ({ n, v, w: v }))),
  )
  const expected = SIZES.map((n) => {
    const [a, b] = ['a', 'b'.repeat(n)] as const
    return { n, text: `${a},${b}`, list: [a, b], map: { [a]: a, [b]: b } }
  })
  expect(rows('SELECT * FROM lists ORDER BY n')).toEqual(expected)
})

test('values beside every count', () => {
  fixture.rollup(
    'counts',
    `SELECT n::bigint AS n, HISTOGRAM(v) AS all_of, APPROX_TOP_K(v, 1) AS top, MODE() WITHIN GROUP (ORDER BY v) AS mode FROM _input GROUP BY 1`,
  )
  fixture.ingest(
    'counts',
    SIZES.flatMap((n) => [...Array.from({ length: n }, () => ({ n, v: 'a' })), { n, v: 'b' }]),
  )
  const expected = SIZES.map((n) => {
    const [a, b] = [
      { value: 'a', count: n },
      { value: 'b', count: 1 },
    ] as const
    return { n, all_of: [a, b], top: [a], mode: 'a' }
  })
  expect(rows('SELECT * FROM counts ORDER BY n')).toEqual(expected)
})
