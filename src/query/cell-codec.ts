/**
 * Owns the step between SQLite's cells and registers. A column of a native type holds SQLite's own values; every other type holds
 * key bytes. In either, a BLOB may be an error cell; in a native column it may be the key bytes of a NaN.
 */
import { decimalOfDouble } from '../core/decimal.ts'
import { intervalCellOf, readIntervalCell } from '../core/interval-cell.ts'
import { KEY_TAG, keyBytesOf } from '../core/key-bytes.ts'
import { readKeyInto } from '../core/key-reader.ts'
import { TAG, type Registers } from '../core/registers.ts'
import { type Cell, toColumnStorage, type ScalarType } from '../core/scalar-type.ts'

/** Bytes of texts that are arguments of one call; grows to the largest call. */
const ARENA_BYTES_AT_START = 4096
/** A UTF-16 unit takes at most three bytes of UTF-8. */
const BYTES_PER_UNIT_MAX = 3

/** Holds the UTF-8 of a call's text arguments. Reset before each call; earlier registers keep the older buffer when it grows. */
export class TextArena {
  bytes = Buffer.allocUnsafe(ARENA_BYTES_AT_START)
  used = 0

  load(r: Registers, index: number, text: string): void {
    const needed = text.length * BYTES_PER_UNIT_MAX
    if (this.used + needed > this.bytes.length) {
      this.bytes = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2))
      this.used = 0
    }
    const start = this.used
    this.used += this.bytes.write(text, start, needed, 'utf8')
    r.setText(index, this.bytes, start, this.used)
  }
}

/** Puts a cell into a register. Cells are of the loader's type, NULL, or a BLOB as above. */
export type LoadCell = (r: Registers, index: number, cell: Cell, arena: TextArena) => void

/** Makes the cell of a register, in the storage of the type. Never fails: what has no cell of the type is an error cell. */
export type StoreCell = (r: Registers, index: number) => Cell

export function isErrorCell(cell: Cell): cell is Uint8Array {
  return typeof cell === 'object' && cell !== null && cell[0] === KEY_TAG.ERROR
}

function loadBoolean(r: Registers, index: number, cell: Cell): void {
  if (cell === null) r.setNull(index)
  else if (typeof cell === 'object') readKeyInto(cell, 0, r, index)
  else r.setBoolean(index, Number(cell) !== 0)
}

function loadInteger(r: Registers, index: number, cell: Cell): void {
  if (cell === null) r.setNull(index)
  else if (typeof cell === 'object') readKeyInto(cell, 0, r, index)
  else {
    const small = Number(cell)
    if (Number.isSafeInteger(small)) r.setInteger(index, small)
    else r.setBigInteger(index, BigInt(cell))
  }
}

function loadTimestamp(r: Registers, index: number, cell: Cell): void {
  if (cell === null) r.setNull(index)
  else if (typeof cell === 'object') readKeyInto(cell, 0, r, index)
  else {
    const small = Number(cell)
    if (Number.isSafeInteger(small)) r.setTimestamp(index, small)
    else r.setBigTimestamp(index, BigInt(cell))
  }
}

function loadLocalTimestamp(r: Registers, index: number, cell: Cell): void {
  loadTimestamp(r, index, cell)
  if (r.tag[index] === TAG.TIMESTAMP || r.tag[index] === TAG.BIG_TIMESTAMP) r.toLocal(index)
}

function loadDate(r: Registers, index: number, cell: Cell): void {
  if (cell === null) r.setNull(index)
  else if (typeof cell === 'object') readKeyInto(cell, 0, r, index)
  else r.setDate(index, Number(cell))
}

function loadIntervalCell(r: Registers, index: number, cell: Cell): void {
  if (cell === null) r.setNull(index)
  else readIntervalCell(cell as Uint8Array, r, index)
}

function loadDouble(r: Registers, index: number, cell: Cell): void {
  if (cell === null) r.setNull(index)
  else if (typeof cell === 'object') readKeyInto(cell, 0, r, index)
  else r.setDouble(index, Number(cell))
}

