/** Makes the planner: loads the grammar once, and hands in what decides results (law 4). */
import type { RollupPlan } from '../planner/plan.ts'
import { planRollup } from '../planner/plan-rollup.ts'
import { loadParser } from '../sql/parse-statement.ts'

export async function createPlanner(): Promise<(sql: string) => RollupPlan> {
  await loadParser()
  const { tz = '', unicode = '' } = process.versions as { tz?: string; unicode?: string }
  return (sql) => planRollup(sql, { versions: { timeZones: tz, unicode } })
}
