import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Registers } from '../../src/core/registers.ts'
import { TIMESTAMP_MAX, TIMESTAMP_MIN } from '../../src/core/timestamp-calendar.ts'
import { formatTimestamp } from '../../src/core/timestamp-format.ts'
import { readTimestamp, TIMESTAMP_TEXT } from '../../src/core/timestamp-text.ts'

/** The instant as we write it, or how reading it ended. */
function read(text: string): string | number {
  const r = new Registers(1)
  // neighbours that would change the answer if they were read
  const bytes = Buffer.from(`9${text}9`, 'utf8')
  const result = readTimestamp(bytes, 1, bytes.length - 1, r, 0)
  return result === TIMESTAMP_TEXT.READ ? formatTimestamp(r.microsecondsOf(0)) : result
}

test.each([
  ['2025-11-30T00:00:00.123Z', '2025-11-30T00:00:00.123Z'],
  ['2025-11-30T10:11:12Z', '2025-11-30T10:11:12Z'],
  ['2025-11-30 10:11:12Z', '2025-11-30T10:11:12Z'],
  ['2025-11-30T10:11:12', '2025-11-30T10:11:12Z'],
  ['2025-11-30T10:11', '2025-11-30T10:11:00Z'],
  ['2025-11-30', '2025-11-30T00:00:00Z'],
  [' 2025-11-30\t', '2025-11-30T00:00:00Z'],
  ['20251130', '2025-11-30T00:00:00Z'],
  ['20251130T101112.5Z', '2025-11-30T10:11:12.5Z'],
  ['2025-334T10:00Z', '2025-11-30T10:00:00Z'],
  ['2025-11-30T10:11:12.1234567890123Z', '2025-11-30T10:11:12.123456Z'],
  ['2025-11-30T10:11:12.9999999Z', '2025-11-30T10:11:12.999999Z'],
  ['2025-11-30T10:11:12,5Z', '2025-11-30T10:11:12.5Z'],
  ['2025-11-30T10:11:12.Z', '2025-11-30T10:11:12Z'],
  ['2025-11-30T10:11:12+05', '2025-11-30T05:11:12Z'],
  ['2025-11-30T10:11:12+0530', '2025-11-30T04:41:12Z'],
  ['2025-11-30T10:11:12.5-05:30', '2025-11-30T15:41:12.5Z'],
  ['2025-11-30T10:11:12 +05:30:15', '2025-11-30T04:40:57Z'],
  ['2025-11-30t10:11:12z', '2025-11-30T10:11:12Z'],
  ['2025-11-30+05:00', '2025-11-29T19:00:00Z'],
  ['2025-11-30T24:00:00Z', '2025-12-01T00:00:00Z'],
  ['2025-12-31T23:59:60Z', '2026-01-01T00:00:00Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['0000-01-01', '0000-01-01T00:00:00Z'],
  ['0001-01-01 BC', '0000-01-01T00:00:00Z'],
  ['-000001-12-31', '-000001-12-31T00:00:00Z'],
  ['10000-01-01', '+010000-01-01T00:00:00Z'],
  ['+010000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z'],
  ['-004713-11-24T00:00:00Z', '-004713-11-24T00:00:00Z'],
  ['294247-01-10T04:00:54.775807Z', '+294247-01-10T04:00:54.775807Z'],
])('%s is %s', (text, instant) => {
  expect(read(text)).toBe(instant)
})

test.each([
  '',
  'now',
  'today',
  'infinity',
  '-infinity',
  'epoch',
  '2025',
  '2025-11',
  '2025-11-31',
  '2025-02-29',
  '1900-02-29T00:00:00Z',
  '2025-13-01T00:00:00Z',
  '2025-00-01',
  '2025-01-00',
  '0000-00-00T00:00:00Z',
  '2025-366',
  '2025-000',
  '11/30/2025',
  '30.11.2025',
  'Nov 30 2025',
  '2025-11-30T25:00:00Z',
  '2025-11-30T24:00:01Z',
  '2025-11-30T10:60:00Z',
  '2025-11-30T10:11:61Z',
  '2025-11-30T10:11:12.5xZ',
  '2025-11-30T10:11:12+16',
  '2025-11-30T10:11:12+05:60',
  '2025-11-30T10:11:12 Europe/Berlin',
  '2025-11-30T10:11:12UTC',
  '2025-11-30T10',
  '2025-11-30T10:1112',
  '2025-1-5',
  '2025-11-30T1:00',
  '٢٠٢٥-11-30T10:11:12Z',
  `2025-11-30T10:11:12.${'1'.repeat(200)}Q`,
  '0000-01-01 BC',
  '1764460800',
])('%s is no time', (text) => {
  expect(read(text)).toBe(TIMESTAMP_TEXT.INVALID)
})

test.each([
  '294247-01-10T04:00:54.775808Z',
  '294276-12-31T23:59:59Z',
  '-004713-11-23T23:59:59.999999Z',
  '999999-01-01',
])('%s is out of range', (text) => {
  expect(read(text)).toBe(TIMESTAMP_TEXT.OUT_OF_RANGE)
})

test('what is written reads back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: TIMESTAMP_MIN, max: TIMESTAMP_MAX }), (microseconds) => {
      const r = new Registers(1)
      const bytes = Buffer.from(formatTimestamp(microseconds))
      expect(readTimestamp(bytes, 0, bytes.length, r, 0)).toBe(TIMESTAMP_TEXT.READ)
      expect(r.microsecondsOf(0)).toBe(microseconds)
    }),
  )
})

test('milliseconds agree with Date, both ways', () => {
  fc.assert(
    fc.property(fc.integer({ min: -210_866_803_200_000, max: 8_640_000_000_000_000 }), (milliseconds) => {
      const text = formatTimestamp(BigInt(milliseconds) * 1_000n)
      expect(Date.parse(text)).toBe(milliseconds)
      expect(read(new Date(milliseconds).toISOString())).toBe(text)
    }),
  )
})

test('random bytes are refused, never thrown at', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(readTimestamp(bytes, 0, bytes.length, new Registers(1), 0)).toBeLessThanOrEqual(2)
    }),
  )
})
