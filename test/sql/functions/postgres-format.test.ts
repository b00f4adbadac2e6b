/** PostgreSQL as the oracle (postgres-oracle.ts): texts that are placed, quoted, encoded, formatted, and SIMILAR TO. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { similarToRegexp } from '../../../src/sql/similar-pattern.ts'
import { call } from './call.ts'
import { agree, shown, startPostgres, words } from './postgres-oracle.ts'

startPostgres()

const joined = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '€', '\u{1f600}', "'", '"', '\\', '_', '1'),
  maxLength: 9,
})
const places = fc.integer({ min: -2, max: 9 })

test('overlay', async () => {
  await agree(
    fc.tuple(joined, joined, places, places),
    'overlay(a PLACING b FROM c::int FOR d::int)',
    ([a, b, c, d]) => [a, b, String(c), String(d)],
    (row) => shown(call('function', 'overlay', ...row)),
  )
  await agree(
    fc.tuple(joined, joined, places),
    'overlay(a PLACING b FROM c::int)',
    ([a, b, c]) => [a, b, String(c)],
    (row) => shown(call('function', 'overlay', ...row)),
  )
})

const names = fc.oneof(
  joined,
  fc.constantFrom(
    'order',
    'Order',
    'between',
    'values',
    'name',
    'left',
    'text',
    'a b',
    '',
    '9a',
    '_a9',
    'précis',
    'year',
  ),
)

test('quote_literal, quote_nullable and quote_ident', async () => {
  for (const name of ['quote_literal', 'quote_nullable', 'quote_ident']) {
    await agree(
      names,
      `${name}(a)`,
      (a) => [a],
      (a) => shown(call('function', name, a)),
    )
  }
  await agree(
    fc.constant(null),
    'quote_nullable(a)',
    (a) => [a],
    (a) => shown(call('function', 'quote_nullable', a)),
  )
})

test('every word of the grammar is quoted as a name where PostgreSQL quotes it', async () => {
  const keywords = `(SELECT string_agg(word, ',' ORDER BY word) FROM pg_get_keywords())`
  let all: string[] = []
  await agree(
    fc.constant(''),
    keywords,
    (a) => [a],
    (_, theirs) => {
      all = (theirs ?? '').split(',')
      return theirs
    },
  )
  expect(all.length).toBeGreaterThan(400)
  await agree(
    fc.constant(''),
    `(SELECT string_agg(quote_ident(word), ',' ORDER BY word) FROM pg_get_keywords())`,
    (a) => [a],
    () => all.map((word) => shown(call('function', 'quote_ident', word))).join(','),
  )
})

const long = fc.string({ unit: fc.constantFrom('a', 'é', '\u{1f600}', '+', '\n'), maxLength: 200 })

test('encode and decode', async () => {
  for (const format of ['base64', 'hex', 'HEX']) {
    await agree(
      fc.oneof(words, long),
      `encode(convert_to(a, 'UTF8'), '${format}')`,
      (a) => [a],
      (a) => shown(call('function', 'encode', a, format)),
    )
    await agree(
      fc.oneof(words, long),
      `convert_from(decode(encode(convert_to(a, 'UTF8'), '${format}'), '${format}'), 'UTF8')`,
      (a) => [a],
      (a) => shown(call('function', 'decode', call('function', 'encode', a, format) as string, format)),
    )
  }
  // a = inside is refused here, and taken there
  const digits = fc
    .tuple(
      fc.string({ unit: fc.constantFrom('4', '1', '6', 'a', 'B', 'f', ' ', '\n', 'g', '/', '+'), maxLength: 9 }),
      fc.constantFrom('', '', '=', '==', '= ='),
    )
    .map(([head, tail]) => head + tail)
  for (const format of ['base64', 'hex']) {
    await agree(
      digits,
      `convert_from(decode(a, '${format}'), 'UTF8')`,
      (a) => [a],
      (a) => shown(call('function', 'decode', a, format)),
    )
  }
  expect(call('function', 'decode', 'gA==', 'base64')).toEqual({ error: 'invalid_text' })
  expect(call('function', 'encode', 'a', 'escape')).toEqual({ error: 'invalid_argument' })
})

const piece = fc.oneof(
  fc.constantFrom(
    '%s',
    '%I',
    '%L',
    '%%',
    '%',
    'a',
    'é',
    ' ',
    '%1$s',
    '%2$L',
    '%3$I',
    '%4$s',
    '%0$s',
    '%5s',
    '%-5s',
    '%-*s',
    '%*2$s',
  ),
  fc.constantFrom('%*s', '%--7L', '%2$-4s', '%2$*1$s', '%d', '%1s', '%3$6s', '%1$', '%-', '%10'),
)
const templates = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))

test('format', async () => {
  await agree(
    fc.tuple(templates, names, fc.oneof(fc.constant(null), names)),
    'format(a, b, c)',
    (row) => row,
    (row) => shown(call('function', 'format', ...row)),
  )
  await agree(
    fc.tuple(templates, fc.integer({ min: -6, max: 9 }), fc.boolean(), names),
    'format(a, b::int, c::boolean, d)',
    ([a, b, c, d]) => [a, String(b), String(c), d],
    (row) => shown(call('function', 'format', ...row)),
  )
})

test('SIMILAR TO', async () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'ab', '1', 'é', '.', '%', '_', '\\', '\n'), maxLength: 7 })
  const parts = fc.constantFrom(
    'a',
    'b',
    '%',
    '_',
    '(a|b)',
    '[ab]',
    '[^a]',
    '.',
    '$',
    '^',
    '\\%',
    '\\_',
    '\\\\',
    '(ab)+',
    '_*',
    'a?',
    '%{2}',
    '|',
    '1{1,2}',
  )
  const patterns = fc.array(parts, { maxLength: 4 }).map((pieces) => pieces.join(''))
  for (const [operator, ours] of [
    ['SIMILAR TO', '~'],
    ['NOT SIMILAR TO', '!~'],
  ] as const) {
    await agree(
      fc.tuple(texts, patterns),
      `a ${operator} b`,
      (row) => row,
      ([text, pattern]) => shown(call('operator', ours, text, similarToRegexp(pattern, '\\'))),
    )
  }
  await agree(
    fc.tuple(texts, patterns),
    `a SIMILAR TO b ESCAPE '#'`,
    ([text, pattern]) => [text, pattern.replaceAll('\\', '#')],
    ([text, pattern]) => shown(call('operator', '~', text, similarToRegexp(pattern.replaceAll('\\', '#'), '#'))),
  )
})
