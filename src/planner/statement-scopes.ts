/** Owns what the clauses of a rollup statement may name, of records: fields, metadata, aggregates, GROUPING. */
import { aggregateNames } from '../aggregates/aggregate-table.ts'
import type { Expression } from '../sql/expression.ts'
import type { Statement } from '../sql/parse-statement.ts'
import type { PrintNames } from '../sql/print-expression.ts'
import type { Scope } from '../sql/scope.ts'
import { analyseAggregate, refuseAggregate } from './aggregate-call.ts'
import { analyseGrouping } from './grouping-call.ts'
import { createRecordScope, INPUT, type RecordScopeOptions } from './record-scope.ts'
import type { UnnestPlan } from './plan.ts'
import { readRecordFrom } from './unnest-clause.ts'

/** What is between the clauses of a statement and what it reads. */
export interface StatementScopes {
  readonly where: Scope
  readonly groupBy: Scope
  readonly having: Scope
  readonly outputs: Scope
  /** What stands in FROM. */
  readonly from: string
  /** Of records. */
  readonly unnest?: UnnestPlan | undefined
  /** How leaves of expressions are written. */
  readonly names: PrintNames
  /** Whether the leaf is what the name alone means, or a part of it. */
  readonly isOfName: (leaf: Expression, name: string) => boolean
}

export function createRecordScopes(statement: Statement): StatementScopes {
  const { alias, unnest } = readRecordFrom(statement, (name) => createArrayScope(name))
  const callNames = aggregateNames()
  type Call = RecordScopeOptions['call']
  const scope = (clause: string, call: Call, grouping?: RecordScopeOptions['grouping']): Scope =>
    createRecordScope({ clause, alias, unnest, call, callNames, ...(grouping === undefined ? {} : { grouping }) })
  const refusing = (clause: string, hint: string): Scope => scope(clause, (site) => refuseAggregate(site, clause, hint))
  const inner = refusing(
    'the arguments of an aggregate',
    'Aggregates can not be nested; combine them in SELECT, as in SUM(a) / COUNT(*).',
  )
  const groupBy = refusing('GROUP BY', 'Group by fields and expressions over them.')
  const taking = (clause: string): Scope =>
    scope(
      clause,
      (site) => analyseAggregate(site, inner),
      (node, position, analyser) => analyseGrouping(node, position, analyser, statement, groupBy),
    )
  return {
    where: refusing('WHERE', 'Write HAVING for conditions on aggregates.'),
    groupBy,
    having: taking('HAVING'),
    outputs: taking('SELECT'),
    from: INPUT,
    names: {},
    isOfName: (leaf, name) => leaf.kind === 'field' && name === (leaf.element ?? leaf.path[0]),
    unnest,
  }
}

/** Of UNNEST's argument. */
function createArrayScope(alias: string | undefined): Scope {
  const clause = 'UNNEST'
  const hint = 'Name an array of the record.'
  return createRecordScope({
    clause,
    alias,
    call: (site) => refuseAggregate(site, clause, hint),
    callNames: [],
  })
}
