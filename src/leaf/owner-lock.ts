/**
 * Owns the ownership of a data directory (law 8): owner.db is held in BEGIN EXCLUSIVE for the process's life. The system frees
 * the lock with the process, however that ends. Which process holds it is told by leaf.db, where a taker leaves its id: owner.db
 * can't be read meanwhile.
 */
import { dirname, join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { RollupdError } from '../core/errors.ts'

/** Beside owner.db. */
const LEAF_FILE = 'leaf.db'

export class OwnerLock {
  readonly #connection: BetterSqlite3.Database

  private constructor(connection: BetterSqlite3.Database) {
    this.#connection = connection
  }

  /**
   * Takes the directory of this owner.db for the process; before the leaf is opened. Nothing else in the process may open that
   * file: closing any handle of a file gives up all locks of the process on it.
   * Errors: data_in_use, naming the process that has it where that is known; config_invalid when the directory can't be used.
   */
  static take(path: string): OwnerLock {
    let connection: BetterSqlite3.Database | undefined
    try {
      // no time-out: the holder keeps it for its life
      connection = new BetterSqlite3(path, { timeout: 0 })
      connection.exec('BEGIN EXCLUSIVE')
      return new OwnerLock(connection)
    } catch (error) {
      connection?.close()
      throw toLockError(error, dirname(path))
    }
  }

  release(): void {
    this.#connection.close()
  }
}

function toLockError(error: unknown, directory: string): unknown {
  const quoted = `data directory ${JSON.stringify(directory)}`
  if (error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
    const holder = readHolder(directory)
    const by = holder === undefined ? 'another process' : `process ${holder}`
    return new RollupdError('data_in_use', `${quoted} is in use by ${by}`, {
      hint: 'End that process first, or use another directory.',
      detail: holder === undefined ? undefined : { pid: holder },
    })
  }
  // better-sqlite3 says with a TypeError that the directory isn't there
  if (error instanceof BetterSqlite3.SqliteError || error instanceof TypeError) {
    return new RollupdError('config_invalid', `${quoted} can't be used: ${error.message}`, { cause: error })
  }
  return error
}

/** The last process that took the leaf over; undefined before the first. */
function readHolder(directory: string): number | undefined {
  let connection: BetterSqlite3.Database | undefined
  try {
    connection = new BetterSqlite3(join(directory, LEAF_FILE), { readonly: true, fileMustExist: true, timeout: 0 })
    const pid = connection.prepare<[], number>('SELECT owner_pid FROM leaf_state').pluck().get()
    return pid === 0 ? undefined : pid
  } catch (error) {
    // the holder may not have made it yet
    if (error instanceof BetterSqlite3.SqliteError || error instanceof TypeError) return undefined
    throw error
  } finally {
    connection?.close()
  }
}
