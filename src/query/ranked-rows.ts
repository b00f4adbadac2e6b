/** Owns forms that SQLite lacks and that numbering of rows makes: DISTINCT ON, and FETCH FIRST ... WITH TIES. */
import type { RowLimit } from './order-by.ts'

export interface RankedRows {
  /** A SELECT that gives, beside `columns`, the values of DISTINCT ON as k0, k1, ... and of ORDER BY as s0, s1, ... */
  readonly rows: string
  readonly columns: readonly string[]
  /** How many values DISTINCT ON has; 0 where there is none. */
  readonly keyCount: number
  /** ` ASC NULLS LAST` of each value of ORDER BY. */
  readonly directions: readonly string[]
  readonly limit: RowLimit
}

export function rankedText({ rows, columns, keyCount, directions, limit }: RankedRows): string {
  const sorts = directions.map((direction, index) => `s${index}${direction}`).join(', ')
  const order = sorts === '' ? '' : `ORDER BY ${sorts}`
  const keys = Array.from({ length: keyCount }, (_, index) => `k${index}`).join(', ')
  const first =
    keyCount === 0
      ? rows
      : `SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY ${keys} ${order}) AS place FROM (${rows})) WHERE place = 1`
  const kept = limit.withTies ? tiesText(first, order, limit) : first
  return `SELECT ${columns.join(', ')} FROM (${kept}) ${order}${limit.withTies ? '' : limitText(limit)}`
}

/** The rows behind the offset, up to the last that sorts as the one that the count ends with. */
function tiesText(rows: string, order: string, { count = '0', offset = '0' }: RowLimit): string {
  const numbered = `SELECT *, row_number() OVER (${order}) AS number, rank() OVER (${order}) AS rank FROM (${rows})`
  const last = BigInt(count) + BigInt(offset)
  const some = BigInt(count) > 0n ? '' : ' AND 0'
  return `SELECT * FROM (${numbered}) WHERE number > ${offset} AND rank <= ${last}${some}`
}

/** ` LIMIT n OFFSET m`, empty where there is neither. */
export function limitText({ count, offset }: RowLimit): string {
  if (count === undefined && offset === undefined) return ''
  return ` LIMIT ${count ?? -1}${offset === undefined ? '' : ` OFFSET ${offset}`}`
}
