/** Makes the planner: loads the grammar once, and hands in what decides results (law 4). */
import { planRollup, type PlanStatement } from '../planner/plan-rollup.ts'
import { loadParser } from '../sql/parse-statement.ts'

export async function createPlanner(): Promise<PlanStatement> {
  await loadParser()
  const { tz = '', unicode = '' } = process.versions as { tz?: string; unicode?: string }
  const versions = { timeZones: tz, unicode }
  return (sql, source) => planRollup(sql, source === undefined ? { versions } : { versions, source })
}
