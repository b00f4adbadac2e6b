/**
 * Owns the warning about values of another kind in an undeclared column. A comparison that an index serves never sees them, so
 * after the query it is looked up whether there are any: in the index, or among the first groups.
 */
import type BetterSqlite3 from 'better-sqlite3'

/** A comparison of a column with a value of one kind: other key bytes than [from, to) are another kind. */
export interface KindProbe {
  readonly name: string
  readonly table: string
  readonly column: string
  readonly kind: string
  /** SQLite text. */
  readonly from: string
  readonly to: string
}

/** Without an index so many groups are looked at: under a millisecond or two. */
const GROUPS_LOOKED_AT = 5_000

/** Whether the column holds a value of another kind. Caller has the transaction of the query. */
export function holdsOtherKinds(connection: BetterSqlite3.Database, probe: KindProbe): boolean {
  const { table, column, from, to } = probe
  const rows = isIndexed(connection, table, column)
    ? table
    : `(SELECT ${column} FROM ${table} LIMIT ${GROUPS_LOOKED_AT})`
  const sql = `SELECT EXISTS (SELECT 1 FROM ${rows} WHERE ${column} < ${from}) OR EXISTS (SELECT 1 FROM ${rows} WHERE ${column} >= ${to})`
  return Number(connection.prepare<[], bigint>(sql).pluck().get()) === 1
}

function isIndexed(connection: BetterSqlite3.Database, table: string, column: string): boolean {
  const sql = `SELECT 1 FROM pragma_index_list(?) AS list JOIN pragma_index_info(list.name) AS info WHERE info.seqno = 0 AND info.name = ?`
  return connection.prepare(sql).get(table, column) !== undefined
}

export function describeProbe({ name, kind }: KindProbe): string {
  return `the column "${name}" also holds values of other kinds than ${kind}; compared with one they count as null`
}
