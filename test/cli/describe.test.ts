/** What the command line shows to people: tables, broken statements, places in a statement. */
import { expect, test } from 'vitest'
import { breakStatement } from '../../src/cli/break-statement.ts'
import { readResult } from '../../src/cli/exact-rows.ts'
import { excerpt } from '../../src/cli/statement-source.ts'
import { cutText, formatTable } from '../../src/cli/text-table.ts'

test('numbers stand to the right, null is told from an empty text, all digits stay', () => {
  const answer = `{"columns":[{"name":"city"},{"name":"sum"}],"truncated":false,
    "rows":[{"city":"Köln","sum":9007199254740993},{"city":"","sum":null},{"city":null,"sum":-1.5e300}]}`
  const { columns, rows } = readResult(answer)
  expect(formatTable(columns, rows).split('\n')).toEqual([
    'city               sum',
    '----  ----------------',
    'Köln  9007199254740993',
    '                  NULL',
    'NULL          -1.5e300',
  ])
})

test('a cell is one line of the width that a terminal shows', () => {
  const rows = [
    ['東京', 'a\nb\u001B[2J'],
    ['e\u0301', 'c'],
    ['👍', 'd'],
  ]
  expect(formatTable(['k', 'v'], rows).split('\n')).toEqual([
    'k     v',
    '----  -------------',
    String.raw`東京  a\nb\u001b[2J`,
    'e\u0301     c',
    '👍    d',
  ])
})

test('a table without rows has its headings', () => {
  expect(formatTable(['a', 'bc'], [])).toBe('a  bc\n-  --')
})

test('a text is cut between characters', () => {
  expect(cutText('abcdef', 6)).toBe('abcdef')
  expect(cutText('👍👍👍👍👍👍👍', 5)).toBe('👍👍...')
})

test('a statement is broken before its clauses, not inside of parentheses, texts and IS DISTINCT FROM', () => {
  const sql =
    "SELECT extract(hour FROM t) AS k0, SUM(x) FILTER (WHERE a = 'GROUP BY, FROM') AS p0, COUNT(ok) AS records FROM _input WHERE a IS DISTINCT FROM b GROUP BY 1"
  const broken = breakStatement(sql)
  expect(broken.split('\n')).toEqual([
    "SELECT extract(hour FROM t) AS k0, SUM(x) FILTER (WHERE a = 'GROUP BY, FROM') AS p0,",
    '       COUNT(ok) AS records',
    'FROM _input',
    'WHERE a IS DISTINCT FROM b',
    'GROUP BY 1',
  ])
  expect(broken.replaceAll(/\s+/g, ' ')).toBe(sql)
})

test('an error shows its line with a mark', () => {
  const source = { file: 'a.sql', sql: '-- 👍\nSELECT\tcity\nFROM x' }
  expect(excerpt(source, 13)).toEqual(['a.sql:2:8', '  SELECT city', '         ^'])
  expect(excerpt({ ...source, file: undefined }, 1)).toEqual(['  -- 👍', '  ^'])
  // the end of the statement, where something is missing
  expect(excerpt(source, 24)).toEqual(['a.sql:3:7', '  FROM x', '        ^'])
})

test('of a long line the part around the place is shown', () => {
  const sql = `SELECT ${'a, '.repeat(200)}x FROM _input`
  const [line = '', mark = ''] = excerpt({ file: undefined, sql }, sql.indexOf('x') + 1)
  expect(line.length).toBeLessThan(110)
  expect(line[mark.indexOf('^')]).toBe('x')
})
