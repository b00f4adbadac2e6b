/** Owns subqueries inside expressions: (SELECT ...), EXISTS (SELECT ...), x IN (SELECT ...). */
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { Expression, SqlFragment } from '../sql/expression.ts'
import { compare } from '../sql/resolve-call.ts'
import type { Node, SubLink } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import { compileInnerSelect } from './correlated-select.ts'
import { isComparableNatively } from './expression-printer.ts'
import type { CallScope } from './scope-parts.ts'
import type { SelectPlan } from './select-plan.ts'
import { lastNamePart } from '../sql/name-parts.ts'

export function analyseSubquery(node: SubLink, position: number, analyser: Analyser, scope: CallScope): Expression {
  const { context, surroundings } = scope.parts
  const { subselect, subLinkType } = node
  assert(subselect !== undefined && 'SelectStmt' in subselect, 'a subquery is a SELECT')
  const plan = compileInnerSelect(subselect.SelectStmt, { ctes: surroundings.ctes, outer: scope }, context)
  switch (subLinkType) {
    case 'EXISTS_SUBLINK':
      return fragment(`EXISTS (${plan.render()})`, 'boolean', false, position)
    case 'EXPR_SUBLINK':
      return scalarSubquery(plan, position)
    case 'ANY_SUBLINK':
      return membership(node, plan, position, analyser, scope)
    default:
      throw unsupported(
        'ALL and ARRAY over subqueries are not supported',
        position,
        'Write EXISTS (SELECT ...) or x IN (SELECT ...).',
      )
  }
}

function fragment(sql: string, type: SqlFragment['type'], canFail: boolean, position: number): SqlFragment {
  return { kind: 'fragment', sql, type, canFail, position }
}

function onlyColumn(plan: SelectPlan, position: number): SelectPlan['columns'][number] {
  if (plan.columns.length === 1) return at(plan.columns, 0)
  throw new RollupdError('sql_invalid', `a subquery used as a value gives ${plan.columns.length} columns`, {
    position,
    hint: 'Select one column.',
  })
}

/** No row: NULL. More than one: an error, which SQLite would not see. */
function scalarSubquery(plan: SelectPlan, position: number): SqlFragment {
  const { type, canFail } = onlyColumn(plan, position)
  if (plan.isSingleRow) return fragment(`(${plan.render()})`, type, canFail, position)
  return fragment(`(SELECT only_value(c0) FROM (SELECT c0 FROM (${plan.render()}) LIMIT 2))`, type, true, position)
}

function membership(
  node: SubLink,
  plan: SelectPlan,
  position: number,
  analyser: Analyser,
  scope: CallScope,
): SqlFragment {
  const operator = node.operName === undefined ? '=' : lastNamePart(node.operName)
  const test: Node | undefined = node.testexpr
  assert(test !== undefined, 'IN has a left side')
  if (operator !== '=')
    throw unsupported(`${operator} ANY over a subquery is not supported`, position, 'Write EXISTS (SELECT ...).')
  if ('RowExpr' in test)
    throw unsupported('IN with a row of values is not supported', position, 'Write EXISTS (SELECT ...).')
  const { printer } = scope.parts.context
  const { type, canFail } = onlyColumn(plan, position)
  // typed as a comparison with the subquery's column would be
  const sides = compare('=', analyser.analyse(test), fragment('c0', type, canFail, position), position)
  const [left] = sides.args
  assert(left !== undefined, 'a comparison has a left side')
  const native = !canFail && !printer.canFail(left) && isComparableNatively(left.type, type)
  if (native) return fragment(`(${printer.print(left)} IN (${plan.render()}))`, 'boolean', false, position)
  // NULL where kinds differ and errors need our own comparison with each value
  const equal = printer.print(sides)
  const sql = `(SELECT any_true(${equal}) FROM (${plan.render()}))`
  const fails = printer.canFail(sides)
  if (!fails) {
    const whenTrue = `(${printer.printAs(left, 'any')} IN (SELECT ${printer.printAs(fragment('c0', type, false, 0), 'any')} FROM (${plan.render()})))`
    printer.parts.paths.set(sql, { kind: 'condition', whenTrue })
  }
  return fragment(sql, 'boolean', fails, position)
}
