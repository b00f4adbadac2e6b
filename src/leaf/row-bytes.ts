/** Owns the estimate of what a row takes in the database, from its values (SQLite's record format, without the pages' free space). */
import type { Cell } from '../core/scalar-type.ts'

/** Bytes of the header per column, and of a cell's own frame per row. */
const COLUMN_HEADER_BYTES = 1
const ROW_HEADER_BYTES = 4

/** Bytes of the values' content. */
export function valuesBytes(values: readonly Cell[], first: number, end: number): number {
  let bytes = 0
  for (let index = first; index < end; index++) bytes += valueBytes(values[index] as Cell)
  return bytes
}

/** Bytes of a row of the values [first, end). */
export function rowBytes(values: readonly Cell[], first: number, end: number): number {
  return ROW_HEADER_BYTES + (end - first) * COLUMN_HEADER_BYTES + valuesBytes(values, first, end)
}

function valueBytes(value: Cell): number {
  switch (typeof value) {
    case 'number':
      return numberBytes(value)
    case 'string':
      return value.length
    case 'bigint':
      return 8
    default:
      return value === null ? 0 : value.byteLength
  }
}

/** Integers take 0, 1, 2, 3, 4, 6 or 8 bytes. */
function numberBytes(value: number): number {
  if (value === 0 || value === 1) return 0
  if (!Number.isInteger(value)) return 8
  const size = Math.abs(value)
  if (size < 0x80) return 1
  if (size < 0x8000) return 2
  if (size < 0x800000) return 3
  if (size < 0x80000000) return 4
  return size < 2 ** 47 ? 6 : 8
}
