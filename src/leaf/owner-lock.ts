/**
 * Owns the ownership of a data directory (law 8): owner.db is held in BEGIN EXCLUSIVE for the process's life. The system frees
 * the lock with the process, however that ends. Which process holds it is told by leaf.db, where a taker leaves its id: owner.db
 * can't be read meanwhile.
 */
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { RollupdError } from '../core/errors.ts'

const OWNER_FILE = 'owner.db'
const LEAF_FILE = 'leaf.db'

export interface OwnerLock {
  release(): void
}

/** Where the leaf of a data directory is. */
export function toLeafPath(dataDirectory: string): string {
  return join(dataDirectory, LEAF_FILE)
}

/**
 * Takes the directory for this process. Before the leaf is opened. Nothing else in the process may open owner.db: closing any
 * handle of a file gives up all locks of the process on it.
 * Errors: data_in_use, naming the process that has it where that is known; config_invalid when the directory can't be written.
 */
export function acquireOwnerLock(dataDirectory: string): OwnerLock {
  const path = join(dataDirectory, OWNER_FILE)
  let connection: BetterSqlite3.Database | undefined
  try {
    // no time-out: the holder keeps it for its life
    connection = new BetterSqlite3(path, { timeout: 0 })
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection?.close()
    throw toLockError(error, dataDirectory)
  }
  const held = connection
  return { release: () => held.close() }
}

function toLockError(error: unknown, dataDirectory: string): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  if (error.code.startsWith('SQLITE_BUSY')) {
    const holder = readHolder(dataDirectory)
    const by = holder === undefined ? 'another process' : `process ${holder}`
    return new RollupdError('data_in_use', `data directory ${JSON.stringify(dataDirectory)} is in use by ${by}`, {
      hint: 'End that process first, or use another directory.',
      detail: holder === undefined ? undefined : { pid: holder },
    })
  }
  return new RollupdError(
    'config_invalid',
    `data directory ${JSON.stringify(dataDirectory)} can't be used: ${error.message}`,
    {
      cause: error,
    },
  )
}

/** The last process that took the leaf over; undefined before the first. */
function readHolder(dataDirectory: string): number | undefined {
  let connection: BetterSqlite3.Database | undefined
  try {
    connection = new BetterSqlite3(toLeafPath(dataDirectory), { readonly: true, fileMustExist: true, timeout: 0 })
    const pid = connection.prepare<[], number>('SELECT owner_pid FROM leaf_state').pluck().get()
    return pid === undefined || pid === 0 ? undefined : pid
  } catch (error) {
    // the holder may not have made it yet
    if (error instanceof BetterSqlite3.SqliteError || error instanceof TypeError) return undefined
    throw error
  } finally {
    connection?.close()
  }
}
