/** Owns the forms whose meaning is comparisons and branches: AND, OR, NOT, IN, BETWEEN, CASE, COALESCE, GREATEST, IS. */
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { Expression, Logic } from './expression.ts'
import { isOpen, literal } from './literal.ts'
import type {
  A_Expr,
  BoolExpr,
  BooleanTest,
  CaseExpr,
  CoalesceExpr,
  MinMaxExpr,
  Node,
  NullTest,
  RowExpr,
} from './parse-statement.ts'
import { compare, negate, resolveCall } from './resolve-call.ts'
import type { Analyser } from './scope.ts'
import { unifyTypes } from './unify-types.ts'
import { lastNamePart } from './name-parts.ts'

export function analyseLogic(node: BoolExpr, analyser: Analyser): Expression {
  const name = node.boolop === 'NOT_EXPR' ? 'NOT' : node.boolop === 'OR_EXPR' ? 'OR' : 'AND'
  const args = (node.args ?? []).map((arg) => analyser.analyseCondition(arg, name))
  if (name !== 'NOT') return logic(name === 'OR' ? 'or' : 'and', args)
  const [argument] = args
  assert(argument !== undefined, 'NOT has an operand')
  return negate(argument, analyser.positionOf(node.location))
}

/** AND or OR of conditions; one of them alone is itself. */
export function joinLogic(kind: Logic['kind'], args: readonly Expression[]): Expression {
  const [only] = args
  return args.length === 1 && only !== undefined ? only : logic(kind, args)
}

function logic(kind: Logic['kind'], args: readonly Expression[]): Expression {
  return { kind, args, type: 'boolean', position: args[0]?.position ?? 0 }
}

export function analyseNullTest(node: NullTest, analyser: Analyser): Expression {
  const argument = analyser.analyseSettled(required(node.arg))
  return resolveCall({ form: 'operator', name: nullTestName(node), args: [argument], position: argument.position })
}

export function nullTestName(node: NullTest): string {
  return node.nulltesttype === 'IS_NOT_NULL' ? 'is not null' : 'is null'
}

export function analyseBooleanTest(node: BooleanTest, analyser: Analyser): Expression {
  const name = (node.booltesttype ?? 'IS_TRUE').toLowerCase().replaceAll('_', ' ')
  const argument = analyser.analyseCondition(required(node.arg), name.toUpperCase())
  const errorPosition = analyser.positionOf(node.location)
  return resolveCall({ form: 'operator', name, args: [argument], position: argument.position, errorPosition })
}

/** x IN (...): each item takes the argument's type, the argument the first item's where it is a quoted text itself. */
export function analyseIn(node: A_Expr, analyser: Analyser): Expression {
  const items = listOf(required(node.rexpr)).map((item) => analyser.analyse(item))
  const argument = analyser.analyse(required(node.lexpr))
  return analyseInList(argument, items, analyser.positionOf(node.location), operatorName(node) === '<>')
}

/** IN of items that are analysed; at least one. */
export function analyseInList(
  given: Expression,
  items: readonly Expression[],
  operator: number,
  negated: boolean,
): Expression {
  let argument = given
  const typed = items.find((item) => !isOpen(item))
  if (isOpen(argument)) argument = compare('=', argument, typed ?? literal('text', '', 0), operator).args[0] ?? argument
  const comparisons = items.map((item) => compare('=', argument, item, item.position || operator))
  const isIn: Expression = {
    kind: 'in',
    argument: comparisons[0]?.args[0] ?? argument,
    list: comparisons.map(({ args }) => args[1] as Expression),
    type: 'boolean',
    position: argument.position,
  }
  return negated ? negate(isIn, argument.position) : isIn
}

const BETWEEN_KINDS = new Set<string | undefined>([
  'AEXPR_BETWEEN',
  'AEXPR_NOT_BETWEEN',
  'AEXPR_BETWEEN_SYM',
  'AEXPR_NOT_BETWEEN_SYM',
])

