/**
 * Owns the state of a list of entries (entry-writer.ts): those that come first in their order, up to a bound. Where there were more, that is
 * kept too. A list is a function of all entries alone, however they came about (law 5): one that a part of them leaves out has so many
 * before it there that it is left out of the whole.
 *
 * Bytes: version | 1 where entries were left out, else 0 | for each entry: its length, where its value begins in it (state-bytes.ts), its bytes
 */
import { assert } from '../core/assert.ts'
import { skipKey } from '../core/key-reader.ts'
import { compareEntries } from './entry-writer.ts'
import { readCount } from './state-bytes.ts'

const BYTES_VERSION = 1
const HEAD_BYTES = 2
/** A length and a place, in seven bits a byte. */
const LENGTHS_BYTES_MAX = 2 * 5

export interface EntryBounds {
  readonly valuesMax: number
  /** The entry that passes it is the last. Of a map the keys alone count: a value that is followed by a later one must not decide. */
  readonly bytesMax: number
  /** Of a map: key bytes of one value and what it is ordered by. A longer one is an error, which each record decides for itself. */
  readonly mapValueBytesMax: number
}

/** Of a group that is stored: written again with each commit that touches it. */
export const STATE_BOUNDS: EntryBounds = { valuesMax: 1000, bytesMax: 1 << 18, mapValueBytesMax: 1 << 14 }
/** Of a group of an answer. */
export const ROW_BOUNDS: EntryBounds = { valuesMax: 100_000, bytesMax: 1 << 24, mapValueBytesMax: Infinity }

/** Which entries are one: none, those with all the same bytes, those with the same first key. Of a map's the first counts. */
export type Sameness = 'none' | 'whole' | 'key'

/** The bytes of an entry that make it the same as another. */
export function identityLength(sameness: Sameness, bytes: Uint8Array, start: number, length: number): number {
  return sameness === 'key' ? skipKey(bytes, start) - start : length
}

/** Writes entries in their order until the bounds are met. */
export class EntryListWriter {
  readonly #sameness: Sameness
  readonly #bounds: EntryBounds
  readonly #into: Uint8Array
  #at = HEAD_BYTES
  #count = 0
  #bytes = 0
  /** The last entry's identity. */
  #last = 0
  #lastLength = -1

  /** `capacity`: of all entries' bytes, `count` of them. */
  constructor(sameness: Sameness, bounds: EntryBounds, capacity: number, count: number, past: boolean) {
    this.#sameness = sameness
    this.#bounds = bounds
    this.#into = new Uint8Array(HEAD_BYTES + capacity + count * LENGTHS_BYTES_MAX)
    this.#into[0] = BYTES_VERSION
    this.#into[1] = past ? 1 : 0
  }

  /** False: the bounds are met, and this entry and all behind it are left out. */
  add(bytes: Uint8Array, start: number, length: number, valueAt: number): boolean {
    const own = identityLength(this.#sameness, bytes, start, length)
    if (this.#sameness !== 'none' && this.#lastLength === own) {
      if (compareEntries(this.#into, this.#last, own, bytes, start, own) === 0) return true
    }
    if (this.#count === this.#bounds.valuesMax || this.#bytes > this.#bounds.bytesMax) {
      this.#into[1] = 1
      return false
    }
    this.#putCount(length)
    this.#putCount(valueAt)
    this.#last = this.#at
    this.#lastLength = own
    this.#into.set(bytes.subarray(start, start + length), this.#at)
    this.#at += length
    this.#count += 1
    this.#bytes += own
    return true
  }

  #putCount(count: number): void {
    let rest = count
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#into[this.#at++] = (rest % 0x80) | 0x80
    this.#into[this.#at++] = rest
  }

  finish(): Uint8Array {
    return this.#into.slice(0, this.#at)
  }
}

/** Reads a state entry by entry: [start, start + length) of `bytes`. */
export class EntryListReader {
  readonly bytes: Uint8Array
  /** Entries were left out. */
  readonly past: boolean
  at = HEAD_BYTES
  start = 0
  length = 0
  valueAt = 0
  isDone = false

  constructor(bytes: Uint8Array) {
    assert(bytes[0] === BYTES_VERSION, `a list of values has version ${bytes[0]}`)
    this.bytes = bytes
    this.past = bytes[1] === 1
    this.next()
  }

  /** The entry's bytes from its first key on, a view that ends with it: whether a text's key has ended is told by the byte behind it. */
  get key(): Uint8Array {
    return this.bytes.subarray(this.start, this.start + this.length)
  }

  /** The value's key bytes, as such a view. */
  get value(): Uint8Array {
    return this.bytes.subarray(this.start + this.valueAt, this.start + this.length)
  }

  next(): void {
    this.isDone = this.at >= this.bytes.length
    if (this.isDone) return
    this.length = readCount(this)
    this.valueAt = readCount(this)
    this.start = this.at
    this.at += this.length
  }
}

/** The state of both lists together. */
export function mergeLists(sameness: Sameness, left: Uint8Array, right: Uint8Array): Uint8Array {
  const l = new EntryListReader(left)
  const r = new EntryListReader(right)
  const merged = new EntryListWriter(sameness, STATE_BOUNDS, left.length + right.length, 0, l.past || r.past)
  while (!l.isDone || !r.isDone) {
    const from =
      l.isDone || (!r.isDone && compareEntries(l.bytes, l.start, l.length, r.bytes, r.start, r.length) > 0) ? r : l
    if (!merged.add(from.bytes, from.start, from.length, from.valueAt)) break
    from.next()
  }
  return merged.finish()
}
