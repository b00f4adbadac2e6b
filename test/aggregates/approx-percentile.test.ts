/** APPROX_PERCENTILE: its error on distributions of many shapes, its ends, its collapse, its bytes. */
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { StateValue } from '../../src/aggregates/aggregate.ts'
import { FINE_BUCKETS_MAX } from '../../src/aggregates/quantile-sketch.ts'
import { Registers } from '../../src/core/registers.ts'
import { SeededRandom } from '../fuzz/seeded-random.ts'
import { finish, inputOf, stateOf, type Value } from './fold-values.ts'

const PERCENTILE = resolveAggregate('approx_percentile', ['any'])!
/** Half of the narrowest bucket's relative width. */
const ERROR_MAX = 1 / 129
const FRACTIONS = [0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1]

/** As PERCENTILE_DISC. */
function exactPercentile(sorted: Float64Array, fraction: number): number {
  return sorted[Math.max(Math.ceil(fraction * sorted.length) - 1, 0)]!
}

const random = new SeededRandom(7)
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
const SHAPES: readonly [string, () => number][] = [
  ['uniform', () => random.next() * 1000],
  ['uniform integers', () => random.below(100)],
  ['lognormal latencies', () => Math.exp(normal() * 1.5 + 3)],
  ['Pareto, a long tail', () => (1 - random.next()) ** -2],
  ['both signs', () => normal() * 50],
  ['all negative', () => -Math.exp(normal())],
  ['two far clusters', () => (random.chance(0.3) ? 1e-6 : 1e9) * (1 + random.next())],
  ['the same value', () => 0.1],
]

test.each(SHAPES)('%s: every percentile within its error, the ends exact', (_, make) => {
  const values = Array.from({ length: 20_000 }, make)
  const half = values.length / 2
  const state = PERCENTILE.merge(stateOf(PERCENTILE, values.slice(0, half)), stateOf(PERCENTILE, values.slice(half)))
  expect(state).toEqual(stateOf(PERCENTILE, values))
  const sorted = Float64Array.from(values).toSorted()
  for (const fraction of FRACTIONS) {
    const exact = exactPercentile(sorted, fraction)
    const found = finish(PERCENTILE, state, fraction) as number
    expect(Math.abs(found - exact), `${fraction}: ${found} for ${exact}`).toBeLessThanOrEqual(
      Math.abs(exact) * ERROR_MAX,
    )
  }
  expect(finish(PERCENTILE, state, 0)).toBe(sorted[0])
  expect(finish(PERCENTILE, state, 1)).toBe(sorted.at(-1))
})

