/** The aggregates that keep values with their places: bounds, bytes, ORDER BY's directions, many groups. */
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { AccumulatorInput, Aggregate, StateValue } from '../../src/aggregates/aggregate.ts'
import { ROW_BOUNDS, STATE_BOUNDS } from '../../src/aggregates/entry-list.ts'
import { RecordPlace } from '../../src/core/record-place.ts'
import { Registers } from '../../src/core/registers.ts'
import { toTopicId } from '../../src/core/shard.ts'
import { finish, inputOf, setValue, stateOf, type Arguments, type Value } from './fold-values.ts'

const ARRAY = resolveAggregate('array_agg', ['any'])!
const SET = resolveAggregate('array_agg', ['any'], true)!
const TEXT = resolveAggregate('string_agg', ['text'])!
const MAP = resolveAggregate('map_agg', ['text', 'any'])!
const FIRST = resolveAggregate('first', ['any'])!
const LAST = resolveAggregate('last', ['any'])!

const MAX = STATE_BOUNDS.valuesMax
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

function listOf(aggregate: Aggregate, state: readonly StateValue[]): unknown {
  return JSON.parse(finish(aggregate, state) as string)
}

function warningOf(aggregate: Aggregate, state: readonly StateValue[]): string | null {
  const r = new Registers(1)
  aggregate.finalize(state, r, 0, ',')
  return r.warning
}

/** Values 0, 1, ... at those offsets. */
function numbers(aggregate: Aggregate, offsets: readonly number[]): StateValue[] {
  return stateOf(aggregate, offsets, offsets)
}

test('the first of a group are kept in any split, and a warning tells of more', () => {
  const most = numbers(ARRAY, range(0, MAX))
  expect(listOf(ARRAY, most)).toEqual(range(0, MAX))
  expect(warningOf(ARRAY, most)).toBeNull()
  const past = numbers(ARRAY, range(0, 5 * MAX))
  expect(listOf(ARRAY, past)).toEqual(range(0, MAX))
  expect(warningOf(ARRAY, past)).toBe(
    "array_agg keeps the first 1000 values of a rollup's group, 100000 in a query over rows; a group of the answer has more",
  )
  expect(numbers(ARRAY, range(0, 5 * MAX).toReversed())).toEqual(past)
  const parts = [0, 1, 2].map((part) =>
    numbers(
      ARRAY,
      range(0, 5 * MAX).filter((one) => one % 3 === part),
    ),
  )
  const [a, b, c] = parts as [StateValue[], StateValue[], StateValue[]]
  expect(ARRAY.merge(ARRAY.merge(a, b), c)).toEqual(past)
  expect(ARRAY.merge(c, ARRAY.merge(b, a))).toEqual(past)
  expect(ARRAY.merge(most, numbers(ARRAY, [MAX]))).not.toEqual(most)
  expect(listOf(ARRAY, ARRAY.merge(numbers(ARRAY, [MAX]), most))).toEqual(range(0, MAX))
})

test('long values are kept up to the first that passes the bound, in any split', () => {
  const long = (offset: number): string =>
    String(offset)
      .padStart(4, '0')
      .repeat(STATE_BOUNDS.bytesMax / 40)
  const offsets = range(0, 30)
  const whole = stateOf(ARRAY, offsets.map(long), offsets)
  const kept = listOf(ARRAY, whole) as string[]
  expect(kept).toEqual(range(0, 10).map(long))
  expect(warningOf(ARRAY, whole)).not.toBeNull()
  for (const cut of [1, 5, 9, 10, 11, 29]) {
    const [left, right] = [offsets.slice(0, cut), offsets.slice(cut)].map((part) =>
      stateOf(ARRAY, part.map(long), part),
    )
    expect(ARRAY.merge(right!, left!)).toEqual(whole)
  }
  // a short value behind those that were left out doesn't take their place
  const short = stateOf(ARRAY, ['short'], [100])
  expect(ARRAY.merge(whole, short)).toEqual(whole)
  expect(ARRAY.merge(short, whole)).toEqual(whole)
  expect(stateOf(ARRAY, [...offsets.map(long), 'short'], [...offsets, 100])).toEqual(whole)
})

test('different values are kept in their order, whatever the number of records', () => {
  const values = range(0, 3 * MAX).flatMap((value): Value[] => [value % 20, value % 7])
  expect(listOf(SET, stateOf(SET, values))).toEqual(range(0, 20))
  expect(warningOf(SET, stateOf(SET, values))).toBeNull()
  const past = stateOf(SET, range(0, MAX + 1))
  expect(listOf(SET, past)).toEqual(range(0, MAX))
  expect(warningOf(SET, past)).toContain('array_agg keeps the first 1000 values')
  const halves = [range(0, MAX), range(1, MAX + 1)].map((half) => stateOf(SET, half))
  expect(warningOf(SET, halves[0]!)).toBeNull()
  expect(SET.merge(halves[0]!, halves[1]!)).toEqual(past)
  // what is there already changes nothing
  const few = stateOf(SET, [0, 1])
  expect(SET.merge(few, past)).toEqual(past)
  expect(SET.merge(past, few)).toEqual(past)
})

