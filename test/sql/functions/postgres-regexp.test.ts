/** PostgreSQL as the oracle (postgres-oracle.ts): regular expressions that both engines take. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Answer, call } from './call.ts'
import { agree, shown, startPostgres } from './postgres-oracle.ts'

startPostgres()

const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'ab', 'B', '1', 'é', '\u{1f600}', '\n', '-'), maxLength: 9 })
const atoms = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '(a|ab)',
  '(b)',
  '\\d',
  '1',
  'é',
  '[[:digit:]]',
  '(?:a|b1)',
)
const quantified = fc.tuple(atoms, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}')).map(([a, b]) => a + b)
const patterns = fc
  .tuple(
    fc.constantFrom('', '', '^'),
    fc.array(quantified, { maxLength: 3 }),
    fc.constantFrom('', '', '$', '|b', '|^1'),
  )
  .map(([head, body, tail]) => head + body.join('') + tail)

for (const operator of ['~', '~*', '!~', '!~*'] as const) {
  test(`text ${operator} pattern`, async () => {
    await agree(
      fc.tuple(texts, patterns),
      `a ${operator} b`,
      ([a, b]) => [a, b],
      ([a, b]) => shown(call('operator', operator, a, b)),
    )
  })
}

test('regexp_like, regexp_count and regexp_substr: the longest of the leftmost matches', async () => {
  for (const name of ['regexp_like', 'regexp_count', 'regexp_substr']) {
    await agree(
      fc.tuple(texts, patterns),
      `${name}(a, b)`,
      ([a, b]) => [a, b],
      ([a, b]) => shown(call('function', name, a, b)),
    )
  }
  await agree(
    fc.tuple(texts, patterns, fc.constantFrom('', 'i', 'c', 'ic', 'ci')),
    'regexp_like(a, b, c)',
    (row) => row,
    (row) => shown(call('function', 'regexp_like', ...row)),
  )
})

test('regexp_replace', async () => {
  const replacements = fc.constantFrom('', '-', '<\\&>', '\\\\', '\\', 'x\\', '\\0', '$1', 'é')
  await agree(
    fc.tuple(texts, patterns, replacements, fc.constantFrom('', 'g', 'gi', 'i')),
    'regexp_replace(a, b, c, d)',
    (row) => row,
    (row) => shown(call('function', 'regexp_replace', ...row)),
  )
  await agree(
    fc.tuple(texts, fc.constantFrom('(a)(b)?', '([ab])', '(b)(1)', '(a)+'), fc.constantFrom('\\1', '[\\2\\1]', '\\3')),
    `regexp_replace(a, b, c, 'g')`,
    (row) => row,
    ([a, b, c]) => shown(call('function', 'regexp_replace', a, b, c, 'g')),
  )
})

test('a pattern that a record brings and the engine does not take is an error of the record', () => {
  for (const pattern of ['(', '(?=a)', '(a)\\1', '\\mx', 'a{1,2000}'])
    expect(call('operator', '~', 'a', pattern), pattern).toEqual({ error: 'invalid_argument' })
  expect(call('function', 'regexp_replace', 'a'.repeat(20_000), 'a', 'b'.repeat(1_000), 'g')).toEqual({
    error: 'invalid_argument',
  })
})

test('a pattern that would take a backtracking engine for ever is no matter', () => {
  expect(call('operator', '~', 'a'.repeat(5_000), '^(a+)+$x')).toBe(false)
})

test('regexp_match and regexp_split_to_array', async () => {
  for (const name of ['regexp_match', 'regexp_split_to_array'] as const) {
    // what a group that could match in several ways holds: docs/SQL.md
    const given = name === 'regexp_match' ? patterns.filter((pattern) => !pattern.includes('(a|ab)')) : patterns
    await agree(
      fc.tuple(texts, given),
      `array_to_json(${name}(a, b))`,
      ([a, b]) => [a, b],
      ([a, b]) => arrayShown(call('function', name, a, b)),
    )
  }
})

test('string_to_array and array_to_string', async () => {
  const separators = fc.option(fc.constantFrom('', 'a', 'b', 'ab', '-', 'é'))
  await agree(
    fc.tuple(texts, separators, separators),
    'array_to_json(string_to_array(a, b, c))',
    (row) => row,
    (row) => arrayShown(call('function', 'string_to_array', ...row)),
  )
  await agree(
    fc.tuple(fc.array(fc.option(texts), { maxLength: 4 }), separators, separators),
    'array_to_string(ARRAY(SELECT json_array_elements_text(a::json)), b, c)',
    ([a, b, c]) => [JSON.stringify(a), b, c],
    ([a, b, c]) => shown(call('function', 'array_to_string', { json: JSON.stringify(a) }, b, c)),
  )
  expect(call('function', 'array_to_string', { json: '[1,true,2.5,[3],null]' }, '|')).toBe('1|true|2.5|[3]')
})

/** The array as array_to_json has it. */
function arrayShown(answer: Answer): string | null {
  return answer !== null && typeof answer === 'object' && 'json' in answer ? answer.json : shown(answer)
}

test('escapes that have another name in the engine', async () => {
  const subjects = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '\\', '\b', '\n'), maxLength: 7 })
  const escapes = fc.constantFrom('\\ya', 'a\\y', '\\Ya', 'a\\Z', '\\Aa', '\\B', 'a[\\b]', '\\yb\\y')
  await agree(
    fc.tuple(subjects, escapes),
    'a ~ b',
    ([a, b]) => [a, b],
    ([a, b]) => shown(call('operator', '~', a, b)),
  )
  expect(call('operator', '~', 'a b', '\\bb')).toEqual({ error: 'invalid_argument' })
})
