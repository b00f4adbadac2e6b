/**
 * Owns aggregates over rows: SUM(x) FILTER (WHERE ...) in a query. They are the aggregates of rollups over another input; COUNT, and
 * MIN and MAX of native columns, are SQLite's own, which are the same there.
 */
import { RollupdError } from '../core/errors.ts'
import { toColumnStorage } from '../core/scalar-type.ts'
import { checkAggregateCall, chooseAggregate } from '../planner/choose-aggregate.ts'
import type { Expression, SqlFragment } from '../sql/expression.ts'
import type { CallSite } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import { nowhere } from './guard-place.ts'
import type { CallScope } from './scope-parts.ts'

/** The refusal of an aggregate where none may stand. */
export function refuseAggregate(name: string, clause: string, position: number): RollupdError {
  return new RollupdError('sql_invalid', `${name.toUpperCase()} is an aggregate and not allowed in ${clause}`, {
    position,
    hint: clause === 'WHERE' ? 'Use HAVING, or a subquery in FROM.' : undefined,
  })
}

/** Text of FILTER (WHERE ...), empty without one. */
export function filterText(site: CallSite, scope: CallScope): string {
  const { agg_filter: filter } = site.node
  if (filter === undefined) return ''
  const condition = site.analyser.within(scope.ofRows('FILTER')).analyseCondition(filter, 'FILTER')
  const text = scope.parts.context.conditions.print(condition, nowhere('FILTER'))
  return ` FILTER (WHERE ${text})`
}

export function analyseRowAggregate(site: CallSite, scope: CallScope): SqlFragment {
  const { name, node, position } = site
  checkAggregateCall(name, node, position)
  const rows = site.analyser.within(scope.ofRows(`the arguments of ${name.toUpperCase()}`))
  const written = (node.args ?? []).map((arg) => rows.analyseSettled(arg))
  const { aggregate, args, parameter } = chooseAggregate(name, node, written, position)
  if (node.agg_distinct === true && parameter !== undefined) {
    throw unsupported(
      `${name}(DISTINCT ...) is not supported`,
      position,
      'Take the distinct rows in a subquery in FROM.',
    )
  }
  const types = args.map(({ type }) => type)
  if (node.agg_distinct === true && args.length > 1) {
    throw unsupported(`${name}(DISTINCT ...) takes one argument`, position, 'Use DISTINCT in a subquery in FROM.')
  }
  const { printer } = scope.parts.context
  const argsFail = args.some((arg) => printer.canFail(arg))
  const function_ = isNative(name, args, argsFail) ? name : printer.parts.functions.aggregate(name, aggregate, types)
  const distinct = node.agg_distinct === true ? 'DISTINCT ' : ''
  const texts =
    node.agg_star === true ? '*' : [...args.map((arg) => printer.print(arg)), parameter ?? []].flat().join(', ')
  const undeclared = name !== 'count' && types.some((type) => type === 'any')
  return {
    kind: 'fragment',
    sql: `${function_}(${distinct}${texts})${filterText(site, scope)}`,
    type: aggregate.type,
    canFail: aggregate.canFail || argsFail || undeclared,
    position,
  }
}

/** COUNT counts key bytes as well; MIN and MAX of one native kind compare as SQLite does. */
function isNative(name: string, [argument]: readonly Expression[], argsFail: boolean): boolean {
  if (argsFail) return false
  if (name === 'count') return true
  return (name === 'min' || name === 'max') && argument !== undefined && toColumnStorage(argument.type) !== 'BLOB'
}
