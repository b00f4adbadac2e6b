/** Data directories that can't be used: a clear error and exit code 2, never a stack trace, never a wait. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDataFolder } from '../support/running-service.ts'

const CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
const EXIT_CONFIG = 2
let folder: ReturnType<typeof createDataFolder>

beforeEach(() => (folder = createDataFolder()))
afterEach(() => folder.remove())

function expectRefused(data: string): void {
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'serve', '--data', data, '--listen', '127.0.0.1:0'], {
    encoding: 'utf8',
    timeout: 15_000,
  })
  expect(stderr).toContain(`error config_invalid: data directory "${data}" can't be used: `)
  // the message, and perhaps a hint
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2)
  expect(status).toBe(EXIT_CONFIG)
}

test('where nothing can be made', () => expectRefused('/proc/rollupd/data'))

test('a file', () => {
  const path = join(folder.path, 'file')
  writeFileSync(path, '')
  expectRefused(path)
})

test.each(['leaf.db', 'log.db'])('%s is of something else', (name) => {
  writeFileSync(
    join(folder.path, name),
    'not a database, and longer than the header that SQLite looks at first, which has 100 bytes',
  )
  expectRefused(folder.path)
})

test('directories in the place of files', () => {
  mkdirSync(join(folder.path, 'leaf.db'))
  expectRefused(folder.path)
})

test('a file in the place of a directory', () => {
  writeFileSync(join(folder.path, 'spool'), '')
  expectRefused(folder.path)
})
