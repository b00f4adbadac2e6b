import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadJsonNumber, readJsonDouble, readJsonInteger } from '../../src/core/json-number.ts'
import { Registers, TAG } from '../../src/core/registers.ts'

/** Reads a literal that lies within other digits, as in a document's buffer. */
function read<T>(reader: (bytes: Uint8Array, start: number, end: number) => T, literal: string): T {
  const bytes = Buffer.from(`77${literal}77`)
  return reader(bytes, 2, bytes.length - 2)
}

test.for([
  ['0', 0],
  ['-0', 0],
  ['7', 7],
  ['-123456789', -123456789],
  ['999999999999999', 999999999999999],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['-9007199254740991', Number.MIN_SAFE_INTEGER],
  ['9007199254740992', Number.NaN],
  ['9007199254740993', Number.NaN],
  ['9999999999999999', Number.NaN],
  ['-9007199254740992', Number.NaN],
  ['12345678901234567', Number.NaN],
  ['1'.repeat(1000), Number.NaN],
] as const)('integer %s is %d', ([literal, value]) => {
  expect(read(readJsonInteger, literal)).toBe(value)
})

test.for([
  '0.0',
  '-0.0',
  '0e999',
  '1e22',
  '1e23',
  '1e-22',
  '1e-23',
  '123456789012345e-22',
  '0.1',
  '0.30000000000000004',
  '2.2250738585072011e-308',
  '2.2250738585072014e-308',
  '4.9e-324',
  '2.4703282292062327e-324',
  '1.7976931348623157e308',
  '1.7976931348623159e308',
  '-1e309',
  '1E+5',
  '1e0000000000000000000000005',
  '1e99999999999999999999',
  '-1e-99999999999999999999',
  '0.000000000000000000000000000000123456789',
  '100000000000000000000000000000000.0',
  '9007199254740993.0',
  '8.41e21',
  '1.00000000000000011102230246251565404236316680908203125',
])('double %s is as JSON.parse reads it', (literal) => {
  expect(read(readJsonDouble, literal)).toBe(Number(literal))
})

test('every double is found again from its shortest text', () => {
  const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(anyDouble, (value) => {
      expect(read(readJsonDouble, JSON.stringify(value))).toBe(value === 0 ? 0 : value)
    }),
  )
})

test('any literal is read as JSON.parse reads it', () => {
  const literal = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/)
  fc.assert(
    fc.property(literal, (text) => {
      expect(read(readJsonDouble, text)).toBe(Number(text))
    }),
    { numRuns: 1000 },
  )
})

test('a token becomes an integer of any size or a double, or is out of range as in PostgreSQL', () => {
  const token = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/)
  fc.assert(
    fc.property(token, (text) => {
      const r = new Registers(1)
      const isLoaded = read((bytes, start, end) => loadJsonNumber(bytes, start, end, r, 0), text)
      const isWhole = !/[.eE]/.test(text)
      const isTooSmall = Number(text) === 0 && /^[^eE]*[1-9]/.test(text)
      expect(isLoaded).toBe(isWhole || (Number.isFinite(Number(text)) && !isTooSmall))
      if (isWhole) expect(r.bigIntegerOf(0)).toBe(BigInt(text))
      else if (isLoaded) expect([r.tag[0], r.num[0]]).toEqual([TAG.DOUBLE, Number(text) + 0])
    }),
    { numRuns: 1000 },
  )
})
