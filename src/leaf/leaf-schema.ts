/**
 * Owns how a rollup's groups stand in the leaf: from a plan to table and column names, DDL and statements. Pure text. The
 * leaf writes by it, query views read by it.
 *
 *   g7            (bucket, id, key, k0, k1, .., n, p0_x, p0_y, .., epoch)  PRIMARY KEY (bucket, id)
 *   g7_overflow   the same columns, PRIMARY KEY (bucket, id, key): groups whose id is another group's in g7
 */
import type { Aggregate } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'
import { type ColumnStorage, toColumnStorage } from '../core/scalar-type.ts'
import { findBucketColumn } from '../planner/bucket.ts'
import { aggregateOf, aggregateWord } from '../planner/partial-aggregate.ts'
import type { PartialColumn, RollupPlan } from '../planner/plan.ts'

export interface LeafColumn {
  readonly name: string
  readonly storage: ColumnStorage
}

/** A partial's place among the state columns. */
export interface LeafPartial {
  readonly aggregate: Aggregate
  /** Its state columns, in the aggregate's order. */
  readonly columns: readonly LeafColumn[]
  /** Index of its first column among all state columns. */
  readonly first: number
  /** The SQLite function that merges two of its states (merge-functions.ts); undefined where SQL does, or where a state has several columns. */
  readonly mergeFunction: string | undefined
}

/** Table and columns of one rollup's groups. */
export interface LeafSchema {
  readonly table: string
  readonly overflowTable: string
  /** k0, k1, ...: one per grouping column. */
  readonly groupColumns: readonly LeafColumn[]
  readonly partials: readonly LeafPartial[]
  /** All partials' state columns in order. */
  readonly stateColumns: readonly LeafColumn[]
  /** Index of the grouping column that is the bucket (planner/bucket.ts), -1 where there is none. */
  readonly bucketGroup: number
}

/** Columns of every group table beside grouping values and states. */
export const LEAF_COLUMN = {
  /** See planner/bucket.ts; leads the primary key. */
  bucket: 'bucket',
  /** 16 bytes, hash of the key. */
  id: 'id',
  /** Group key bytes; their order is the order of the grouping columns. */
  key: 'key',
  /** Records folded into the group. */
  records: 'n',
  /** The commit that changed the row last. */
  epoch: 'epoch',
} as const

/** SQL function of the leaf's own connection: gives its argument back and tells that a stored row was updated. */
export const NOTE_UPDATE_FUNCTION = 'note_update'

function toGroupTable(rollupId: number): string {
  return `g${rollupId}`
}

function toOverflowTable(rollupId: number): string {
  return `g${rollupId}_overflow`
}

/** Tables and columns of a plan. */
export function toLeafSchema(rollupId: number, plan: RollupPlan): LeafSchema {
  const stateColumns: LeafColumn[] = []
  const partials = plan.ingest.partials.map((partial) => {
    const aggregate = aggregateOf(partial)
    const columns = aggregate.columns.map(({ suffix, storage }) => ({ name: partial.column + suffix, storage }))
    const first = stateColumns.length
    stateColumns.push(...columns)
    return { aggregate, columns, first, mergeFunction: toMergeFunction(partial, aggregate) }
  })
  const groupColumns = plan.ingest.groupBy.map(({ column, type }) => ({ name: column, storage: toColumnStorage(type) }))
  return {
    table: toGroupTable(rollupId),
    overflowTable: toOverflowTable(rollupId),
    groupColumns,
    partials,
    stateColumns,
    bucketGroup: findBucketColumn(plan.ingest.groupBy),
  }
}

function toMergeFunction(partial: PartialColumn, aggregate: Aggregate): string | undefined {
  if (aggregate.mergeGuard === undefined || aggregate.columns.length > 1) return undefined
  return ['merge', aggregateWord(partial), ...partial.argTypes].join('_').replaceAll(' ', '_')
}

/** All columns in table order; a row is bound in this order. */
export function columnsOf(schema: LeafSchema): readonly LeafColumn[] {
  return [
    { name: LEAF_COLUMN.bucket, storage: 'INTEGER' },
    { name: LEAF_COLUMN.id, storage: 'BLOB' },
    { name: LEAF_COLUMN.key, storage: 'BLOB' },
    ...schema.groupColumns,
    { name: LEAF_COLUMN.records, storage: 'INTEGER' },
    // Short columns first: SQLite reads a row from its beginning, and long states go to overflow pages.
    ...schema.stateColumns,
    { name: LEAF_COLUMN.epoch, storage: 'INTEGER' },
  ]
}

/** CREATE statements of both tables and of the search indexes over `indexes`' columns. */
export function toCreateSql(schema: LeafSchema, indexes: readonly (readonly string[])[]): string[] {
  const names = columnsOf(schema).map(({ name, storage }) => `${name} ${storage}`)
  const columns = names.join(', ')
  return [
    `CREATE TABLE ${schema.table} (${columns}, PRIMARY KEY (bucket, id)) WITHOUT ROWID`,
    `CREATE TABLE ${schema.overflowTable} (${columns}, PRIMARY KEY (bucket, id, key)) WITHOUT ROWID`,
    ...indexes.map((index, i) => `CREATE INDEX ${schema.table}_i${i} ON ${schema.table} (${index.join(', ')})`),
  ]
}

