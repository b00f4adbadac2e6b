/** Owns how a plan is shown to a person. */
import { toCreateSql, toLeafSchema } from '../leaf/leaf-schema.ts'
import { aggregateOf } from '../planner/partial-aggregate.ts'
import type { RollupPlan } from '../planner/plan.ts'
import { breakStatement } from './break-statement.ts'
import { indent } from './indent.ts'
import { formatTable } from './text-table.ts'

/** Any number: the tables get their real one when the rollup is created. */
const EXAMPLE_ID = 1

export function describePlan(plan: RollupPlan): string {
  const states = plan.ingest.partials.map((partial) => [
    partial.column,
    partial.call,
    aggregateOf(partial).stateDescription,
    partial.type,
  ])
  const tables = toCreateSql(toLeafSchema(EXAMPLE_ID, plan), []).map((statement) => `${statement};`)
  return [
    plan.source === undefined
      ? 'Ingest half, on every record:'
      : `Ingest half, on every group that ${plan.source.rollup} gets:`,
    indent(breakStatement(plan.ingestSql)),
    '',
    'Wrap half, at read time:',
    indent(breakStatement(plan.wrapSql)),
    '',
    'States of each group:',
    indent(formatTable(['COLUMN', 'CALL', 'STATE', 'TYPE'], states)),
    '',
    "The leaf's tables:",
    indent(tables.join('\n')),
    ...plan.warnings.map((warning) => `\nwarning: ${warning}`),
  ].join('\n')
}
