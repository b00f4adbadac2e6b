/** PostgreSQL as the oracle (postgres-oracle.ts): JSON values, and comparisons with arrays and of rows. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Answer, call, callFully, type Value } from './call.ts'
import { agree, doubles, int64, shown, startPostgres, words } from './postgres-oracle.ts'

startPostgres()

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain }

/** Few keys and values, so that both sides meet; depth, duplicates, numbers in several forms. */
const scalars = fc.oneof(
  fc.constantFrom<Plain>(null, true, false, 'a', 'b', '', 'é', '1'),
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom(1.5, 100, -0.25, 12_345_678_901),
)
const { json } = fc.letrec<{ json: Plain }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'é', '', '1'), tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const containers = json.filter((value) => typeof value === 'object' && value !== null)
const arrays = fc.array(json, { maxLength: 4 })

const spaced = (value: Plain): string =>
  JSON.stringify(value, null, 1).replaceAll('1.5', '15e-1').replaceAll('100', '1.00E2')
/** What a jsonb of that text holds here; JSON's null is NULL. */
function toJsonb(text: string): Answer {
  return call('cast', 'jsonb', text)
}
/** An answer as an argument again. */
function again(answer: Answer): Value {
  return typeof answer === 'number' && !Number.isInteger(answer) ? { double: answer } : (answer as Value)
}

const load = (value: Plain): Value => again(toJsonb(spaced(value)))
const canonical = (answer: Answer): string | null => {
  if (answer !== null && typeof answer === 'object' && 'error' in answer) return 'refused'
  return answer === null ? null : (callFully('cast', 'text', [again(answer)], ['jsonb']).answer as string)
}

/** The answer in PostgreSQL's words where both mean the same JSON. */
function sameJson(answer: Answer, theirs: string | null): string | null {
  const ours = canonical(answer)
  const plain = theirs === null || theirs === 'refused' || theirs === 'null' ? theirs : canonical(toJsonb(theirs))
  // JSON's null as a whole value is NULL here
  return ours === plain || (ours === null && theirs === 'null') ? theirs : ours
}

const both = fc.tuple(json, json).filter((values) => !values.includes(null))

function operator(name: string, left: Plain, right: Plain): Answer {
  return callFully('operator', name, [load(left), load(right)], ['jsonb', 'jsonb']).answer
}

for (const name of ['@>', '<@'] as const) {
  test(`jsonb ${name} jsonb`, async () => {
    const nearby = fc.tuple(containers, json).map(([whole, other]): readonly [Plain, Plain] => {
      const part = Array.isArray(whole) ? (whole[0] ?? other) : other
      return [whole, part]
    })
    for (const pairs of [both, nearby.filter((values) => !values.includes(null))]) {
      await agree(
        pairs,
        `a::jsonb ${name} b::jsonb`,
        ([a, b]) => [spaced(a), spaced(b)],
        ([a, b]) => shown(operator(name, a, b)),
      )
    }
  })
}

test('jsonb || jsonb', async () => {
  await agree(
    both,
    'a::jsonb || b::jsonb',
    ([a, b]) => [spaced(a), spaced(b)],
    ([a, b], theirs) => sameJson(operator('||', a, b), theirs),
  )
})

const keys = fc.constantFrom('a', 'b', 'ab', 'é', '', '1', 'c')

test('? and -', async () => {
  const pairs = fc.tuple(containers, keys)
  await agree(
    pairs,
    'a::jsonb ? b',
    ([a, b]) => [spaced(a), b],
    ([a, b]) => shown(callFully('operator', '?', [load(a), b], ['jsonb', 'text']).answer),
  )
  await agree(
    pairs,
    'a::jsonb - b',
    ([a, b]) => [spaced(a), b],
    ([a, b], theirs) => sameJson(callFully('operator', '-', [load(a), b], ['jsonb', 'text']).answer, theirs),
  )
  await agree(
    fc.tuple(containers, fc.integer({ min: -4, max: 4 })),
    'a::jsonb - b::int',
    ([a, b]) => [spaced(a), String(b)],
    ([a, b], theirs) => sameJson(callFully('operator', '-', [load(a), b], ['jsonb', 'bigint']).answer, theirs),
  )
})

