/** APPROX_DISTINCT: exact while small, close after, and one state for one set. */
import { expect, test } from 'vitest'
import type { StateValue } from '../../src/aggregates/aggregate.ts'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { SPARSE_MAX } from '../../src/aggregates/hyperloglog.ts'
import { Registers } from '../../src/core/registers.ts'
import { finish, inputOf, setValue, stateOf, type Value } from './fold-values.ts'

const DISTINCT = resolveAggregate('approx_distinct', ['any'])!
/** Up to a million values in the long form. */
const DECADES_MAX = process.env['ROLLUPD_LAW_RUNS'] === undefined ? 5 : 6

const integers = (count: number, step = 1n): bigint[] =>
  Array.from({ length: count }, (_, index) => BigInt(index) * step)
const countOf = (values: readonly Value[]): number => Number(finish(DISTINCT, stateOf(DISTINCT, values)))

test('values count once, equal numbers in any form, NULL not at all', () => {
  expect(countOf([3n, 3, '3', null, true, 'true', 3n])).toBe(4)
  expect(countOf([null])).toBe(0)
})

test('exact up to the bound, and registers from the next value on', () => {
  const values = integers(SPARSE_MAX)
  expect(countOf([...values, ...values])).toBe(SPARSE_MAX)
  const [sparse] = stateOf(DISTINCT, values)
  const [dense] = stateOf(DISTINCT, integers(SPARSE_MAX + 1))
  expect((sparse as Uint8Array).length).toBe(2 + 8 * SPARSE_MAX)
  expect((dense as Uint8Array).length).toBe(2 + 12_288)
})

test('the form depends on the set alone: folded at once or merged', () => {
  for (const count of [SPARSE_MAX - 1, SPARSE_MAX, SPARSE_MAX + 1, 3 * SPARSE_MAX]) {
    const values = integers(count)
    const whole = stateOf(DISTINCT, values)
    const half = DISTINCT.merge(
      stateOf(DISTINCT, values.slice(0, count / 2)),
      stateOf(DISTINCT, values.slice(count / 3)),
    )
    expect(half).toEqual(whole)
    expect(stateOf(DISTINCT, values.toReversed())).toEqual(whole)
    expect(DISTINCT.merge(whole, stateOf(DISTINCT, values.slice(0, 100)))).toEqual(whole)
  }
})

test('the error stays below 2 %, most often below 1 %', () => {
  const errors: number[] = []
  for (let decade = 3; decade <= DECADES_MAX; decade++) {
    for (const step of [1n, 7n, 1_000_003n]) {
      const count = 10 ** decade
      errors.push(Math.abs(countOf(integers(count, step)) / count - 1))
    }
  }
  expect(Math.max(...errors)).toBeLessThan(0.025)
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.01)
})

test('many groups with few values each do not mix', () => {
  const accumulator = DISTINCT.createAccumulator(inputOf())
  const groups = 20_000
  accumulator.grow(groups)
  const state: (null | Uint8Array)[] = []
  for (let round = 0; round < 2; round++) {
    const r = { tag: Uint8Array.of(2), num: new Float64Array(1), end: new Float64Array(1), ref: [null] }
    for (let index = 0; index < groups * 3; index++) {
      r.num[0] = index % 5
      accumulator.update(index % groups, r as never, 0, -1)
    }
    accumulator.stateOf(7, state)
    expect(finish(DISTINCT, state)).toBe(1n)
    accumulator.stateOf(groups - 1, state)
    expect((finish(DISTINCT, state) as bigint) <= 3n).toBe(true)
    accumulator.reset(groups)
    accumulator.stateOf(7, state)
    expect(state).toEqual([null])
  }
})

test('a group that takes the room of others keeps its own values', () => {
  const accumulator = DISTINCT.createAccumulator(inputOf())
  accumulator.grow(4)
  const r = new Registers(1)
  // the second one turns to registers, so that those after it get its room
  const valuesOf = (group: number): bigint[] => integers(SPARSE_MAX * (group === 1 ? 3 : 1), BigInt(group + 1))
  for (let group = 0; group < 4; group++) {
    for (const value of valuesOf(group)) {
      setValue(r, 0, value)
      accumulator.update(group, r, 0, -1)
    }
  }
  for (let group = 0; group < 4; group++) {
    const state: StateValue[] = []
    accumulator.stateOf(group, state)
    expect(state).toEqual(stateOf(DISTINCT, valuesOf(group)))
  }
})
