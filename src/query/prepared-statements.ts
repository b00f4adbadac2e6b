/** Owns the statements of one connection that are run again and again: SQLite compiles each text once. */
import type BetterSqlite3 from 'better-sqlite3'

const KEPT_MAX = 64
/** Characters. What is longer was hardly written to be asked often. */
const LENGTH_MAX = 4096

export class PreparedStatements {
  readonly #connection: BetterSqlite3.Database
  /** The one used last at the end. */
  readonly #byText = new Map<string, BetterSqlite3.Statement>()

  constructor(connection: BetterSqlite3.Database) {
    this.#connection = connection
  }

  /** Caller sets how it gives its rows, each time. */
  take<Bound extends unknown[], Row>(text: string): BetterSqlite3.Statement<Bound, Row> {
    const known = this.#byText.get(text)
    this.#byText.delete(text)
    const statement = known === undefined || known.busy ? this.#connection.prepare(text) : known
    if (text.length <= LENGTH_MAX) this.#byText.set(text, statement)
    for (const oldest of this.#byText.keys()) {
      if (this.#byText.size <= KEPT_MAX) break
      this.#byText.delete(oldest)
    }
    return statement as BetterSqlite3.Statement<Bound, Row>
  }
}