test('?|, ?& and - of several keys', async () => {
  const pairs = fc.tuple(containers, fc.array(keys, { maxLength: 3 }))
  for (const name of ['?|', '?&', '-'] as const) {
    await agree(
      pairs,
      `a::jsonb ${name} ARRAY(SELECT json_array_elements_text(b::json))`,
      ([a, b]) => [spaced(a), JSON.stringify(b)],
      ([a, b], theirs) => {
        const { answer } = callFully('operator', name, [load(a), { json: JSON.stringify(b) }], ['jsonb', 'jsonb'])
        return typeof answer === 'boolean' ? shown(answer) : sameJson(answer, theirs)
      },
    )
  }
})

test('jsonb_typeof, jsonb_array_length, cardinality, array_length', async () => {
  await agree(
    json.filter((value) => value !== null),
    'jsonb_typeof(a::jsonb)',
    (a) => [spaced(a)],
    (a) => shown(callFully('function', 'jsonb_typeof', [load(a)], ['jsonb']).answer),
  )
  await agree(
    json.filter((value) => value !== null),
    'jsonb_array_length(a::jsonb)',
    (a) => [spaced(a)],
    (a) => shown(callFully('function', 'jsonb_array_length', [load(a)], ['jsonb']).answer),
  )
  const toArray = 'ARRAY(SELECT jsonb_array_elements(a::jsonb))'
  for (const [sql, name, more] of [
    [`cardinality(${toArray})`, 'cardinality', []],
    [`array_length(${toArray}, 1)`, 'array_length', [1]],
  ] as const) {
    await agree(
      arrays,
      sql,
      (a) => [spaced(a)],
      (a) =>
        shown(callFully('function', name, [load(a), ...more], ['jsonb', ...more.map(() => 'bigint' as const)]).answer),
    )
  }
})

