/** MIN and MAX: exact across forms of numbers, apart across kinds. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { finish, stateOf, type Value } from './fold-values.ts'
import { anyDouble, anyInteger, keyOf, text } from './number-values.ts'

function finished(name: string, type: ScalarType, values: readonly Value[]): unknown {
  const aggregate = resolveAggregate(name, [type])!
  return finish(aggregate, stateOf(aggregate, values))
}

test('the extreme of numbers and texts is the last and first by key bytes', () => {
  for (const values of [fc.oneof(anyInteger, anyDouble), text]) {
    fc.assert(
      fc.property(fc.array<Value>(values, { minLength: 1 }), (list) => {
        const keys = list.map(keyOf).toSorted()
        expect(keyOf(finished('min', 'any', list) as Value)).toBe(keys[0])
        expect(keyOf(finished('max', 'any', list) as Value)).toBe(keys.at(-1))
      }),
    )
  }
})

test('64-bit integers keep every digit', () => {
  const ids = [9007199254740993n, 9007199254740995n, -9007199254740997n]
  for (const type of ['any', 'bigint'] as const) {
    expect(finished('max', type, ids)).toBe(9007199254740995n)
    expect(finished('min', type, ids)).toBe(-9007199254740997n)
    expect(finished('max', type, [2n ** 63n - 1n, 5n])).toBe(2n ** 63n - 1n)
  }
})

test('no value is NULL, and -5 is not hidden by a start of 0', () => {
  expect(finished('max', 'any', [null])).toBe(null)
  expect(finished('max', 'any', [null, -5n])).toBe(-5n)
  expect(finished('min', 'double precision', [3, 0])).toBe(0)
})

test('NaN is above all numbers, as in PostgreSQL', () => {
  expect(finished('max', 'double precision', [NaN, 1, Infinity])).toBe(NaN)
  expect(finished('min', 'double precision', [NaN, Infinity])).toBe(Infinity)
  expect(finished('min', 'double precision', [NaN])).toBe(NaN)
})

test('declared types come back as themselves', () => {
  expect(finished('max', 'boolean', [false, true])).toBe(true)
  expect(finished('min', 'text', ['b', '', 'a'])).toBe('')
  expect(finished('max', 'timestamptz', [{ micros: 5n }, { micros: 9_000_000_000_000_000_001n }])).toEqual({
    micros: 9_000_000_000_000_000_001n,
  })
})

test('more than one kind: an error that names them when it is read', () => {
  expect(finished('max', 'any', [1n, 'a'])).toEqual({ error: 'mixed_kinds' })
  expect(finished('max', 'any', [true, false])).toBe(true)
  expect(finished('min', 'any', [true, null, 2.5])).toEqual({ error: 'mixed_kinds' })
})
