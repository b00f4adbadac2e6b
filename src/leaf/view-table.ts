/** Owns the rows of views, and which of them read a name. Caller has the transaction. */
import type BetterSqlite3 from 'better-sqlite3'
import { RollupdError } from '../core/errors.ts'
import type { StoredView, ViewDefinition } from './leaf-store.ts'

interface ViewRow {
  readonly name: string
  readonly sql: string
  readonly reads_json: string
  readonly columns_json: string
  readonly created_at: string
}

export class ViewTable {
  readonly #put: BetterSqlite3.Statement<string[]>
  readonly #delete: BetterSqlite3.Statement<[string]>
  readonly #list: BetterSqlite3.Statement<[], ViewRow>
  readonly #byName: BetterSqlite3.Statement<[string], ViewRow>
  readonly #readers: BetterSqlite3.Statement<[string], string>

  constructor(connection: BetterSqlite3.Database) {
    this.#put = connection.prepare(
      `INSERT INTO views (name, sql, reads_json, columns_json, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET sql = excluded.sql, reads_json = excluded.reads_json, columns_json = excluded.columns_json`,
    )
    this.#delete = connection.prepare('DELETE FROM views WHERE name = ?')
    this.#list = connection.prepare('SELECT * FROM views ORDER BY name')
    this.#byName = connection.prepare('SELECT * FROM views WHERE name = ?')
    this.#readers = connection
      .prepare<[string], string>(
        'SELECT name FROM views WHERE EXISTS (SELECT 1 FROM json_each(reads_json) WHERE value = ?) ORDER BY name',
      )
      .pluck()
  }

  /** A replaced one keeps its time. */
  put({ name, sql, reads, columns }: ViewDefinition, createdAt: string): void {
    this.#put.run(name, sql, JSON.stringify(reads), JSON.stringify(columns), createdAt)
  }

  list(): StoredView[] {
    return this.#list.all().map(toView)
  }

  find(name: string): StoredView | undefined {
    const row = this.#byName.get(name)
    return row === undefined ? undefined : toView(row)
  }

  /** Whether there was one. */
  remove(name: string): boolean {
    return this.#delete.run(name).changes > 0
  }

  /** Errors: rollup_in_use naming the views that read the name. */
  refuseReaders(what: string, name: string): void {
    const readers = this.#readers.all(name)
    if (readers.length === 0) return
    throw new RollupdError('rollup_in_use', `${what} ${JSON.stringify(name)} is read by ${listNames(readers)}`, {
      hint: `Drop ${readers.length === 1 ? 'that view' : 'these views'} first (DELETE /v1/views/${readers[0]}).`,
    })
  }

  /**
   * Errors: conflict where a view that reads it would lose a column, or get one of another type: PostgreSQL refuses a replacement that
   * takes columns away too.
   */
  refuseLostColumns({ name, columns }: ViewDefinition): void {
    const readers = this.#readers.all(name)
    const lost = this.find(name)?.columns.find(
      (column) => !columns.some((one) => one.name === column.name && one.type === column.type),
    )
    if (readers.length === 0 || lost === undefined) return
    throw new RollupdError(
      'conflict',
      `view ${JSON.stringify(name)} is read by ${listNames(readers)}, and the new one has no column "${lost.name}" of type ${lost.type}`,
      { hint: 'Keep its columns, or replace or drop the readers first.' },
    )
  }
}

function toView({ name, sql, reads_json, columns_json, created_at }: ViewRow): StoredView {
  return {
    name,
    sql,
    reads: JSON.parse(reads_json) as string[],
    columns: JSON.parse(columns_json) as StoredView['columns'],
    createdAt: created_at,
  }
}

function listNames(names: readonly string[]): string {
  return `${names.length === 1 ? 'the view' : 'the views'} ${names.map((name) => JSON.stringify(name)).join(', ')}`
}
