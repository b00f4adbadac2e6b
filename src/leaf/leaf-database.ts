/**
 * Owns the connections to leaf.db: their pragmas, the writer's transactions with owner check and epoch, and what SQLite's
 * errors mean. What stands in the tables is others'.
 */
import BetterSqlite3 from 'better-sqlite3'
import { RollupdError } from '../core/errors.ts'
import { migrateDatabase } from './migrations.ts'

/** Bytes. Measured: a fifth less space for group rows than 4096 at the same speed; 16384 saves little more and doubles what a scattered change copies into the WAL. */
const PAGE_BYTES = 8192
/** Kilobytes, negative as SQLite wants it. Holds the inner pages of some 25 M groups and the leaf pages that a commit touches. */
const WRITER_CACHE_KILOBYTES = -32_768
/** Kilobytes of a reader; there are a few of them, and the file cache of the system lies below. */
const READER_CACHE_KILOBYTES = -16_384
/**
 * Pages of WAL (32 MB) after which a commit copies them into the database: bounds the WAL. Rarely reached while caught up, since
 * idle time checkpoints before.
 */
const CHECKPOINT_PAGES = 4000
/** Bytes of the WAL file that stay allocated after a burst. */
const WAL_BYTES_KEPT = 64 << 20
/** Milliseconds. Only a process that lost the ownership, in the middle of its last commit, can hold the write lock. */
const BUSY_TIMEOUT_MS = 5000

/** What a transaction's end waits for. */
export const DURABILITY = {
  /** No sync: a power cut may lose the last commits, never tear one; Kafka still has their records. */
  ingest: 'NORMAL',
  /** Synced: what an HTTP request caused exists nowhere else. */
  synced: 'FULL',
} as const
export type Durability = (typeof DURABILITY)[keyof typeof DURABILITY]

/** Read before each transaction, so that it may be raised while the leaf is open. */
export interface LeafLimits {
  /** Pages of the database file; past it: disk_full. Undefined: as large as the disk. */
  pagesMax?: number | undefined
}

/** SQLite's codes of a disk without room. */
const DISK_FULL_CODES = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'])

export class LeafDatabase {
  readonly connection: BetterSqlite3.Database
  readonly #limits: LeafLimits
  #appliedPagesMax: number | undefined
  readonly #ownerEpoch: number
  readonly #begin: BetterSqlite3.Statement
  readonly #commit: BetterSqlite3.Statement
  readonly #readState: BetterSqlite3.Statement<[], { epoch: number; owner_epoch: number }>
  readonly #raiseEpoch: BetterSqlite3.Statement<[number]>

