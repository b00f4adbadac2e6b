/** PostgreSQL as the oracle (postgres-oracle.ts): powers, logarithms, angles, whole numbers, bits, greatest and least. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { call, callFully, type Answer } from './call.ts'
import { agree, doubles, doubleShown, int64, positiveZero, shown, startPostgres } from './postgres-oracle.ts'

startPostgres()

/** libm's functions and the language's own may differ in the last places. */
const RELATIVE_ERROR_MAX = 2 ** -50

const values = fc
  .oneof(
    doubles,
    fc.double({ min: -20, max: 20, noNaN: true }),
    fc.integer({ min: -9, max: 9 }),
    fc.constantFrom(NaN, Infinity, -Infinity, 0, 1, -1, 0.5, 2, 10, 700, 710, -745, -750, 1e10, 1e-320),
  )
  .map(positiveZero)

/** The double that PostgreSQL gave where ours is next to it; ours where it is not. */
function near(answer: Answer, theirs: string | null): string | null {
  const text = doubleShown(answer)
  if (typeof answer !== 'number' || theirs === null || theirs === 'refused') return text
  const wanted = Number(theirs)
  const isNear = Math.abs(answer - wanted) <= Math.max(Math.abs(wanted) * RELATIVE_ERROR_MAX, Number.MIN_VALUE)
  return isNear ? theirs : text
}

const UNARY = [
  ...['sqrt', 'cbrt', 'exp', 'ln', 'log', 'log10', 'degrees', 'radians', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan'],
  ...['cot', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'],
  ...['sign', 'trunc'],
]

for (const name of UNARY) {
  test(`${name}(double)`, async () => {
    await agree(
      values,
      `${name}(a::float8) + 0`,
      (a) => [String(a)],
      (a, theirs) => near(call('function', name, { double: a }), theirs),
    )
  })
}

for (const [expression, form, name] of [
  ['power(a::float8, b::float8) + 0', 'function', 'power'],
  ['a::float8 ^ b::float8 + 0', 'operator', '^'],
  ['atan2(a::float8, b::float8) + 0', 'function', 'atan2'],
] as const) {
  test(`double ${name} double`, async () => {
    await agree(
      fc.tuple(values, values),
      expression,
      ([a, b]) => [String(a), String(b)],
      ([a, b], theirs) => near(call(form, name, { double: a }, { double: b }), theirs),
    )
  })
}

test('log to a base is the numeric one in doubles', async () => {
  const positive = fc.oneof(
    fc.integer({ min: 0, max: 12 }),
    fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
    fc.constantFrom(1, 2, 3, 10, 81, 1_000, 1_024, -1),
  )
  // the logarithm of a number near 1 hangs on digits that a double doesn't have
  const bases = positive.filter((base) => base === 1 || Math.abs(base - 1) > 0.5)
  await agree(
    fc.tuple(
      bases,
      positive.filter((value) => value === 1 || Math.abs(value - 1) > 0.5),
    ),
    'log(a::numeric, b::numeric)::float8 + 0',
    ([a, b]) => [String(a), String(b)],
    ([a, b], theirs) => {
      const answer = call('function', 'log', { double: a }, { double: b })
      // PostgreSQL's numeric has sixteen places at least: near 0 that is less than a double has
      if (typeof answer === 'number' && theirs !== null && Math.abs(answer - Number(theirs)) < 1e-15) return theirs
      return near(answer, theirs)
    },
  )
  for (const [base, power, exponent] of [
    [3, 243, 5],
    [10, 1_000, 3],
    [2, 2 ** 40, 40],
    [5, 0.2, -1],
  ] as const)
    expect(call('function', 'log', { double: base }, { double: power })).toBe(exponent)
})

test('trunc to places is that of the shortest decimal text', async () => {
  await agree(
    fc.tuple(fc.double({ min: -1e12, max: 1e12, noNaN: true }).map(positiveZero), fc.integer({ min: -4, max: 18 })),
    'trunc(a::numeric, b::int)::float8 + 0',
    ([v, n]) => [String(v), String(n)],
    ([v, n]) => doubleShown(call('function', 'trunc', { double: v }, n)),
  )
})

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 1, max: 12 }))
  .map(([unscaled, scale]) => {
    const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
    return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  })

test('sign, trunc, mod and div of numerics are exact', async () => {
  for (const [expression, name] of [
    ['sign(a::numeric)', 'sign'],
    ['trunc(a::numeric)', 'trunc'],
  ] as const) {
    await agree(
      decimals,
      expression,
      (a) => [a],
      (a) => shown(call('function', name, { numeric: a })),
    )
  }
  await agree(
    fc.tuple(decimals, fc.integer({ min: -6, max: 9 })),
    'trim_scale(trunc(a::numeric, b::int))',
    ([a, b]) => [a, String(b)],
    ([a, b]) => shown(call('function', 'trunc', { numeric: a }, b)),
  )
  for (const name of ['mod', 'div']) {
    await agree(
      fc.tuple(decimals, decimals),
      `trim_scale(${name}(a::numeric, b::numeric))`,
      ([a, b]) => [a, b],
      ([a, b]) => shown(call('function', name, { numeric: a }, { numeric: b })),
    )
  }
})

