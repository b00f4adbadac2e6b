import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { scanSync } from 'libpg-query'
import { beforeAll, expect, test } from 'vitest'
import { RESERVED_WORDS } from '../../src/sql/identifier.ts'
import { loadParser, parseStatement } from '../../src/sql/parse-statement.ts'
import { refusalOf, type Refusal } from './refusal.ts'

beforeAll(loadParser)

const LONG = 'x'.repeat(64)

const REFUSED: readonly Refusal[] = [
  // what the grammar lets pass without a word
  [`SELECT a, ${LONG} FROM _input`, 'sql_invalid', LONG, '64 bytes', `_input->'${LONG}'`],
  [`SELECT a AS "${'é'.repeat(32)}" FROM _input`, 'sql_invalid', '"é', '64 bytes'],
  [`SELECT '😀', "${'a""'.repeat(40)}" FROM _input`, 'sql_invalid', '"a', '80 bytes'],
  ['SELECT a\u0000 FROM _input', 'sql_syntax', '\u0000', 'U+0000', 'no NUL'],
  ["SELECT 'a\u0001' FROM _input", 'sql_syntax', '\u0001', 'U+0001', "E'\\x01'"],
  ["SELECT '\ud83d' FROM _input", 'sql_syntax', '', 'surrogate'],
  // errors of the grammar count characters, not bytes
  ["SELECT 'é😀', , x", 'sql_syntax', ', x', 'syntax error'],
  ["SELECT 'abc", 'sql_syntax', "'abc", 'unterminated'],
  ['SELECT /* abc', 'sql_syntax', '/* abc', 'unterminated'],
  ['SELECT a FROM', 'sql_syntax', '$', 'end of input'],
  // reserved words as bare fields
  ['SELECT offset FROM _input', 'sql_syntax', 'FROM', '"offset" in double quotes or _input.offset'],
  ['SELECT order FROM _input', 'sql_syntax', 'FROM', '"order" in double quotes or _input.order'],
  ['SELECT group FROM _input', 'sql_syntax', 'FROM', '"group" in double quotes or _input.group'],
  ['SELECT end FROM _input', 'sql_syntax', 'end', '"end" in double quotes or _input.end'],
  ['SELECT left FROM _input', 'sql_syntax', 'FROM', '"left" in double quotes or _input.left'],
  ['SELECT table FROM _input', 'sql_syntax', 'table', '"table" in double quotes or _input.table'],
  ['SELECT a FROM _input GROUP country', 'sql_syntax', 'country', 'Otherwise write GROUP BY'],
  // one SELECT
  ['SELECT 1;  SELECT 2', 'sql_unsupported', 'SELECT 2', 'more than one'],
  ['  DELETE FROM x', 'sql_unsupported', 'DELETE', 'found DELETE'],
  ['SET x = 1', 'sql_unsupported', 'SET', 'only SELECT'],
  ['CREATE TABLE x (a int)', 'sql_unsupported', 'CREATE', 'found CREATE'],
  [' ; ', 'sql_syntax', ' ;', 'empty'],
  ['', 'sql_syntax', '$', 'empty'],
  // what would overflow the parser's stack never reaches it
  [`SELECT ${'(SELECT '.repeat(1_001)}1${')'.repeat(1_001)}`, 'sql_invalid', '(SELECT', 'nested too deeply'],
  [`SELECT ${'('.repeat(20_000)}`, 'sql_invalid', '(((', 'nested too deeply'],
  [`SELECT ${'x+'.repeat(12_000)}x`, 'sql_invalid', '+x', 'nested too deeply'],
  [`SELECT ${'NOT '.repeat(8_000)}x`, 'sql_invalid', 'NOT', 'nested too deeply'],
  [`SELECT ${'CASE WHEN a THEN '.repeat(1_500)}1`, 'sql_invalid', 'CASE', 'nested too deeply'],
  [`SELECT a${'::text'.repeat(4_000)}`, 'sql_invalid', '', 'nested too deeply'],
  [`SELECT 1 ${'UNION SELECT 1 '.repeat(3_000)}`, 'sql_invalid', 'UNION', 'nested too deeply'],
  [`SELECT 1 FROM a ${'JOIN b ON TRUE '.repeat(3_000)}`, 'sql_invalid', '', 'nested too deeply'],
  // parameters
  ['SELECT a FROM r WHERE x = :a AND y = $1', 'sql_invalid', '$1', 'either $1'],
  ['SELECT a :b FROM r', 'sql_syntax', ':b', 'syntax error'],
  ['SELECT (a) :b FROM r', 'sql_syntax', ':b', 'syntax error'],
  ['SELECT a FROM r WHERE x = : a', 'sql_syntax', ': a', 'directly before its name'],
]

test.each(REFUSED.map((refusal) => ({ sql: refusal[0], refusal })))('$sql', ({ sql, refusal }) => {
  expect(refusalOf(() => parseStatement(sql), refusal)).toEqual(refusal)
})

