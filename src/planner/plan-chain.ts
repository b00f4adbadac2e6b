/** Owns the planning of a statement over another rollup of which nothing but its statement is there: its source's is planned first. */
import { RollupdError } from '../core/errors.ts'
import { parseStatement } from '../sql/parse-statement.ts'
import type { RollupPlan } from './plan.ts'
import type { PlanStatement } from './plan-rollup.ts'
import { INPUT } from './record-scope.ts'

/** A statement, and how messages call it. */
export interface ChainLink {
  readonly sql: string
  /** Runs what plans it: errors of the statement are told with its place. */
  readonly telling: <T>(plan: () => T) => Promise<T>
}

/**
 * The plan of the first statement. Each one reads the rollup of the next, by the name in its FROM; the last one reads records.
 * Errors: sql_* of any of them; bad_request where one that isn't the last reads records.
 */
export async function planChain(
  [link, ...sources]: readonly [ChainLink, ...ChainLink[]],
  plan: PlanStatement,
): Promise<RollupPlan> {
  const [next, ...more] = sources
  if (next === undefined) return await link.telling(() => plan(link.sql))
  const source = await planChain([next, ...more], plan)
  return await link.telling(() => plan(link.sql, { name: sourceNameOf(link.sql), plan: source }))
}

function sourceNameOf(sql: string): string {
  const [from] = parseStatement(sql).select.fromClause ?? []
  const name = from !== undefined && 'RangeVar' in from ? from.RangeVar.relname : undefined
  if (name !== undefined && name !== INPUT) return name
  throw new RollupdError('bad_request', `a source is given, and FROM names no rollup`, {
    hint: `Name it as the rollup is called, FROM views_by_minute; a statement FROM ${INPUT} has no source.`,
  })
}
