/** Statements over another rollup: what they mean and what is refused. */
import { expect, test } from 'vitest'
import { RollupdError } from '../../src/core/errors.ts'
import { printPlan } from '../../src/planner/print-plan.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { planOf } from '../support/plan-of.ts'

await loadParser()

const VIEWS = planOf(
  `SELECT date_trunc('minute', ts::timestamptz) AS minute, country, upper(country) AS cc, COUNT(*) AS views, AVG(ms) AS mean,
     COUNT(*) * AVG(ms) AS mixed, SUM(ms) FILTER (WHERE ok) AS sent FROM _input GROUP BY minute, country HAVING COUNT(*) > 3`,
)
const SETS = planOf('SELECT a, b, GROUPING(a, b) AS g, COUNT(*) AS n FROM _input GROUP BY ROLLUP (a, b)')
const TWICE = planOf('SELECT a, COUNT(*) AS n FROM _input GROUP BY GROUPING SETS ((a), (a))')

test('the plan of a rollup of a rollup', async () => {
  const sql = `SELECT date_trunc('hour', v.minute) AS hour, cc, MEASURE(views), MEASURE(mixed) / 2 AS half, MEASURE(sent), GROUPING(cc) AS g
    FROM views AS v WHERE country <> 'XX' GROUP BY hour, ROLLUP (cc) HAVING MEASURE(mean) > 3`
  await expect(printPlan(planOf(sql, { name: 'views', plan: VIEWS }))).toMatchFileSnapshot(
    'goldens/rollup-of-rollup.txt',
  )
})

test.each([
  ['SELECT MEASURE(views) FROM _input', 'a rollup reads views alone, found the table "_input"'],
  ['SELECT country, COUNT(*) FROM views GROUP BY country', 'COUNT(*) is not allowed in a rollup of a rollup'],
  ['SELECT country, views FROM views GROUP BY country', '"views" is made of aggregates of views'],
  ['SELECT MEASURE(views) FROM views WHERE mixed > 3', '"mixed" is made of aggregates of views'],
  ['SELECT MEASURE(views) FROM views WHERE MEASURE(views) > 3', 'MEASURE is an aggregate and not allowed in WHERE'],
  ['SELECT MEASURE(views) FILTER (WHERE true) FROM views', 'MEASURE takes no FILTER'],
  ['SELECT MEASURE(views + 1) FROM views', 'MEASURE takes one column of views'],
  ['SELECT MEASURE(vews) FROM views', 'the rollup "views" has no column "vews"'],
  ['SELECT minute, MEASURE(views) FROM views', 'the grouping column minute of the source must be in GROUP BY'],
  ['SELECT MEASURE(cc), MEASURE(views) FROM views', 'the grouping column country of the source must be in GROUP BY'],
  [
    "SELECT date_trunc('hour', minute) AS minute, MEASURE(views) FROM views GROUP BY minute",
    'GROUP BY minute could mean the output "minute" or the column "minute"',
  ],
  ['SELECT MEASURE(views) FROM views WHERE GROUPING(country) = 0', 'GROUPING is not allowed in WHERE'],
])('%s is refused', (sql, message) => {
  expect(refusalOf(sql, 'views', VIEWS)).toContain(message)
})

test.each([
  'SELECT a, MEASURE(n) FROM sets GROUP BY a',
  'SELECT a, MEASURE(n) FROM sets WHERE g < 2 GROUP BY a',
  'SELECT a, MEASURE(n) FROM sets WHERE g = 0 OR a = 1 GROUP BY a',
])('%s is refused without a filter on GROUPING', (sql) => {
  expect(refusalOf(sql, 'sets', SETS)).toContain('a rollup of it needs a filter on GROUPING')
})

test('a set that is written twice is refused', () => {
  expect(refusalOf('SELECT MEASURE(n) FROM twice WHERE _grouping = 0', 'twice', TWICE)).toContain(
    'a filter on GROUPING',
  )
})

test.each([
  'SELECT a, MEASURE(n) FROM sets WHERE g = 0 GROUP BY a',
  'SELECT a, MEASURE(n) FROM sets WHERE a = 1 AND 1 = _grouping GROUP BY a',
  'SELECT g, MEASURE(n) FROM sets GROUP BY g',
])('%s reads one set at a time', (sql) => {
  expect(planOf(sql, { name: 'sets', plan: SETS }).source).toEqual({ rollup: 'sets', partials: [0] })
})

function refusalOf(sql: string, name: string, plan: typeof VIEWS): string {
  try {
    planOf(sql, { name, plan })
  } catch (error) {
    if (!(error instanceof RollupdError)) throw error
    expect(error.position, 'each refusal has its place').toBeGreaterThan(0)
    expect(error.hint, 'and says what to write').toBeDefined()
    return error.message
  }
  throw new Error(`not refused: ${sql}`)
}