/** Removes both tables; their pages are used again by others. */
export function toDropSql(rollupId: number): string[] {
  return [`DROP TABLE ${toGroupTable(rollupId)}`, `DROP TABLE ${toOverflowTable(rollupId)}`]
}

/**
 * Inserts a group, or merges its states into the stored row. Changes no row where the stored key is another one or a merge
 * guard doesn't hold: then `selectSql`, the aggregates' own merge and `updateSql` do it.
 */
export function toUpsertSql(schema: LeafSchema): string {
  const { table } = schema
  const assignments: string[] = []
  const guards = [`${table}.key = excluded.key`]
  for (const { aggregate, columns, mergeFunction } of schema.partials) {
    const stored = (index: number): string => `${table}.${nameAt(columns, index)}`
    const added = (index: number): string => `excluded.${nameAt(columns, index)}`
    const merged = aggregate.mergeSql(stored, added)
    assert(merged.length === columns.length, 'an aggregate merges each of its columns')
    const guard = aggregate.mergeGuard?.(stored, added)
    if (mergeFunction !== undefined) {
      const merge = `CASE WHEN ${guard} THEN ${merged[0]} ELSE ${mergeFunction}(${stored(0)}, ${added(0)}) END`
      assignments.push(`${nameAt(columns, 0)} = ${merge}`)
      continue
    }
    columns.forEach(({ name }, index) => assignments.push(`${name} = ${merged[index]}`))
    if (guard !== undefined) guards.push(`(${guard})`)
  }
  return [
    insertSql(schema, table),
    'ON CONFLICT (bucket, id) DO UPDATE SET',
    [`n = ${table}.n + excluded.n`, ...assignments, `epoch = ${NOTE_UPDATE_FUNCTION}(excluded.epoch)`].join(', '),
    `WHERE ${guards.join(' AND ')}`,
  ].join(' ')
}

/** Binds all columns in table order. */
export function toInsertSql(schema: LeafSchema): string {
  return insertSql(schema, schema.table)
}

/**
 * Inserts so many groups, save those whose id is there already. Binds the columns of each in table order, but those of `constants`: literals by
 * their places in a row.
 */
export function toInsertNewSql(schema: LeafSchema, rows: number, constants: ReadonlyMap<number, string>): string {
  const row = `(${columnsOf(schema)
    .map((_, place) => constants.get(place) ?? '?')
    .join(', ')})`
  return `INSERT OR IGNORE INTO ${schema.table} VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
}

/** Key and epoch of the row at (bucket, id). */
export function toSelectEpochSql({ table }: LeafSchema): string {
  return `SELECT ${LEAF_COLUMN.key}, ${LEAF_COLUMN.epoch} FROM ${table} WHERE bucket = ? AND id = ?`
}

/** Binds all columns in table order. */
export function toInsertOverflowSql(schema: LeafSchema): string {
  return insertSql(schema, schema.overflowTable)
}

/** Key and states of the row at (bucket, id). */
export function toSelectSql(schema: LeafSchema): string {
  return `SELECT ${selected(schema)} FROM ${schema.table} WHERE bucket = ? AND id = ?`
}

/** The largest bucket that a group has; NULL where there is none. */
export function toSelectLastBucketSql({ table }: LeafSchema): string {
  return `SELECT max(${LEAF_COLUMN.bucket}) FROM ${table}`
}

/** Key and states of the overflow row at (bucket, id, key). */
export function toSelectOverflowSql(schema: LeafSchema): string {
  return `SELECT ${selected(schema)} FROM ${schema.overflowTable} WHERE bucket = ? AND id = ? AND key = ?`
}

/** Binds added records, the states, the epoch; bucket, id, key. */
export function toUpdateSql(schema: LeafSchema, table: string): string {
  const states = schema.stateColumns.map(({ name }) => `${name} = ?, `).join('')
  return `UPDATE ${table} SET n = n + ?, ${states}epoch = ? WHERE bucket = ? AND id = ? AND key = ?`
}

function insertSql(schema: LeafSchema, table: string): string {
  return `INSERT INTO ${table} VALUES ${rowSql(schema)}`
}

function rowSql(schema: LeafSchema): string {
  return `(${columnsOf(schema)
    .map(() => '?')
    .join(', ')})`
}

function selected(schema: LeafSchema): string {
  return [LEAF_COLUMN.key, ...schema.stateColumns.map(({ name }) => name)].join(', ')
}

function nameAt(columns: readonly LeafColumn[], index: number): string {
  const column = columns[index]
  assert(column !== undefined, `a state has no column ${index}`)
  return column.name
}
