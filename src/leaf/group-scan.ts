/** Owns the reading of all groups of a rollup, inside the transaction of the caller. */
import type BetterSqlite3 from 'better-sqlite3'
import type { StateValue } from '../aggregates/aggregate.ts'
import { toStateValue } from '../aggregates/state-value.ts'
import type { RegroupedGroup } from '../aggregator/source-group.ts'
import type { Cell } from '../core/scalar-type.ts'
import { LEAF_COLUMN, type LeafSchema } from './leaf-schema.ts'

/** Rows read at once: between two reads the connection is free for writes. */
const ROWS_PER_READ = 5_000

/** Visits the groups that hold records. They may be kept. */
export function scanGroups(
  connection: BetterSqlite3.Database,
  schema: LeafSchema,
  visit: (group: RegroupedGroup) => void,
): void {
  for (const table of [schema.table, schema.overflowTable]) scanTable(connection, schema, table, visit)
}

function scanTable(
  connection: BetterSqlite3.Database,
  schema: LeafSchema,
  table: string,
  visit: (group: RegroupedGroup) => void,
): void {
  const { bucket, id, key, records } = LEAF_COLUMN
  const place = [bucket, id, key]
  const states = schema.stateColumns.map(({ name }) => name)
  const read = (condition: string): BetterSqlite3.Statement<Cell[], Cell[]> =>
    connection
      .prepare<Cell[], Cell[]>(
        `SELECT ${[...place, records, ...states].join(', ')} FROM ${table}${condition} ORDER BY ${place.join(', ')} LIMIT ${ROWS_PER_READ}`,
      )
      .raw(true)
      .safeIntegers(true)
  const next = read(` WHERE (${place.join(', ')}) > (?, ?, ?)`)
  let rows = read('').all()
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    for (const [, , keyBytes, count, ...cells] of rows) {
      // a group that is there before its first record brings nothing
      if (Number(count) === 0) continue
      const values = cells.map((cell) => toStateValue(cell as StateValue))
      visit({ key: keyBytes as Uint8Array, records: Number(count), states: values })
    }
    rows = next.all(...last.slice(0, place.length))
  }
}
