/** Owns what SQLite says of single grouping values before a statement over folded groups is run: what is derived of each, and how many groups WHERE leaves. */
import type BetterSqlite3 from 'better-sqlite3'
import { at } from '../core/assert.ts'
import type { Cell } from '../core/scalar-type.ts'
import { LEAF_COLUMN } from '../leaf/leaf-schema.ts'
import { MICROSECONDS_PER_DAY } from '../core/timestamp-calendar.ts'
import { type Derivation, type FoldRequest, GROUPS_PER_LOOKUP } from './fold-request.ts'
import { foldedColumn, type FoldedTables } from './folded-table.ts'
import { NULL_BUCKET } from '../planner/bucket.ts'
import type { TimeRange } from './time-range.ts'

/** What a statement is run with. */
export interface FoldRun {
  readonly connection: BetterSqlite3.Database
  readonly tables: FoldedTables
  readonly bindings: Readonly<Record<string, number>>
}

/** Values of a grouping column as others are derived of them: an index into `cells` for each. */
export interface DerivedCodes {
  readonly codes: Int32Array
  readonly cells: readonly Cell[]
}

/** Derives each value's. Caller has the transaction; the statement's folds are to be set behind it. */
export function deriveCodes(
  { connection, tables, bindings }: FoldRun,
  { rollup, alias }: FoldRequest,
  { group, text, source, range }: Derivation,
  values: readonly Cell[],
): DerivedCodes {
  if (range !== undefined)
    return { codes: Int32Array.from(values, (value) => (isIn(range, value) ? 1 : 0)), cells: [0n, 1n] }
  const isTime = group === rollup.schema.bucketGroup
  const { type } = at(rollup.plan.ingest.groupBy, group)
  const rows = values.map((value, index): Cell[] => [
    value,
    isTime ? bucketOf(value, type === 'date') : null,
    BigInt(index),
  ])
  tables.set([{ rows: () => rows }])
  const [value, bucket, place] = [0, 1, 2].map(foldedColumn)
  const columns = `${value} AS ${source}, ${bucket} AS ${LEAF_COLUMN.bucket}, ${place} AS place`
  const statement = connection
    .prepare<unknown[], [Cell, bigint]>(
      `SELECT ${text}, ${alias}.place FROM (SELECT ${columns} FROM ${tables.nameFor(rows[0]?.length ?? 3)}(0)) AS ${alias}`,
    )
    .raw()
    .safeIntegers()
  const codes = new Int32Array(values.length)
  const cells: Cell[] = []
  const known = new Map<string, number>()
  for (const [cell, index] of statement.iterate(bindings)) {
    const name = nameOf(cell)
    let code = known.get(name)
    if (code === undefined) {
      code = cells.push(cell) - 1
      known.set(name, code)
    }
    codes[Number(index)] = code
  }
  return { codes, cells }
}

/** SQLite would take a microsecond for each value. */
function isIn({ first, last }: TimeRange, value: Cell): boolean {
  if (typeof value !== 'bigint') return false
  return (first === undefined || value >= first) && (last === undefined || value <= last)
}

/** The column that leads the primary key, of a time. */
function bucketOf(value: Cell, isDate: boolean): Cell {
  if (value === null) return NULL_BUCKET
  return isDate ? (value as bigint) * BigInt(MICROSECONDS_PER_DAY) : value
}

/** Equal texts exactly where the cells are equal. */
function nameOf(cell: Cell): string {
  return cell instanceof Uint8Array ? `x${Buffer.from(cell).toString('hex')}` : `${typeof cell} ${String(cell)}`
}

/** Whether WHERE leaves so few groups, found by a key or an index, that reading those is faster than folding all. Caller has the transaction. */
export function areFewLeft({ connection, bindings }: FoldRun, { rollup, alias, conditions }: FoldRequest): boolean {
  const { schema, groups } = rollup
  // how much of the time a range is was looked at while compiling
  if (conditions.every(({ range }) => range !== undefined)) return false
  const columns = conditions.map(({ group, source }) => `${at(schema.groupColumns, group).name} AS ${source}`)
  const from = `(SELECT ${LEAF_COLUMN.bucket}, ${columns.join(', ')} FROM ${schema.table}) AS ${alias}`
  const where = conditions.map(({ text }) => text).join(' AND ')
  const sql = `SELECT 1 FROM ${from} WHERE ${where} LIMIT 1 OFFSET ${Math.floor(groups / GROUPS_PER_LOOKUP)}`
  const steps = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(bindings)
  if (!steps.every(({ detail }) => detail.startsWith('SEARCH '))) return false
  return connection.prepare(sql).get(bindings) === undefined
}
