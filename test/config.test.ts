/** What a configuration says when it is wrong: the option, in words of a person. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type ConfigInput, loadConfig } from '../src/config.ts'
import { RollupdError } from '../src/core/errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'rollupd-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function refusal(input: Partial<ConfigInput>): string {
  try {
    loadConfig({ flags: {}, environment: {}, ...input })
  } catch (error) {
    if (error instanceof RollupdError && error.code === 'config_invalid') return error.message
    throw error
  }
  throw new Error('the configuration was taken')
}

function refusalOfFile(text: string): string {
  const config = join(folder, 'rollupd.yml')
  writeFileSync(config, text)
  return refusal({ flags: { config } }).replaceAll(folder, '')
}

test('flags and variables', () => {
  expect(refusal({ flags: { listen: 'here' } })).toBe('option listen: must be HOST:PORT')
  expect(refusal({ flags: { listen: '127.0.0.1:70000' } })).toBe('option listen: port 70000 is above 65535')
  expect(refusal({ flags: { listen: '0.0.0.0:0' } })).toContain('is not a loopback address and there is no token')
  expect(refusal({ environment: { ROLLUPD_LOG_LEVEL: 'loud' } })).toBe(
    'option log_level: must be one of trace, debug, info, warn, error, silent',
  )
  expect(refusal({ environment: { ROLLUPD_TOKEN: '' } })).toContain('option token: ')
  expect(loadConfig({ flags: { listen: '0.0.0.0:0' }, environment: { ROLLUPD_TOKEN: 'secret' } }).token).toBe('secret')
})

test('the file', () => {
  const from = '(flags, ROLLUPD_* variables or "/rollupd.yml")'
  expect(refusalOfFile('limit: {rows: 5}')).toBe(`option limit ${from}: there is no such option`)
  expect(refusalOfFile('limits: {rows: 0}')).toBe(`option limits.rows ${from}: must be >= 1`)
  expect(refusalOfFile('- limits')).toBe('configuration file "/rollupd.yml" is not a mapping of options')
  expect(refusalOfFile(': : :')).toMatch(/^configuration file "\/rollupd\.yml" can't be read: [^\n]+$/)
  expect(refusalOfFile('limits: {query_timeout_ms_default: 90000}')).toBe(
    'option limits.query_timeout_ms_default: 90000 is above limits.query_timeout_ms, 60000',
  )
  expect(refusalOfFile('limits: {rows: 5}')).toBe('option limits.rows_default: 10000 is above limits.rows, 5')
})
