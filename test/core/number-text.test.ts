import fc from 'fast-check'
import { expect, test } from 'vitest'
import { doubleToText, NUMBER_TEXT, readDouble, readInteger, readNumeric } from '../../src/core/number-text.ts'
import { Registers, TAG } from '../../src/core/registers.ts'

type Read = typeof readDouble

/** The value, or how reading it ended in brackets. */
function value(read: Read, text: string): unknown {
  const r = new Registers(1)
  const bytes = Buffer.from(`7${text}7`, 'latin1')
  const result = read(bytes, 1, bytes.length - 1, r, 0)
  if (result !== NUMBER_TEXT.READ) return [result]
  return r.tag[0] === TAG.BIG_INTEGER ? r.ref[0] : r.num[0]
}

const INVALID = [NUMBER_TEXT.INVALID]
const OUT_OF_RANGE = [NUMBER_TEXT.OUT_OF_RANGE]

test.each([
  ['0', 0],
  ['-0', 0],
  ['007', 7],
  ['999999999999999', 999_999_999_999_999],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['9223372036854775808', OUT_OF_RANGE],
  ['-', INVALID],
  ['', INVALID],
  ['+', INVALID],
  ['1 2', INVALID],
  ['- 1', INVALID],
  ['1.0', INVALID],
])('the bigint of "%s" is %o', (text, expected) => {
  expect(value(readInteger, text)).toEqual(expected)
})

test.each([
  ['1.', 1],
  ['.', INVALID],
  ['-.5', -0.5],
  ['0.1', 0.1],
  ['1e', INVALID],
  ['1e5', 100_000],
  ['123456789012345.6', 123_456_789_012_345.6],
  ['0.000000000000001', 1e-15],
  ['-', INVALID],
  ['', INVALID],
  ['1..2', INVALID],
  ['1e309', OUT_OF_RANGE],
  ['-1e-400', OUT_OF_RANGE],
  ['0.0e-400', 0],
  ['4.9e-324', 5e-324],
])('the double of "%s" is %o', (text, expected) => {
  expect(value(readDouble, text)).toEqual(expected)
})

test('a double reads as the language reads it, correctly rounded', () => {
  const digits = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 20 }))
    .map(([unscaled, scale]) => {
      const text = unscaled.toString().padStart(scale + 1, '0')
      return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`
    })
  fc.assert(
    fc.property(digits, (text) => {
      expect(value(readDouble, text)).toBe(Number(text))
    }),
    { numRuns: 2_000 },
  )
})

test('the text of a double reads back as the same double', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (double) => {
      expect(Number(doubleToText(double)) + 0).toBe(double + 0)
    }),
    { numRuns: 2_000 },
  )
})

test('an empty text is no number, whatever byte stands behind it', () => {
  const r = new Registers(1)
  for (const read of [readInteger, readDouble, readNumeric]) {
    for (const behind of ['-', '1', '.', '-1']) expect(read(Buffer.from(behind), 0, 0, r, 0)).toBe(NUMBER_TEXT.INVALID)
  }
})
