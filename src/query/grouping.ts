/** Owns GROUP BY of a query, and whether a SELECT makes groups at all. */
import { RollupdError } from '../core/errors.ts'
import { isAggregateName } from '../planner/choose-aggregate.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import type { Expression } from '../sql/expression.ts'
import { bareName, lastNamePart } from '../sql/name-parts.ts'
import { outputName } from '../sql/output-name.ts'
import { byOrdinal } from '../sql/output-ordinal.ts'
import type { Node, SelectStmt } from '../sql/parse-statement.ts'
import { foldedRollupOf } from './folded-rollup.ts'
import { deriveGroup } from './folded-where.ts'
import { nowhere } from './guard-place.ts'
import { type CompileContext } from './compile-context.ts'
import { MEASURE } from '../planner/measure-name.ts'
import { findColumn } from './namespace.ts'
import type { GroupItem, Grouping, ScopeParts } from './scope-parts.ts'
import { expandGroups } from './query-grouping-sets.ts'
import { QueryScope } from './query-scope.ts'
import type { Target } from './target-list.ts'

/** Undefined: the SELECT gives rows, not groups. */
export function compileGrouping(
  select: SelectStmt,
  targets: readonly Target[],
  parts: ScopeParts,
): Grouping | undefined {
  const { context } = parts
  const nodes = select.groupClause ?? []
  const clauses = [targets.map(({ node }) => node), select.sortClause, select.windowClause]
  if (nodes.length === 0 && select.havingClause === undefined && !holdsAggregate(clauses)) return undefined
  const scope = new QueryScope('GROUP BY', parts)
  return { ...expandGroups(select, (node) => toItem(node, targets, scope, context), context), measured: new Map() }
}

function toItem(node: Node, targets: readonly Target[], scope: QueryScope, context: CompileContext): GroupItem {
  const position = context.positionOf(locationOf(node))
  const target = targetOf(node, targets, scope, position)
  const expressionNode = target?.node ?? node
  if (holdsAggregate(expressionNode)) {
    throw new RollupdError('sql_invalid', 'aggregates are not allowed in GROUP BY', {
      position,
      hint: 'Group by the other outputs.',
    })
  }
  const folded = foldedRollupOf(scope.parts.namespace)
  const before = folded?.reads
  const analysed = context.analyser(scope).analyseSettled(expressionNode)
  const written = toGroupValue(analysed, context)
  const isFolded = folded !== undefined && before !== undefined
  const expression = isFolded ? deriveGroup(expressionNode, written, folded, before, context) : written
  const name = target?.name ?? outputName({ val: expressionNode })
  return { name, node: expressionNode, expression, value: context.printer.print(analysed) }
}

/** Groups are made by comparing cells: there an error ends, and an interval is its span, which equal ones share. */
function toGroupValue(expression: Expression, { printer, conditions }: CompileContext): Expression {
  const { type, position } = expression
  const canFail = printer.canFail(expression)
  if (!canFail && type !== 'interval') return expression
  const text = type === 'interval' ? printer.printKey(printer.print(expression), type) : printer.print(expression)
  const sql = canFail ? conditions.guard(text, nowhere('GROUP BY')) : text
  return { kind: 'fragment', sql, type, canFail: false, position }
}

/** An ordinal, or an output's name where no column has that name: PostgreSQL's rule. */
function targetOf(node: Node, targets: readonly Target[], scope: QueryScope, position: number): Target | undefined {
  if ('A_Const' in node) return byOrdinal(node.A_Const, 'GROUP BY', targets, position)
  const name = bareName(node)
  if (name === undefined || findColumn(scope.parts.namespace, [name], position) !== undefined) return undefined
  return targets.find((target) => target.name === name)
}

/** Whether an aggregate of this SELECT stands in the expression; those of subqueries are theirs. */
function holdsAggregate(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (Array.isArray(node)) return node.some(holdsAggregate)
  if ('SubLink' in node) return holdsAggregate((node.SubLink as { testexpr?: unknown }).testexpr)
  if ('FuncCall' in node) {
    const { funcname, over } = node.FuncCall as { funcname?: Node[]; over?: unknown }
    const name = lastNamePart(funcname)
    if (over === undefined && (name === MEASURE || isAggregateName(name))) return true
  }
  return Object.values(node).some(holdsAggregate)
}
