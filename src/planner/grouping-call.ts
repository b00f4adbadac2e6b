/** Owns GROUPING(a, b): which of its arguments a group isn't grouped by, as the statement has it and over the stored groups. */
import { RollupdError } from '../core/errors.ts'
import { assert } from '../core/assert.ts'
import type { Expression, GroupingCall } from '../sql/expression.ts'
import { literal } from '../sql/literal.ts'
import { bareName } from '../sql/name-parts.ts'
import type { GroupingFunc, Node, Statement } from '../sql/parse-statement.ts'
import { printExpression } from '../sql/print-expression.ts'
import { resolveCall } from '../sql/resolve-call.ts'
import type { Analyser, Scope } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'

/** GROUPING over all grouping expressions, as a column of a rollup with grouping sets; an output of that name hides it. */
export const GROUPING_COLUMN = '_grouping'
/** As PostgreSQL's: the result has a bit for each. */
const ARGUMENTS_MAX = 31

/** GROUPING of a statement, before it is known what is grouped. A bare name is an output's where one has it, as in GROUP BY. `scope` is GROUP BY's. */
export function analyseGrouping(
  { args = [] }: GroupingFunc,
  position: number,
  analyser: Analyser,
  statement: Statement,
  scope: Scope,
): GroupingCall {
  if (args.length > ARGUMENTS_MAX) {
    throw unsupported(`GROUPING takes at most ${ARGUMENTS_MAX} arguments`, position, 'Write several calls.')
  }
  const inner = analyser.within(scope)
  const analysed = args.map((arg) => inner.analyseSettled(outputOf(arg, statement) ?? arg))
  return { kind: 'grouping', args: analysed, type: 'bigint', position }
}

function outputOf(node: Node, { select }: Statement): Node | undefined {
  const name = bareName(node)
  if (name === undefined) return undefined
  for (const target of select.targetList ?? []) {
    if ('ResTarget' in target && target.ResTarget.name === name) return target.ResTarget.val
  }
  return undefined
}

/** Refuses GROUPING where no groups are yet. */
export function refuseGrouping(clause: string, position: number): never {
  throw new RollupdError('sql_invalid', `GROUPING is not allowed in ${clause}`, {
    position,
    hint: 'It belongs in SELECT and HAVING.',
  })
}

/**
 * The call over the stored bits of all grouping expressions; `bits` undefined: there is one set, of all. `indexOf` finds the number of
 * a grouping expression. Errors: sql_invalid for an argument that is none.
 */
export function splitGrouping(
  { args, position }: GroupingCall,
  bits: Expression | undefined,
  groupCount: number,
  indexOf: (argument: Expression) => number | undefined,
): Expression {
  const places = args.map((argument) => {
    const index = indexOf(argument)
    if (index !== undefined) return groupCount - 1 - index
    throw new RollupdError('sql_invalid', `GROUPING takes grouping expressions, ${printExpression(argument)} is none`, {
      position: argument.position,
      hint: 'Write it as GROUP BY has it.',
    })
  })
  const number = (value: number): Expression => literal('bigint', String(value), position)
  if (bits === undefined) return number(0)
  const call = (name: string, left: Expression, right: Expression): Expression =>
    resolveCall({ form: 'operator', name, args: [left, right], position })
  const bitAt = (place: number): Expression => {
    const shifted = place === 0 ? bits : call('>>', bits, number(place))
    return call('&', shifted, number(1))
  }
  const [first, ...others] = places
  assert(first !== undefined, 'GROUPING has an argument')
  const start = bitAt(first)
  return others.reduce<Expression>((sum, place) => call('|', call('<<', sum, number(1)), bitAt(place)), start)
}
