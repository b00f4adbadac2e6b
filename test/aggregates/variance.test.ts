/** VAR_* and STDDEV_*: exact, by fractions. Other engines: moments-engines.test.ts. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { roundRoot } from '../../src/aggregates/round-root.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { varianceOf } from '../property/naive-moments.ts'
import { Decimal as NaiveDecimal, RowError, type NumberValue } from '../property/value.ts'
import { finish, stateOf, type Value } from './fold-values.ts'
import { anyInteger, finiteDouble } from './number-values.ts'

const RUNS = Number(process.env['ROLLUPD_LAW_RUNS'] ?? 150)
const NAMES = ['stddev', 'stddev_samp', 'stddev_pop', 'variance', 'var_samp', 'var_pop']

function finished(name: string, values: readonly Value[], type: ScalarType = 'any'): unknown {
  const aggregate = resolveAggregate(name, [type])!
  return finish(aggregate, stateOf(aggregate, values))
}

function naive(name: string, values: readonly NumberValue[]): unknown {
  try {
    return varianceOf(name, values)
  } catch (error) {
    if (error instanceof RowError) return { error: error.code }
    throw error
  }
}

const decimal = fc.record({ unscaled: fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), scale: fc.nat(20) })

test('the double nearest to the exact value, of doubles, integers and decimals', () => {
  const value = fc.oneof({ weight: 4, arbitrary: finiteDouble }, anyInteger, decimal)
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), (values) => {
      const plain = values.map((one) => (typeof one === 'object' ? new NaiveDecimal(one.unscaled, one.scale) : one))
      for (const name of NAMES) expect(finished(name, values)).toEqual(naive(name, plain))
    }),
    { numRuns: RUNS },
  )
})

test('what rounding sums of squares would lose', () => {
  const far = [1_000_000_000, 1_000_000_002, 1_000_000_004]
  expect(finished('stddev_samp', far)).toBe(2)
  expect(finished('stddev_pop', far)).toBe(Math.sqrt(8 / 3))
  expect(finished('var_samp', far.map(BigInt), 'bigint')).toBe(4)
  expect(finished('stddev', [1e15 + 0.25, 1e15 + 0.5], 'double precision')).toBe(Math.sqrt(0.03125))
  for (const value of [0.1, 12.34, 1e300, 1e-300, 123456789.123]) {
    for (const name of NAMES) expect(finished(name, [value, value, value])).toBe(0)
  }
})

test('no value, one value, NULLs', () => {
  for (const name of NAMES) {
    expect(finished(name, [null])).toBe(null)
    expect(finished(name, [7.5, null])).toBe(name.endsWith('_pop') ? 0 : null)
  }
})

test('a value that is not finite gives NaN, as in PostgreSQL', () => {
  expect(finished('var_pop', [Infinity])).toBe(NaN)
  expect(finished('stddev', [Infinity])).toBe(null)
  expect(finished('stddev', [1, NaN])).toBe(NaN)
  expect(finished('var_samp', [1, -Infinity])).toBe(NaN)
})

test('beyond double: an error of the variance, not of the deviation', () => {
  expect(finished('var_pop', [1e300, -1e300])).toEqual({ error: 'sum_out_of_range' })
  expect(finished('stddev_pop', [1e300, -1e300])).toBe(1e300)
  expect(finished('stddev_pop', [0, 5e-324])).toBe(0)
})

test('a value that is no number: an error that names its kind', () => {
  expect(() => finished('stddev', ['5'])).toThrow("stddev doesn't take text")
})

test('the bytes of a state', () => {
  const [state] = stateOf(resolveAggregate('var_pop', ['any'])!, [1.5, 3n, { unscaled: 1n, scale: 1 }])
  // version, 3 values, all finite; 4.6 = 23 / 5; 11.26 = 563 * 2^-1 / 5^2
  expect(Buffer.from(state as Uint8Array).toString('hex')).toBe('010300000102170102040233')
  const [special] = stateOf(resolveAggregate('var_pop', ['any'])!, [Infinity, -2n])
  expect(Buffer.from(special as Uint8Array).toString('hex')).toBe('0102010001000000000200030104000201')
})

test('equal decimals have equal bytes, whatever zeros they were written with', () => {
  const aggregate = resolveAggregate('var_pop', ['numeric'])!
  const zeros = 10n ** 12_000n
  const long = { unscaled: 25n * zeros, scale: 12_001 }
  expect(stateOf(aggregate, [long, 1n])).toEqual(stateOf(aggregate, [{ unscaled: 25n, scale: 1 }, 1n]))
})

test('limbs that carry, in the middle and at the top', () => {
  const aggregate = resolveAggregate('var_pop', ['any'])!
  const times = 1_100_000
  const values = Array.from<Value>({ length: times }).fill(2 ** 63.5)
  const square = BigInt(2 ** 63.5) ** 2n
  const [state] = stateOf(aggregate, values)
  expect(finish(aggregate, [state!])).toBe(0)
  const hex = Buffer.from(state as Uint8Array).toString('hex')
  let odd = square * BigInt(times)
  while (odd % 2n === 0n) odd /= 2n
  expect(hex.endsWith(odd.toString(16))).toBe(true)
})

test('a root is rounded once', () => {
  const positive = fc.bigInt({ min: 1n, max: 2n ** 900n })
  fc.assert(
    fc.property(positive, positive, (numerator, denominator) => {
      const root = roundRoot(numerator * numerator, denominator * denominator)
      expect(root).toBe(roundRoot(numerator * numerator * 9n, denominator * denominator * 9n))
      expect(Math.abs(root / (Number(numerator) / Number(denominator)) - 1)).toBeLessThan(1e-15)
    }),
    { numRuns: RUNS },
  )
  expect(roundRoot(2n, 1n)).toBe(Math.SQRT2)
  expect(roundRoot(1n, 1n << 2148n)).toBe(Number.MIN_VALUE)
  expect(roundRoot(1n, 1n << 2150n)).toBe(0)
  expect(roundRoot(9n, 1n << 2150n)).toBe(2 * Number.MIN_VALUE)
})
