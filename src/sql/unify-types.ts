/** Owns the common type of alternatives: the branches of CASE, the arguments of COALESCE. */
import { RollupdError } from '../core/errors.ts'
import { isTimeType, NUMBER_TYPES, TIME_TYPES, type ScalarType } from '../core/scalar-type.ts'
import type { Expression } from './expression.ts'
import { findFunctions } from './function-table.ts'
import { giveType, isOpen, isOpenNumber, literal, settle, toDouble, toNumeric } from './literal.ts'

export interface Unified {
  readonly type: ScalarType
  readonly expressions: readonly Expression[]
}

/**
 * The expressions as one type: equal types stay; bigint and double give double; of a date, a timestamp and a timestamptz the
 * later one in this order; anything but a time or interval beside an undeclared value gives any; quoted
 * literals take the others' type. Errors: sql_type_mismatch, naming `what` ("CASE") and both types.
 */
export function unifyTypes(what: string, expressions: readonly Expression[], position: number): Unified {
  let first: Expression | undefined
  let type: ScalarType | undefined
  for (const expression of [...expressions.filter((one) => !isOpenNumber(one)), ...expressions.filter(isOpenNumber)]) {
    if (isOpen(expression)) continue
    const own = isOpenNumber(expression) && type !== 'numeric' ? 'double precision' : expression.type
    const common = type === undefined ? own : commonType(type, own)
    if (common === undefined) throw mismatch(what, first ?? expression, expression, position)
    first ??= expression
    type = common
  }
  const result = type ?? 'text'
  return { type: result, expressions: expressions.map((expression) => convert(expression, result)) }
}

function commonType(left: ScalarType, right: ScalarType): ScalarType | undefined {
  if (left === right) return left
  if (left === 'any') return isInRecords(right) ? 'any' : undefined
  if (right === 'any') return isInRecords(left) ? 'any' : undefined
  if (isTimeType(left) && isTimeType(right)) return TIME_TYPES.findLast((type) => type === left || type === right)
  if (!NUMBER_TYPES.has(left) || !NUMBER_TYPES.has(right)) return undefined
  const both = [left, right]
  if (both.includes('number') || !both.includes('bigint')) return 'number'
  return both.includes('numeric') ? 'numeric' : 'double precision'
}

/** Whether values of the type are among those of undeclared fields; a time or interval would meet texts, which are never equal to it. */
function isInRecords(type: ScalarType): boolean {
  return !isTimeType(type) && type !== 'interval'
}

/** One alternative as a value of the common type. */
function convert(expression: Expression, type: ScalarType): Expression {
  if (isOpen(expression)) return giveType(expression, type)
  if (isOpenNumber(expression)) return type === 'numeric' ? toNumeric(expression) : toDouble(expression)
  if (expression.type === type || type === 'any' || type === 'number') return expression
  if (expression.kind === 'literal' && expression.value === null) return literal(type, null, expression.position)
  if (expression.kind === 'literal' && expression.type === 'bigint') {
    if (type === 'numeric') return literal('numeric', expression.value, expression.position)
    return toDouble(expression)
  }
  const cast = findFunctions('cast', type).find(({ resolve }) => resolve([expression.type]) !== undefined)
  if (cast === undefined) return expression
  return { kind: 'call', function: cast.id, args: [expression], type, position: expression.position }
}

function mismatch(what: string, left: Expression, right: Expression, position: number): RollupdError {
  const sides = [settle(left), right]
  const types = sides.map(({ type, position: at }) => `${type === 'any' ? 'an undeclared value' : type} (at ${at})`)
  const declared = sides.find(({ type }) => type !== 'any')?.type
  const isUndeclared = sides.some(({ type }) => type === 'any')
  return new RollupdError('sql_type_mismatch', `${what} can't have both ${types.join(' and ')} as results`, {
    position: right.position === 0 ? position : right.position,
    hint: isUndeclared
      ? `Cast the undeclared one, for example with ::${declared}.`
      : 'Cast one of them, for example with ::text.',
  })
}
