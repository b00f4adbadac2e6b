/** Owns casts, and try_cast. */
import { RollupdError } from '../core/errors.ts'
import { assert } from '../core/assert.ts'
import type { Expression, Literal } from './expression.ts'
import { withUnitInside } from './interval-unit.ts'
import { checkText, giveType, isOpen, isOpenNumber, literal, literalText, settle } from './literal.ts'
import type { FuncCall, TypeCast } from './parse-statement.ts'
import { required } from './analyse-condition.ts'
import { resolveCall } from './resolve-call.ts'
import type { Analyser } from './scope.ts'
import type { CastType } from './type-table.ts'
import { castTypeByName, toCastType } from './type-name.ts'

export function analyseCast(cast: TypeCast, analyser: Analyser): Expression {
  const node = withUnitInside(cast)
  const argument = analyser.analyse(required(node.arg))
  const written = analyser.positionOf(node.location)
  const typePosition = analyser.positionOf(node.typeName?.location)
  const type = toCastType(node.typeName, typePosition)
  return castTo(argument, type, argument.position || written || typePosition, written || typePosition)
}

/** The argument as that type; the literal itself, where it is open. */
export function castTo(argument: Expression, type: CastType, position: number, errorPosition: number): Expression {
  if (isOpen(argument) && (type !== 'numeric' || argument.value === null)) return giveType(argument, type)
  const isExact = type === 'numeric' && argument.kind === 'literal' && (isOpen(argument) || isOpenNumber(argument))
  if (argument.type === type && !isExact) return argument
  const args = [isExact ? exactText(argument) : settle(argument)]
  return resolveCall({ form: 'cast', name: type, args, position, errorPosition })
}

/** A literal that is cast to numeric as the text of its digits: as a number it would take the type of what it meets. */
function exactText(digits: Literal): Literal {
  const text = literalText(digits)
  checkText(text, 'numeric', digits.position)
  return literal('text', text, digits.position)
}

/** try_cast(x, 'bigint') */
export function analyseTryCast(node: FuncCall, analyser: Analyser): Expression {
  const position = analyser.positionOf(node.location)
  const [subject, typeNode, ...more] = node.args ?? []
  const target = typeNode === undefined ? undefined : analyser.analyse(typeNode)
  if (
    subject === undefined ||
    target?.kind !== 'literal' ||
    typeof target.value !== 'string' ||
    !isText(target) ||
    more.length > 0
  ) {
    throw new RollupdError('sql_invalid', 'try_cast takes a value and the name of a type in quotes', {
      position,
      hint: "Write try_cast(x, 'bigint').",
    })
  }
  const type = castTypeByName(target.value, target.position)
  const argument = analyser.analyseSettled(subject)
  if (argument.type === type) return argument
  assert(argument.type !== 'unknown', 'a settled expression has a type')
  return resolveCall({ form: 'try_cast', name: type, args: [argument], position })
}

function isText(expression: Expression): boolean {
  return isOpen(expression) || expression.type === 'text'
}
