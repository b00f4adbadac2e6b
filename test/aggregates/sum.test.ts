/** SUM and AVG against exact fractions. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { roundQuotient } from '../../src/aggregates/exact-total.ts'
import type { Decimal } from '../../src/core/decimal.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { finish, stateOf, type Value } from './fold-values.ts'
import { anyInteger, finiteDouble } from './number-values.ts'

const RUNS = Number(process.env['ROLLUPD_LAW_RUNS'] ?? 500)

function finished(name: string, type: ScalarType, values: readonly Value[]): unknown {
  const aggregate = resolveAggregate(name, [type])!
  return finish(aggregate, stateOf(aggregate, values))
}

/** A double's exact value in units of 2^-1074, by its bits. */
function unitsOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = bits & ((1n << 52n) - 1n)
  const units = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n)
  return bits >> 63n === 1n ? -units : units
}

/** Whether `double` is the one nearest to numerator / denominator, halves to even: it beats both of its neighbours. */
function isNearest(double: number, numerator: bigint, denominator: bigint): boolean {
  const scaled = numerator << 1074n
  const distanceTo = (candidate: bigint): bigint => {
    const difference = scaled - candidate * denominator
    return difference < 0n ? -difference : difference
  }
  const units = unitsOf(double)
  const magnitude = units < 0n ? -units : units
  const ulp = 1n << BigInt(Math.max(0, magnitude.toString(2).length - 53))
  // Below a power of two the neighbour is half as far.
  const isPower = magnitude !== 0n && (magnitude & (magnitude - 1n)) === 0n
  const inner = magnitude - (isPower && ulp > 1n ? ulp / 2n : ulp)
  const own = distanceTo(units)
  const isEven = (units / ulp) % 2n === 0n
  return [inner, magnitude + ulp].every((neighbour) => {
    const distance = distanceTo(units < 0n ? -neighbour : neighbour)
    return distance > own || (distance === own && isEven)
  })
}

test('integers: the exact sum, of any size', () => {
  fc.assert(
    fc.property(fc.array(anyInteger, { minLength: 1, maxLength: 20 }), (values) => {
      const expected = values.reduce((sum, value) => sum + value, 0n)
      expect(finished('sum', 'any', values)).toBe(expected)
    }),
    { numRuns: RUNS },
  )
  expect(finished('sum', 'bigint', [2n ** 63n - 1n, 2n ** 63n - 1n])).toBe(2n ** 64n - 2n)
  expect(finished('sum', 'bigint', [9007199254740993n, 9007199254740995n, -9007199254740997n])).toBe(9007199254740991n)
})

test('a double among them: the double nearest to the exact total', () => {
  fc.assert(
    fc.property(
      fc.array(finiteDouble, { minLength: 1 }),
      fc.array(anyInteger, { maxLength: 3 }),
      (doubles, integers) => {
        const units = [...doubles.map(unitsOf), ...integers.map((value) => value << 1074n)].reduce((a, b) => a + b, 0n)
        const result = finished('sum', 'any', [...integers, ...doubles])
        if (typeof result === 'number') expect(isNearest(result, units, 1n << 1074n)).toBe(true)
        else {
          expect(result).toEqual({ error: 'sum_out_of_range' })
          expect(units > unitsOf(Number.MAX_VALUE) || units < unitsOf(-Number.MAX_VALUE)).toBe(true)
        }
      },
    ),
    { numRuns: RUNS },
  )
})

test('averages: the double nearest to the exact quotient', () => {
  fc.assert(
    fc.property(fc.array(finiteDouble, { minLength: 1 }), (values) => {
      const units = values.map(unitsOf).reduce((a, b) => a + b, 0n)
      const result = finished('avg', 'double precision', values)
      expect(typeof result).toBe('number')
      expect(isNearest(result as number, units, BigInt(values.length) << 1074n)).toBe(true)
    }),
    { numRuns: RUNS },
  )
})

