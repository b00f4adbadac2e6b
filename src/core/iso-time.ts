/** Owns the reading of an ISO 8601 time that a request names outside of SQL: the same spellings as timestamptz, in milliseconds. */
import { Registers, TAG } from './registers.ts'
import { readTimestamp, TIMESTAMP_TEXT } from './timestamp-text.ts'

const MICROSECONDS_PER_MILLISECOND = 1_000

/**
 * Milliseconds since 1970; undefined for what is no instant. Text without a zone is UTC, whatever the process's zone (Date.parse takes
 * local time, days that don't exist, and words). Digits past the millisecond are cut.
 */
export function parseIsoTime(text: string): number | undefined {
  const bytes = Buffer.from(text)
  const register = new Registers(1)
  if (readTimestamp(bytes, 0, bytes.length, register, 0) !== TIMESTAMP_TEXT.READ) return undefined
  if (register.tag[0] === TAG.TIMESTAMP) return Math.floor((register.num[0] as number) / MICROSECONDS_PER_MILLISECOND)
  // from the year 2255 on, microseconds are beyond what a double counts; milliseconds aren't
  const microseconds = register.ref[0] as bigint
  const rest = ((microseconds % 1_000n) + 1_000n) % 1_000n
  return Number((microseconds - rest) / 1_000n)
}
