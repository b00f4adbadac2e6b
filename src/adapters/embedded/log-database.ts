/**
 * Owns the file of the embedded log (log.db): its tables, how it is opened, and what its failures mean. One connection writes
 * (embedded-log-writer.ts), any number read, also in other threads (embedded-log-source.ts).
 */
import Database from 'better-sqlite3'
import { RollupdError } from '../../core/errors.ts'

/** Forward only; PRAGMA user_version is the number of those that were applied. */
const MIGRATIONS: readonly string[] = [
  `-- A topic without a name is being deleted: its batches go in slices, so that no transaction takes seconds.
   CREATE TABLE topics (
     topic           INTEGER PRIMARY KEY AUTOINCREMENT,
     name            TEXT UNIQUE,
     id              TEXT NOT NULL UNIQUE,
     retention_bytes INTEGER,
     retention_ms    INTEGER
   ) STRICT;

   CREATE TABLE partitions (
     topic        INTEGER NOT NULL REFERENCES topics,
     partition    INTEGER NOT NULL,
     start_offset INTEGER NOT NULL,
     end_offset   INTEGER NOT NULL,
     bytes        INTEGER NOT NULL,
     PRIMARY KEY (topic, partition)
   ) STRICT, WITHOUT ROWID;

   -- The batch comes last: what stands before it is read without its pages.
   CREATE TABLE batches (
     batch_id         INTEGER PRIMARY KEY,
     topic            INTEGER NOT NULL,
     partition        INTEGER NOT NULL,
     base_offset      INTEGER NOT NULL,
     next_offset      INTEGER NOT NULL,
     max_timestamp_ms INTEGER NOT NULL,
     appended_at_ms   INTEGER NOT NULL,
     bytes            INTEGER NOT NULL,
     batch            BLOB NOT NULL
   ) STRICT;

   -- Covers retention and the search by time: neither touches a batch.
   CREATE UNIQUE INDEX batches_by_offset
     ON batches (topic, partition, base_offset, next_offset, max_timestamp_ms, appended_at_ms, bytes);

   CREATE TABLE idempotency_keys (
     topic      INTEGER NOT NULL,
     key        TEXT NOT NULL,
     answer     TEXT NOT NULL,
     kept_at_ms INTEGER NOT NULL,
     PRIMARY KEY (topic, key)
   ) STRICT, WITHOUT ROWID;

   CREATE INDEX idempotency_keys_by_age ON idempotency_keys (kept_at_ms);`,
  `-- What was appended under a key (records-fingerprint.ts); null: before this was kept.
   ALTER TABLE idempotency_keys ADD COLUMN fingerprint BLOB;`,
]

/** Appends of a few records fit a page; a batch of 900 kB is a chain of 110. */
const PAGE_BYTES = 8_192
/** Pages of log.db that a connection keeps: recent batches are read soon after they were written. Negative: KiB. */
const CACHE_KIB = -4_096
/** The only other writer is a process that is being replaced: its last commit takes less. */
const BUSY_TIMEOUT_MS = 5_000

/** Opens or creates the file for its one writer. `fileBytesMax` bounds it. Errors: disk_full. */
export function openForWriting(path: string, fileBytesMax?: number): Database.Database {
  return translateFull(path, () => {
    const database = new Database(path, { timeout: BUSY_TIMEOUT_MS })
    try {
      database.pragma(`page_size = ${PAGE_BYTES}`)
      database.pragma('journal_mode = WAL')
      // The log's records exist nowhere else: an answer is given when they are on the disk.
      database.pragma('synchronous = FULL')
      database.pragma(`cache_size = ${CACHE_KIB}`)
      if (fileBytesMax !== undefined) database.pragma(`max_page_count = ${Math.ceil(fileBytesMax / PAGE_BYTES)}`)
      migrate(path, database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Opens the file that a writer has created. */
export function openForReading(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
  database.pragma(`cache_size = ${CACHE_KIB}`)
  return database
}

/** Runs what writes; a full disk becomes an error of ours. Whole transactions only: SQLite has rolled it back. Errors: disk_full. */
export function translateFull<T>(path: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !FULL_CODES.has(error.code)) throw error
    throw new RollupdError('disk_full', `the embedded log "${path}" can't grow: ${error.message}`, {
      cause: error,
      hint: 'Make room on the disk, or lower the retention of its topics.',
    })
  }
}

/** A quota that is used up shows as a failed write. */
const FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE'])

function migrate(path: string, database: Database.Database): void {
  const applied = Number(database.pragma('user_version', { simple: true }))
  if (applied > MIGRATIONS.length) {
    throw new RollupdError('config_invalid', `"${path}" is of a later version of rollupd`, {
      hint: 'Run that version, or one after it.',
    })
  }
  database
    .transaction(() => {
      for (const migration of MIGRATIONS.slice(applied)) database.exec(migration)
      database.pragma(`user_version = ${MIGRATIONS.length}`)
    })
    .immediate()
}
