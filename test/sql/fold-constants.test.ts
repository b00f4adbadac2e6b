/** What is computed when a statement is compiled, and what is left to each row. */
import { expect, test } from 'vitest'
import { ConstantFolder } from '../../src/sql/fold-constants.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { printExpression } from '../../src/sql/print-expression.ts'
import { analyse } from './analyse.ts'

await loadParser()

function folded(text: string): string {
  return printExpression(new ConstantFolder().fold(analyse(text)))
}

test.each([
  ["'1.190'::numeric", '1.19'],
  ['price::numeric * 1.19::numeric', 'price::numeric * 1.19'],
  ["ts::timestamptz + interval '1 hour' * 2", "ts::timestamptz + INTERVAL '2 hours'"],
  ['x > 2 + 3 * 4', 'x > 14'],
  ["page LIKE upper('a') || '%'", "page LIKE 'A%'"],
  ['x IN (1 + 1, 2 * 2)', 'x IN (2, 4)'],
  ["CASE WHEN x = 1 THEN 1 + 1 ELSE length('äb') END", 'CASE WHEN x = 1 THEN 2 ELSE 2 END'],
  ['NULL::bigint + 1', 'NULL::bigint'],
  ["now_is IS DISTINCT FROM '2026-01-01'::date + 1", "now_is IS DISTINCT FROM '2026-01-02'::date"],
  ['sqrt(2::double precision) > 1', 'TRUE'],
  ["'Infinity'::double precision", "'Infinity'::double precision"],
  ["'-0'::double precision", '0.0'],
  [`'{"b": 1, "a": 1.50}'::jsonb`, `'{"a":1.5,"b":1}'::jsonb`],
])('%s is %s', (text, expected) => {
  expect(folded(text)).toBe(expected)
})

test.each([
  'x + 1 / 0',
  '9223372036854775807 + 1',
  "x = 'a'::text::bigint",
  "page ~ concat('(', 'a')",
  "page LIKE 'a' || '\\'",
  "repeat('ab', 1000)",
])('%s is left as it is written', (text) => {
  expect(folded(text)).toBe(printExpression(analyse(text)))
})

test('what is folded is not folded again', () => {
  const folder = new ConstantFolder()
  const once = folder.fold(analyse('greatest(x, 1 + 1) + 1 / 0'))
  expect(folder.fold(once)).toBe(once)
})
