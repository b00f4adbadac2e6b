/**
 * Owns the way from PostgreSQL's syntax tree to a typed expression. Each form stands in a file of its own; this one chooses among them, reads
 * names, and refuses what no file knows.
 */
import { RollupdError } from '../core/errors.ts'
import { analyseArray } from './analyse-array.ts'
import { analyseCall } from './analyse-call.ts'
import { analyseCast } from './analyse-cast.ts'
import {
  analyseBooleanTest,
  analyseCase,
  analyseCoalesce,
  analyseExtreme,
  analyseLogic,
  analyseNullTest,
  isRow,
  nullTestName,
  required,
  toCondition,
} from './analyse-condition.ts'
import { analyseOperator } from './analyse-operator.ts'
import { analyseRowNullTest, aRow } from './analyse-row.ts'
import { EXPRESSION_NODES_MAX, ExpressionSizes } from './expression-size.ts'
import type { Expression } from './expression.ts'
import { giveType, isOpen, literalText, settle, toLiteral } from './literal.ts'
import type { A_Indirection, ColumnRef, Node, NullTest, Statement, SQLValueFunction } from './parse-statement.ts'
import { volatileReason } from './refused-functions.ts'
import { followSteps, followTextStep, isTextArray } from './resolve-call.ts'
import type { Analyser, NamePath, Scope } from './scope.ts'
import { unsupported } from './unsupported.ts'
import { reservedWordHint } from './syntax-hint.ts'

/** Levels of an expression. Every later walk over it recurses; this is far from the stack's end. */
const DEPTH_MAX = 500

/** The analyser of a statement's expressions in a scope. */
export function createAnalyser(statement: Pick<Statement, 'positionOf'>, scope: Scope): Analyser {
  return new ExpressionAnalyser(statement, scope, { depth: 0, sizes: new ExpressionSizes() })
}

/** Shared by the analysers of all scopes of a statement. */
interface Nesting {
  depth: number
  readonly sizes: ExpressionSizes
}

class ExpressionAnalyser implements Analyser {
  readonly scope: Scope
  readonly #statement: Pick<Statement, 'positionOf'>
  readonly #nesting: Nesting

  constructor(statement: Pick<Statement, 'positionOf'>, scope: Scope, nesting: Nesting) {
    this.scope = scope
    this.#statement = statement
    this.#nesting = nesting
  }

