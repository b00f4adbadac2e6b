/** Times that requests name: as timestamptz reads them, in milliseconds. */
import { expect, test } from 'vitest'
import { parseIsoTime } from '../../src/core/iso-time.ts'

test.each([
  ['1970-01-01T00:00:00Z', 0],
  ['2026-01-01', Date.UTC(2026, 0, 1)],
  ['2026-01-01T00:00:00', Date.UTC(2026, 0, 1)],
  ['2026-01-01 12:30:00.1239+05:30', Date.UTC(2026, 0, 1, 7, 0, 0, 123)],
  ['1969-12-31T23:59:59.9999Z', -1],
  ['9999-12-31T23:59:59.999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ['0001-01-01T00:00:00.0005Z', Date.parse('0001-01-01T00:00:00Z')],
])('%s', (text, milliseconds) => {
  expect(parseIsoTime(text)).toBe(milliseconds)
})

test.each(['', 'now', 'infinity', '2026-02-30', '2026-13-01', '2026-01-01 (or so)', '1767225600', 'Jan 1 2026'])(
  '"%s" is none',
  (text) => {
    expect(parseIsoTime(text)).toBeUndefined()
  },
)