function loadText(r: Registers, index: number, cell: Cell, arena: TextArena): void {
  if (cell === null) r.setNull(index)
  else if (typeof cell === 'object') readKeyInto(cell, 0, r, index)
  else arena.load(r, index, String(cell))
}

function loadKey(r: Registers, index: number, cell: Cell): void {
  if (cell === null) r.setNull(index)
  else readKeyInto(cell as Uint8Array, 0, r, index)
}

/** A numeric stays exact, also where its key is a double's. */
function loadNumeric(r: Registers, index: number, cell: Cell): void {
  loadKey(r, index, cell)
  const value = r.num[index] as number
  if (r.tag[index] !== TAG.DOUBLE || !Number.isFinite(value)) return
  r.tag[index] = TAG.NUMERIC
  r.ref[index] = decimalOfDouble(value)
}

export function toLoader(type: ScalarType): LoadCell {
  switch (type) {
    case 'boolean':
      return loadBoolean
    case 'bigint':
      return loadInteger
    case 'timestamptz':
      return loadTimestamp
    case 'timestamp':
      return loadLocalTimestamp
    case 'date':
      return loadDate
    case 'interval':
      return loadIntervalCell
    case 'double precision':
      return loadDouble
    case 'text':
      return loadText
    case 'numeric':
      return loadNumeric
    default:
      return loadKey
  }
}

/** Whether a function must get its integers as bigint: only then are those beyond 2^53 exact. */
export function needsBigIntegers(types: readonly ScalarType[]): boolean {
  return types.some((type) => toColumnStorage(type) === 'INTEGER')
}

const ZERO = 0n
const ONE = 1n

function storeBoolean(r: Registers, index: number): Cell {
  if (r.tag[index] === TAG.BOOLEAN) return r.num[index] === 1 ? ONE : ZERO
  return storeOther(r, index)
}

/** SQLite gets a number as REAL, a bigint as INTEGER. */
function storeInteger(r: Registers, index: number): Cell {
  switch (r.tag[index]) {
    case TAG.INTEGER:
    case TAG.TIMESTAMP:
    case TAG.LOCAL_TIMESTAMP:
    case TAG.DATE:
      return BigInt(r.num[index] as number)
    case TAG.BIG_INTEGER:
    case TAG.BIG_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      return r.ref[index] as bigint
    default:
      return storeOther(r, index)
  }
}

function storeDouble(r: Registers, index: number): Cell {
  const tag = r.tag[index]
  if (tag === TAG.DOUBLE || tag === TAG.INTEGER) {
    const value = r.num[index] as number
    return Number.isNaN(value) ? keyBytesOf(r, index) : value
  }
  return tag === TAG.BIG_INTEGER ? Number(r.ref[index]) : storeOther(r, index)
}

function storeText(r: Registers, index: number): Cell {
  if (r.tag[index] !== TAG.TEXT) return storeOther(r, index)
  const bytes = r.ref[index] as Uint8Array
  const start = r.num[index] as number
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, (r.end[index] as number) - start).toString('utf8')
}

function storeInterval(r: Registers, index: number): Cell {
  const tag = r.tag[index]
  return tag === TAG.INTERVAL || tag === TAG.BIG_INTERVAL ? intervalCellOf(r, index) : storeOther(r, index)
}

function storeOther(r: Registers, index: number): Cell {
  return r.tag[index] === TAG.NULL ? null : keyBytesOf(r, index)
}

export function toStorer(type: ScalarType): StoreCell {
  switch (type) {
    case 'boolean':
      return storeBoolean
    case 'bigint':
    case 'timestamptz':
    case 'timestamp':
    case 'date':
      return storeInteger
    case 'interval':
      return storeInterval
    case 'double precision':
      return storeDouble
    case 'text':
      return storeText
    default:
      return storeOther
  }
}
