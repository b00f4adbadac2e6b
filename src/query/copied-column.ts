/**
 * Owns how a column of a stretch of groups stands in memory: codes of a dictionary for grouping values, numbers in the narrowest array that holds them,
 * and the halves of a sum's limbs, whose totals then fit a double exactly.
 */
import { readKeyInto } from '../core/key-reader.ts'
import { Registers, TAG } from '../core/registers.ts'
import type { Cell, ColumnStorage } from '../core/scalar-type.ts'
import type { LeafColumn } from '../leaf/leaf-schema.ts'

/** Thrown where a column has a value without a place in a copy. Statements that read it are then left to SQLite. */
export class UnfitForCopy extends Error {
  readonly column: string

  constructor(column: string, message: string) {
    super(`${column}: ${message}`)
    this.column = column
  }
}

/** `code`: grouping values. `number`: integers, or doubles, NULL among them. `limb`: integers in [0, 2^48). `none`: NULL alone. */
export type ColumnForm = 'code' | 'number' | 'limb' | 'none'

/** A column of the leaf, and how it is copied. */
export interface ColumnToCopy extends LeafColumn {
  readonly form: ColumnForm
}

const INTEGER_BEYOND = 'an integer beyond 2^53'

/** Codes are 16 bits: more values than that are hardly what a whole table is grouped by. */
const DICTIONARY_MAX = 1 << 16
/** Bytes of an entry, about: a short text in a map and in an array. */
const ENTRY_BYTES = 120
const LIMB_HALF = 2 ** 24

/** The values of a grouping column, each under a number; they stay as long as the copy. */
export class Dictionary {
  readonly #name: string
  readonly #storage: ColumnStorage
  readonly #codes = new Map<Cell, number>()
  /** As SQLite gets them back. */
  readonly cells: Cell[] = []

  constructor({ name, storage }: LeafColumn) {
    this.#name = name
    this.#storage = storage
  }

  get bytes(): number {
    return this.cells.length * ENTRY_BYTES
  }

