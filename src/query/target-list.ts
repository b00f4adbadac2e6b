/** Owns the outputs of a SELECT: `*`, names, and the expressions behind them. */
import { measureName } from '../planner/measure-name.ts'
import { RollupdError } from '../core/errors.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import type { Expression, Literal } from '../sql/expression.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import { outputName } from '../sql/output-name.ts'
import type { ColumnRef, Node, ResTarget } from '../sql/parse-statement.ts'
import { columnsOf, findColumn, type NamedColumn, type Namespace } from './namespace.ts'
import type { Relation } from './relation.ts'
import { pathOf } from '../sql/name-parts.ts'

/** An output before its expression is analysed: GROUP BY may name it first. */
export interface Target {
  readonly name: string
  readonly node: Node
  /** The relation's column that the output is, unchanged. */
  readonly source: { readonly relation: Relation; readonly index: number } | undefined
}

export interface Output {
  readonly name: string
  readonly expression: Expression
  readonly source: Target['source']
  /** See PlanColumn. */
  readonly open?: Literal | undefined
}

/** The outputs in order, stars expanded. Errors: sql_invalid, sql_unknown_column. */
export function expandTargets(
  nodes: readonly Node[],
  namespace: Namespace,
  positionOf: (location?: number) => number,
): Target[] {
  return nodes.flatMap((node) => ('ResTarget' in node ? expand(node.ResTarget, namespace, positionOf) : []))
}

function expand(target: ResTarget, namespace: Namespace, positionOf: (location?: number) => number): Target[] {
  const { val } = target
  if (val === undefined) return []
  const position = positionOf(locationOf(val))
  if ('ColumnRef' in val) {
    const fields = val.ColumnRef.fields ?? []
    if (fields.some((field) => 'A_Star' in field)) return expandStar(val.ColumnRef, namespace, position)
    const found = findColumn(namespace, pathOf(val.ColumnRef), position)
    const source = found?.rest.length === 0 ? found.column.source : undefined
    return [{ name: outputName(target), node: val, source }]
  }
  return [{ name: measureName(target) ?? outputName(target), node: val, source: undefined }]
}

/** The columns of `*` or `t.*`, as if they were written out. */
function expandStar(star: ColumnRef, namespace: Namespace, position: number): Target[] {
  const [table] = pathOf(star)
  const { columns, tables } = namespace
  const toTarget = (column: NamedColumn): Target => ({
    name: column.name,
    node: { ColumnRef: { ...star, fields: qualifiedName(column, namespace) } },
    source: column.source,
  })
  if (table === undefined) {
    if (columns.length > 0) return columns.filter(isShown).map(toTarget)
    throw new RollupdError('sql_invalid', 'SELECT * needs a FROM', { position, hint: 'Add FROM and a rollup.' })
  }
  const named = tables.find(({ name }) => name === table)
  if (named !== undefined) return columnsOf(named.relation).filter(isShown).map(toTarget)
  throw new RollupdError('sql_unknown_column', `there is no table "${table}" in FROM`, {
    position,
    hint: didYouMean(
      table,
      tables.map(({ name }) => name),
    ),
  })
}

function qualifiedName({ name, source }: NamedColumn, { tables }: Namespace): Node[] {
  const table = tables.find(({ relation }) => relation === source?.relation)
  return [...(table === undefined ? [] : [table.name]), name].map((sval) => ({ String: { sval } }))
}

function isShown({ hidden }: NamedColumn): boolean {
  return !hidden
}
