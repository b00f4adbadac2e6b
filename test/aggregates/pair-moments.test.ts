/** COVAR_*, CORR and REGR_*: exact, by fractions. Other engines: moments-engines.test.ts. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { pairMomentOf } from '../property/naive-moments.ts'
import { Decimal as NaiveDecimal, RowError, type NumberValue } from '../property/value.ts'
import { finish, stateOf, type Arguments, type Value } from './fold-values.ts'
import { anyInteger, finiteDouble } from './number-values.ts'

const RUNS = Number(process.env['ROLLUPD_LAW_RUNS'] ?? 100)
const NAMES = [
  ...['covar_pop', 'covar_samp', 'corr', 'regr_count', 'regr_avgx', 'regr_avgy', 'regr_sxx', 'regr_syy', 'regr_sxy'],
  ...['regr_slope', 'regr_intercept', 'regr_r2'],
]

function finished(name: string, values: readonly Arguments[]): unknown {
  const aggregate = resolveAggregate(name, ['any', 'any'])!
  return finish(aggregate, stateOf(aggregate, values))
}

function naive(name: string, pairs: readonly (readonly [NumberValue, NumberValue])[]): unknown {
  try {
    return pairMomentOf(name, pairs)
  } catch (error) {
    if (error instanceof RowError) return { error: error.code }
    throw error
  }
}

const decimal = fc.record({ unscaled: fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), scale: fc.nat(20) })
const special = fc.constantFrom(NaN, Infinity, -Infinity)
const number = fc.oneof(
  { weight: 6, arbitrary: finiteDouble },
  { weight: 3, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 2, arbitrary: anyInteger },
  { weight: 2, arbitrary: decimal },
  { weight: 1, arbitrary: special },
)
const toNaive = (value: Value): NumberValue =>
  typeof value === 'object'
    ? new NaiveDecimal((value as { unscaled: bigint }).unscaled, (value as { scale: number }).scale)
    : (value as NumberValue)

test('the double nearest to the exact value, of doubles, integers and decimals', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number), { maxLength: 5 }), (pairs) => {
      const values = pairs.map(([y, x]) => [y === 0 ? 0 : y, x === 0 ? 0 : x] as const)
      const plain = values.map(([y, x]) => [toNaive(y), toNaive(x)] as const)
      for (const name of NAMES) expect([name, finished(name, values)]).toEqual([name, naive(name, plain)])
    }),
    { numRuns: RUNS },
  )
})

test('the first argument is y', () => {
  const pairs: Arguments[] = [1, 2, 3, 4].map((x) => [10 + 3 * x, x])
  expect(finished('regr_slope', pairs)).toBe(3)
  expect(finished('regr_intercept', pairs)).toBe(10)
  expect(finished('regr_avgx', pairs)).toBe(2.5)
  expect(finished('regr_avgy', pairs)).toBe(17.5)
  expect(finished('corr', pairs)).toBe(1)
  expect(finished('regr_r2', pairs)).toBe(1)
  expect(
    finished(
      'corr',
      pairs.map((pair) => [-(pair as [number, number])[0], (pair as [number, number])[1]] as const),
    ),
  ).toBe(-1)
})

test('a correlation is exact far from 0', () => {
  const pairs: Arguments[] = [0, 1, 2].map((step) => [1e9 + step * 0.5, 1e15 - step])
  expect(finished('corr', pairs)).toBe(-1)
  expect(finished('regr_slope', pairs)).toBe(-0.5)
})

test('a pair with a NULL is left out', () => {
  const pairs: Arguments[] = [
    [1, null],
    [null, 5],
    [2n, 3n],
    [null, null],
  ]
  expect(finished('regr_count', pairs)).toBe(1n)
  expect(finished('regr_avgx', pairs)).toBe(3)
  expect(finished('covar_samp', pairs)).toBe(null)
  expect(finished('covar_pop', pairs)).toBe(0)
  expect(finished('regr_count', [])).toBe(0n)
  expect(finished('corr', [])).toBe(null)
})

test('a value that is no number: an error, beside a NULL too', () => {
  expect(() => finished('corr', [[null, 'a']])).toThrow("corr doesn't take text")
  expect(() => finished('regr_count', [[true, 1]])).toThrow("regr_count doesn't take a boolean")
})

test('the bytes of a state', () => {
  const pair: Arguments = [3n, 0.5]
  const bytesOf = (name: string): string =>
    Buffer.from(stateOf(resolveAggregate(name, ['any', 'any'])!, [pair])[0] as Uint8Array).toString('hex')
  // x = 1 * 2^-1, y = 3, x * x = 1 * 2^-2, y * y = 9, x * y = 3 * 2^-1
  expect(bytesOf('corr')).toBe('0101000100020100000203030002010000020901000203')
  expect(bytesOf('covar_pop')).toBe('010100010002010000020301000203')
  expect(stateOf(resolveAggregate('regr_count', ['any', 'any'])!, [pair])).toEqual([1])
})
