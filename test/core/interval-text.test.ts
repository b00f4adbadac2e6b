import { expect, test } from 'vitest'
import * as fc from 'fast-check'
import { describeInterval, formatInterval, parseInterval } from '../../src/core/interval-text.ts'

const MINUTE = 60_000_000
const HOUR = 60 * MINUTE

/** Checked against PostgreSQL 18. */
const READ: readonly (readonly [text: string, months: number, days: number, microseconds: number])[] = [
  ['5 minutes', 0, 0, 5 * MINUTE],
  ['1 day', 0, 1, 0],
  ['15 min', 0, 0, 15 * MINUTE],
  ['1 hour 30 minutes', 0, 0, 90 * MINUTE],
  ['1h30m', 0, 0, 90 * MINUTE],
  ['01:30:00', 0, 0, 90 * MINUTE],
  ['-01:30', 0, 0, -90 * MINUTE],
  ['1 day 02:03:04.5', 0, 1, 2 * HOUR + 3 * MINUTE + 4_500_000],
  ['PT5M', 0, 0, 5 * MINUTE],
  ['P1Y2M3DT4H5M6S', 14, 3, 4 * HOUR + 5 * MINUTE + 6_000_000],
  ['P1W', 0, 7, 0],
  ['1-2', 14, 0, 0],
  ['1.5 hours', 0, 0, 90 * MINUTE],
  ['0.5 day', 0, 0, 12 * HOUR],
  ['1.5 months', 1, 15, 0],
  ['1.5 years', 18, 0, 0],
  // half a month to the even one, as PostgreSQL
  ['0.875 years', 10, 0, 0],
  ['-1.125 years', -14, 0, 0],
  ['2 weeks', 0, 14, 0],
  ['1 century', 1200, 0, 0],
  ['250 ms', 0, 0, 250_000],
  ['7 us', 0, 0, 7],
  ['1 day ago', 0, -1, 0],
  ['@ 1 minute', 0, 0, MINUTE],
  ['90', 0, 0, 90_000_000],
  ['1 day, 2 hours', 0, 1, 2 * HOUR],
  ['0.5 weeks', 0, 3, 12 * HOUR],
]

test.each(READ)('%s', (text, months, days, microseconds) => {
  expect(parseInterval(text)).toEqual({ months, days, microseconds: BigInt(microseconds) })
})

test.each([
  '',
  ' ',
  'minutes',
  '5 parsecs',
  'P',
  'PT',
  '1:99',
  '5 minutes x',
  'ago',
  '1e3 days',
  '999999999999 years hours',
  '99999999999999999999 us',
])('not an interval: "%s"', (text) => {
  expect(parseInterval(text)).toBeUndefined()
})

test('what is printed is read back', () => {
  const part = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
  const interval = fc.record({ months: part, days: part, microseconds: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n) })
  fc.assert(
    fc.property(interval, (given) => {
      expect(parseInterval(formatInterval(given))).toEqual(given)
      expect(parseInterval(describeInterval(given))).toEqual(given)
    }),
  )
})