  within(scope: Scope): Analyser {
    return new ExpressionAnalyser(this.#statement, scope, this.#nesting)
  }

  positionOf(location: number | undefined): number {
    return this.#statement.positionOf(location)
  }

  analyse(node: Node): Expression {
    this.#nesting.depth += 1
    try {
      if (this.#nesting.depth > DEPTH_MAX) {
        throw new RollupdError('sql_invalid', `the expression is nested more than ${DEPTH_MAX} levels deep`)
      }
      const expression = this.scope.node?.(node, this.positionOf(locationOf(node)), this) ?? dispatch(node, this)
      if (this.#nesting.sizes.sizeOf(expression) > EXPRESSION_NODES_MAX) throw tooLarge(expression.position)
      return expression
    } finally {
      this.#nesting.depth -= 1
    }
  }

  analyseSettled(node: Node): Expression {
    return settle(this.analyse(node))
  }

  analyseCondition(node: Node, what: string): Expression {
    const expression = this.analyse(node)
    return toCondition(isOpen(expression) ? giveType(expression, 'boolean') : settle(expression), what)
  }
}

function tooLarge(position: number): RollupdError {
  return new RollupdError('sql_invalid', `the expression has more than ${EXPRESSION_NODES_MAX} parts`, {
    position,
    hint: 'BETWEEN and CASE with an operand repeat it: do not nest them inside each other.',
  })
}

function dispatch(node: Node, analyser: Analyser): Expression {
  if ('ColumnRef' in node) return analyseName(node.ColumnRef, analyser)
  if ('A_Const' in node) return toLiteral(node.A_Const, analyser.positionOf(node.A_Const.location))
  if ('A_Expr' in node) return analyseOperator(node.A_Expr, analyser)
  if ('FuncCall' in node) return analyseCall(node.FuncCall, analyser)
  if ('TypeCast' in node) return analyseCast(node.TypeCast, analyser)
  if ('BoolExpr' in node) return analyseLogic(node.BoolExpr, analyser)
  if ('NullTest' in node) return analyseNull(node.NullTest, analyser)
  if ('BooleanTest' in node) return analyseBooleanTest(node.BooleanTest, analyser)
  if ('CaseExpr' in node) return analyseCase(node.CaseExpr, analyser)
  if ('CoalesceExpr' in node) return analyseCoalesce(node.CoalesceExpr, analyser)
  if ('MinMaxExpr' in node) return analyseExtreme(node.MinMaxExpr, analyser)
  if ('A_Indirection' in node) return analyseIndirection(node.A_Indirection, analyser)
  if ('A_ArrayExpr' in node) return analyseArray(node.A_ArrayExpr, analyser)
  if ('RowExpr' in node) throw aRow(analyser.positionOf(node.RowExpr.location))
  if ('SQLValueFunction' in node) throw specialValue(node.SQLValueFunction, analyser)
  if ('ParamRef' in node)
    return analyseParameter(node.ParamRef.number ?? 0, analyser.positionOf(node.ParamRef.location), analyser)
  if ('SubLink' in node) {
    const position = analyser.positionOf(node.SubLink.location)
    if (analyser.scope.subquery !== undefined) return analyser.scope.subquery(node.SubLink, position, analyser)
    throw unsupported(
      `subqueries are not allowed in ${analyser.scope.clause}`,
      position,
      'Use them in a query over the rollup.',
    )
  }
  throw unknownForm(node, analyser)
}

function analyseNull(node: NullTest, analyser: Analyser): Expression {
  const argument = required(node.arg)
  return isRow(argument)
    ? analyseRowNullTest(argument.RowExpr, nullTestName(node), analyser)
    : analyseNullTest(node, analyser)
}

function analyseName(node: ColumnRef, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  return analyser.scope.column(namePath(node.fields ?? [], position), position)
}

function namePath(fields: readonly Node[], position: number): NamePath {
  const names = fields.map((field) => {
    if ('String' in field) return field.String.sval ?? ''
    throw unsupported('* is not allowed here', position, 'Name the fields one by one; COUNT(*) counts records.')
  })
  const [first = '', ...more] = names
  return [first, ...more]
}

/** `tags[1]` is a path for the scope; `(expression)[1]` and `(expression).name` are steps by ->. */
function analyseIndirection(node: A_Indirection, analyser: Analyser): Expression {
  const base = required(node.arg)
  const position = analyser.positionOf(locationOf(base))
  const steps = (node.indirection ?? []).map((step) => toStep(step, position, analyser))
  if ('ColumnRef' in base) {
    return analyser.scope.column([...namePath(base.ColumnRef.fields ?? [], position), ...steps], position)
  }
  const expression = analyser.analyseSettled(base)
  if (expression.kind === 'field') return { ...expression, path: [...expression.path, ...steps] }
  return isTextArray(expression) && steps.length === 1
    ? followTextStep(expression, steps[0] as string | number, position)
    : followSteps(expression, steps, position)
}

function toStep(step: Node, position: number, analyser: Analyser): string | number {
  if ('String' in step) return step.String.sval ?? ''
  if (!('A_Indices' in step)) throw unsupported('* is not allowed here', position, 'Name the fields one by one.')
  const { is_slice: isSlice, uidx } = step.A_Indices
  const index = uidx === undefined ? undefined : analyser.analyse(uidx)
  if (isSlice === true || index?.kind !== 'literal' || index.value === null) {
    throw unsupported('a subscript is a number or a text written out', position, 'Write tags[1] for the first element.')
  }
  if (index.type === 'unknown' || index.type === 'text') return literalText(index)
  const number = index.type === 'bigint' ? Number(index.value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= 1) return number - 1
  throw new RollupdError('sql_invalid', `the subscript ${literalText(index)} is not a place in an array`, {
    position: index.position,
    hint: 'Subscripts count from 1: tags[1] is the first element.',
  })
}

function analyseParameter(number: number, position: number, analyser: Analyser): Expression {
  if (number < 1) throw new RollupdError('sql_invalid', 'parameters count from $1', { position })
  if (analyser.scope.parameter !== undefined) return analyser.scope.parameter(number, position)
  throw unsupported(
    `parameters are not allowed in ${analyser.scope.clause}`,
    position,
    'Write the value itself; a rollup is stored as it is.',
  )
}

/** SVFOP_CURRENT_DATE -> current_date; the grammar also reads a bare `user` so. */
function specialValue(node: SQLValueFunction, analyser: Analyser): RollupdError {
  const name = (node.op ?? '')
    .replace(/^SVFOP_/, '')
    .replace(/_N$/, '')
    .toLowerCase()
  const reason = volatileReason(name) ?? 'the service has no users and schemas of PostgreSQL'
  return unsupported(
    `${name} is a special value of SQL and refused: ${reason}`,
    analyser.positionOf(node.location),
    reservedWordHint(name),
  )
}

const UNKNOWN_FORMS: Readonly<Record<string, string>> = {
  GroupingFunc: 'GROUPING',
  XmlExpr: 'XML',
  CurrentOfExpr: 'CURRENT OF',
}

function unknownForm(node: Node, analyser: Analyser): RollupdError {
  const kind = Object.keys(node)[0] ?? ''
  const position = analyser.positionOf(locationOf(node))
  if (kind === 'SetToDefault') return unsupported('DEFAULT has no meaning here', position, reservedWordHint('default'))
  if (kind === 'CollateClause') {
    return unsupported(
      'COLLATE is not supported: texts compare by their UTF-8 bytes',
      position,
      'Leave it out: it is COLLATE "C".',
    )
  }
  const named = Object.hasOwn(UNKNOWN_FORMS, kind) ? UNKNOWN_FORMS[kind] : undefined
  return unsupported(`${named ?? kind} is not supported yet`, position)
}

/** Where a node stands: most have a location of their own. */
export function locationOf(node: Node): number | undefined {
  const inner: object = Object.values(node)[0] as object
  const location: unknown = 'location' in inner ? inner.location : undefined
  if (typeof location === 'number' && location >= 0) return location
  if ('arg' in inner && typeof inner.arg === 'object' && inner.arg !== null) return locationOf(inner.arg as Node)
  return -1
}