test('a statement longer than allowed is refused before it is read', () => {
  const refusal: Refusal = ["SELECT 'é'", 'statement_too_long', '', '11 bytes', 'at most 10']
  expect(refusalOf(() => parseStatement(refusal[0], { statementBytesMax: 10 }), refusal)).toEqual(refusal)
  expect(parseStatement(refusal[0], { statementBytesMax: 11 }).select.targetList).toHaveLength(1)
})

test('a name of 63 bytes passes as it is', () => {
  const name = `${'é'.repeat(31)}x`
  expect(JSON.stringify(parseStatement(`SELECT "${name}"`).select)).toContain(name)
})

test('locations of nodes are 1-based characters of what was written', () => {
  const sql = "SELECT 'é😀', :country::text, :b, tail"
  const { select, positionOf, parameterNames } = parseStatement(sql)
  const positions = (select.targetList ?? []).map((node) =>
    'ResTarget' in node ? positionOf(node.ResTarget.location) : 0,
  )
  const shown = positions.map((position) =>
    Array.from(sql)
      .slice(position - 1, position + 3)
      .join(''),
  )
  expect(shown).toEqual(["'é😀'", ':cou', ':b, ', 'tail'])
  expect(parameterNames).toEqual(['country', 'b'])
  expect(positionOf(-1)).toBe(0)
})

test('an error behind a parameter points at what was written', () => {
  const refusal: Refusal = ['SELECT :long_name, :b, ,', 'sql_syntax', ',', 'syntax error']
  expect(refusalOf(() => parseStatement(refusal[0]), refusal)).toEqual(refusal)
})

const PARAMETERS: readonly (readonly [sql: string, names: readonly string[], kept: string])[] = [
  ['SELECT :a', ['a'], '"number":1'],
  ['SELECT :a + :b * :a', ['a', 'b'], '"number":2'],
  ['SELECT x=:a, :minViews', ['a', 'minViews'], '"number":2'],
  ['SELECT :limit, :user', ['limit', 'user'], '"number":2'],
  ['SELECT x::text', [], 'TypeCast'],
  ['SELECT :a::text', ['a'], 'TypeCast'],
  ['SELECT x[1:y]', [], 'is_slice'],
  ['SELECT x[:y]', [], 'is_slice'],
  ['SELECT \':a\', $$:b$$, ":c" -- :d\n /* :e */', [], ':b'],
]

test.each(PARAMETERS)('%s', (sql, names, kept) => {
  const { parameterNames, select } = parseStatement(sql)
  expect(parameterNames).toEqual(names)
  expect(JSON.stringify(select)).toContain(kept)
})

test("the list of reserved words is the grammar's", () => {
  const wasm = readFileSync(
    createRequire(import.meta.url)
      .resolve('libpg-query')
      .replace(/index\.[a-z]+$/, 'libpg-query.wasm'),
  ).toString('latin1')
  const start = wasm.indexOf('abort\0absent\0')
  expect(start).toBeGreaterThan(0)
  const words = new Set(
    wasm
      .slice(start, start + 8_000)
      .split('\0')
      .filter((word) => /^[a-z_]{2,}$/.test(word)),
  )
  const reserved = [...words].filter((word) => {
    const [token] = scanSync(word).tokens
    return token?.keywordName === 'RESERVED_KEYWORD' || token?.keywordName === 'TYPE_FUNC_NAME_KEYWORD'
  })
  expect(reserved.toSorted()).toEqual([...RESERVED_WORDS].toSorted())
})

test.each([
  ['a long list', `SELECT a${', a + 1'.repeat(5_000)}`],
  ['many alternatives', `SELECT a FROM _input WHERE a = 0${' OR a = 1 AND b = 2'.repeat(2_500)}`],
  ['a wide CASE', `SELECT CASE ${'WHEN a = 1 THEN 2 '.repeat(2_500)} END`],
  ['many operators in a row', `SELECT ${'a || '.repeat(900)}b`],
])('%s is no deep nesting', (_name, sql) => {
  expect(parseStatement(sql).select.targetList).toBeDefined()
})

test('at the bound of nesting the parser still has stack left', () => {
  const deepest = [
    `SELECT ${'(SELECT '.repeat(999)}1${')'.repeat(999)}`,
    `SELECT ${'f('.repeat(999)}1${')'.repeat(999)}`,
    `SELECT ${'CASE WHEN a THEN '.repeat(999)}1${' END'.repeat(999)}`,
    `SELECT ${'NOT '.repeat(999)}a`,
    `SELECT ${'x+'.repeat(999)}x`,
    `SELECT 1 ${'UNION SELECT 1 '.repeat(999)}`,
  ]
  for (const sql of deepest) expect(parseStatement(sql).select).toBeDefined()
})
