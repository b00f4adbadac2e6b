/** Plans of statements over other rollups, of which nothing but the statements is there. */
import { expect, test } from 'vitest'
import { describePlan } from '../../src/cli/describe-plan.ts'
import { createPlanner } from '../../src/main/create-planner.ts'
import { planChain, type ChainLink } from '../../src/planner/plan-chain.ts'

const planRollup = await createPlanner()
const MINUTES = `SELECT date_trunc('minute', ts::timestamptz) AS minute, page, AVG(ms) AS mean FROM _input GROUP BY 1, 2`
const HOURS = `SELECT date_trunc('hour', minute) AS hour, page, MEASURE(mean) FROM "by minute" GROUP BY 1, 2`
const DAYS = `SELECT date_trunc('day', hour) AS day, MEASURE(mean) FROM by_hour GROUP BY 1`

function link(sql: string): ChainLink {
  return { sql, telling: async (plan) => await Promise.resolve(plan()) }
}

test('a statement over a rollup over a rollup', async () => {
  const plan = await planChain([link(DAYS), link(HOURS), link(MINUTES)], planRollup)
  expect(plan.source).toEqual({ rollup: 'by_hour', partials: [0] })
  expect(describePlan(plan).split('\n').slice(0, 5)).toEqual([
    'Ingest half, on every group that by_hour gets:',
    "  SELECT date_trunc('day', hour) AS k0, merge(p0) AS p0",
    '  FROM by_hour',
    '  GROUP BY 1',
    '',
  ])
})

test.each([
  [[DAYS], { code: 'sql_unsupported' }],
  [[DAYS, MINUTES], { code: 'sql_unknown_column', message: 'the rollup "by_hour" has no column "hour"' }],
  [[MINUTES, MINUTES], { code: 'bad_request', message: 'a source is given, and FROM names no rollup' }],
])('%j', async ([first, ...sources], error) => {
  const chain = [link(first!), ...sources.map(link)] as const
  await expect(planChain(chain, planRollup)).rejects.toMatchObject(error)
})
