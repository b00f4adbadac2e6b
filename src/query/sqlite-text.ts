/** Owns the SQLite text of constants and names. */
import type { AggregateParameter } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'
import { intervalCellOf } from '../core/interval-cell.ts'
import { keyBytesOf } from '../core/key-bytes.ts'
import { Registers } from '../core/registers.ts'
import { isTimeType, toColumnStorage, type ScalarType } from '../core/scalar-type.ts'
import { loadLiteral } from '../sql/literal-value.ts'
import { quoteText } from '../sql/identifier.ts'
import type { Expression, Literal } from '../sql/expression.ts'

/** Doubles that SQLite's own reading of decimal text may round otherwise are bound, by name. */
export class BoundDoubles {
  readonly values: Record<string, number> = {}
  readonly #names = new Map<number, string>()

  name(value: number): string {
    const known = this.#names.get(value)
    if (known !== undefined) return known
    const name = `d${this.#names.size}`
    this.#names.set(value, `@${name}`)
    this.values[name] = value
    return `@${name}`
  }
}

/** Every reader of decimal text gives the same double for so many digits and such exponents. */
const DIGITS_EXACT_MAX = 15
const EXPONENT_EXACT_MAX = 22

export function toBlobLiteral(bytes: Uint8Array): string {
  return `X'${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}'`
}

/** A literal as the cell of a column of that type: native, or key bytes. */
export function toLiteralText(literal: Literal, type: ScalarType, doubles: BoundDoubles): string {
  const { value } = literal
  if (value === null) return 'NULL'
  if (type === 'interval') return toBlobLiteral(toIntervalCell(literal))
  if (toColumnStorage(type) === 'BLOB' && type !== 'unknown') return toBlobLiteral(toKeyBytes(literal))
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (type === 'double precision') return toDoubleText(Number(value), doubles)
  assert(typeof value === 'string', `a literal of type ${literal.type} can't stand for a ${type}`)
  return type === 'bigint' || isTimeType(type) ? value : quoteText(value)
}

export function toKeyBytes(literal: Literal): Uint8Array {
  const r = new Registers(1)
  loadLiteral(r, 0, literal)
  return keyBytesOf(r, 0)
}

function toIntervalCell(literal: Literal): Uint8Array {
  const r = new Registers(1)
  loadLiteral(r, 0, literal)
  return intervalCellOf(r, 0)
}

/** What an aggregate call gives to finalize: none, or one cell. */
export function toParameterTexts(parameter: AggregateParameter | undefined): string[] {
  if (parameter === undefined) return []
  return [typeof parameter === 'number' ? String(parameter) : quoteText(parameter)]
}

function toDoubleText(value: number, doubles: BoundDoubles): string {
  if (Number.isNaN(value))
    return toBlobLiteral(toKeyBytes({ kind: 'literal', type: 'double precision', value: 'NaN', position: 0 }))
  if (!Number.isFinite(value)) return value > 0 ? '9e999' : '-9e999'
  const text = String(value + 0)
  const [, digits = '', exponent = '0'] = /^-?([\d.]+)(?:e([+-]?\d+))?$/.exec(text) ?? []
  const digitCount = digits.replace('.', '').length
  if (digitCount > DIGITS_EXACT_MAX || Math.abs(Number(exponent)) > EXPONENT_EXACT_MAX) return doubles.name(value)
  return digits.includes('.') || text.includes('e') ? text : `${text}.0`
}

/**
 * A value of GROUP BY or ORDER BY. SQLite makes a number of a condition that a constant decides (`x AND 0`), and there takes a number alone for
 * an output's.
 */
export function toSortTerm({ kind }: Expression, text: string): string {
  return kind === 'and' || kind === 'or' ? `coalesce(${text}, NULL)` : text
}
