/**
 * Owns the framing of the records inside a batch: one pass reads it into columns and checks all of it, so that a batch is
 * either visited as a whole or not at all. (A pass that only checks, before one that visits, would read every varint twice.)
 */
import { RECORD_BYTES_MIN } from './record-format.ts'

// A constant of this file instead of the imported one on the hot path: see json-field-reader.ts.
const BYTES_MIN = RECORD_BYTES_MIN
const CAPACITY_MIN = 1024
const MALFORMED = -1
/** A varint has at most 5 bytes, a varlong 10. */
const VARINT_BYTES_MAX = 5
const VARLONG_BYTES_MAX = 10

/** The framing of one batch at a time; each column has an entry per record. Kept and reused: parsing makes no object. */
export class RecordColumns {
  count = 0
  offsetDelta = new Int32Array(CAPACITY_MIN)
  timestamp = new Float64Array(CAPACITY_MIN)
  /** -1: null, as in valueStart. */
  keyStart = new Int32Array(CAPACITY_MIN)
  keyEnd = new Int32Array(CAPACITY_MIN)
  valueStart = new Int32Array(CAPACITY_MIN)
  valueEnd = new Int32Array(CAPACITY_MIN)
  headersStart = new Int32Array(CAPACITY_MIN)
  headerCount = new Int32Array(CAPACITY_MIN)
  /** Where the last varint that was read ends; MALFORMED when there was none. */
  #position = 0

  /**
   * Reads `count` records that fill bytes[start, end). Offset deltas must rise within [0, lastOffsetDelta].
   * Returns undefined, or what is wrong; the columns are then worthless. Never throws.
   */
  parse(
    bytes: Uint8Array,
    start: number,
    end: number,
    count: number,
    lastOffsetDelta: number,
    baseTimestampMs: number,
  ): string | undefined {
    // bounds the memory before it is taken
    if (count < 0 || count * BYTES_MIN > end - start) return `it can't hold ${count} records`
    this.#reserve(count)
    this.count = count
    const { offsetDelta, timestamp, keyStart, keyEnd, valueStart, valueEnd, headersStart, headerCount } = this
    let previous = -1
    let at = start
    for (let index = 0; index < count; index++) {
      const length = this.#readVarint(bytes, at, end)
      at = this.#position
      if (at < 0 || length < BYTES_MIN - 1 || length > end - at) return `record ${index} has a wrong length`
      const recordEnd = at + length
      // the record's attributes byte has no meaning yet
      at++
      timestamp[index] = baseTimestampMs + this.#readVarlong(bytes, at, recordEnd)
      at = this.#position
      if (at < 0) return `record ${index} has no timestamp`
      const delta = this.#readVarint(bytes, at, recordEnd)
      at = this.#position
      if (at < 0 || delta <= previous || delta > lastOffsetDelta) return `record ${index} has a wrong offset`
      previous = offsetDelta[index] = delta

      const keyLength = this.#readVarint(bytes, at, recordEnd)
      at = this.#position
      if (at < 0 || keyLength < -1 || keyLength > recordEnd - at) return `record ${index} has a wrong key length`
      if (keyLength >= 0) {
        keyStart[index] = at
        keyEnd[index] = at += keyLength
      } else {
        keyStart[index] = -1
        keyEnd[index] = -1
      }

      const valueLength = this.#readVarint(bytes, at, recordEnd)
      at = this.#position
      if (at < 0 || valueLength < -1 || valueLength > recordEnd - at) return `record ${index} has a wrong value length`
      if (valueLength >= 0) {
        valueStart[index] = at
        valueEnd[index] = at += valueLength
      } else {
        valueStart[index] = -1
        valueEnd[index] = -1
      }

      const headers = this.#readVarint(bytes, at, recordEnd)
      at = this.#position
      if (at < 0 || headers < 0) return `record ${index} has a wrong number of headers`
      headersStart[index] = at
      headerCount[index] = headers
      if (headers > 0) at = this.#skipHeaders(bytes, at, recordEnd, headers)
      if (at !== recordEnd) return `record ${index} doesn't end with its headers`
    }
    return at === end ? undefined : `${end - at} bytes follow its last record`
  }

  /** Returns where the headers end, or MALFORMED. A header's name is never null. */
  #skipHeaders(bytes: Uint8Array, start: number, end: number, count: number): number {
    let at = start
    for (let index = 0; index < count; index++) {
      const nameLength = this.#readVarint(bytes, at, end)
      at = this.#position
      if (at < 0 || nameLength < 0 || nameLength > end - at) return MALFORMED
      at += nameLength
      const valueLength = this.#readVarint(bytes, at, end)
      at = this.#position
      if (at < 0 || valueLength < -1 || valueLength > end - at) return MALFORMED
      if (valueLength > 0) at += valueLength
    }
    return at
  }

  #readVarint(bytes: Uint8Array, at: number, end: number): number {
    if (at < end) {
      const first = bytes[at]!
      if (first < 0x80) {
        this.#position = at + 1
        return (first >>> 1) ^ -(first & 1)
      }
      if (at + 1 < end) {
        const second = bytes[at + 1]!
        if (second < 0x80) {
          this.#position = at + 2
          const raw = (first & 0x7f) | (second << 7)
          return (raw >>> 1) ^ -(raw & 1)
        }
      }
    }
    return this.#readLongVarint(bytes, at, end)
  }

  #readLongVarint(bytes: Uint8Array, start: number, end: number): number {
    const limit = Math.min(end, start + VARINT_BYTES_MAX)
    let raw = 0
    let shift = 0
    for (let at = start; at < limit; at++) {
      const byte = bytes[at]!
      raw |= (byte & 0x7f) << shift
      shift += 7
      if (byte < 0x80) {
        this.#position = at + 1
        return (raw >>> 1) ^ -(raw & 1)
      }
    }
    this.#position = MALFORMED
    return 0
  }

  /** Exact up to 2^53, rounded beyond: timestamps there are nonsense but no reason to stop. */
  #readVarlong(bytes: Uint8Array, start: number, end: number): number {
    const limit = Math.min(end, start + VARLONG_BYTES_MAX)
    // the raw number in two halves of 28 and 36 bits
    let low = 0
    let high = 0
    let shift = 0
    for (let at = start; at < limit; at++) {
      const byte = bytes[at]!
      if (shift < 28) low |= (byte & 0x7f) << shift
      else high += (byte & 0x7f) * 2 ** (shift - 28)
      shift += 7
      if (byte < 0x80) {
        this.#position = at + 1
        if (high === 0) return (low >>> 1) ^ -(low & 1)
        return toSigned(low, high % 2 ** 36)
      }
    }
    this.#position = MALFORMED
    return 0
  }

  #reserve(count: number): void {
    if (count <= this.offsetDelta.length) return
    const capacity = 2 ** Math.ceil(Math.log2(count))
    this.offsetDelta = new Int32Array(capacity)
    this.timestamp = new Float64Array(capacity)
    this.keyStart = new Int32Array(capacity)
    this.keyEnd = new Int32Array(capacity)
    this.valueStart = new Int32Array(capacity)
    this.valueEnd = new Int32Array(capacity)
    this.headersStart = new Int32Array(capacity)
    this.headerCount = new Int32Array(capacity)
  }
}

/** Undoes zigzag of the 64-bit number high * 2^28 + low. */
function toSigned(low: number, high: number): number {
  const half = (high % 2 === 0 ? 0 : 2 ** 27) + Math.floor(high / 2) * 2 ** 28 + (low >>> 1)
  return low & 1 ? -half - 1 : half
}
