/** Owns what a statement asks of the copy of a rollup's columns: its groups at coarser grain, as rows for SQLite. Plain data. */
import type { CatalogRollup } from './query-catalog.ts'
import type { TimeRange } from './time-range.ts'

/** A cell of a row. Rows are as many as there are combinations of keys; the other cells are of all groups with the row's keys. Columns are the leaf's. */
export type FoldCell =
  /** A grouping value, by its index. */
  | { readonly kind: 'key'; readonly group: number }
  /** What SQLite text makes of one grouping value, which is a key in its place. */
  | { readonly kind: 'derived'; readonly derivation: Derivation }
  /** A grouping value that the statement has come to do without: NULL, and no key. */
  | { readonly kind: 'unused' }
  /** How many groups. */
  | { readonly kind: 'groups' }
  /** How many of them have a value in the column. */
  | { readonly kind: 'count'; readonly column: string }
  /** The exact sum of the column's integers; 0 of none. */
  | { readonly kind: 'sum'; readonly column: string }
  /** The extreme of the column's numbers; NULL of none. */
  | { readonly kind: 'least' | 'greatest'; readonly column: string }
  /** One column of the merged state of a partial, both by index. */
  | { readonly kind: 'state'; readonly partial: number; readonly column: number }

export interface Derivation {
  readonly group: number
  /** Over the request's alias, where the grouping value is the column `source`, and a time that leads the primary key also `bucket`. */
  readonly text: string
  readonly source: string
  /** What the text asks, where that is a range of time. */
  readonly range?: TimeRange | undefined
}

export interface FoldRequest {
  readonly rollup: CatalogRollup
  /** Its name in the SQLite text. */
  readonly alias: string
  readonly cells: readonly FoldCell[]
  /** What WHERE asks of single grouping values. */
  readonly conditions: readonly Derivation[]
  /** What part of all groups a range of time among the conditions leaves, about; 1 without one. */
  readonly share: number
}

/** A group that SQLite finds by an index takes as long as so many of a copy that are folded. */
export const GROUPS_PER_LOOKUP = 64

/** Texts are equal exactly where the cells are. */
export function nameOfCell(cell: FoldCell): string {
  switch (cell.kind) {
    case 'key':
      return `key ${cell.group}`
    case 'derived':
      return `derived ${cell.derivation.group} ${cell.derivation.text}`
    case 'unused':
    case 'groups':
      return cell.kind
    case 'state':
      return `state ${cell.partial} ${cell.column}`
    default:
      return `${cell.kind} ${cell.column}`
  }
}
