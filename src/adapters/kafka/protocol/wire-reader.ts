/** Owns reading Kafka's primitive types from an answer. What an answer is made of stands in the file of its request. */
import { type TopicId, toTopicId } from '../../../core/shard.ts'

/** Thrown when an answer's bytes are not what its grammar says: the connection is of no use any more. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
}

const UUID_BYTES = 16
const TWO_TO_32 = 0x1_0000_0000
/** An unsigned 32-bit varint has at most five groups of seven bits. */
const VARINT_SHIFT_MAX = 28

/** Reads one answer from its first to its last byte. Errors: MalformedAnswer, RangeError (beyond the end). */
export class WireReader {
  readonly #buffer: Buffer
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  boolean(): boolean {
    return this.int8() !== 0
  }

  int8(): number {
    const value = this.#buffer.readInt8(this.#at)
    this.#at += 1
    return value
  }

  int16(): number {
    const value = this.#buffer.readInt16BE(this.#at)
    this.#at += 2
    return value
  }

  int32(): number {
    const value = this.#buffer.readInt32BE(this.#at)
    this.#at += 4
    return value
  }

  /** Offsets and times: they stay far below 2^53, an answer with more is refused rather than rounded. */
  int64(): number {
    const value = this.#buffer.readInt32BE(this.#at) * TWO_TO_32 + this.#buffer.readUInt32BE(this.#at + 4)
    if (!Number.isSafeInteger(value)) throw new MalformedAnswer(`number beyond 2^53 at byte ${this.#at}`)
    this.#at += 8
    return value
  }

  /** Producer ids use all 64 bits. */
  bigInt64(): bigint {
    const value = this.#buffer.readBigInt64BE(this.#at)
    this.#at += 8
    return value
  }

  unsignedVarint(): number {
    let value = 0
    for (let shift = 0; shift <= VARINT_SHIFT_MAX; shift += 7) {
      const byte = this.#buffer.readUInt8(this.#at)
      this.#at += 1
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    throw new MalformedAnswer(`varint of more than five bytes at byte ${this.#at}`)
  }

  uuid(): TopicId {
    return toTopicId(this.#slice(UUID_BYTES).toString('base64url'))
  }

  /** A string with a 16-bit length (before the flexible versions). Null: length -1. */
  string(): string | null {
    const length = this.int16()
    return length < 0 ? null : this.#slice(length).toString('utf8')
  }

  /** A string whose varint length is one too high; 0: null. */
  compactString(): string | null {
    const length = this.unsignedVarint() - 1
    return length < 0 ? null : this.#slice(length).toString('utf8')
  }

  /** A slice of the answer's own buffer. Null is empty: no answer that we read gives null a meaning of its own. */
  bytes(): Buffer {
    return this.#slice(Math.max(0, this.int32()))
  }

  compactBytes(): Buffer {
    return this.#slice(Math.max(0, this.unsignedVarint() - 1))
  }

  array<T>(read: (reader: WireReader) => T): T[] {
    return this.#elements(this.int32(), read)
  }

  compactArray<T>(read: (reader: WireReader) => T): T[] {
    return this.#elements(this.unsignedVarint() - 1, read)
  }

  /** Tagged fields: all that we could meet are optional, so they are passed over. */
  skipTags(): void {
    for (let count = this.unsignedVarint(); count > 0; count -= 1) {
      this.unsignedVarint()
      this.#slice(this.unsignedVarint())
    }
  }

  #elements<T>(count: number, read: (reader: WireReader) => T): T[] {
    // Each element takes a byte at least: a wrong count must not make a list of billions.
    if (count > this.#buffer.length - this.#at) throw new MalformedAnswer(`list of ${count} at byte ${this.#at}`)
    const list: T[] = []
    for (let index = 0; index < count; index += 1) list.push(read(this))
    return list
  }

  #slice(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#buffer.length) throw new MalformedAnswer(`${length} bytes at byte ${this.#at} are beyond the end`)
    const slice = this.#buffer.subarray(this.#at, end)
    this.#at = end
    return slice
  }
}
