/** The parts of the fold by themselves: the order of groups, the table of keys, the reading of times, the columns of a batch. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StateValue } from '../../src/aggregates/aggregate.ts'
import { CellColumnReader, CellColumnWriter } from '../../src/aggregator/cell-column.ts'
import { orderGroups } from '../../src/aggregator/group-order.ts'
import { GroupKeys } from '../../src/aggregator/group-keys.ts'
import { RecentMinutes } from '../../src/aggregator/recent-minutes.ts'
import { HASH_BYTES } from '../../src/core/murmur3.ts'
import { Registers } from '../../src/core/registers.ts'
import { functionById } from '../../src/sql/function-table.ts'
import { readRegister, setValue } from '../aggregates/fold-values.ts'

test('groups are ordered by bucket, then by id', () => {
  const bucket = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(-(2n ** 63n), 2n ** 62n, -5.5e15))
  const id = fc.uint8Array({ minLength: HASH_BYTES, maxLength: HASH_BYTES }).map((bytes) => {
    // few different beginnings, so that the ends decide too
    if (bytes[4]! < 128) bytes.fill(bytes[0]! & 1, 0, 8)
    return bytes
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(bucket, id), { maxLength: 40 }), (groups) => {
      const ids = new Uint8Array(Buffer.concat(groups.map(([, bytes]) => bytes)))
      const order = orderGroups(
        groups.length,
        (group) => groups[group]![0],
        ids,
        () => 0,
      )
      expect([...order].toSorted((a, b) => a - b)).toEqual(groups.map((_, index) => index))
      for (let index = 1; index < order.length; index++) {
        const [left, right] = [groups[order[index - 1]!]!, groups[order[index]!]!]
        expect(left[0] <= right[0]).toBe(true)
        // oxlint-disable-next-line eqeqeq -- a bigint and a number of the same value are one bucket
        if (left[0] == right[0]) expect(Buffer.compare(left[1], right[1])).toBeLessThanOrEqual(0)
      }
    }),
  )
})

test('a key has one index, whatever the table went through', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
      const table = new GroupKeys()
      const known = new Map<string, number>()
      const buffer = new Uint8Array(64)
      for (let round = 0; round < 2; round++) {
        for (const bytes of keys) {
          // what stands around the key doesn't matter
          const start = known.size % 5
          buffer.fill(known.size)
          buffer.set(bytes, start)
          const text = Buffer.from(bytes).toString('hex')
          const expected = known.get(text) ?? known.size
          expect(table.find(buffer, start, start + bytes.length)).toBe(expected)
          known.set(text, expected)
        }
        expect(table.count).toBe(known.size)
        for (const [text, group] of known) {
          const own = table.keys.subarray(table.keyStart(group), table.keyEnd(group))
          expect(Buffer.from(own).toString('hex')).toBe(text)
        }
        table.reset()
        known.clear()
      }
    }),
    { numRuns: 50 },
  )
})

test('a table grows beyond its first sizes', () => {
  const table = new GroupKeys()
  const key = new Uint8Array(16)
  const view = new DataView(key.buffer)
  for (let index = 0; index < 10_000; index++) {
    view.setUint32(8, index)
    expect(table.find(key, 0, 16)).toBe(index)
  }
  view.setUint32(8, 4_321)
  expect(table.find(key, 0, 16)).toBe(4_321)
  expect(table.capacity).toBeGreaterThanOrEqual(10_000)
})

test('times read by their minute are those of the cast', () => {
  const { evaluate } = functionById('cast_to_timestamptz')
  const minutes = new RecentMinutes(evaluate)
  const digits = (width: number, max: number): fc.Arbitrary<string> =>
    fc.nat(max).map((value) => String(value).padStart(width, '0'))
  const usual = fc
    .tuple(
      fc.constantFrom('2025-11-30', '2025-02-29', '1969-12-31', '0001-01-01', '2025-13-01'),
      fc.constantFrom('T', ' ', 't'),
      digits(2, 24),
      digits(2, 61),
      digits(2, 61),
      fc.oneof(
        fc.constant(''),
        fc.string({ unit: fc.constantFrom('0', '5', '9'), maxLength: 9 }).map((it) => `.${it}`),
      ),
      fc.constantFrom('Z', 'Z', 'z', '', '+01:00'),
    )
    .map(
      ([date, letter, hour, minute, second, fraction, zone]) =>
        `${date}${letter}${hour}:${minute}:${second}${fraction}${zone}`,
    )
  const damaged = fc
    .tuple(usual, fc.nat(30), fc.string({ maxLength: 1 }))
    .map(([text, at, by]) => text.slice(0, at) + by + text.slice(at + 1))
  fc.assert(
    fc.property(fc.array(fc.oneof(usual, damaged), { minLength: 1, maxLength: 20 }), (texts) => {
      const r = new Registers(3)
      for (const text of [...texts, ...texts]) {
        setValue(r, 0, text)
        evaluate(r, 1, 0, 0, 0, 0)
        minutes.read(r, 2, 0)
        expect(readRegister(r, 2)).toEqual(readRegister(r, 1))
      }
    }),
    { numRuns: 500 },
  )
})

test('a column gives back its cells', () => {
  const cell = fc.oneof(
    fc.double({ noNaN: true }),
    fc.constant(null),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.uint8Array({ maxLength: 40 }),
  )
  fc.assert(
    fc.property(fc.array<StateValue>(cell, { maxLength: 50 }), (cells) => {
      const numbers = new Float64Array(cells.length)
      const writer = new CellColumnWriter(numbers)
      cells.forEach((value, index) => writer.set(index, value))
      const [first, second] = writer.parts
      const reader = new CellColumnReader(numbers, writer.shape.hasKinds ? first : undefined, (second ?? first)!)
      expect(cells.map((_, index) => reader.next(index))).toEqual(cells)
    }),
  )
})