export function isBetween(node: A_Expr): boolean {
  return BETWEEN_KINDS.has(node.kind)
}

export function analyseBetween(node: A_Expr, analyser: Analyser): Expression {
  const at = analyser.positionOf(node.location)
  const argument = analyser.analyse(required(node.lexpr))
  const [low, high] = listOf(required(node.rexpr)).map((bound) => analyser.analyse(bound))
  assert(low !== undefined && high !== undefined, 'BETWEEN has two bounds')
  const inside = (from: Expression, to: Expression): Expression =>
    logic('and', [compare('>=', argument, from, at), compare('<=', argument, to, at)])
  const outside = (from: Expression, to: Expression): Expression =>
    logic('or', [compare('<', argument, from, at), compare('>', argument, to, at)])
  switch (node.kind) {
    case 'AEXPR_NOT_BETWEEN':
      return outside(low, high)
    case 'AEXPR_BETWEEN_SYM':
      return logic('or', [inside(low, high), inside(high, low)])
    case 'AEXPR_NOT_BETWEEN_SYM':
      return logic('and', [outside(low, high), outside(high, low)])
    default:
      return inside(low, high)
  }
}

export function analyseCase(node: CaseExpr, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  const operand = node.arg === undefined ? undefined : analyser.analyse(node.arg)
  const whens: Expression[] = []
  const results: Expression[] = []
  for (const part of node.args ?? []) {
    assert('CaseWhen' in part, 'CASE has WHEN parts')
    const { expr, result, location } = part.CaseWhen
    const at = analyser.positionOf(location)
    const condition = required(expr)
    whens.push(
      operand === undefined
        ? analyser.analyseCondition(condition, 'CASE WHEN')
        : compare('=', operand, analyser.analyse(condition), at),
    )
    results.push(analyser.analyse(required(result)))
  }
  results.push(node.defresult === undefined ? literal('unknown', null, position) : analyser.analyse(node.defresult))
  const { type, expressions } = unifyTypes('CASE', results, position)
  return {
    kind: 'case',
    // oxlint-disable-next-line unicorn/no-thenable -- a branch of CASE, never awaited
    whens: whens.map((when, index) => ({ when, then: expressions[index] as Expression })),
    otherwise: expressions.at(-1) as Expression,
    type,
    position,
  }
}

export function analyseCoalesce(node: CoalesceExpr, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  const args = (node.args ?? []).map((arg) => analyser.analyse(arg))
  const { type, expressions } = unifyTypes('COALESCE', args, position)
  return { kind: 'coalesce', args: expressions, type, position }
}

/** GREATEST and LEAST: the values as one type, then the function of that name. */
export function analyseExtreme(node: MinMaxExpr, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  const name = node.op === 'IS_LEAST' ? 'least' : 'greatest'
  const args = (node.args ?? []).map((arg) => analyser.analyse(arg))
  const { expressions } = unifyTypes(name.toUpperCase(), args, position)
  return resolveCall({ form: 'function', name, args: expressions, position })
}

/** A settled expression as a condition. Errors: sql_type_mismatch unless it is boolean, undeclared or NULL. */
export function toCondition(expression: Expression, what: string): Expression {
  if (expression.type === 'boolean' || expression.type === 'any') return expression
  throw new RollupdError('sql_type_mismatch', `${what} takes a boolean, found ${expression.type}`, {
    position: expression.position,
    hint: 'Write a comparison, such as x = 1 or x IS NOT NULL.',
  })
}

/** The name of an operator; OPERATOR(schema.+) is the operator. */
export function operatorName(node: A_Expr): string {
  return lastNamePart(node.name)
}

export function isRow(node: Node): node is { RowExpr: RowExpr } {
  return 'RowExpr' in node
}

export function listOf(node: Node): readonly Node[] {
  return 'List' in node ? (node.List.items ?? []) : [node]
}

export function required(node: Node | undefined): Node {
  assert(node !== undefined, 'the grammar gives this node a part')
  return node
}