test('of a key the last value counts, and its length does not decide what is kept', () => {
  const pairs = range(0, 3 * MAX).map((offset): Arguments => [`k${offset % 50}`, offset])
  const map = listOf(MAP, stateOf(MAP, pairs)) as Record<string, number>
  expect(map).toEqual(Object.fromEntries(range(2950, 3000).map((offset) => [`k${offset % 50}`, offset])))
  const long = 'x'.repeat(16_000)
  const keys = range(0, 2 * Math.ceil(STATE_BOUNDS.bytesMax / long.length)).map((key) => `a${key}`)
  const before: Arguments[] = [...keys.map((key): Arguments => [key, long]), ['b', 1]]
  const after = keys.map((key): Arguments => [key, 2])
  const whole = stateOf(MAP, [...before, ...after])
  expect(listOf(MAP, whole)).toEqual({ ...Object.fromEntries(after as [string, Value][]), b: 1 })
  const offsets = range(before.length, before.length + after.length)
  expect(MAP.merge(stateOf(MAP, before), stateOf(MAP, after, offsets))).toEqual(whole)
  const past = stateOf(
    MAP,
    range(0, MAX + 5).map((key): Arguments => [String(key).padStart(5, '0'), key]),
  )
  expect(Object.keys(listOf(MAP, past) as object)).toHaveLength(MAX)
  expect(warningOf(MAP, past)).toContain('map_agg keeps the first 1000 keys of a rollup')
})

test('a value of a stored object has a bound, which no other record decides', () => {
  const fold = (value: string, bounds?: 'rows', order: readonly Value[] = []) =>
    stateOf(MAP, [['k', value]], [0], {
      ...inputOf(bounds),
      order: order.map(() => ({ register: 1, descending: true, nullsFirst: false })),
    })
  const long = 'x'.repeat(STATE_BOUNDS.mapValueBytesMax)
  expect(listOf(MAP, fold(long.slice(0, -10)))).toEqual({ k: long.slice(0, -10) })
  expect(() => fold(long)).toThrow('a value of the object is longer than 16384 bytes')
  expect(() => fold(long.slice(0, -10), undefined, [1])).toThrow('longer than 16384 bytes')
  expect(listOf(MAP, fold(long, 'rows'))).toEqual({ k: long })
})

test('an answer over rows holds more than a stored group', () => {
  const count = 10 * MAX
  const state = stateOf(ARRAY, range(0, count), range(0, count), inputOf('rows'))
  expect(listOf(ARRAY, state)).toEqual(range(0, count))
  const past = stateOf(ARRAY, range(0, ROW_BOUNDS.valuesMax + 1), range(0, ROW_BOUNDS.valuesMax + 1), inputOf('rows'))
  expect(warningOf(ARRAY, past)).not.toBeNull()
  expect(listOf(ARRAY, past)).toHaveLength(ROW_BOUNDS.valuesMax)
})

/** The first and the last of records 0, 1, ... by that key, which is in register 1. */
function ordered(aggregate: Aggregate, keys: readonly Value[], descending: boolean, nullsFirst: boolean): unknown {
  const input: AccumulatorInput = { ...inputOf(), order: [{ register: 1, descending, nullsFirst }] }
  const r = new Registers(2)
  const accumulator = aggregate.createAccumulator(input)
  accumulator.grow(1)
  for (const [offset, key] of keys.entries()) {
    setValue(r, 0, BigInt(offset))
    setValue(r, 1, key)
    input.place.offset = offset
    expect(accumulator.check(r, 0, -1)).toBeNull()
    accumulator.update(0, r, 0, -1)
  }
  const state: StateValue[] = []
  accumulator.stateOf(0, state)
  return finish(aggregate, state)
}

test('ORDER BY inside the call goes both ways, with NULL at either end, ties in the order of records', () => {
  const keys: Value[] = ['b', null, 'a', 'b', '', null, 'ab']
  expect(ordered(ARRAY, keys, false, false)).toBe('[4,2,6,0,3,1,5]')
  expect(ordered(ARRAY, keys, false, true)).toBe('[1,5,4,2,6,0,3]')
  expect(ordered(ARRAY, keys, true, true)).toBe('[1,5,0,3,6,2,4]')
  expect(ordered(ARRAY, keys, true, false)).toBe('[0,3,6,2,4,1,5]')
  expect([false, true].map((nulls) => ordered(FIRST, keys, false, nulls))).toEqual([4n, 1n])
  expect([false, true].map((nulls) => ordered(LAST, keys, false, nulls))).toEqual([5n, 3n])
  expect([false, true].map((nulls) => ordered(FIRST, keys, true, nulls))).toEqual([0n, 1n])
  expect([false, true].map((nulls) => ordered(LAST, keys, true, nulls))).toEqual([5n, 4n])
})

