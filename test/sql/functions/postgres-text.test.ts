/** PostgreSQL as the oracle (postgres-oracle.ts): functions of text. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { call, type Value } from './call.ts'
import { agree, int64, shown, startPostgres, words } from './postgres-oracle.ts'

startPostgres()

/** Few letters, so that parts and separators meet; every length of UTF-8. */
const short = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', '\u{1f600}'), maxLength: 3 })
const joined = fc.string({ unit: fc.constantFrom('a', 'b', 'ab', 'é', '€', '\u{1f600}', ','), maxLength: 9 })
const counts = fc.oneof(fc.integer({ min: -6, max: 9 }), fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)))
const lengths = fc.integer({ min: -3, max: 14 })

for (const name of ['left', 'right', 'repeat'] as const) {
  test(`${name}(text, count)`, async () => {
    await agree(
      fc.tuple(joined, name === 'repeat' ? lengths : counts),
      `${name}(a, b::int)`,
      ([a, b]) => [a, String(b)],
      ([a, b]) => shown(call('function', name, a, b)),
    )
  })
}

for (const name of ['lpad', 'rpad'] as const) {
  test(`${name}(text, length [, fill])`, async () => {
    await agree(
      fc.tuple(joined, lengths, short),
      `${name}(a, b::int, c)`,
      ([a, b, c]) => [a, String(b), c],
      ([a, b, c]) => shown(call('function', name, a, b, c)),
    )
    await agree(
      fc.tuple(words, lengths),
      `${name}(a, b::int)`,
      ([a, b]) => [a, String(b)],
      ([a, b]) => shown(call('function', name, a, b)),
    )
  })
}

test('split_part', async () => {
  await agree(
    fc.tuple(joined, fc.oneof(short, fc.constantFrom(',', 'a', '')), fc.oneof(fc.integer({ min: -4, max: 4 }), counts)),
    'split_part(a, b, c::int)',
    ([a, b, c]) => [a, b, String(c)],
    ([a, b, c]) => shown(call('function', 'split_part', a, b, c)),
  )
})

test('strpos and position, starts_with and ^@', async () => {
  const pairs = fc.tuple(joined, short)
  for (const [expression, ours] of [
    ['strpos(a, b)', (a: string, b: string) => call('function', 'strpos', a, b)],
    ['position(b IN a)', (a: string, b: string) => call('function', 'strpos', a, b)],
    ['starts_with(a, b)', (a: string, b: string) => call('function', 'starts_with', a, b)],
    ['a ^@ b', (a: string, b: string) => call('operator', '^@', a, b)],
  ] as const) {
    await agree(
      pairs,
      expression,
      ([a, b]) => [a, b],
      ([a, b]) => shown(ours(a, b)),
    )
  }
})

test('reverse, ascii, octet_length, bit_length', async () => {
  for (const name of ['reverse', 'ascii', 'octet_length', 'bit_length']) {
    await agree(
      fc.oneof(joined, words),
      `${name}(a)`,
      (a) => [a],
      (a) => shown(call('function', name, a)),
    )
  }
})

test('hashes', async () => {
  const expressions = {
    md5: 'md5(a)',
    ...Object.fromEntries(
      ['sha224', 'sha256', 'sha384', 'sha512'].map((name) => [name, `encode(${name}(convert_to(a, 'UTF8')), 'hex')`]),
    ),
    crc32: "crc32(convert_to(a, 'UTF8'))",
  }
  for (const [name, expression] of Object.entries(expressions)) {
    await agree(
      fc.oneof(joined, words),
      expression,
      (a) => [a],
      (a) => shown(call('function', name, a)),
    )
  }
})

test('initcap of ASCII', async () => {
  await agree(
    fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
    'initcap(a)',
    (a) => [a],
    (a) => shown(call('function', 'initcap', a)),
  )
  // PGlite's locale knows ASCII alone
  expect(call('function', 'initcap', 'élan ÉCOLE straße-ÖL e\u0301cole')).toBe('Élan École Straße-Öl E\u0301cole')
})

test('translate', async () => {
  await agree(
    fc.tuple(joined, short, short),
    'translate(a, b, c)',
    ([a, b, c]) => [a, b, c],
    ([a, b, c]) => shown(call('function', 'translate', a, b, c)),
  )
})

test('chr, to_hex, to_oct and to_bin', async () => {
  const codes = fc.oneof(
    fc.integer({ min: -2, max: 300 }),
    fc.integer({ min: 0xd700, max: 0xe100 }),
    fc.integer({ min: 0x10fff0, max: 0x110010 }),
    fc.constantFrom(0, 128, 0x7ff, 0x800, 0xffff, 0x10000, 2 ** 31 - 1),
  )
  await agree(
    codes,
    'chr(a::int)',
    (a) => [String(a)],
    (a) => shown(call('function', 'chr', a)),
  )
  for (const name of ['to_hex', 'to_oct', 'to_bin']) {
    await agree(
      int64,
      `${name}(a::bigint)`,
      (a) => [String(a)],
      (a) => shown(call('function', name, a)),
    )
  }
})

const pieces = fc.oneof(fc.constant(null), joined)

test('concat and concat_ws leave nulls out', async () => {
  await agree(
    fc.tuple(pieces, pieces, pieces, pieces),
    'concat(a, b, c, d)',
    (row) => row,
    (row) => shown(call('function', 'concat', ...row)),
  )
  await agree(
    fc.tuple(pieces, pieces, pieces, pieces),
    'concat_ws(a, b, c, d)',
    (row) => row,
    (row) => shown(call('function', 'concat_ws', ...row)),
  )
  await agree(
    fc.tuple(pieces, int64),
    'concat(a, b::bigint)',
    ([a, b]) => [a, String(b)],
    ([a, b]) => shown(call('function', 'concat', a, b)),
  )
  await agree(
    fc.tuple(pieces, fc.boolean(), fc.boolean()),
    'concat_ws(a, b::boolean, c::boolean)',
    ([a, b, c]) => [a, String(b), String(c)],
    (row) => shown(call('function', 'concat_ws', ...row)),
  )
})

test('what would be longer than 16 MiB is refused', () => {
  const half = 'ab'.repeat(4 * 1024 * 1024 + 1)
  const refused = { error: 'invalid_argument' }
  const calls: readonly (readonly [string, ...Value[]])[] = [
    ['repeat', 'abc', 2 ** 40],
    ['repeat', 'abc', 2n ** 62n],
    ['lpad', 'a', 16 * 1024 * 1024 + 1],
    ['rpad', 'é', 16 * 1024 * 1024],
    ['concat', half, half],
    ['concat_ws', ',', half, half],
  ]
  for (const [name, ...args] of calls) expect(call('function', name, ...args), name).toEqual(refused)
  expect(call('function', 'repeat', '', 2 ** 40)).toBe('')
})
