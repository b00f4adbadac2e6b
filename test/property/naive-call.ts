/** Owns what the naive evaluator's functions share: their shape, and how each takes its arguments. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { numberText } from './naive-numbers.ts'
import {
  Day,
  Decimal,
  isNumber,
  Json,
  Local,
  RowError,
  showJson,
  showOther,
  showTime,
  showValue,
  Span,
  Time,
  type NumberValue,
  type Value,
} from './value.ts'

/** Of one record or one answer. */
export interface Notes {
  /** A comparison or condition met two kinds. */
  kindMismatch: boolean
  /** A value on the way was a number that is not the same as a double and as a key, docs/adr/0004. */
  unevenNumber?: boolean
  /** One was a double with more digits than 15: beside a numeric an exact result has others. */
  longDouble?: boolean
}

export type Compute = (args: readonly Value[], notes: Notes, types: readonly ScalarType[]) => Value
export interface NaiveFunction {
  /** NULL in, NULL out. */
  readonly strict: boolean
  readonly compute: Compute
}

export const strict = (body: Compute): NaiveFunction => ({ strict: true, compute: body })
export const lax = (body: Compute): NaiveFunction => ({ strict: false, compute: body })

export function wrongKind(): RowError {
  return new RowError('wrong_kind')
}

export function numberOf(value: Value | undefined): NumberValue {
  if (value === undefined || !isNumber(value)) throw wrongKind()
  return value
}

export function textOf(value: Value | undefined): string {
  if (typeof value !== 'string') throw wrongKind()
  return value
}

/** Of an undeclared value a double without a fraction is an integer, as it is once it was a key. */
export function toText(value: Value, type: ScalarType | undefined): string {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
  if (type === 'jsonb' && value !== null && !isWhole) return showValue(value)
  if (typeof value === 'string') return value
  if ((type === 'any' || type === 'number' || type === 'jsonb') && typeof value === 'number' && Number.isInteger(value))
    return BigInt(value).toString()
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Time) return showTime(value)
  if (value instanceof Local || value instanceof Day || value instanceof Span) return showOther(value)
  if (value instanceof Json) return showJson(value.node)
  return numberText(numberOf(value))
}

export function wholeOf(value: Value | undefined): number {
  const number = numberOf(value)
  if (typeof number === 'bigint') return Number(number)
  if (number instanceof Decimal || !Number.isInteger(number)) throw new RowError('invalid_argument')
  return number
}
