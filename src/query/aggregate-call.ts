/**
 * Owns aggregates over rows: SUM(x) FILTER (WHERE ...) in a query. They are the aggregates of rollups over another input; COUNT, and
 * MIN and MAX of native columns, are SQLite's own, which are the same there.
 */
import type { Aggregate } from '../aggregates/aggregate.ts'
import { RollupdError } from '../core/errors.ts'
import { toColumnStorage, type ScalarType } from '../core/scalar-type.ts'
import { checkAggregateCall, chooseAggregate } from '../planner/choose-aggregate.ts'
import type { Expression, SqlFragment } from '../sql/expression.ts'
import type { CallSite } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import { nowhere } from './guard-place.ts'
import type { CallScope } from './scope-parts.ts'
import type { Window } from './window-clause.ts'

/** The refusal of an aggregate where none may stand. */
export function refuseAggregate(name: string, clause: string, position: number): RollupdError {
  return new RollupdError('sql_invalid', `${name.toUpperCase()} is an aggregate and not allowed in ${clause}`, {
    position,
    hint: clause === 'WHERE' ? 'Use HAVING, or a subquery in FROM.' : undefined,
  })
}

/** Text of FILTER (WHERE ...), empty without one; `scope`: what the condition may name. */
export function filterText(site: CallSite, scope: CallScope): string {
  const { agg_filter: filter } = site.node
  if (filter === undefined) return ''
  const condition = site.analyser.within(scope).analyseCondition(filter, 'FILTER')
  const text = scope.parts.context.conditions.print(condition, nowhere('FILTER'))
  return ` FILTER (WHERE ${text})`
}

/** The aggregate of a group's rows. */
export function analyseRowAggregate(site: CallSite, scope: CallScope): SqlFragment {
  const rows = site.analyser.within(scope.ofRows(`the arguments of ${site.name.toUpperCase()}`))
  const { functions } = scope.parts.context.parts
  const filter = filterText(site, scope.ofRows('FILTER'))
  return rowAggregate({ ...site, analyser: rows }, scope, filter, (name, chosen, types) =>
    functions.aggregate(name, chosen, types),
  )
}

/** The aggregate of a window's frame; `site` has the analyser of what stands inside. */
export function analyseWindowAggregate(site: CallSite, scope: CallScope, window: Window): SqlFragment {
  const { name, node, position } = site
  if (node.agg_distinct === true) {
    throw unsupported(
      `${name}(DISTINCT ...) OVER is not supported`,
      position,
      'Take the distinct rows in a subquery in FROM.',
    )
  }
  const { functions } = scope.parts.context.parts
  const filter = filterText(site, scope.withoutWindows('FILTER'))
  return rowAggregate(site, scope, `${filter} OVER (${window.text})`, (called, chosen, types) =>
    functions.windowAggregate(called, chosen, types, window.isSliding),
  )
}

function rowAggregate(
  { name, node, position, analyser }: CallSite,
  scope: CallScope,
  behind: string,
  toFunction: (name: string, aggregate: Aggregate, types: readonly ScalarType[]) => string,
): SqlFragment {
  checkAggregateCall(name, node, position)
  const written = (node.args ?? []).map((arg) => analyser.analyseSettled(arg))
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
  const function_ = isNative(name, args, argsFail) ? name : toFunction(name, aggregate, types)
  const distinct = node.agg_distinct === true ? 'DISTINCT ' : ''
  const texts =
    node.agg_star === true ? '*' : [...args.map((arg) => printer.print(arg)), parameter ?? []].flat().join(', ')
  const undeclared = name !== 'count' && types.some((type) => type === 'any')
  return {
    kind: 'fragment',
    sql: `${function_}(${distinct}${texts})${behind}`,
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
