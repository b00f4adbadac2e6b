/**
 * Owns aggregates over rows: SUM(x) FILTER (WHERE ...) in a query. They are the aggregates of rollups over another input; COUNT, and
 * MIN and MAX of native columns, are SQLite's own, which are the same there.
 */
import { findAggregate } from '../aggregates/aggregate-table.ts'
import type { Aggregate } from '../aggregates/aggregate.ts'
import type { OrderKey } from '../aggregates/order-key.ts'
import { RollupdError } from '../core/errors.ts'
import { toColumnStorage, type ScalarType } from '../core/scalar-type.ts'
import { checkAggregateCall, chooseAggregate, type ChosenAggregate } from '../planner/choose-aggregate.ts'
import type { AggregateOrder, Expression, SqlFragment } from '../sql/expression.ts'
import type { CallSite } from '../sql/scope.ts'
import { printDirection } from '../sql/sort-direction.ts'
import { unsupported } from '../sql/unsupported.ts'
import { analyseFoldedAggregate } from './folded-call.ts'
import { foldedRollupOf } from './folded-rollup.ts'
import { nowhere } from './guard-place.ts'
import { FRAME_VALUE } from './range-frame.ts'
import type { CallScope } from './scope-parts.ts'
import { toParameterTexts } from './sqlite-text.ts'
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
  const ofRows = scope.ofRows(`the arguments of ${site.name.toUpperCase()}`)
  const ofFilter = scope.ofRows('FILTER')
  const { functions } = scope.parts.context.parts
  const filter = filterText(site, ofFilter)
  const folded = foldedRollupOf(scope.parts.namespace)
  const asMerge = folded === undefined ? undefined : analyseFoldedAggregate(site, scope, folded, filter)
  if (asMerge !== undefined) return asMerge
  const call = { ...site, analyser: site.analyser.within(ofRows) }
  const order = (name: string, keys: readonly AggregateOrder[]): string => orderText(name, keys, scope)
  const aggregate = rowAggregate(call, scope, { text: filter, order }, (name, chosen, types, keys) =>
    functions.aggregate(name, chosen, types, keys),
  )
  const reads = [ofRows.reads, ofFilter.reads]
  if (reads.some(({ outer }) => outer) && !reads.some(({ own }) => own)) throw refuseOuter(site)
  return aggregate
}

/** It would be one of the query around: SQLite computes it there, where our types and groups know nothing of it. */
function refuseOuter({ name, position }: CallSite): RollupdError {
  const hint = 'Compute it in the query around, or name a column of FROM in it.'
  return unsupported(`${name.toUpperCase()} of columns of the query around is not supported`, position, hint)
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
  if (node.agg_order !== undefined && findAggregate(name)?.ordered === true) {
    const hint = 'The window has an order of its own: write it in OVER.'
    throw unsupported(`ORDER BY inside ${name} OVER is not supported`, position, hint)
  }
  const { functions } = scope.parts.context.parts
  const filter = filterText(site, scope.withoutWindows('FILTER'))
  const { range } = window
  const behind = {
    text: `${filter} OVER (${window.text})`,
    order: () => '',
    ...(range === undefined ? {} : { range: { key: range.key, frame: functions.frames.add(range.frame) } }),
  }
  const kind = range !== undefined ? 'ranging' : window.isSliding ? 'sliding' : 'growing'
  return rowAggregate(site, scope, behind, (called, chosen, types) =>
    functions.windowAggregate(called, chosen, types, kind),
  )
}

/** What stands around the arguments of a call. */
interface CallText {
  /** Behind the call. */
  readonly text: string
  /** ORDER BY inside the call, of aggregates whose value depends on it. */
  readonly order: (name: string, keys: readonly AggregateOrder[]) => string
  /** The call collects a partition: it gets the key as well, and its value is that of a frame by that key. */
  readonly range?: { readonly key: string; readonly frame: number }
}

