/**
 * Owns aggregates over rows where the rows are folded groups: a count, sum or average of groups becomes the merge of what was counted and added up of
 * them. What doesn't change where a row comes once instead of several times (DISTINCT, MIN, MAX of grouping values) stays as it is.
 */
import { resolveAggregate } from '../aggregates/aggregate-table.ts'
import { INTEGER_SUM } from '../aggregates/exact-sum-state.ts'
import { assert } from '../core/assert.ts'
import { checkAggregateCall } from '../planner/choose-aggregate.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { SqlFragment } from '../sql/expression.ts'
import { pathOf } from '../sql/name-parts.ts'
import type { CallSite } from '../sql/scope.ts'
import { type FoldedRollup, foldedRollupOf } from './folded-rollup.ts'
import { NotFolded } from './not-folded.ts'
import { findColumn } from './namespace.ts'
import type { CallScope } from './scope-parts.ts'

/** `filter`: text behind the call. Undefined: the call means the same over folded groups. Errors: NotFolded; those of the call. */
export function analyseFoldedAggregate(
  site: CallSite,
  scope: CallScope,
  folded: FoldedRollup,
  filter: string,
): SqlFragment | undefined {
  const { name, node, position } = site
  if (node.agg_distinct === true) return undefined
  checkAggregateCall(name, node, position)
  if (node.agg_order !== undefined) throw new NotFolded()
  const isExtreme = name === 'min' || name === 'max'
  if (node.agg_star === true && name === 'count') {
    return merged(name, [], [folded.cell({ kind: 'groups' })], scope, filter, position)
  }
  const argument = columnOf(node, scope, folded)
  const column = argument === undefined ? undefined : folded.finishedColumn(argument.index)
  if (argument === undefined || column === undefined) {
    // of grouping values; others are refused when they are read
    if (isExtreme) return undefined
    throw new NotFolded()
  }
  const { type } = argument
  if (isExtreme) {
    const extreme = folded.cell({ kind: name === 'min' ? 'least' : 'greatest', column })
    return { kind: 'fragment', sql: `${name}(${extreme})${filter}`, type, canFail: false, position }
  }
  const count = (): string => folded.cell({ kind: 'count', column })
  if (name === 'count') return merged(name, [type], [count()], scope, filter, position)
  if ((name !== 'sum' && name !== 'avg') || type !== 'bigint') throw new NotFolded()
  const state = INTEGER_SUM.columns.map((_, index) => {
    if (index === INTEGER_SUM.wide) return 'NULL'
    return index === INTEGER_SUM.top ? folded.cell({ kind: 'sum', column }) : count()
  })
  return merged(name, [type], state, scope, filter, position)
}

/** Whether it is the greatest of greatest values, or the least of least ones, whose states say more than a cell: then it is MEASURE. */
export function isExtremeOfStates({ name, node }: CallSite, scope: CallScope): boolean {
  const folded = foldedRollupOf(scope.parts.namespace)
  if (folded === undefined || (name !== 'min' && name !== 'max')) return false
  if (node.agg_distinct === true || node.agg_order !== undefined) return false
  const argument = columnOf(node, scope, folded)
  return (
    argument !== undefined &&
    folded.finishedColumn(argument.index) === undefined &&
    folded.isAggregate(argument.index, name)
  )
}

/** Index and type of the folded rollup's column that is the only argument, as it is. */
function columnOf(
  node: CallSite['node'],
  { parts }: CallScope,
  folded: FoldedRollup,
): { readonly index: number; readonly type: ScalarType } | undefined {
  const [argument, ...more] = node.args ?? []
  if (argument === undefined || more.length > 0 || !('ColumnRef' in argument)) return undefined
  const found = findColumn(parts.namespace, pathOf(argument.ColumnRef), 0)
  const source = found?.rest.length === 0 ? found.column.source : undefined
  if (source === undefined || source.relation !== folded) return undefined
  const { type } = folded.columns[source.index] ?? {}
  return type === undefined ? undefined : { index: source.index, type }
}

function merged(
  name: string,
  types: readonly ScalarType[],
  state: readonly string[],
  scope: CallScope,
  filter: string,
  position: number,
): SqlFragment {
  const aggregate = resolveAggregate(name, types, false)
  assert(aggregate !== undefined && aggregate.columns.length === state.length, `${name} has the state that was folded`)
  const merger = scope.parts.context.parts.functions.merger(name, aggregate, types, false)
  return {
    kind: 'fragment',
    sql: `${merger}(${state.join(', ')})${filter}`,
    type: aggregate.type,
    canFail: aggregate.canFail,
    position,
  }
}
