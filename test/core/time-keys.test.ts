/** Key bytes and cells of dates, timestamps and intervals: their order is that of the values, and they come back. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { intervalCellOf, readIntervalCell } from '../../src/core/interval-cell.ts'
import { compareIntervals, intervalOf, setBigInterval } from '../../src/core/interval.ts'
import { keyBytesOf } from '../../src/core/key-bytes.ts'
import { readKeyInto, skipKey } from '../../src/core/key-reader.ts'
import { Registers } from '../../src/core/registers.ts'
import { DATE_MAX, DATE_MIN, TIMESTAMP_MAX, TIMESTAMP_MIN } from '../../src/core/timestamp-calendar.ts'

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const DAY = 86_400_000_000n
/** Often such that two of them have one span. */
const interval = fc.oneof(
  fc.record({ months: int32, days: int32, microseconds: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n) }),
  fc.record({
    months: fc.integer({ min: -2, max: 2 }),
    days: fc.constantFrom(-60, -30, -1, 0, 1, 29, 30, 31),
    microseconds: fc.constantFrom(-DAY, -1n, 0n, 1n, DAY - 1n, DAY),
  }),
)
const spanOf = ({ months, days, microseconds }: { months: number; days: number; microseconds: bigint }): bigint =>
  BigInt(months * 30 + days) * DAY + microseconds

test('intervals', () => {
  const r = new Registers(3)
  fc.assert(
    fc.property(interval, interval, (left, right) => {
      setBigInterval(r, 0, left.months, left.days, left.microseconds)
      setBigInterval(r, 1, right.months, right.days, right.microseconds)
      expect(intervalOf(r, 0)).toEqual(left)
      const [a, b] = [spanOf(left), spanOf(right)]
      const order = a < b ? -1 : a > b ? 1 : 0
      expect(compareIntervals(r, 0, 1)).toBe(order)
      expect(Buffer.compare(keyBytesOf(r, 0), keyBytesOf(r, 1))).toBe(order)
      readKeyInto(keyBytesOf(r, 0), 0, r, 2)
      expect(spanOf(intervalOf(r, 2))).toBe(a)
      readIntervalCell(intervalCellOf(r, 0), r, 2)
      expect(intervalOf(r, 2)).toEqual(left)
      if (order !== 0) expect(Buffer.compare(intervalCellOf(r, 0), intervalCellOf(r, 1))).toBe(order)
    }),
    { numRuns: 2000 },
  )
})

test('dates and timestamps', () => {
  const r = new Registers(3)
  const roundTrip = (): Uint8Array => {
    const key = keyBytesOf(r, 0)
    expect(skipKey(key, 0)).toBe(key.length)
    expect(readKeyInto(key, 0, r, 2)).toBe(key.length)
    expect([r.tag[2], keyBytesOf(r, 2)]).toEqual([r.tag[0], key])
    return key
  }
  const day = fc.integer({ min: DATE_MIN, max: DATE_MAX })
  const instant = fc.bigInt(TIMESTAMP_MIN, TIMESTAMP_MAX)
  fc.assert(
    fc.property(day, day, instant, instant, (a, b, c, d) => {
      r.setDate(0, a)
      const date = roundTrip()
      r.setDate(0, b)
      expect(Math.sign(Buffer.compare(date, roundTrip()))).toBe(Math.sign(a - b))
      r.setBigTimestamp(0, c)
      r.toLocal(0)
      const time = roundTrip()
      r.setBigTimestamp(0, d)
      r.toLocal(0)
      expect(Buffer.compare(time, roundTrip())).toBe(c < d ? -1 : c > d ? 1 : 0)
    }),
  )
})