test('no value gives NULL, one value gives that value, two give both', () => {
  expect(finish(PERCENTILE, stateOf(PERCENTILE, [null]), 0.5)).toBe(null)
  for (const value of [0.1, -3.7, 0, 5e-324, -1e308, Infinity, -Infinity, Number.NaN]) {
    for (const fraction of FRACTIONS) expect(finish(PERCENTILE, stateOf(PERCENTILE, [value]), fraction)).toBe(value)
  }
  const two = stateOf(PERCENTILE, [0.3, 7n])
  expect(FRACTIONS.map((fraction) => finish(PERCENTILE, two, fraction))).toEqual([
    ...[0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    ...[7, 7, 7, 7, 7, 7],
  ])
})

test('NaN is above all, infinities are the ends, and none of them spoils the others', () => {
  const values: Value[] = [Number.NaN, -Infinity, ...Array.from({ length: 98 }, (_, index) => index + 1), Infinity]
  const state = stateOf(PERCENTILE, values)
  const at = (fraction: number): number => finish(PERCENTILE, state, fraction) as number
  expect([at(0), at(0.99), at(1)]).toEqual([-Infinity, Infinity, Number.NaN])
  expect(Math.abs(at(0.5) / 50 - 1)).toBeLessThan(0.03)
})

test('wide integers and decimals are taken as their doubles; beyond double is refused, as text is', () => {
  expect(finish(PERCENTILE, stateOf(PERCENTILE, [2n ** 60n + 1n]), 0.5)).toBe(2 ** 60)
  expect(finish(PERCENTILE, stateOf(PERCENTILE, [{ unscaled: 125n, scale: 2 }]), 0.5)).toBe(1.25)
  expect(() => stateOf(PERCENTILE, [10n ** 400n])).toThrow('within double precision')
  expect(() => stateOf(PERCENTILE, ['1'])).toThrow("approx_percentile doesn't take text")
  expect(resolveAggregate('approx_percentile', ['text'])).toBeUndefined()
})

test('too many buckets: those nearest to 0 count as 0, whatever the order and split; the others keep their error', () => {
  // each in a bucket of its own
  const apart = (count: number, from: number): number[] =>
    Array.from({ length: count }, (_, index) => 2 ** (from + Math.floor(index / 64)) * (1 + ((index % 64) + 0.5) / 64))
  const small = apart(FINE_BUCKETS_MAX, -40)
  const large = apart(FINE_BUCKETS_MAX / 2, 20)
  const values = [...small, ...large.map((value) => -value), ...large, 1e300]
  const whole = stateOf(PERCENTILE, values)
  const pieces = [values.toReversed().slice(100), values.slice(-100), values.slice(0, 0)]
  const [a, b, c] = pieces.map((piece) => stateOf(PERCENTILE, piece)) as [Uint8Array[], Uint8Array[], Uint8Array[]]
  expect(PERCENTILE.merge(PERCENTILE.merge(c, a), b)).toEqual(whole)
  expect(PERCENTILE.merge(b, PERCENTILE.merge(a, c))).toEqual(whole)
  const thirds = [0, 1, 2].map((third) =>
    stateOf(
      PERCENTILE,
      values.filter((_, index) => index % 3 === third),
    ),
  )
  expect(thirds.reduce((left, right) => PERCENTILE.merge(left, right))).toEqual(whole)
  expect((whole[0] as Uint8Array).length).toBeLessThan(10_000)
  const sorted = Float64Array.from(values).toSorted()
  expect(finish(PERCENTILE, whole, 0.5)).toBe(0)
  for (const fraction of [0.1, 0.2, 0.8, 0.9]) {
    const exact = exactPercentile(sorted, fraction)
    expect(Math.abs((finish(PERCENTILE, whole, fraction) as number) / exact - 1)).toBeLessThanOrEqual(ERROR_MAX)
  }
})

test('the bytes are stored in databases and must not change; few values take few', () => {
  const hex = (values: readonly Value[]): string =>
    Buffer.from(stateOf(PERCENTILE, values)[0] as Uint8Array).toString('hex')
  expect(hex([1])).toMatchInlineSnapshot(`"013ff00000000000003ff000000000000080ff0b01"`)
  expect(hex([0, 1.5, 1.5, -3n, Number.NaN, Infinity])).toMatchInlineSnapshot(
    `"01c0080000000000007ff0000000000000a0ff0301a0800401e0ff0302e0ff03012001"`,
  )
  expect(hex(Array.from({ length: 200 }, () => 12))).toMatchInlineSnapshot(
    `"0140280000000000004028000000000000e0800cc801"`,
  )
})

test('many groups that grow beside each other do not mix, and a reset empties them', () => {
  const accumulator = PERCENTILE.createAccumulator(inputOf())
  const groups = 500
  const r = new Registers(1)
  const state: StateValue[] = []
  for (let round = 0; round < 2; round++) {
    const values = Array.from({ length: groups }, (): number[] => [])
    for (let index = 0; index < groups * 60; index++) {
      // later groups come later, and the first have the most
      const group = random.below(1 + random.below(1 + Math.floor(index / 60)))
      const value = Math.exp(normal() * 3) * (random.chance(0.5) ? 1 : -1)
      accumulator.grow(group + 1)
      values[group]!.push(value)
      r.setDouble(0, value)
      accumulator.update(group, r, 0, -1)
    }
    for (const [group, list] of values.entries()) {
      accumulator.grow(group + 1)
      accumulator.stateOf(group, state)
      expect(state).toEqual(stateOf(PERCENTILE, list))
    }
    accumulator.reset(groups)
    accumulator.stateOf(0, state)
    expect(state).toEqual([null])
  }
})
