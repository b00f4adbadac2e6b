/** BOOL_AND, BOOL_OR, BIT_AND, BIT_OR, BIT_XOR: what they take, and 64 bits in two's complement. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { finish, stateOf, type Value } from './fold-values.ts'
import { int64 } from './number-values.ts'

function finished(name: string, values: readonly Value[]): unknown {
  const aggregate = resolveAggregate(name, ['any'])!
  return finish(aggregate, stateOf(aggregate, values))
}

test('bits are those of the language on big integers', () => {
  fc.assert(
    fc.property(fc.array(int64, { minLength: 1, maxLength: 8 }), (values) => {
      expect(finished('bit_and', values)).toBe(values.reduce((a, b) => a & b))
      expect(finished('bit_or', values)).toBe(values.reduce((a, b) => a | b))
      expect(finished('bit_xor', values)).toBe(values.reduce((a, b) => a ^ b))
    }),
  )
})

test('a double without a fraction is the integer that it equals', () => {
  expect(finished('bit_or', [4, 2n, -(2 ** 63)])).toBe(-(2n ** 63n) + 6n)
  expect(finished('bit_and', [2 ** 40, -1])).toBe(2n ** 40n)
})

test('what is no integer of 64 bits is an error', () => {
  expect(() => finished('bit_or', [1.5])).toThrow('bit_or takes integers, not a number with a fraction')
  expect(() => finished('bit_or', [NaN])).toThrow('takes integers')
  expect(() => finished('bit_xor', [{ unscaled: 15n, scale: 1 }])).toThrow('takes integers')
  expect(() => finished('bit_and', [2n ** 63n])).toThrow('bit_and takes integers of 64 bits')
  expect(() => finished('bit_and', [2 ** 63])).toThrow('64 bits')
  expect(() => finished('bit_and', [true])).toThrow("bit_and doesn't take a boolean")
})

test('truth: NULL is left out, no value is NULL', () => {
  expect(finished('bool_and', [true, null, true])).toBe(true)
  expect(finished('every', [true, false, true])).toBe(false)
  expect(finished('bool_or', [false, null])).toBe(false)
  expect(finished('bool_or', [false, true, false])).toBe(true)
  for (const name of ['bool_and', 'bool_or', 'every', 'bit_and', 'bit_or', 'bit_xor']) {
    expect(finished(name, [null])).toBe(null)
  }
  expect(() => finished('bool_or', ['true'])).toThrow("bool_or doesn't take text")
  expect(() => finished('every', [1n])).toThrow("every doesn't take a number")
})
