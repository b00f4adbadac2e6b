/**
 * Owns what the compiler knows about a column's text beyond its value: which key of the leaf's tables also tells it. Conditions
 * say both, so that SQLite can look up keys and ranges.
 */

import type { CatalogRollup } from './query-catalog.ts'

/** Reading one of these texts makes its relation export the column. */
export type AccessPath =
  /** The time that is the bucket, which leads the primary key. */
  | { readonly kind: 'bucket'; readonly rollup: CatalogRollup; readonly bucket: () => string }
  /** `_id`: bucket and hash are the primary key. */
  | { readonly kind: 'id'; readonly bucket: () => string; readonly id: () => string }
  /** A grouping value of any kind, as it stands in the leaf: whether it holds other kinds can be looked up. */
  | { readonly kind: 'undeclared'; readonly name: string; readonly table: string; readonly column: string }
  /** Another text that is true exactly when the column's own is true, and cheaper. */
  | { readonly kind: 'condition'; readonly whenTrue: string }

/** By the column's text, which is unique in a statement. */
export type AccessPaths = Map<string, AccessPath>

/** `_id`: bucket, `-`, 32 hexadecimal digits of the hash; for a group of the overflow table `-` and its key follow. */
const ID_PATTERN = /^(-?\d{1,19})-([0-9a-f]{32})(?:-(?:[0-9a-f]{2})+)?$/

export interface GroupAddress {
  readonly bucket: string
  /** Hexadecimal. */
  readonly id: string
}

/** Where the group of an `_id` stands; undefined: no group has that text. */
export function parseGroupAddress(text: string): GroupAddress | undefined {
  const [, bucket, id] = ID_PATTERN.exec(text) ?? []
  if (bucket === undefined || id === undefined) return undefined
  const value = BigInt(bucket)
  return value === BigInt.asIntN(64, value) ? { bucket, id } : undefined
}

/** SQLite text of `_id`. */
export function toGroupAddressText(table: string, overflow: boolean): string {
  const text = `${table}.bucket || '-' || lower(hex(${table}.id))`
  return overflow ? `${text} || '-' || lower(hex(${table}.key))` : text
}