  /** Opens and takes over the leaf: an older owner's commits fail from now on. Errors: config_invalid, disk_full, data_in_use. */
  constructor(path: string, limits: LeafLimits) {
    this.connection = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT_MS })
    this.#limits = limits
    try {
      setWriterPragmas(this.connection)
      migrateDatabase(this.connection)
      this.#ownerEpoch = takeOwnership(this.connection)
    } catch (error) {
      this.connection.close()
      throw toLeafError(error)
    }
    this.connection.pragma(`synchronous = ${DURABILITY.ingest}`)
    this.#begin = this.connection.prepare('BEGIN IMMEDIATE')
    this.#commit = this.connection.prepare('COMMIT')
    this.#readState = this.connection.prepare('SELECT epoch, owner_epoch FROM leaf_state')
    this.#raiseEpoch = this.connection.prepare('UPDATE leaf_state SET epoch = ?')
  }

  /** Number of the last commit. */
  get epoch(): number {
    return this.#state().epoch
  }

  /**
   * Runs `body` in one transaction and gives what it gives; a throw undoes all of it. `body` gets the number of this commit, and
   * undefined as its result means that there is nothing to keep: then the number is used by the next one.
   * Errors: owner_lost, disk_full, data_in_use; other errors of SQLite as they are.
   */
  transact<T>(durability: Durability, body: (epoch: number) => T | undefined): T | undefined {
    this.#applyLimits()
    // a pragma has no effect inside a transaction
    if (durability === DURABILITY.synced) this.connection.pragma(`synchronous = ${durability}`)
    try {
      this.#begin.run()
      const result = this.#run(body)
      if (result === undefined) this.#rollBack()
      else this.#commit.run()
      return result
    } catch (error) {
      this.#rollBack()
      throw toLeafError(error)
    } finally {
      if (durability === DURABILITY.synced) this.connection.pragma(`synchronous = ${DURABILITY.ingest}`)
    }
  }

  #run<T>(body: (epoch: number) => T): T {
    const state = this.#state()
    if (state.owner_epoch !== this.#ownerEpoch) {
      throw new RollupdError('owner_lost', 'another process has taken over the data directory', {
        hint: 'This process must end; the other one goes on from the last commit.',
      })
    }
    const epoch = state.epoch + 1
    this.#raiseEpoch.run(epoch)
    return body(epoch)
  }

  /** SQLite may have rolled back already: a full disk ends the transaction by itself. */
  #rollBack(): void {
    if (this.connection.inTransaction) this.connection.exec('ROLLBACK')
  }

  #state(): { epoch: number; owner_epoch: number } {
    const state = this.#readState.get()
    if (state === undefined) throw new RollupdError('internal', 'leaf.db has no state row')
    return state
  }

  #applyLimits(): void {
    const { pagesMax } = this.#limits
    if (pagesMax === this.#appliedPagesMax) return
    // SQLite's own limit is the largest that it takes
    this.connection.pragma(`max_page_count = ${pagesMax ?? 0xfffffffe}`)
    this.#appliedPagesMax = pagesMax
  }

  /** Copies what it can of the WAL into the database without waiting for readers; nothing where the disk is full: the WAL has it all. */
  checkpoint(): void {
    try {
      this.connection.pragma('wal_checkpoint(PASSIVE)')
    } catch (error) {
      if (!isDiskFull(error)) throw error
    }
  }

  /** Pages that are in the WAL alone. */
  get walPages(): number {
    const [row] = this.connection.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[]
    return row === undefined ? 0 : row.log - row.checkpointed
  }

  /** Bytes of the database file, free pages included. */
  get fileBytes(): number {
    return (this.connection.pragma('page_count', { simple: true }) as number) * PAGE_BYTES
  }

  close(): void {
    this.connection.close()
  }
}

/** A read-only connection of a query process. Integers come as bigint. Errors: SQLite's when there is no such file. */
export function openLeafReader(path: string): BetterSqlite3.Database {
  const connection = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
  connection.pragma('query_only = ON')
  connection.pragma(`cache_size = ${READER_CACHE_KILOBYTES}`)
  connection.defaultSafeIntegers(true)
  return connection
}

function setWriterPragmas(connection: BetterSqlite3.Database): void {
  // page_size first: it can't change once the file is in WAL mode
  connection.pragma(`page_size = ${PAGE_BYTES}`)
  connection.pragma('journal_mode = WAL')
  // until the leaf is ours, everything is synced
  connection.pragma(`synchronous = ${DURABILITY.synced}`)
  connection.pragma(`cache_size = ${WRITER_CACHE_KILOBYTES}`)
  connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  connection.pragma(`journal_size_limit = ${WAL_BYTES_KEPT}`)
  connection.pragma('foreign_keys = ON')
}

function takeOwnership(connection: BetterSqlite3.Database): number {
  return connection
    .prepare<[number], number>(
      'UPDATE leaf_state SET owner_epoch = owner_epoch + 1, owner_pid = ? RETURNING owner_epoch',
    )
    .pluck()
    .get(process.pid) as number
}

function isDiskFull(error: unknown): boolean {
  return error instanceof BetterSqlite3.SqliteError && DISK_FULL_CODES.has(error.code)
}

function toLeafError(error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  if (isDiskFull(error)) {
    return new RollupdError('disk_full', `no room to write leaf.db: ${error.message}`, {
      hint: 'Make room on its disk, then resume the halted rollups.',
      cause: error,
    })
  }
  if (error.code.startsWith('SQLITE_BUSY')) {
    return new RollupdError('data_in_use', 'another process is writing leaf.db', { cause: error })
  }
  return error
}
