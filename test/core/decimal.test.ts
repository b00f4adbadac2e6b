import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addDecimals,
  compareDecimals,
  compareDecimalWithDouble,
  type Decimal,
  decimalOfDouble,
  decimalToDouble,
  decimalToText,
  divideDecimals,
  floorOfDecimal,
  multiplyDecimals,
  nextDoubleDown,
  normalizeDecimal,
  parseDecimal,
  remainderOfDecimals,
  roundDecimal,
  subtractDecimals,
} from '../../src/core/decimal.ts'

const decimals: fc.Arbitrary<Decimal> = fc.record({
  unscaled: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  scale: fc.integer({ min: 0, max: 40 }),
})
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)

function decimal(text: string): Decimal {
  const value = parseDecimal(text)
  if (value === undefined) throw new Error(`${text} is no decimal`)
  return value
}

test.each([
  ['0.30', '0.30'],
  ['-12', '-12'],
  ['+1.5e3', '1500'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['1e-3', '0.001'],
  ['-0.0', '0.0'],
  ['000123.4500', '123.4500'],
  ['1.23e1', '12.3'],
])('%s reads as %s', (text, shown) => {
  expect(decimalToText(decimal(text))).toBe(shown)
})

test.each(['', '.', '1.2.3', 'e5', '1e', 'NaN', '0x1', '1_0', ' 1', '1e200000', '1e-20000'])(
  '%s is no decimal',
  (text) => {
    expect(parseDecimal(text)).toBeUndefined()
  },
)

test('text reads back', () => {
  fc.assert(
    fc.property(decimals, (value) => {
      expect(decimal(decimalToText(value))).toEqual(value)
    }),
  )
})

test('a double has an exact decimal, which gives the double back', () => {
  fc.assert(
    fc.property(doubles, (value) => {
      const exact = decimalOfDouble(value)
      expect(decimalToDouble(exact)).toBe(value)
      expect(compareDecimalWithDouble(exact, value)).toBe(0)
    }),
  )
  expect(decimalToText(decimalOfDouble(0.1))).toBe('0.1000000000000000055511151231257827021181583404541015625')
  expect(decimalOfDouble(1e23).unscaled).toBe(99_999_999_999_999_991_611_392n)
})

test('comparing with a double is exact', () => {
  fc.assert(
    fc.property(decimals, doubles, (left, right) => {
      expect(Math.sign(compareDecimalWithDouble(left, right))).toBe(compareDecimals(left, decimalOfDouble(right)))
    }),
  )
  expect(compareDecimalWithDouble(decimal('0.1'), 0.1)).toBeLessThan(0)
  expect(compareDecimalWithDouble(decimal('1e400'), Number.MAX_VALUE)).toBeGreaterThan(0)
  expect(compareDecimalWithDouble(decimal('1e400'), Infinity)).toBeLessThan(0)
  expect(compareDecimalWithDouble(decimal('-1e400'), -Infinity)).toBeGreaterThan(0)
})

test('sums and products keep the laws of numbers', () => {
  fc.assert(
    fc.property(decimals, decimals, decimals, (a, b, c) => {
      const same = (left: Decimal, right: Decimal): void => expect(compareDecimals(left, right)).toBe(0)
      same(subtractDecimals(addDecimals(a, b), b), a)
      same(multiplyDecimals(a, addDecimals(b, c)), addDecimals(multiplyDecimals(a, b), multiplyDecimals(a, c)))
      same(normalizeDecimal(a), a)
    }),
  )
})

test('a normal form has no zeros at its end', () => {
  fc.assert(
    fc.property(decimals, (value) => {
      const { unscaled, scale } = normalizeDecimal(value)
      expect(scale === 0 || unscaled % 10n !== 0n).toBe(true)
    }),
  )
})

// the answers of PostgreSQL 18
test.each([
  ['1', '3', '0.33333333333333333333'],
  ['2', '3', '0.66666666666666666667'],
  ['-2', '3', '-0.66666666666666666667'],
  ['10', '4', '2.5000000000000000'],
  ['1', '7000', '0.00014285714285714286'],
  ['123456789', '3', '41152263.000000000000'],
  ['0', '5', '0.00000000000000000000'],
  ['1.500', '0.5', '3.0000000000000000'],
])('%s / %s is %s', (left, right, quotient) => {
  expect(decimalToText(divideDecimals(decimal(left), decimal(right)))).toBe(quotient)
})

test.each([
  ['5.50', '2', '1.50'],
  ['-5.5', '2', '-1.5'],
  ['5.5', '-2', '1.5'],
])('%s %% %s is %s', (left, right, rest) => {
  expect(decimalToText(remainderOfDecimals(decimal(left), decimal(right)))).toBe(rest)
})

test.each([
  ['2.5', 0, '3'],
  ['-2.5', 0, '-3'],
  ['2.449', 2, '2.45'],
  ['2.4', 5, '2.4'],
  ['1250', -2, '1300'],
  ['-1249', -2, '-1200'],
  ['49', -2, '0'],
  ['51', -2, '100'],
  ['9', -400, '0'],
])('%s rounded to %i places is %s', (value, places, rounded) => {
  expect(decimalToText(roundDecimal(decimal(value), places))).toBe(rounded)
})

test.each([
  ['1.5', 1n],
  ['-1.5', -2n],
  ['-2.0', -2n],
  ['0.9', 0n],
])('the floor of %s is %s', (value, floor) => {
  expect(floorOfDecimal(decimal(value))).toBe(floor)
})

test('the double below is the next one', () => {
  expect(nextDoubleDown(1)).toBe(1 - 2 ** -53)
  expect(nextDoubleDown(0)).toBe(-Number.MIN_VALUE)
  expect(nextDoubleDown(-1)).toBe(-1 - 2 ** -52)
  expect(nextDoubleDown(Number.MIN_VALUE)).toBe(0)
})
