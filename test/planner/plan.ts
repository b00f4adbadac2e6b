/** Owns planning with the aggregates of rollupd and fixed versions, for tests. */
import { aggregateNames, findAggregate, resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { RollupPlan } from '../../src/planner/plan.ts'
import { planRollup } from '../../src/planner/plan-rollup.ts'

export function plan(sql: string): RollupPlan {
  const aggregates = { aggregateNames, findAggregate, resolveAggregate }
  return planRollup(sql, { aggregates, versions: { timeZones: '2025b', unicode: '17.0' } })
}