test('jsonb_strip_nulls, jsonb_extract_path, jsonb_extract_path_text', async () => {
  await agree(
    json.filter((value) => value !== null),
    'jsonb_strip_nulls(a::jsonb)',
    (a) => [spaced(a)],
    (a, theirs) => sameJson(callFully('function', 'jsonb_strip_nulls', [load(a)], ['jsonb']).answer, theirs),
  )
  const steps = fc.constantFrom('a', 'b', '0', '1', '-1', 'é')
  const paths = fc.tuple(containers, steps, steps)
  await agree(
    paths,
    'jsonb_extract_path(a::jsonb, b, c)',
    ([a, b, c]) => [spaced(a), b, c],
    ([a, b, c], theirs) => {
      const { answer } = callFully('function', 'jsonb_extract_path', [load(a), b, c], ['jsonb', 'text', 'text'])
      return sameJson(answer, theirs)
    },
  )
  await agree(
    paths,
    'jsonb_extract_path_text(a::jsonb, b, c)',
    ([a, b, c]) => [spaced(a), b, c],
    ([a, b, c], theirs) => {
      const { answer } = callFully('function', 'jsonb_extract_path_text', [load(a), b, c], ['jsonb', 'text', 'text'])
      const isJson = theirs !== null && /^[[{\d-]/.test(theirs) && theirs !== '-'
      return isJson && canonical(toJsonb(theirs)) === answer ? theirs : shown(answer)
    },
  )
})

const pathSteps = fc.constantFrom(
  'a',
  'b',
  'ab',
  '0',
  '1',
  '-1',
  '-9',
  '9',
  ' 1',
  '1 ',
  '+0',
  '007',
  '',
  '2147483648',
  null,
)
const pathLists = fc.array(pathSteps, { maxLength: 3 })
const THEIR_PATH = 'ARRAY(SELECT json_array_elements_text(b::json))'

test('#>, #>> and #- take paths of any steps', async () => {
  for (const name of ['#>', '#-'] as const) {
    await agree(
      fc.tuple(
        json.filter((value) => value !== null),
        pathLists,
      ),
      `a::jsonb ${name} ${THEIR_PATH}`,
      ([a, b]) => [spaced(a), JSON.stringify(b)],
      ([a, b], theirs) => {
        const { answer } = callFully('operator', name, [load(a), { json: JSON.stringify(b) }], ['jsonb', 'jsonb'])
        return sameJson(answer, theirs)
      },
    )
  }
})

test('jsonb_set, jsonb_insert, jsonb_set_lax', async () => {
  const flags = fc.boolean()
  // JSON's null as the target is NULL here
  const targets = fc.oneof(
    containers,
    json.filter((value) => value !== null),
  )
  const settings = fc.tuple(targets, pathLists, json, flags)
  for (const name of ['jsonb_set', 'jsonb_insert'] as const) {
    await agree(
      settings.filter(([, , value]) => value !== null),
      `${name}(a::jsonb, ${THEIR_PATH}, c::jsonb, d::boolean)`,
      ([a, b, c, d]) => [spaced(a), JSON.stringify(b), spaced(c), String(d)],
      ([a, b, c, d], theirs) => {
        const values = [load(a), { json: JSON.stringify(b) }, load(c), d]
        return sameJson(callFully('function', name, values, ['jsonb', 'jsonb', 'jsonb', 'boolean']).answer, theirs)
      },
    )
  }
  for (const treatment of ['use_json_null', 'delete_key', 'return_target', 'raise_exception', 'none', null]) {
    await agree(
      settings,
      `jsonb_set_lax(a::jsonb, ${THEIR_PATH}, NULLIF(c::jsonb, 'null'), d::boolean, ${treatment === null ? 'NULL' : `'${treatment}'`})`,
      ([a, b, c, d]) => [spaced(a), JSON.stringify(b), spaced(c), String(d)],
      ([a, b, c, d], theirs) => {
        const values = [load(a), { json: JSON.stringify(b) }, load(c), d, treatment]
        const types = ['jsonb', 'jsonb', 'jsonb', 'boolean', 'text'] as const
        return sameJson(callFully('function', 'jsonb_set_lax', values, types).answer, theirs)
      },
    )
  }
})

test('of a key that stands twice the last one is changed, and both are removed', () => {
  const twice = { json: '{"a": 1, "b": 0, "a": {"c": 1}}' }
  expect(canonical(callFully('operator', '#-', [twice, '{a}'], ['jsonb', 'text']).answer)).toBe('{"b":0}')
  const set = callFully('function', 'jsonb_set', [twice, '{a,c}', 2], ['jsonb', 'text', 'any']).answer
  expect(canonical(set)).toBe('{"a":{"c":2},"b":0}')
})

test('jsonb_pretty, jsonb_strip_nulls in arrays', async () => {
  // numbers have one form here
  const plain = (value: Plain): string => JSON.stringify(value, null, 1)
  await agree(
    json.filter((value) => value !== null),
    'jsonb_pretty(a::jsonb)',
    (a) => [plain(a)],
    (a) => shown(callFully('function', 'jsonb_pretty', [load(a)], ['jsonb']).answer),
  )
  await agree(
    fc.tuple(
      json.filter((value) => value !== null),
      fc.boolean(),
    ),
    'jsonb_strip_nulls(a::jsonb, b::boolean)',
    ([a, b]) => [spaced(a), String(b)],
    ([a, b], theirs) =>
      sameJson(callFully('function', 'jsonb_strip_nulls', [load(a), b], ['jsonb', 'boolean']).answer, theirs),
  )
})

test('casts of text to jsonb, and of jsonb to numbers, booleans and text', async () => {
  const broken = fc
    .tuple(json, fc.integer({ min: 0, max: 20 }), fc.constantFrom('', '}', ',', '"', ' ', 'x', '0'))
    .map(([value, at, more]) => {
      const text = spaced(value)
      return text.slice(0, at) + more + text.slice(at + 1)
    })
  await agree(
    fc.oneof(
      broken,
      words,
      fc.constantFrom('01', '1.', '.5', '-', '+1', '1e', 'tru', 'nul', '"\\u00zz"', '"\\ud800"', '"\\u0000"', '\t1\n'),
    ),
    'a::jsonb',
    (a) => [a],
    (a, theirs) => sameJson(toJsonb(a), theirs),
  )
  for (const type of ['bigint', 'numeric', 'boolean', 'double precision'] as const) {
    await agree(
      json.filter((value) => value !== null),
      `(a::jsonb)::${type}`,
      (a) => [spaced(a)],
      (a) => {
        const { answer } = callFully('cast', type, [load(a)], ['jsonb'])
        return shown(answer)
      },
    )
  }
})

test('to_jsonb, jsonb_build_array, jsonb_build_object', async () => {
  for (const [type, values, load_] of [
    ['text', words, (value: string): Value => value],
    ['bigint', int64, (value: bigint): Value => value],
    // whole doubles beyond 2^53 keep all their digits: docs/SQL.md
    [
      'double precision',
      doubles.filter((value) => Math.abs(value) < 2 ** 53),
      (value: number): Value => ({ double: value + 0 }),
    ],
    ['boolean', fc.boolean(), (value: boolean): Value => value],
  ] as readonly [string, fc.Arbitrary<unknown>, (value: never) => Value][]) {
    await agree(
      values,
      `jsonb_build_array(a::${type}, NULL, to_jsonb(a::${type}), jsonb_build_object('k', a::${type}, a::${type}, 1))`,
      (a) => [typeof a === 'number' ? String(a + 0) : String(a)],
      (a, theirs) => {
        const value = load_(a as never)
        const object = call('function', 'jsonb_build_object', 'k', value, value, 1) as Value
        const jsonb = again(call('function', 'to_jsonb', value))
        return sameJson(call('function', 'jsonb_build_array', value, null, jsonb, object), theirs)
      },
    )
  }
  expect(call('function', 'jsonb_build_object', null, 1)).toEqual({ error: 'invalid_argument' })
  expect(call('function', 'jsonb_build_object', { json: '[]' }, 1)).toEqual({ error: 'wrong_kind' })
  expect(call('function', 'jsonb_build_object')).toEqual({ json: '{}' })
  expect(call('function', 'jsonb_build_array')).toEqual({ json: '[]' })
  expect(call('function', 'to_jsonb', { time: '2026-01-01T00:00:00Z' })).toBe('2026-01-01T00:00:00Z')
})

test('comparisons with any and all elements', async () => {
  const numbers = fc.array(fc.option(fc.integer({ min: -1, max: 2 })), { maxLength: 4 })
  for (const name of ['=', '<>', '<', '<=', '>', '>=']) {
    for (const quantifier of ['any', 'all']) {
      await agree(
        fc.tuple(fc.option(fc.integer({ min: -1, max: 2 })), fc.option(numbers)),
        `a::bigint ${name} ${quantifier}(CASE WHEN b IS NULL THEN NULL ELSE ARRAY(SELECT x::bigint FROM json_array_elements_text(b::json) AS x) END)`,
        ([a, b]) => [a === null ? null : String(a), b === null ? null : JSON.stringify(b)],
        ([a, b]) =>
          shown(
            callFully(
              'operator',
              `${name} ${quantifier}`,
              [a, b === null ? null : { json: JSON.stringify(b) }],
              ['bigint', 'jsonb'],
            ).answer,
          ),
      )
    }
  }
})