const small = fc.oneof(int64, fc.bigInt({ min: -70n, max: 70n }))

for (const name of ['mod', 'div', 'gcd', 'lcm'] as const) {
  test(`${name}(bigint, bigint)`, async () => {
    await agree(
      fc.tuple(small, small),
      `${name}(a::bigint, b::bigint)`,
      ([a, b]) => [String(a), String(b)],
      ([a, b]) => shown(call('function', name, a, b)),
    )
  })
}

for (const operator of ['&', '|', '#', '<<', '>>'] as const) {
  test(`bigint ${operator} bigint`, async () => {
    const isShift = operator === '<<' || operator === '>>'
    await agree(
      fc.tuple(int64, isShift ? fc.bigInt({ min: 0n, max: 63n }) : int64),
      `a::bigint ${operator} b::${isShift ? 'int' : 'bigint'}`,
      ([a, b]) => [String(a), String(b)],
      ([a, b]) => shown(call('operator', operator, a, b)),
    )
  })
}

test('~ bigint', async () => {
  await agree(
    int64,
    '~ a::bigint',
    (a) => [String(a)],
    (a) => shown(call('operator', '~', a)),
  )
})

test('width_bucket', async () => {
  const bounds = fc.oneof(fc.integer({ min: -5, max: 5 }), values)
  const counts = fc.oneof(fc.integer({ min: -1, max: 12 }), fc.constantFrom(2 ** 31 - 2, 1_000_000))
  await agree(
    fc.tuple(values, bounds, bounds, counts),
    'width_bucket(a::float8, b::float8, c::float8, d::int)',
    (row) => row.map(String),
    ([a, b, c, d]) => shown(call('function', 'width_bucket', { double: a }, { double: b }, { double: c }, d)),
  )
})

for (const name of ['greatest', 'least'] as const) {
  test(`${name} leaves nulls out`, async () => {
    const integers = fc.oneof(fc.constant(null), small)
    await agree(
      fc.tuple(integers, integers, integers, integers),
      `${name}(a::bigint, b::bigint, c::bigint, d::bigint)`,
      (row) => row.map((one) => (one === null ? null : String(one))),
      (row) => shown(callFully('function', name, row, ['bigint', 'bigint', 'bigint', 'bigint']).answer),
    )
    const numbers = fc.oneof(fc.constant(null), values)
    const types = ['double precision', 'double precision', 'double precision'] as const
    await agree(
      fc.tuple(numbers, numbers, numbers),
      `${name}(a::float8, b::float8, c::float8)`,
      (row) => row.map((one) => (one === null ? null : String(one))),
      (row) => {
        const loaded = row.map((one) => (one === null ? null : { double: one }))
        return doubleShown(callFully('function', name, loaded, types).answer)
      },
    )
    const texts = fc.oneof(fc.constant(null), fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 3 }))
    await agree(
      fc.tuple(texts, texts, texts),
      `${name}(a COLLATE "C", b COLLATE "C", c COLLATE "C")`,
      (row) => row,
      (row) => shown(callFully('function', name, row, ['text', 'text', 'text']).answer),
    )
  })

  test(`${name} of two kinds is null, and counted; of one kind its own type stays`, () => {
    const types = ['any', 'any', 'any'] as const
    expect(callFully('function', name, [1, 'a', 2], types)).toMatchObject({ answer: null, kindMismatch: true })
    expect(callFully('function', name, [null, { json: '{}' }, { json: '[]' }], types)).toMatchObject({
      answer: null,
      kindMismatch: true,
    })
    expect(callFully('function', name, [null, null, null], types)).toMatchObject({ answer: null, kindMismatch: false })
    expect(callFully('function', name, [1, { double: 1.5 }, 1n], types).answer).toBe(name === 'greatest' ? 1.5 : 1)
  })
}

test('factorial', async () => {
  await agree(
    fc.oneof(fc.integer({ min: -3, max: 200 }), fc.constantFrom(32_178, 2 ** 31)),
    'factorial(a::bigint)',
    (a) => [String(a)],
    (a) => shown(call('function', 'factorial', a)),
  )
  // the last one that PostgreSQL's numeric holds
  expect(shown(call('function', 'factorial', 32_177))?.length).toBe(131_068)
  // of an undeclared number
  expect(callFully('function', 'factorial', [1.5], ['any']).answer).toEqual({ error: 'invalid_argument' })
  expect(callFully('function', 'factorial', [{ double: 5 }], ['any']).answer).toBe(120)
  expect(callFully('function', 'factorial', ['a'], ['any']).answer).toEqual({ error: 'wrong_kind' })
})