test('records are in the order of timestamp, topic, partition and offset', () => {
  const input = inputOf()
  const r = new Registers(1)
  const accumulator = ARRAY.createAccumulator(input)
  accumulator.grow(1)
  const [low, high] = ['AAAAAAAAAAAAAAAAAAAAAQ', 'BBBBBBBBBBBBBBBBBBBBBB'].map(toTopicId)
  const places = [
    [-1, low!, 9, 2 ** 40],
    [0, low!, 1, 5],
    [0, low!, 1, 300],
    [0, low!, 256, 4],
    [0, high!, 0, 0],
    [1_700_000_000_000, low!, 0, 0],
    [-62_135_596_800_000, low!, 0, 0],
  ] as const
  for (const index of [3, 0, 5, 1, 6, 4, 2]) {
    const [timestampMs, topicId, partition, offset] = places[index]!
    input.place.setShard({ topicId, partition })
    input.place.timestampMs = timestampMs
    input.place.offset = offset
    setValue(r, 0, BigInt(index))
    accumulator.update(0, r, 0, -1)
  }
  const state: StateValue[] = []
  accumulator.stateOf(0, state)
  expect(finish(ARRAY, state)).toBe('[6,0,1,2,3,4,5]')
})

test('many groups do not mix, however often they are cut, and a reset empties them', () => {
  const input = inputOf()
  const r = new Registers(1)
  for (const aggregate of [ARRAY, SET, FIRST, LAST]) {
    const accumulator = aggregate.createAccumulator(input)
    accumulator.grow(3)
    for (let round = 0; round < 2; round++) {
      for (let offset = 0; offset < 9 * MAX; offset++) {
        // from the last to the first, so that each is kept and drives another one out
        input.place.offset = 9 * MAX - offset
        setValue(r, 0, `${offset % 3} ${9 * MAX - offset}`.padEnd(40, '.'))
        accumulator.update(offset % 3, r, 0, -1)
      }
      for (const group of [0, 1, 2]) {
        const state: StateValue[] = []
        accumulator.stateOf(group, state)
        const shown = finish(aggregate, state) as string
        const values = shown.startsWith('[') ? (JSON.parse(shown) as string[]) : [shown]
        expect(values).toHaveLength(shown.startsWith('[') ? MAX : 1)
        expect(values.every((value) => value.startsWith(`${group} `))).toBe(true)
      }
      accumulator.reset(3)
      const empty: StateValue[] = []
      accumulator.stateOf(1, empty)
      expect(empty).toEqual([null])
    }
  }
})

test('a new first value of a group takes the room of the one before', () => {
  const input: AccumulatorInput = { ...inputOf(), place: new RecordPlace() }
  const accumulator = LAST.createAccumulator(input)
  accumulator.grow(1)
  const r = new Registers(1)
  const bytes = new Set<number | undefined>()
  for (let offset = 0; offset < 100; offset++) {
    input.place.offset = offset
    setValue(r, 0, `value ${offset}`)
    accumulator.update(0, r, 0, -1)
    bytes.add(accumulator.extraBytes)
  }
  expect([...bytes]).toEqual([67])
})

test('the bytes are stored in databases and must not change', () => {
  const hex = (aggregate: Aggregate, values: readonly Arguments[]): string =>
    Buffer.from(stateOf(aggregate, values)[0] as Uint8Array).toString('hex')
  expect(hex(FIRST, ['b', 'a'])).toMatchInlineSnapshot(
    `"01400fffffffffffff0000000000000000000000000000000000000000800000000000000020620000000024"`,
  )
  expect(hex(LAST, ['b', 'a'])).toMatchInlineSnapshot(
    `"01bff0000000000000ffffffffffffffffffffffffffffffffffffffff400fffffffffffff20610000000024"`,
  )
  expect(hex(resolveAggregate('any_value', ['text'])!, ['b', 'a'])).toMatchInlineSnapshot(`"0120610000000000"`)
  expect(hex(ARRAY, [true, null])).toMatchInlineSnapshot(
    `"01002524400fffffffffffff00000000000000000000000000000000000000008000000000000000412524400fffffffffffff0000000000000000000000000000000000000000bff0000000000000f0"`,
  )
  expect(hex(SET, [true, null, true])).toMatchInlineSnapshot(`"01000100410100f0"`)
  expect(hex(TEXT, ['b', null, 'a'])).toMatchInlineSnapshot(
    `"01002724400fffffffffffff000000000000000000000000000000000000000080000000000000002062002724400fffffffffffff0000000000000000000000000000000000000000c000000000000000206100"`,
  )
  expect(
    hex(MAP, [
      ['k', 1n],
      ['k', 2n],
    ]),
  ).toMatchInlineSnapshot(
    `"01003127206b00bff0000000000000ffffffffffffffffffffffffffffffffffffffff400fffffffffffff30c00000000000000000"`,
  )
  expect(hex(SET, range(0, MAX + 1)).slice(0, 8)).toMatchInlineSnapshot(`"01010a00"`)
})
