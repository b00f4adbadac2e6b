/** The published package: packed, installed into an empty folder, and run by Node as a user would. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const CHECKOUT = dirname(dirname(import.meta.dirname))
/** Compiling, and packages from the cache; from the registry where they are not there. */
const INSTALL_TIMEOUT_MS = 180_000
const DEMO_TIMEOUT_MS = 90_000

let folder: string

function run(file: string, args: readonly string[], cwd: string): Promise<{ exitCode: number; output: string }> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd, env: { ...process.env, PATH: path } }, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode ?? -1, output: `${stdout}${stderr}` })
    })
  })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollupd-package-'))
  const packed = await run('npm', ['pack', '--pack-destination', folder], CHECKOUT)
  expect(packed.exitCode, packed.output).toBe(0)
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? ''
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', `./${tarball}`]
  const installed = await run('npm', args, folder)
  expect(installed.exitCode, installed.output).toBe(0)
}, INSTALL_TIMEOUT_MS)

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('the installed command shows its help', async () => {
  const { exitCode, output } = await run(join(folder, 'node_modules', '.bin', 'rollupd'), ['--help'], folder)
  expect(exitCode, output).toBe(0)
  expect(output).toContain('serve')
})

test(
  'the installed command answers the demo, with all its threads and processes',
  { timeout: DEMO_TIMEOUT_MS },
  async () => {
    const { exitCode, output } = await run(join(folder, 'node_modules', '.bin', 'rollupd'), ['demo', '--once'], folder)
    expect(exitCode, output).toBe(0)
  },
)