  /** `value` is as the column is read by `readText`. */
  codeOf(value: Cell): number {
    const known = this.#codes.get(value)
    if (known !== undefined) return known
    const code = this.cells.length
    if (code === DICTIONARY_MAX) throw new UnfitForCopy(this.#name, 'too many values')
    this.cells.push(this.#toCell(value))
    this.#codes.set(value, code)
    return code
  }

  #toCell(value: Cell): Cell {
    if (value === null) return null
    if (typeof value === 'object') throw new UnfitForCopy(this.#name, 'a value that its type has no cell for')
    if (this.#storage === 'BLOB') return Buffer.from(value as string, 'hex')
    if (this.#storage === 'TEXT') return value
    if (!Number.isSafeInteger(value)) throw new UnfitForCopy(this.#name, INTEGER_BEYOND)
    return BigInt(value)
  }
}

/** The column in a SELECT that fills a copy. Measured: hexadecimal text comes three times as fast as a BLOB. */
export function readText({ name, form, storage }: ColumnToCopy): string {
  return form === 'code' && storage === 'BLOB' ? `iif(${name} IS NULL, NULL, hex(${name}))` : name
}

/** Codes of a stretch. */
export type Codes = Uint8Array | Uint16Array

type Integers = Int8Array | Int16Array | Int32Array

/** Numbers of a stretch; without `values` all are `constant`. NaN stands for NULL. */
export interface Numbers {
  readonly values: Integers | Float64Array | undefined
  readonly constant: number
  readonly hasNulls: boolean
  /** No number is further from 0. */
  readonly reach: number
}

export type CopiedColumn =
  | { readonly form: 'code'; readonly codes: Codes }
  | { readonly form: 'number'; readonly numbers: Numbers }
  | { readonly form: 'limb'; readonly high: Numbers; readonly low: Numbers }
  | { readonly form: 'none' }

export function bytesOf(column: CopiedColumn): number {
  switch (column.form) {
    case 'code':
      return column.codes.byteLength
    case 'number':
      return column.numbers.values?.byteLength ?? 0
    case 'limb':
      return (column.high.values?.byteLength ?? 0) + (column.low.values?.byteLength ?? 0)
    default:
      return 0
  }
}

/** Takes a column's values one after another and makes the column of them, again and again. */
export interface ColumnBuilder {
  add(value: Cell): void
  /** Of what was added since the last time. */
  finish(): CopiedColumn
}

/** `dictionary`: of a column with codes. */
export function createBuilder(column: ColumnToCopy, dictionary: Dictionary | undefined): ColumnBuilder {
  if (column.form === 'none') return new NoneBuilder(column.name)
  if (column.form === 'limb') return new LimbBuilder(column.name)
  return dictionary === undefined ? new NumberBuilder(column) : new CodeBuilder(dictionary)
}

class CodeBuilder implements ColumnBuilder {
  readonly #dictionary: Dictionary
  readonly #codes: number[] = []
  #greatest = 0

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary
  }

  add(value: Cell): void {
    const code = this.#dictionary.codeOf(value)
    this.#codes.push(code)
    if (code > this.#greatest) this.#greatest = code
  }

  finish(): CopiedColumn {
    const codes = this.#greatest < 1 << 8 ? Uint8Array.from(this.#codes) : Uint16Array.from(this.#codes)
    this.#greatest = 0
    this.#codes.length = 0
    return { form: 'code', codes }
  }
}

class NumberBuilder implements ColumnBuilder {
  readonly #name: string
  readonly #integersOnly: boolean
  /** Reads key bytes. */
  readonly #r = new Registers(1)
  readonly #hasKeys: boolean
  readonly #numbers: number[] = []
  #hasNulls = false

  constructor({ name, storage }: LeafColumn) {
    this.#name = name
    this.#integersOnly = storage === 'INTEGER'
    this.#hasKeys = storage === 'BLOB'
  }

  add(cell: Cell): void {
    if (cell === null) {
      this.#hasNulls = true
      this.#numbers.push(NaN)
      return
    }
    const value = this.#hasKeys ? this.#numberOf(cell) : cell
    // NaN is a BLOB there
    if (typeof value !== 'number') throw new UnfitForCopy(this.#name, 'a value that is no number')
    if (this.#integersOnly && !Number.isSafeInteger(value)) throw new UnfitForCopy(this.#name, INTEGER_BEYOND)
    this.#numbers.push(value)
  }

  /** Undefined: NaN, or a number that no double is. */
  #numberOf(key: Cell): number | undefined {
    const r = this.#r
    readKeyInto(key as Uint8Array, 0, r, 0)
    const isDouble = r.tag[0] === TAG.INTEGER || (r.tag[0] === TAG.DOUBLE && Number.isFinite(r.num[0]))
    return isDouble ? r.num[0] : undefined
  }

  finish(): CopiedColumn {
    const numbers = toNumbers(this.#numbers, this.#hasNulls)
    this.#numbers.length = 0
    this.#hasNulls = false
    return { form: 'number', numbers }
  }
}

class LimbBuilder implements ColumnBuilder {
  readonly #name: string
  readonly #high: number[] = []
  readonly #low: number[] = []

  constructor(name: string) {
    this.#name = name
  }

  add(value: Cell): void {
    if (typeof value !== 'number') throw new UnfitForCopy(this.#name, 'a limb that is no number')
    const low = value % LIMB_HALF
    this.#low.push(low)
    this.#high.push((value - low) / LIMB_HALF)
  }

  finish(): CopiedColumn {
    const column = { form: 'limb', high: toNumbers(this.#high, false), low: toNumbers(this.#low, false) } as const
    this.#high.length = 0
    this.#low.length = 0
    return column
  }
}

class NoneBuilder implements ColumnBuilder {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  add(value: Cell): void {
    if (value !== null) throw new UnfitForCopy(this.#name, 'a state that its own code alone merges')
  }

  finish(): CopiedColumn {
    return { form: 'none' }
  }
}

/** The halves of a limb's sum put together again. */
export function toLimb(high: number, low: number): bigint {
  return BigInt(high) * BigInt(LIMB_HALF) + BigInt(low)
}

function toNumbers(numbers: readonly number[], hasNulls: boolean): Numbers {
  const [first = 0] = numbers
  let reach = 0
  let isConstant = true
  let areIntegers = true
  for (const number of numbers) {
    isConstant &&= Object.is(number, first)
    areIntegers &&= Object.is(number, number | 0)
    const size = Math.abs(number)
    if (size > reach) reach = size
  }
  const values = isConstant ? undefined : areIntegers ? toIntegers(numbers, reach) : Float64Array.from(numbers)
  return { values, constant: first, hasNulls, reach }
}

function toIntegers(numbers: readonly number[], reach: number): Integers {
  if (reach < 1 << 7) return Int8Array.from(numbers)
  return reach < 1 << 15 ? Int16Array.from(numbers) : Int32Array.from(numbers)
}
