/** Owns the data directory's first touch: it is made where it isn't there, and one that can't be used is told as such. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { RollupdError } from '../core/errors.ts'

/** What the system or SQLite says of files that aren't ours, can't be read or can't be written. */
const UNUSABLE_CODES: ReadonlySet<string> = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
])

/**
 * Makes the directory and those above it. Not by mkdir's own way for that: it tries for ever where the system refuses a directory
 * with "does not exist" (under /proc). Errors: the system's.
 */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const parent = dirname(path)
    if (code === 'ENOENT' && parent !== path) {
      makeDirectory(parent)
      mkdirSync(path)
    } else if (code !== 'EEXIST') throw error
  }
}

/** Of a failed start: config_invalid where the directory or a file in it is the reason, else the error as it was. */
export function explainUnusable(directory: string, error: unknown): unknown {
  if (error instanceof RollupdError || !(error instanceof Error)) return error
  const code = String((error as NodeJS.ErrnoException).code)
  // SQLite's extended codes begin with the plain ones
  if (![...UNUSABLE_CODES].some((known) => code === known || code.startsWith(`${known}_`))) return error
  return new RollupdError('config_invalid', `data directory "${directory}" can't be used: ${error.message}`, {
    hint: 'Choose another with --data, or mend this one: it must be a directory that can be written, with files of rollupd alone.',
    cause: error,
  })
}
