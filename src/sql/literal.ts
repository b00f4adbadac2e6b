/**
 * Owns literals as the grammar gives them, and how one that is still open finds its type: a quoted text or NULL (type unknown)
 * and a number with point or exponent (type numeric, until it has met its other side).
 */
import { parseDecimal } from '../core/decimal.ts'
import { RollupdError } from '../core/errors.ts'
import { isInt64 } from '../core/number-text.ts'
import { Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Expression, Literal, LiteralValue } from './expression.ts'
import { findFunctions } from './function-table.ts'
import { loadLiteral, readLiteral } from './literal-value.ts'
import type { A_Const } from './parse-statement.ts'

export function literal(type: ScalarType, value: LiteralValue, position: number): Literal {
  return { kind: 'literal', type, value, position }
}

/** The value as text, for messages and for literals that are texts or digits. */
export function literalText({ value }: Literal): string {
  return String(value)
}

/** The grammar's constant. Zero, false and the empty text come as absent parts. Errors: sql_unsupported for bit strings. */
export function toLiteral(node: A_Const, position: number): Literal {
  if (node.isnull === true) return literal('unknown', null, position)
  if (node.boolval !== undefined) return literal('boolean', node.boolval.boolval ?? false, position)
  if (node.sval !== undefined) return literal('unknown', node.sval.sval ?? '', position)
  if (node.ival !== undefined) return literal('bigint', String(node.ival.ival ?? 0), position)
  if (node.fval !== undefined) return toNumber(node.fval.fval ?? '0', position)
  throw new RollupdError('sql_unsupported', 'bit strings are not supported', {
    position,
    hint: 'Write a text in single quotes or a number.',
  })
}

/** A number as it is written in a statement. */
export function toNumber(written: string, position: number): Literal {
  const digits = written.replaceAll('_', '')
  if (!/^[+-]?(\d|0[xob])[\da-f]*$/i.test(digits) || /^[+-]?\d+e\d*$/i.test(digits))
    return literal('numeric', digits, position)
  const value = digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits)
  const type = isInt64(value) ? 'bigint' : 'numeric'
  return literal(type, value.toString(), position)
}

/** A quoted text or NULL that has no type yet. */
export type OpenLiteral = Literal & { readonly type: 'unknown' }
/** A number with point or exponent that has no type yet. */
export type OpenNumber = Literal & { readonly type: 'numeric'; readonly value: string }

export function isOpen(expression: Expression): expression is OpenLiteral {
  return expression.kind === 'literal' && expression.type === 'unknown'
}

export function isOpenNumber(expression: Expression): expression is OpenNumber {
  return expression.kind === 'literal' && expression.type === 'numeric' && /[.e]/i.test(literalText(expression))
}

/** What stands alone: a quoted text is text, a number with a point is double. NULL is text, as in PostgreSQL. */
export function settle(expression: Expression): Expression {
  if (isOpen(expression)) return literal('text', expression.value, expression.position)
  return isOpenNumber(expression) ? toDouble(expression) : expression
}

/** A number literal as double. Errors: sql_invalid when it is outside double's range. */
export function toDouble(number: Literal): Literal {
  const value = Number(number.value)
  const isZero = /^[+-]?[0.]*(e|$)/i.test(literalText(number))
  if (!Number.isFinite(value) || (value === 0 && !isZero)) {
    throw new RollupdError('sql_invalid', `the number ${literalText(number)} is out of range of double precision`, {
      position: number.position,
    })
  }
  return literal('double precision', value + 0, number.position)
}

/** A number literal that stays exact. Errors: sql_invalid when it has more digits than a number may have. */
export function toNumeric(number: Literal): Literal {
  if (parseDecimal(literalText(number)) === undefined) {
    throw new RollupdError('sql_invalid', `the number ${literalText(number)} is out of range`, {
      position: number.position,
    })
  }
  return literal('numeric', number.value, number.position)
}

/**
 * Gives an open literal a type: a quoted text is read by the table's own cast. Errors: sql_invalid with the literal's position
 * when the text doesn't stand for a value of that type.
 */
export function giveType(open: Literal, type: ScalarType): Literal {
  const { value, position } = open
  if (value === null || type === 'text' || type === 'any')
    return literal(value === null || type === 'text' ? type : 'text', value, position)
  const text = literalText(open)
  if (type === 'numeric' || type === 'number') return readNumber(text, position)
  return literal(type, readByCast(text, type, position), position)
}

function readNumber(text: string, position: number): Literal {
  const trimmed = text.trim()
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) {
    throw new RollupdError('sql_invalid', `"${text}" is not a number`, { position })
  }
  const number = toNumber(trimmed.replace(/^\+/, ''), position)
  return isOpenNumber(number) ? toDouble(number) : number
}

/** Errors: sql_invalid with the position when the text doesn't stand for a value of that type. */
export function checkText(text: string, type: ScalarType, position: number): void {
  readByCast(text, type, position)
}

const HINTS: Partial<Record<ScalarType, string>> = {
  timestamptz: "Write it as ISO 8601 does: '2026-01-31T10:00:00Z'.",
  timestamp: "Write it as ISO 8601 does: '2026-01-31 10:00:00'.",
  date: "Write it as ISO 8601 does: '2026-01-31'.",
  interval: "Write a quantity and a unit, such as '5 minutes' or '1 day'.",
}

function readByCast(text: string, type: ScalarType, position: number): LiteralValue {
  const entry = findFunctions('cast', type).find(({ resolve }) => resolve(['text']) !== undefined)
  if (entry === undefined)
    throw new RollupdError('sql_unsupported', `a text can't be read as ${type} yet`, { position })
  const r = new Registers(2)
  loadLiteral(r, 0, literal('text', text, position))
  entry.evaluate(r, 1, 0, -1, -1, -1)
  const value = readLiteral(r, 1, type)
  if (value !== null && typeof value === 'object' && 'error' in value) {
    throw new RollupdError('sql_invalid', value.error.message, {
      position,
      hint: HINTS[type] ?? `The text stands where a ${type} is meant.`,
    })
  }
  return value
}
