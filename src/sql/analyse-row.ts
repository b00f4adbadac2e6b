/** Owns comparisons of rows, (a, b) < (1, 2), which are comparisons of their parts: no row is a value of its own. */
import { RollupdError } from '../core/errors.ts'
import { isRow, joinLogic, listOf, operatorName, required } from './analyse-condition.ts'
import type { Expression } from './expression.ts'
import type { A_Expr, Node, RowExpr } from './parse-statement.ts'
import { compare, negate, resolveCall } from './resolve-call.ts'
import type { Analyser } from './scope.ts'
import { unsupported } from './unsupported.ts'

const HINT = 'Compare a row with a row: (a, b) = (1, 2); as one value write jsonb_build_array(a, b).'
/** The strict order that decides at all parts but the last. */
const STRICT: Readonly<Record<string, string>> = { '<': '<', '<=': '<', '>': '>', '>=': '>' }
const DISTINCT: Readonly<Record<string, string>> = {
  AEXPR_DISTINCT: 'is distinct from',
  AEXPR_NOT_DISTINCT: 'is not distinct from',
}

/** Whether an operator has a row on one side. */
export function hasRow(node: A_Expr): boolean {
  return [node.lexpr, node.rexpr].some((side) => side !== undefined && isRow(side))
}

/** Errors: sql_unsupported for a row beside anything but a row; sql_invalid for rows of two lengths. */
export function analyseRows(node: A_Expr, analyser: Analyser): Expression {
  const at = analyser.positionOf(node.location)
  // an operator before a row, as -(1, 2)
  if (node.lexpr === undefined) throw aRow(at)
  const left = partsOf(node.lexpr, analyser, at)
  if (node.kind === 'AEXPR_IN') {
    const items = listOf(required(node.rexpr)).map((item) => equality(left, partsOf(item, analyser, at), at))
    const isIn = joinLogic('or', items)
    return operatorName(node) === '<>' ? negate(isIn, isIn.position) : isIn
  }
  const right = partsOf(required(node.rexpr), analyser, at)
  const distinct = DISTINCT[node.kind ?? '']
  if (distinct !== undefined) return distinction(distinct, left, right, at)
  if (node.kind !== 'AEXPR_OP') throw aRow(at)
  return comparison(operatorName(node), left, right, at)
}

/** IS NULL: all parts are; IS NOT NULL: none is. */
export function analyseRowNullTest({ args = [] }: RowExpr, name: string, analyser: Analyser): Expression {
  const tests = args.map((arg) => {
    const argument = analyser.analyseSettled(arg)
    return resolveCall({ form: 'operator', name, args: [argument], position: argument.position })
  })
  return joinLogic('and', tests)
}

/** The refusal of a row where a value is meant. */
export function aRow(position: number): RollupdError {
  return unsupported('a row of values is no value', position, HINT)
}

function partsOf(node: Node, analyser: Analyser, at: number): readonly Expression[] {
  if (!isRow(node)) throw aRow(at)
  return (node.RowExpr.args ?? []).map((part) => analyser.analyse(part))
}

function pairs(
  left: readonly Expression[],
  right: readonly Expression[],
  at: number,
): (readonly [Expression, Expression])[] {
  if (left.length !== right.length || left.length === 0) {
    throw new RollupdError('sql_invalid', `a row of ${left.length} is compared with one of ${right.length}`, {
      position: at,
    })
  }
  return left.map((part, index) => [part, right[index] as Expression])
}

function equality(left: readonly Expression[], right: readonly Expression[], at: number): Expression {
  return joinLogic(
    'and',
    pairs(left, right, at).map(([a, b]) => compare('=', a, b, at)),
  )
}

function distinction(name: string, left: readonly Expression[], right: readonly Expression[], at: number): Expression {
  const parts = pairs(left, right, at).map((args) =>
    resolveCall({ form: 'operator', name, args, position: args[0].position, errorPosition: at }),
  )
  return joinLogic(name === 'is distinct from' ? 'or' : 'and', parts)
}

/** The first parts that differ, or one of which is NULL, decide. */
function comparison(name: string, left: readonly Expression[], right: readonly Expression[], at: number): Expression {
  if (name === '=') return equality(left, right, at)
  const both = pairs(left, right, at)
  if (name === '<>') {
    return joinLogic(
      'or',
      both.map(([a, b]) => compare('<>', a, b, at)),
    )
  }
  const strict = STRICT[name]
  if (strict === undefined) throw unsupported(`there is no operator ${name} of rows`, at, HINT)
  return both.reduceRight<Expression | undefined>((rest, [a, b]) => {
    if (rest === undefined) return compare(name, a, b, at)
    return joinLogic('or', [compare(strict, a, b, at), joinLogic('and', [compare('=', a, b, at), rest])])
  }, undefined) as Expression
}
