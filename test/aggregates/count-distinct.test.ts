/** COUNT(DISTINCT): exact up to its bound, an error beyond, one state for one set. */
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { DISTINCT_MAX, HEAD_BYTES, MEMBER_BYTES_MAX } from '../../src/aggregates/distinct-set.ts'
import { finish, inputOf, stateOf, type Value } from './fold-values.ts'

const DISTINCT = resolveAggregate('count', ['any'], true)!
const PAST = { error: 'too_many_values' }

const integers = (from: number, to: number): bigint[] =>
  Array.from({ length: to - from }, (_, index) => BigInt(from + index) * 7n)
const countOf = (values: readonly Value[]): unknown => finish(DISTINCT, stateOf(DISTINCT, values))

test('values count once, equal numbers in any form, NULL not at all', () => {
  expect(countOf([3n, 3, { unscaled: 30n, scale: 1 }, '3', null, true, 'true', 3n])).toBe(4n)
  expect(countOf([null])).toBe(0n)
  expect(countOf([2n ** 60n, 2n ** 60n + 1n, 2 ** 60])).toBe(2n)
})

test('exact up to the bound, and an error from the next value on, however it came about', () => {
  const most = stateOf(DISTINCT, integers(0, DISTINCT_MAX))
  expect(finish(DISTINCT, most)).toBe(BigInt(DISTINCT_MAX))
  expect(DISTINCT.merge(most, most)).toEqual(most)
  const past = stateOf(DISTINCT, [...integers(0, DISTINCT_MAX + 1), ...integers(0, 5)])
  expect(finish(DISTINCT, past)).toEqual(PAST)
  const half = DISTINCT_MAX / 2
  const merged = DISTINCT.merge(
    stateOf(DISTINCT, integers(0, half + 10)),
    stateOf(DISTINCT, integers(half, DISTINCT_MAX + 1)),
  )
  expect(merged).toEqual(past)
  expect(DISTINCT.merge(past, stateOf(DISTINCT, [1n]))).toEqual(past)
  expect(DISTINCT.merge(stateOf(DISTINCT, [1n]), past)).toEqual(past)
  expect(DISTINCT.merge(most, stateOf(DISTINCT, [-1n]))).toEqual(past)
})

test('long texts are told apart, with a state of bounded size', () => {
  const texts = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(1000)}${index}`)
  const state = stateOf(DISTINCT, [...texts, ...texts])
  expect(finish(DISTINCT, state)).toBe(50n)
  expect((state[0] as Uint8Array).length).toBe(HEAD_BYTES + 50 * 34)
  // the longest that stands as it is, and the first that doesn't: tag, text, end
  const [fits, longer] = [0, 1].map((more) => 'y'.repeat(MEMBER_BYTES_MAX - 2 + more)) as [string, string]
  expect((stateOf(DISTINCT, [fits])[0] as Uint8Array).length).toBe(HEAD_BYTES + 1 + MEMBER_BYTES_MAX)
  expect((stateOf(DISTINCT, [longer])[0] as Uint8Array).length).toBe(HEAD_BYTES + 34)
})

test('the bytes are stored in databases and must not change', () => {
  const hex = (values: readonly Value[]): string =>
    Buffer.from(stateOf(DISTINCT, values)[0] as Uint8Array).toString('hex')
  expect(hex(['b', true, 'ab', 1.5])).toMatchInlineSnapshot(`"010001410320620004206162000a30bff800000000000000"`)
  expect(hex(['z'.repeat(100)])).toMatchInlineSnapshot(
    `"010021ff137273353c048c3f40eab8a1e57b778138208ec2a47ec54027ebaad22d820b36"`,
  )
  expect(hex(integers(0, DISTINCT_MAX + 1))).toMatchInlineSnapshot(`"0101"`)
})

test('many groups do not mix, and a reset empties them', () => {
  const accumulator = DISTINCT.createAccumulator(inputOf())
  const groups = 20_000
  accumulator.grow(groups)
  const state: (null | Uint8Array)[] = []
  const r = { tag: Uint8Array.of(2), num: new Float64Array(1), end: new Float64Array(1), ref: [null] }
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < groups * 3; index++) {
      r.num[0] = (index % groups) + (Math.floor(index / groups) % 2)
      accumulator.update(index % groups, r as never, 0, -1)
    }
    for (const group of [0, 7, groups - 1]) {
      accumulator.stateOf(group, state)
      expect(state).toEqual(stateOf(DISTINCT, [BigInt(group), BigInt(group + 1)]))
    }
    accumulator.reset(groups)
    accumulator.stateOf(7, state)
    expect(state).toEqual([null])
  }
})
