/** Owns conditions that are a range of a time with constant ends, as numbers: they decide whether a key finds few groups, and are tested without SQLite. */
import { functionById } from '../sql/function-table.ts'
import type { Expression } from '../sql/expression.ts'
import { isTimeType } from '../core/scalar-type.ts'
import type { ExpressionPrinter } from './expression-printer.ts'

/** Both ends are in it, in the units of the column's cells; undefined: it has none on that side. */
export interface TimeRange {
  readonly first: bigint | undefined
  readonly last: bigint | undefined
}

/** The range that the condition is of the column with that text; undefined: it is something else. */
export function timeRangeOf(condition: Expression, column: string, printer: ExpressionPrinter): TimeRange | undefined {
  if (condition.kind === 'and') {
    const parts = condition.args.map((part) => timeRangeOf(part, column, printer))
    return parts.every((part) => part !== undefined) ? parts.reduce(intersect) : undefined
  }
  if (condition.kind !== 'call') return undefined
  const { form, name } = functionById(condition.function)
  const [left, right] = condition.args
  if (form !== 'operator' || left === undefined || right === undefined) return undefined
  return toRange(name, left, right, column, printer) ?? toRange(SWAPPED[name] ?? '', right, left, column, printer)
}

export function intersect(one: TimeRange, other: TimeRange): TimeRange {
  const { first, last } = other
  return {
    first: one.first === undefined || (first !== undefined && first > one.first) ? first : one.first,
    last: one.last === undefined || (last !== undefined && last < one.last) ? last : one.last,
  }
}

const SWAPPED: Readonly<Record<string, string>> = { '=': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' }

function toRange(
  operator: string,
  side: Expression,
  other: Expression,
  column: string,
  printer: ExpressionPrinter,
): TimeRange | undefined {
  if (side.kind !== 'fragment' || side.sql !== column || !isTimeType(side.type)) return undefined
  const end = printer.fold(other)
  if (end.kind !== 'literal' || end.type !== side.type || typeof end.value !== 'string') return undefined
  // an infinite time has no number here
  if (!/^-?\d+$/.test(end.value)) return undefined
  const value = BigInt(end.value)
  switch (operator) {
    case '=':
      return { first: value, last: value }
    case '<':
      return { first: undefined, last: value - 1n }
    case '<=':
      return { first: undefined, last: value }
    case '>':
      return { first: value + 1n, last: undefined }
    case '>=':
      return { first: value, last: undefined }
    default:
      return undefined
  }
}
