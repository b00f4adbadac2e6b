/**
 * Owns counts and big integers in the bytes of states. A count is a varint, the low seven bits first; a big integer is a varint of twice its
 * length plus its sign, then its magnitude, big-endian, without leading zeros: equal values have equal bytes.
 */
import { assert } from '../core/assert.ts'

export function pushCount(bytes: number[], count: number): void {
  while (count >= 0x80) {
    bytes.push((count % 0x80) | 0x80)
    count = Math.floor(count / 0x80)
  }
  bytes.push(count)
}

export function pushInteger(bytes: number[], value: bigint): void {
  const negative = value < 0n
  const hex = (negative ? -value : value).toString(16)
  const digits = value === 0n ? '' : hex.length % 2 === 0 ? hex : `0${hex}`
  pushCount(bytes, digits.length + (negative ? 1 : 0))
  for (let at = 0; at < digits.length; at += 2) bytes.push(Number.parseInt(digits.slice(at, at + 2), 16))
}

/** Changed in place by each reading. */
export interface StateReader {
  readonly bytes: Uint8Array
  at: number
}

/** Errors: BrokenInvariant for bytes that are cut. */
export function readCount(reader: StateReader): number {
  let count = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = reader.bytes[reader.at++]
    assert(byte !== undefined, 'the state is cut')
    count += (byte & 0x7f) * factor
    if (byte < 0x80) return count
  }
}

/** Errors: BrokenInvariant for bytes that are cut. */
export function readInteger(reader: StateReader): bigint {
  const head = readCount(reader)
  const length = head >> 1
  if (length === 0) return 0n
  assert(reader.at + length <= reader.bytes.length, 'the state is cut')
  const magnitude = BigInt(`0x${Buffer.from(reader.bytes.subarray(reader.at, reader.at + length)).toString('hex')}`)
  reader.at += length
  return (head & 1) === 1 ? -magnitude : magnitude
}