function rowAggregate(
  { name, node, position, analyser }: CallSite,
  scope: CallScope,
  { text: behind, order: toOrder, range }: CallText,
  toFunction: (name: string, aggregate: Aggregate, types: readonly ScalarType[], order: readonly OrderKey[]) => string,
): SqlFragment {
  checkAggregateCall(name, node, position)
  const isDistinct = node.agg_distinct === true
  // of sets that are listed the aggregate keeps each value once, elsewhere SQLite does
  const isSet = isDistinct && findAggregate(name, true)?.ordered === true
  const chosen = chooseAggregate(name, node, analyser, position, isSet)
  const { aggregate, args, order, parameter } = chosen
  if (isDistinct && !isSet) refuseDistinct(name, position, chosen)
  const types = args.map(({ type }) => type)
  const { printer } = scope.parts.context
  const argsFail = args.some((arg) => printer.canFail(arg))
  const setOrder = isSet ? order.map(({ descending, nullsFirst }) => ({ register: 0, descending, nullsFirst })) : []
  const word = isSet ? `${name}_distinct` : name
  const isOwn = range === undefined && isNative(name, args, argsFail)
  const function_ = isOwn ? name : toFunction(word, aggregate, types, setOrder)
  const distinct = isDistinct && !isSet ? 'DISTINCT ' : ''
  // of equal intervals cells differ: SQLite compares keys
  const print = (arg: Expression): string =>
    distinct !== '' && arg.type === 'interval' ? printer.printKey(printer.print(arg), 'interval') : printer.print(arg)
  const texts = node.agg_star === true ? '*' : [...args.map(print), ...toParameterTexts(parameter)].join(', ')
  const isOrdered = !isSet && findAggregate(name)?.ordered === true
  const orderBy = isOrdered ? toOrder(name, order) : ''
  const undeclared = name !== 'count' && types.some((type) => type === 'any' || type === 'jsonb')
  const given = range === undefined ? texts : texts === '*' || texts === '' ? range.key : `${range.key}, ${texts}`
  const sql = `${function_}(${distinct}${given}${orderBy})${behind}`
  return {
    kind: 'fragment',
    sql: range === undefined ? sql : `${FRAME_VALUE}(${sql}, ${range.key}, ${range.frame})`,
    type: aggregate.type,
    canFail: aggregate.canFail || argsFail || undeclared,
    position,
  }
}

function refuseDistinct(name: string, position: number, { args, parameter }: ChosenAggregate): void {
  if (parameter !== undefined) {
    const hint = 'Take the distinct rows in a subquery in FROM.'
    throw unsupported(`${name}(DISTINCT ...) is not supported`, position, hint)
  }
  if (args.length > 1) {
    throw unsupported(`${name}(DISTINCT ...) takes one argument`, position, 'Use DISTINCT in a subquery in FROM.')
  }
  if ((name === 'sum' || name === 'avg') && args[0]?.type === 'interval') {
    const hint = 'Equal intervals may differ in months and days: take the distinct ones in a subquery in FROM.'
    throw unsupported(`${name}(DISTINCT interval) is not supported`, position, hint)
  }
}

/** ORDER BY of the call, then that of the rows, so that the same groups give the same list. */
function orderText(name: string, order: readonly AggregateOrder[], { parts }: CallScope): string {
  const { printer, conditions } = parts.context
  const keys = order.map(({ expression, ...direction }) => {
    const text = printer.print(expression)
    const guarded = printer.canFail(expression)
      ? conditions.guard(text, nowhere(`ORDER BY of ${name.toUpperCase()}`))
      : text
    return `${guarded}${printDirection(direction)}`
  })
  const { tables } = parts.namespace
  const rows = tables.length === 1 ? (tables[0]?.relation.rowOrder?.() ?? []) : []
  const all = [...keys, ...rows.map((text) => `${text} NULLS LAST`)]
  return all.length === 0 ? '' : ` ORDER BY ${all.join(', ')}`
}

/** COUNT counts key bytes as well; MIN and MAX of one native kind compare as SQLite does. */
function isNative(name: string, [argument]: readonly Expression[], argsFail: boolean): boolean {
  if (argsFail) return false
  if (name === 'count') return true
  return (name === 'min' || name === 'max') && argument !== undefined && toColumnStorage(argument.type) !== 'BLOB'
}