test('a quotient is rounded once, subnormal ones too', () => {
  const positive = fc.bigInt({ min: 1n, max: 2n ** 1200n })
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 1200n), max: 2n ** 1200n }), positive, (numerator, denominator) => {
      const result = roundQuotient(numerator, denominator)
      if (Number.isFinite(result)) expect(isNearest(result, numerator, denominator)).toBe(true)
    }),
    { numRuns: RUNS },
  )
  expect(roundQuotient(1n, 1n << 1074n)).toBe(Number.MIN_VALUE)
  expect(roundQuotient(1n, 1n << 1075n)).toBe(0)
  expect(roundQuotient(3n, 1n << 1075n)).toBe(2 * Number.MIN_VALUE)
  expect(roundQuotient(-1n, 3n)).toBe(-1 / 3)
  expect(roundQuotient(2n ** 1024n - 2n ** 970n - 1n, 1n)).toBe(Number.MAX_VALUE)
  expect(roundQuotient(2n ** 1024n - 2n ** 970n, 1n)).toBe(Infinity)
  expect(roundQuotient(2n ** 53n + 1n, 1n)).toBe(2 ** 53)
})

test('what cancels leaves nothing behind', () => {
  expect(finished('sum', 'any', [1e308, 1e308, -1e308, -1e308, 0.25])).toBe(0.25)
  expect(finished('sum', 'any', [1, 1e-300, -1])).toBe(1e-300)
  expect(finished('sum', 'any', [0.1, 0.2, 0.3, -0.6])).toBe(2 ** -55)
  const sum = resolveAggregate('sum', ['double precision'])!
  expect(stateOf(sum, [1e300, 0.5, -1e300])).toEqual([3, 0, 2 ** 47, 0, null])
  expect(sum.merge(stateOf(sum, [1e300, 0.5]), stateOf(sum, [-1e300]))).toEqual([3, 0, 2 ** 47, 0, null])
})

test('beyond double: an error of the sum, not of the average', () => {
  expect(finished('sum', 'any', [1e308, 1e308])).toEqual({ error: 'sum_out_of_range' })
  expect(finished('avg', 'any', [1e308, 1e308])).toBe(1e308)
})

test('what is not finite gives what IEEE addition gives, in any order', () => {
  expect(finished('sum', 'double precision', [1, Infinity, 2])).toBe(Infinity)
  expect(finished('sum', 'double precision', [-Infinity, 1e308, 1e308])).toBe(-Infinity)
  expect(finished('sum', 'double precision', [Infinity, -Infinity])).toBe(NaN)
  expect(finished('avg', 'double precision', [NaN, 1])).toBe(NaN)
})

test('decimals are exact, beside integers too', () => {
  const cents = (unscaled: bigint): Decimal => ({ unscaled, scale: 2 })
  expect(finished('sum', 'numeric', [cents(10n), cents(25n), 7n])).toEqual({ unscaled: 735n, scale: 2 })
  expect(finished('sum', 'numeric', [cents(123456789012345678901n), cents(1n)])).toEqual({
    unscaled: 123456789012345678902n,
    scale: 2,
  })
  expect(finished('sum', 'any', [cents(50n), cents(50n)])).toBe(1n)
  expect(finished('sum', 'any', [cents(10n), 0.25])).toBe(0.35)
})

test('no value: NULL; NULLs are left out of the divisor', () => {
  expect(finished('sum', 'any', [null, null])).toBe(null)
  expect(finished('avg', 'bigint', [])).toBe(null)
  expect(finished('avg', 'any', [null, 7n, null, 8n])).toBe(7.5)
  expect(finished('sum', 'any', [0.5, 0.5])).toBe(1)
  expect(finished('sum', 'double precision', [-0.5, 0.5])).toBe(0)
})

test('a value that is no number: an error that names its kind', () => {
  const sum = resolveAggregate('sum', ['any'])!
  expect(() => stateOf(sum, ['5'])).toThrow("sum doesn't take text")
  expect(() => stateOf(sum, [true])).toThrow("doesn't take a boolean")
})
