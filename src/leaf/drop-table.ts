/**
 * Owns the removal of dropped rollups' group tables. DROP TABLE visits every page of the table inside one transaction, so a large
 * one is emptied in steps between commits; the pages are used again by others.
 */
import type BetterSqlite3 from 'better-sqlite3'
import { toGroupTable, toOverflowTable } from './leaf-schema.ts'

/** Rows that one step deletes: some 20 ms, no longer than a commit. */
const STEP_ROWS = 5000

export class DropTable {
  readonly #connection: BetterSqlite3.Database
  readonly #insert: BetterSqlite3.Statement<[number]>
  readonly #delete: BetterSqlite3.Statement<[number]>
  readonly #next: BetterSqlite3.Statement<[], number>

  constructor(connection: BetterSqlite3.Database) {
    this.#connection = connection
    this.#insert = connection.prepare('INSERT INTO dropped_rollups VALUES (?)')
    this.#delete = connection.prepare('DELETE FROM dropped_rollups WHERE rollup_id = ?')
    this.#next = connection.prepare<[], number>('SELECT min(rollup_id) FROM dropped_rollups').pluck()
  }

  /** The rollup's tables are to be removed. */
  mark(rollupId: number): void {
    this.#insert.run(rollupId)
  }

  get isPending(): boolean {
    return (this.#next.get() ?? null) !== null
  }

  /** Removes a part of what is marked; caller has the transaction. */
  step(): void {
    const rollupId = this.#next.get() ?? null
    if (rollupId === null) return
    for (const table of [toGroupTable(rollupId), toOverflowTable(rollupId)]) {
      if (this.#deleteRows(table) === STEP_ROWS) return
    }
    this.#connection.exec(`DROP TABLE ${toGroupTable(rollupId)}; DROP TABLE ${toOverflowTable(rollupId)}`)
    this.#delete.run(rollupId)
  }

  #deleteRows(table: string): number {
    return this.#connection
      .prepare(`DELETE FROM ${table} WHERE (bucket, id) IN (SELECT bucket, id FROM ${table} LIMIT ${STEP_ROWS})`)
      .run().changes
  }
}
