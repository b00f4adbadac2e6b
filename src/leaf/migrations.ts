/**
 * Owns bringing a database's fixed tables to the schema of this version: the files migrations/NNNN_verb_noun.sql in order,
 * forward only. `PRAGMA user_version` says which one was the last.
 */
import { readFileSync, readdirSync } from 'node:fs'
import type BetterSqlite3 from 'better-sqlite3'
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'

/** The same from src/leaf and from dist/main: the package holds `migrations` beside `dist`. */
const MIGRATIONS_DIRECTORY = new URL('../../migrations/', import.meta.url)
const MIGRATION_FILE = /^(\d{4})_[a-z]+(_[a-z]+)+\.sql$/

/**
 * Applies the migrations that the database lacks, each in a transaction of its own.
 * Errors: config_invalid when a newer rollupd wrote the database.
 */
export function migrateDatabase(database: BetterSqlite3.Database, directory: URL = MIGRATIONS_DIRECTORY): void {
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
  files.forEach((file, index) => {
    assert(
      Number(MIGRATION_FILE.exec(file)?.[1]) === index + 1,
      `migration file ${JSON.stringify(file)} is out of order`,
    )
  })
  const applied = database.pragma('user_version', { simple: true }) as number
  if (applied > files.length) {
    throw new RollupdError(
      'config_invalid',
      `${JSON.stringify(database.name)} has schema ${applied}, this version of rollupd knows ${files.length}`,
      { hint: 'A newer rollupd wrote this data directory. Start that version, or use another directory.' },
    )
  }
  for (let index = applied; index < files.length; index++) {
    const text = readFileSync(new URL(at(files, index), directory), 'utf8')
    database.transaction(() => {
      database.exec(text)
      database.pragma(`user_version = ${index + 1}`)
    })()
  }
}
