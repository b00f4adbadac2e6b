/** Owns planning with fixed versions of the tables that decide results, for tests. */
import type { RollupPlan } from '../../src/planner/plan.ts'
import type { SourceRollup } from '../../src/planner/source-scopes.ts'
import { planRollup } from '../../src/planner/plan-rollup.ts'

/** The plan of a rollup statement; loadParser must have been awaited. */
export function planOf(sql: string, source?: SourceRollup): RollupPlan {
  const versions = { timeZones: '2025b', unicode: '17.0' }
  return planRollup(sql, source === undefined ? { versions } : { versions, source })
}
