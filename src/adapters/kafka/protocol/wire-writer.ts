/** Owns writing Kafka's primitive types into a request. What a request is made of stands in its own file. */
import type { TopicId } from '../../../core/shard.ts'

/** Most requests are shorter; the buffer doubles when one is not. */
const FIRST_CAPACITY_BYTES = 256
const VARINT_BYTES_MAX = 5
const TWO_TO_32 = 0x1_0000_0000
const NO_TAGS = 0

/** Collects one request. Methods give the writer itself back, so that a request reads as its grammar. */
export class WireWriter {
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY_BYTES)
  #length = 0

  /** The bytes so far; valid until the next write. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0)
  }

  int8(value: number): this {
    this.#reserve(1)
    this.#length = this.#buffer.writeInt8(value, this.#length)
    return this
  }

  int16(value: number): this {
    this.#reserve(2)
    this.#length = this.#buffer.writeInt16BE(value, this.#length)
    return this
  }

  int32(value: number): this {
    this.#reserve(4)
    this.#length = this.#buffer.writeInt32BE(value, this.#length)
    return this
  }

  /** A safe integer; negative ones (-1: unknown, -2: earliest) too. */
  int64(value: number): this {
    this.#reserve(8)
    this.#length = this.#buffer.writeInt32BE(Math.floor(value / TWO_TO_32), this.#length)
    this.#length = this.#buffer.writeUInt32BE(value - Math.floor(value / TWO_TO_32) * TWO_TO_32, this.#length)
    return this
  }

  unsignedVarint(value: number): this {
    this.#reserve(VARINT_BYTES_MAX)
    let rest = value
    while (rest >= 0x80) {
      this.#length = this.#buffer.writeUInt8((rest & 0x7f) | 0x80, this.#length)
      rest >>>= 7
    }
    this.#length = this.#buffer.writeUInt8(rest, this.#length)
    return this
  }

  uuid(id: TopicId): this {
    return this.#raw(Buffer.from(id, 'base64url'))
  }

  string(value: string | null): this {
    if (value === null) return this.int16(-1)
    const bytes = Buffer.from(value, 'utf8')
    return this.int16(bytes.length).#raw(bytes)
  }

  compactString(value: string | null): this {
    if (value === null) return this.unsignedVarint(0)
    const bytes = Buffer.from(value, 'utf8')
    return this.unsignedVarint(bytes.length + 1).#raw(bytes)
  }

  compactBytes(value: Uint8Array): this {
    return this.unsignedVarint(value.length + 1).#raw(value)
  }

  array<T>(list: readonly T[], write: (element: T) => void): this {
    this.int32(list.length)
    list.forEach(write)
    return this
  }

  compactArray<T>(list: readonly T[] | null, write: (element: T) => void): this {
    this.unsignedVarint(list === null ? 0 : list.length + 1)
    list?.forEach(write)
    return this
  }

  /** We send no tagged fields. */
  noTags(): this {
    return this.unsignedVarint(NO_TAGS)
  }

  #raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + more))
    grown.set(this.finish())
    this.#buffer = grown
  }
}
