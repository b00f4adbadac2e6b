/** MEDIAN, percentiles, MODE, APPROX_TOP_K, HISTOGRAM, SUM(DISTINCT): exact up to their bounds, what is left beyond, and their bytes. */
import { expect, test } from 'vitest'
import { findAggregate, resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { Aggregate, AggregateParameter, StateValue } from '../../src/aggregates/aggregate.ts'
import { DISTINCT_MAX } from '../../src/aggregates/distinct-set.ts'
import { QUANTILE_VALUES_MAX } from '../../src/aggregates/quantile-values.ts'
import { COUNTS_BOUNDS } from '../../src/aggregates/value-counts.ts'
import { Registers } from '../../src/core/registers.ts'
import { finish, inputOf, stateOf, type Value } from './fold-values.ts'

const CONT = resolveAggregate('percentile_cont', ['any'])!
const DISC = resolveAggregate('percentile_disc', ['any'])!
const MODE = resolveAggregate('mode', ['any'])!
const TOP = resolveAggregate('approx_top_k', ['any'])!
const HISTOGRAM = resolveAggregate('histogram', ['any'])!
const SUM = resolveAggregate('sum', ['any'], true)!

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

function warningOf(
  aggregate: Aggregate,
  state: readonly StateValue[],
  parameter: AggregateParameter = '0.5 asc',
): string | null {
  const r = new Registers(1)
  aggregate.finalize(state, r, 0, parameter)
  return r.warning
}

const percentile = (values: readonly Value[], parameter: string, aggregate = CONT): unknown =>
  finish(aggregate, stateOf(aggregate, values), parameter)

test('a percentile is exact, from the fraction as it was written', () => {
  expect(percentile(range(0, 101), '0.29 asc')).toBe(29)
  expect(percentile(range(0, 101), '0.29 desc')).toBe(71)
  // 0.07 * 100 is above 7 in doubles
  expect(percentile(range(1, 101), '0.07 asc', DISC)).toBe(7n)
  expect(percentile(range(1, 101), '0.07 desc', DISC)).toBe(94n)
  expect(percentile([1n, 2n ** 60n + 1n, 2n ** 60n + 3n], '1 asc', DISC)).toBe(2n ** 60n + 3n)
  // of the exact halfway, rounded once
  expect(percentile([0.1, 0.2], '0.5 asc')).toBe(0.15000000000000002)
  expect(
    percentile(
      [
        { unscaled: 1n, scale: 1 },
        { unscaled: 2n, scale: 1 },
      ],
      '0.5 asc',
    ),
  ).toBe(0.15)
  expect(percentile([-1e308, 1e308, 1e308], '0.25 asc')).toBe(0)
  expect(percentile([null], '0.5 asc')).toBe(null)
})

test('NaN is the greatest, and between infinities is nothing', () => {
  expect(percentile([NaN, 1, 2], '0.5 asc')).toBe(2)
  expect(percentile([-Infinity, Infinity], '0.5 asc')).toBe(NaN)
  expect(percentile([1, Infinity], '0.5 asc')).toBe(Infinity)
  expect(percentile([NaN, 1], '0 desc', DISC)).toBe(NaN)
})

test('different numbers beyond the bound are a sketch, in any split, and a warning tells', () => {
  const most = stateOf(CONT, [...range(0, QUANTILE_VALUES_MAX), ...range(0, 100)])
  expect(warningOf(CONT, most)).toBeNull()
  const values = range(1, 4 * QUANTILE_VALUES_MAX).map((value) => value * 1.5)
  const past = stateOf(CONT, values)
  expect(warningOf(CONT, past)).toContain('percentile_cont is exact up to 512 different values in a rollup')
  const middle = finish(CONT, past, '0.5 asc') as number
  expect(Math.abs(middle / 1536 - 1)).toBeLessThan(0.008)
  expect(finish(CONT, past, '1 asc')).toBe(values.at(-1))
  expect(finish(CONT, past, '1 desc')).toBe(1.5)
  for (const cut of [1, 100, QUANTILE_VALUES_MAX, QUANTILE_VALUES_MAX + 1, 1500]) {
    const [left, right] = [values.slice(0, cut), values.slice(cut)].map((part) => stateOf(CONT, part))
    expect(CONT.merge(left!, right!)).toEqual(past)
    expect(CONT.merge(right!, left!)).toEqual(past)
  }
  // the same numbers again and again are few
  expect(
    warningOf(
      CONT,
      stateOf(
        CONT,
        range(0, 5000).map((value) => value % 500),
      ),
    ),
  ).toBeNull()
  expect(warningOf(CONT, stateOf(CONT, values, [...values.keys()], inputOf('rows')))).toBeNull()
})

test('an estimate comes in the form of its type', () => {
  const [integers, numerics] = [
    resolveAggregate('percentile_disc', ['bigint'])!,
    resolveAggregate('percentile_disc', ['numeric'])!,
  ]
  const past = range(0, 2000).map(BigInt)
  expect(typeof finish(integers, stateOf(integers, past), '0.5 asc')).toBe('bigint')
  expect(typeof finish(numerics, stateOf(numerics, past), '0 asc')).toBe('bigint')
})

test('values that are no numbers have no estimate, several kinds have no order', () => {
  const texts = range(0, QUANTILE_VALUES_MAX + 1).map((value) => `text ${value}`)
  expect(percentile(texts.slice(1), '0 asc', DISC)).toBe('text 1')
  const past = stateOf(DISC, texts)
  expect(finish(DISC, past, '0 asc')).toEqual({ error: 'too_many_values' })
  const halves = [texts.slice(0, 300), texts.slice(300)].map((half) => stateOf(DISC, half))
  expect(DISC.merge(halves[0]!, halves[1]!)).toEqual(past)
  const numbers = stateOf(DISC, range(0, 1000))
  expect(DISC.merge(numbers, stateOf(DISC, ['text']))).toEqual(past)
  expect(stateOf(DISC, [...range(0, 1000), 'text'])).toEqual(past)
  expect(stateOf(DISC, ['text', ...range(0, 1000)])).toEqual(past)
  expect(percentile([1, 'a'], '0 asc', DISC)).toEqual({ error: 'mixed_kinds' })
})

test('MODE is the most frequent value, of several the first in the order asked for', () => {
  const state = stateOf(MODE, ['b', 'a', null, 'b', 'c', 'a', null, null])
  expect(finish(MODE, state, 'asc')).toBe('a')
  expect(finish(MODE, state, 'desc')).toBe('b')
  expect(finish(MODE, stateOf(MODE, [3, 3n, 2]), 'asc')).toBe(3n)
})

const counted = (aggregate: Aggregate, state: readonly StateValue[], k = 3): unknown =>
  JSON.parse(finish(aggregate, state, k) as string)

test('counts of values are exact up to the bound, in any split', () => {
  const { valuesMax } = COUNTS_BOUNDS
  const values = range(0, 3 * valuesMax).map((index) => index % valuesMax)
  const state = stateOf(HISTOGRAM, values)
  expect(counted(HISTOGRAM, state)).toEqual(range(0, valuesMax).map((value) => ({ value, count: 3 })))
  expect(warningOf(HISTOGRAM, state)).toBeNull()
  const halves = [values.slice(0, 700), values.slice(700)].map((half) => stateOf(HISTOGRAM, half))
  expect(HISTOGRAM.merge(halves[1]!, halves[0]!)).toEqual(state)
  expect(counted(TOP, stateOf(TOP, ['x', 'y', 'y', 'z', 'z', 'w']), 2)).toEqual([
    { value: 'y', count: 2 },
    { value: 'z', count: 2 },
  ])
})

test('beyond it frequent values are found, no count is too small, and a warning tells', () => {
  // value v of the frequent ones comes 100 * (v + 1) times among as many rare values
  const frequent = range(0, 10).flatMap((value) => Array.from({ length: 100 * (value + 1) }, () => value))
  const rare = range(0, 5500).map((value) => -1 - value)
  const mixed = [...frequent.keys()].flatMap((index): Value[] => [
    frequent[(index * 7919) % frequent.length]!,
    rare[index]!,
  ])
  const whole = stateOf(TOP, mixed)
  const parts = range(0, 11).map((part) => stateOf(TOP, mixed.slice(part * 1000, part * 1000 + 1000)))
  const merged = parts.reduce((left, right) => TOP.merge(left, right))
  for (const state of [whole, merged]) {
    const top = counted(TOP, state, 10) as { value: number; count: number }[]
    expect(warningOf(TOP, state, 3)).toContain('approx_top_k is exact up to 1000 different values in a rollup')
    expect(top.map(({ value }) => value)).toEqual(range(0, 10).toReversed())
    for (const { value, count } of top) {
      expect(count).toBeGreaterThanOrEqual(100 * (value + 1))
      expect(count).toBeLessThan(100 * (value + 1) + 20)
    }
  }
  expect(finish(MODE, whole, 'asc')).toBe(9n)
})

test('a value that a summary has left out counts there as often as it may have come', () => {
  const once = stateOf(TOP, range(0, 1500))
  const more = stateOf(TOP, [1400, 1400, 1400, 1400, 1400])
  for (const state of [TOP.merge(once, more), TOP.merge(more, once)]) {
    expect(counted(TOP, state, 1)).toEqual([{ value: 1400, count: 6 }])
  }
})

test('long values are bounded by their bytes', () => {
  const long = (index: number): string => String(index).padStart(4, '0').repeat(10_000)
  const state = stateOf(TOP, [...range(0, 40).map(long), long(39)])
  expect((state[0] as Uint8Array).length).toBeLessThan(COUNTS_BOUNDS.bytesMax + 100)
  const [first] = counted(TOP, state, 1) as { value: string; count: number }[]
  expect(first?.value === long(39)).toBe(true)
  expect(first?.count).toBeGreaterThanOrEqual(2)
})

test('sums of different numbers have the bound of their count', () => {
  expect(finish(SUM, stateOf(SUM, [3n, 3, { unscaled: 30n, scale: 1 }, 0.5, null, 0.5]))).toBe(3.5)
  expect(finish(SUM, stateOf(SUM, range(0, DISTINCT_MAX)))).toBe(BigInt((DISTINCT_MAX * (DISTINCT_MAX - 1)) / 2))
  expect(finish(SUM, stateOf(SUM, range(0, DISTINCT_MAX + 1)))).toEqual({ error: 'too_many_values' })
  expect(finish(SUM, stateOf(SUM, [10n ** 200n + 1n]))).toEqual({ error: 'number_out_of_range' })
  const numeric = resolveAggregate('avg', ['numeric'], true)!
  expect(
    finish(
      numeric,
      stateOf(numeric, [
        { unscaled: 1n, scale: 1 },
        { unscaled: 2n, scale: 1 },
      ]),
    ),
  ).toBe(0.15)
})

test('those that read one state agree on its bytes', () => {
  const values = [3n, 1n, 3n, 2n]
  for (const [name, distinct] of [
    ['median'],
    ['percentile_disc'],
    ['mode'],
    ['histogram'],
    ['sum', true],
    ['avg', true],
  ] as const) {
    const owner = findAggregate(name, distinct)!.stateOwner!(['bigint'])
    const [own, owners] = [name, owner].map((one) => resolveAggregate(one, ['bigint'], distinct)!)
    expect(stateOf(own!, values)).toEqual(stateOf(owners!, values))
  }
})

test('the bytes are stored in databases and must not change', () => {
  const hex = (aggregate: Aggregate, values: readonly Value[]): string =>
    Buffer.from(stateOf(aggregate, values)[0] as Uint8Array).toString('hex')
  expect(hex(CONT, [2, 1.5, 2])).toMatchInlineSnapshot(`"01000a30bff800000000000000010a30c0000000000000000002"`)
  expect(hex(CONT, range(0, 600)).slice(0, 60)).toMatchInlineSnapshot(
    `"01010100000000000000004082b80000000000c0ff0701c0ff0301400120"`,
  )
  expect(hex(DISC, range(0, 600).map(String))).toMatchInlineSnapshot(`"0102"`)
  expect(hex(TOP, ['b', 'a', 'b'])).toMatchInlineSnapshot(`"01000003206100010320620002"`)
  expect(hex(TOP, [...range(0, 2500), 7]).slice(0, 40)).toMatchInlineSnapshot(
    `"0101010a30800000000000000000010a30bff000"`,
  )
})

test('many groups do not mix, and a reset empties them', () => {
  const r = new Registers(1)
  for (const aggregate of [CONT, TOP]) {
    const accumulator = aggregate.createAccumulator(inputOf())
    accumulator.grow(3)
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 9000; index++) {
        r.setInteger(0, index)
        accumulator.update(index % 3, r, 0, -1)
      }
      for (const group of [0, 1, 2]) {
        const state: StateValue[] = []
        accumulator.stateOf(group, state)
        const own = range(0, 9000).filter((index) => index % 3 === group)
        if (aggregate === CONT) expect(state).toEqual(stateOf(CONT, own))
        else
          expect((counted(TOP, state, 1000) as { value: number }[]).every(({ value }) => value % 3 === group)).toBe(
            true,
          )
      }
      accumulator.reset(3)
      const empty: StateValue[] = []
      accumulator.stateOf(1, empty)
      expect(empty).toEqual([null])
    }
  }
})
