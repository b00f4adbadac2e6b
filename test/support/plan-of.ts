/** Owns planning with fixed versions of the tables that decide results, for tests. */
import type { RollupPlan } from '../../src/planner/plan.ts'
import { planRollup } from '../../src/planner/plan-rollup.ts'

/** The plan of a rollup statement; loadParser must have been awaited. */
export function planOf(sql: string): RollupPlan {
  return planRollup(sql, { versions: { timeZones: '2025b', unicode: '17.0' } })
}
