/**
 * Owns the question whether node_modules is what package-lock.json says: exit code 0 or 1. npm keeps a list of what it
 * installed; it is compared package by package. Run by ./dev before it installs, so it imports nothing.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>
}

const root = process.argv[2] ?? '.'
const readLock = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as LockFile

const wanted = Object.entries(readLock('package-lock.json').packages).filter(([path]) => path !== '')
const installed = readLock('node_modules/.package-lock.json').packages
// an optional package is another platform's, as a rule
const same = wanted.every(([path, entry]) => {
  const found = installed[path]
  return found === undefined ? entry.optional === true : found.version === entry.version
})
process.exitCode = same ? 0 : 1
