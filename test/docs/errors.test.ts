/** docs/ERRORS.md has each code with what the table says of it, and each code is met by a test. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERROR_CODES } from '../../src/core/errors.ts'
import { RECORD_ERRORS } from '../../src/core/record-error.ts'

const ROOT = new URL('../../', import.meta.url)
const [, answers = '', records = ''] = readFileSync(new URL('docs/ERRORS.md', ROOT), 'utf8').split(/^## /m)

/** Cells of the rows that begin with a code. */
function rowsOf(section: string): string[][] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(1, -1).split(' | '))
    .map((cells) => cells.map((cell) => cell.trim()))
}

test('each code of an answer has its row', () => {
  const expected = Object.entries(ERROR_CODES).map(([code, { status, exit, retryable }]) => [
    `\`${code}\``,
    String(status),
    String(exit),
    retryable ? 'yes' : 'no',
  ])
  expect(rowsOf(answers).map((cells) => cells.slice(0, 4))).toEqual(expected)
  for (const cells of rowsOf(answers)) expect(cells[4]).toMatch(/\w.*\.$/)
})

test('each code of a record or cell has its row', () => {
  expect(rowsOf(records).map(([code]) => code)).toEqual(RECORD_ERRORS.map((code) => `\`${code}\``))
})

test('each code is met by a test', () => {
  const tests = globSync('test/**/*.{ts,slt}', { cwd: ROOT })
    .filter((file) => !file.endsWith('docs/errors.test.ts'))
    .map((file) => readFileSync(new URL(file, ROOT), 'utf8'))
  const isMet = (code: string) => tests.some((text) => new RegExp(`\\b${code}\\b`).test(text))
  expect([...Object.keys(ERROR_CODES), ...RECORD_ERRORS].filter((code) => !isMet(code))).toEqual([])
})
