/** Owns what answers tell of a plan: both halves as SQL, the columns, and the states of a group. */
import { aggregateOf } from '../planner/partial-aggregate.ts'
import type { OutputColumn, RollupPlan } from '../planner/plan.ts'

export interface PlanAnswer {
  readonly columns: readonly Pick<OutputColumn, 'name' | 'type' | 'role'>[]
  readonly ingest_sql: string
  readonly wrap_sql: string
  readonly partials: readonly { readonly column: string; readonly call: string; readonly state: string }[]
}

export function toPlanAnswer({ ingest, wrap, ingestSql, wrapSql }: RollupPlan): PlanAnswer {
  return {
    columns: wrap.outputs.map(({ name, type, role }) => ({ name, type, role })),
    ingest_sql: ingestSql,
    wrap_sql: wrapSql,
    partials: ingest.partials.map((partial) => ({
      column: partial.column,
      call: partial.call,
      state: aggregateOf(partial).stateDescription,
    })),
  }
}
