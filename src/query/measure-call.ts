/**
 * Owns MEASURE(column): a rollup's column at coarser grain. The states of the visible groups are merged and the column's
 * expression is computed over the merged ones, so averages, distinct counts and what is built from them are right.
 */
import { at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { GroupValue, PartialValue, SqlFragment } from '../sql/expression.ts'
import { quoteName } from '../sql/identifier.ts'
import type { CallSite } from '../sql/scope.ts'
import { filterText } from './aggregate-call.ts'
import { unsupported } from '../sql/unsupported.ts'
import { ExpressionPrinter } from './expression-printer.ts'
import { findColumn } from './namespace.ts'
import { type CallScope } from './scope-parts.ts'
import type { MeasureSource } from './relation.ts'
import { aggregateWord, finalizerOf } from '../planner/partial-aggregate.ts'
import type { SqliteFunctions } from './sqlite-functions.ts'
import { pathOf } from '../sql/name-parts.ts'
import { toParameterTexts } from './sqlite-text.ts'

export function analyseMeasure(site: CallSite, scope: CallScope): SqlFragment {
  const { node, position } = site
  if (node.agg_distinct === true)
    throw unsupported('MEASURE takes no DISTINCT', position, 'A group merges once anyway.')
  if (node.agg_order !== undefined || node.agg_within_group === true)
    throw unsupported('MEASURE takes no ORDER BY', position)
  const source = findSource(site, scope)
  refuseMixedSets(source, position)
  const { context } = scope.parts
  const output = at(source.rollup.plan.wrap.outputs, source.output)
  const filter = filterText(site, scope.ofRows('FILTER'))
  const identity = source.mayRepeat || scope.parts.namespace.tables.length > 1 ? source.identity() : undefined
  const printer = new ExpressionPrinter(context.parts, (leaf) =>
    leaf.kind === 'group'
      ? groupValue(leaf, source, scope, site)
      : mergedValue(leaf, source, identity, filter, context.parts.functions),
  )
  const { expression, type } = output
  if (source.hiding.hasHaving) scope.grouping?.measured.set(source.hiding, identity)
  return {
    kind: 'fragment',
    sql: `(${printer.print(expression)})`,
    type,
    canFail: printer.canFail(expression),
    position,
  }
}

/** The rollup's column that the argument is. Errors: sql_unsupported, sql_invalid, sql_unknown_column. */
function findSource({ node, position, analyser }: CallSite, scope: CallScope): MeasureSource {
  const [argument, ...more] = node.args ?? []
  if (argument === undefined || more.length > 0 || node.agg_star === true || !('ColumnRef' in argument)) {
    throw new RollupdError('sql_invalid', 'MEASURE takes one column of a rollup', {
      position,
      hint: 'Compute with its result instead: MEASURE(a) / MEASURE(b).',
    })
  }
  const { namespace } = scope.parts
  const path = pathOf(argument.ColumnRef)
  const argumentPosition = analyser.positionOf(argument.ColumnRef.location)
  const source = findColumn(namespace, path, argumentPosition)
  // for its message about an unknown column
  if (source === undefined) scope.ofRows(scope.clause).column(path as [string], argumentPosition)
  const owner = source?.column.source
  const measure = source?.rest.length === 0 ? owner?.relation.measureSource?.(owner.index) : undefined
  if (measure !== undefined) return measure
  throw new RollupdError(
    'sql_invalid',
    `MEASURE needs a rollup's column as it is, "${path.join('.')}" is computed or merged`,
    {
      position: argumentPosition,
      hint: 'It may come through subqueries without expressions, aggregates, DISTINCT and set operations only.',
    },
  )
}

function mergedValue(
  leaf: PartialValue,
  source: MeasureSource,
  identity: string | undefined,
  filter: string,
  functions: SqliteFunctions,
): SqlFragment {
  const partial = at(source.rollup.plan.ingest.partials, leaf.index)
  const aggregate = finalizerOf(partial, leaf)
  const word = aggregateWord(partial, leaf.finalizer)
  const name = functions.merger(word, aggregate, partial.argTypes, identity !== undefined)
  const args = [identity ?? [], ...source.states(leaf.index), ...toParameterTexts(leaf.parameter)].flat()
  const merged = `${name}(${args.join(', ')})${filter}`
  const set = source.groupingSet?.text()
  const sql = set === undefined ? merged : `one_grouping_set(min(${set})${filter}, max(${set})${filter}, ${merged})`
  return { kind: 'fragment', sql, type: aggregate.type, canFail: aggregate.canFail || set !== undefined, position: 0 }
}

/** A statement that never looks at the set merges several; one that does is checked as it runs. */
function refuseMixedSets({ groupingSet, rollup }: MeasureSource, position: number): void {
  if (groupingSet === undefined || groupingSet.isRead()) return
  throw new RollupdError(
    'sql_invalid',
    `the rollup "${rollup.name}" has grouping sets, whose groups hold the same records: MEASURE needs a filter on GROUPING`,
    {
      position,
      hint: `Write WHERE ${quoteName(groupingSet.column)} = 0 for the groups by all of its columns, or GROUP BY ${quoteName(groupingSet.column)}.`,
    },
  )
}

/** At coarser grain a grouping value exists only where it is grouped by. */
function groupValue(leaf: GroupValue, source: MeasureSource, scope: CallScope, { position }: CallSite): SqlFragment {
  const group = source.group(leaf.index)
  const expression = scope.grouping?.items.find(({ value }) => value === group?.sql)?.expression
  if (expression?.kind === 'fragment') return expression
  const { output, column } = at(source.rollup.plan.ingest.groupBy, leaf.index)
  throw new RollupdError(
    'sql_invalid',
    `MEASURE reads the grouping value "${output ?? column}", which is not grouped by`,
    {
      position,
      hint: 'Add it to GROUP BY, or measure another column.',
    },
  )
}
