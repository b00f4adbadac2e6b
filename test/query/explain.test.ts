/** EXPLAIN: what it tells, and that it doesn't run the query. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RollupdError } from '../../src/core/errors.ts'
import { QueryFixture } from './query-fixture.ts'

let fixture: QueryFixture

beforeAll(async () => {
  fixture = await QueryFixture.create()
  const sql = `SELECT date_trunc('hour', ts::timestamptz) AS hour, country, COUNT(*) AS n, AVG(x) AS mean FROM _input GROUP BY 1, 2`
  fixture.rollup('views', sql, { indexes: [['country']] })
  fixture.ingest('views', [
    { ts: '2026-01-01T00:10:00Z', country: 'DE', x: 1 },
    { ts: '2026-01-01T03:20:00Z', country: 'FR', x: 5 },
  ])
})

afterAll(() => fixture.close())

function linesOf(sql: string): string[] {
  return fixture.lines(sql).map((line) => (JSON.parse(line) as { plan: string }).plan)
}

test('EXPLAIN tells both halves, the SQLite text and the way to the groups', () => {
  const lines = linesOf(`EXPLAIN SELECT hour, mean FROM views WHERE country = 'DE' ORDER BY mean`)
  expect(lines.slice(0, 3)).toEqual([
    'rollup views of topic events',
    `  ingest half: SELECT date_trunc('hour', ts::timestamptz) AS k0, country AS k1, COUNT(*) AS p0, AVG(x) AS p1 FROM _input GROUP BY 1, 2`,
    '  wrap half: SELECT k0 AS hour, k1 AS country, p0 AS n, finalize(p1) AS mean FROM groups',
  ])
  expect(lines[4]).toMatch(/^ {2}SELECT .* FROM g1\b/)
  expect(lines.slice(5)).toEqual(['access', '  looks up views by index g1_i0 (country=?)', '  sorts for ORDER BY'])
})

test.each([
  [`SELECT n FROM views WHERE hour >= '2026-01-01T03:00Z'`, '  looks up views by its key (bucket>?)'],
  [
    `SELECT n FROM views WHERE hour >= '2026-01-01T03:00Z'::timestamptz - interval '1 hour'`,
    '  looks up views by its key (bucket>?)',
  ],
  [`SELECT n FROM views WHERE country = upper('d') || 'E'`, '  looks up views by index g1_i0 (country=?)'],
  ['SELECT n FROM views', '  reads all of views'],
  ['SELECT * FROM generate_series(1, 3)', '  makes the series t0'],
  ['SELECT 1 AS one', '  takes one written row'],
])('the way of %s', (sql, step) => {
  expect(linesOf(`EXPLAIN ${sql}`)).toContain(step)
})

test('EXPLAIN ANALYZE runs the query, EXPLAIN does not', () => {
  const endless = 'SELECT COUNT(*) AS n FROM generate_series(1, 9223372036854775807)'
  expect(linesOf(`EXPLAIN ${endless}`)).toContain('  makes the series t0')
  expect(linesOf('EXPLAIN ANALYZE SELECT n FROM views').at(-1)).toMatch(/^2 rows in \d+\.\d ms$/)
})

test.each([
  ['EXPLAIN (FORMAT json) SELECT n FROM views', 'the option format of EXPLAIN is not supported', 10],
  ['EXPLAIN DELETE FROM views', 'only SELECT is allowed, found DELETE', 1],
])('%s is refused', (sql, message, position) => {
  const refusal = expect.objectContaining({ code: 'sql_unsupported', message, position }) as RollupdError
  expect(() => fixture.lines(sql)).toThrow(refusal)
})
