/** Owns the direction of a sort key, in ORDER BY of a query and of an aggregate. */
import type { SortBy } from './parse-statement.ts'

export interface SortDirection {
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** PostgreSQL's: NULL is larger than everything. */
export function readDirection({ sortby_dir: direction, sortby_nulls: nulls }: SortBy): SortDirection {
  const descending = direction === 'SORTBY_DESC'
  const nullsFirst = nulls === 'SORTBY_NULLS_FIRST' || (nulls !== 'SORTBY_NULLS_LAST' && descending)
  return { descending, nullsFirst }
}

/** ` ASC NULLS LAST`, as SQLite needs it: its NULL is smaller than everything. */
export function printDirection({ descending, nullsFirst }: SortDirection): string {
  return `${descending ? ' DESC' : ' ASC'} NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`
}
