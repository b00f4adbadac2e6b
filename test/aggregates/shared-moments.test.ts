/** Variances of one argument, and moments of one pair that keep the same sums, are one state: they agree on its bytes. */
import { beforeAll, expect, test } from 'vitest'
import { findAggregate, resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { planOf } from '../support/plan-of.ts'
import { stateOf, type Arguments } from './fold-values.ts'

beforeAll(loadParser)

const VALUES = [3n, 1.5, 9007199254740993n, 3n, -2.25, 1e300]
const PAIRS: readonly Arguments[] = [
  [3n, 1.5],
  [1.5, 9007199254740993n],
  [-2.25, 4n],
]

test.each([
  ['stddev_samp', 'stddev', 1],
  ['stddev_pop', 'stddev', 1],
  ['variance', 'stddev', 1],
  ['var_samp', 'stddev', 1],
  ['var_pop', 'stddev', 1],
  ['covar_samp', 'covar_pop', 2],
  ['regr_sxy', 'covar_pop', 2],
  ['regr_intercept', 'regr_slope', 2],
  ['regr_r2', 'corr', 2],
] as const)('%s reads the state of %s', (name, owner, count) => {
  const types = count === 1 ? (['any'] as const) : (['any', 'any'] as const)
  const values = count === 1 ? VALUES : PAIRS
  expect(findAggregate(name)?.stateOwner?.(types)).toBe(owner)
  const [own, owners] = [name, owner].map((one) => resolveAggregate(one, types)!)
  expect(stateOf(own!, values)).toEqual(stateOf(owners!, values))
})

test('a rollup keeps it once', () => {
  const plan = planOf(
    `SELECT STDDEV(v), VAR_POP(v), VARIANCE(v), STDDEV_SAMP(w), COVAR_POP(w, v), COVAR_SAMP(w, v), REGR_SXY(w, v), CORR(w, v), REGR_R2(w, v),
       REGR_SLOPE(w, v), REGR_INTERCEPT(w, v), REGR_SLOPE(v, w) AS turned, STDDEV_POP(v) FILTER (WHERE w > 0) FROM _input`,
  )
  expect(plan.ingest.partials.map(({ call }) => call)).toMatchInlineSnapshot(`
    [
      "STDDEV(v)",
      "STDDEV(w)",
      "COVAR_POP(w, v)",
      "CORR(w, v)",
      "REGR_SLOPE(w, v)",
      "REGR_SLOPE(v, w)",
      "STDDEV(v) FILTER (WHERE w > 0)",
    ]
  `)
})
