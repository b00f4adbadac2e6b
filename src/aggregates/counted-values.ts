/**
 * Owns lists of different values with how often each came, in states: for each, in the order of keys, the length of its key bytes, the key,
 * its count (state-bytes.ts). Equal lists have equal bytes.
 */
import { compareEntries } from './entry-writer.ts'
import { growArray } from './grow-array.ts'
import { readCount } from './state-bytes.ts'

/** A length and a count, in seven bits a byte. */
const NUMBERS_BYTES_MAX = 5 + 8
const BYTES_MIN = 64

/** Writes a list behind a head. */
export class CountedWriter {
  #into: Uint8Array
  #at: number
  /** Values written. */
  distinct = 0
  /** Of their keys. */
  keyBytes = 0

  constructor(head: Uint8Array) {
    this.#into = new Uint8Array(head.length + BYTES_MIN)
    this.#into.set(head)
    this.#at = head.length
  }

  add(bytes: Uint8Array, start: number, length: number, count: number): void {
    const needed = this.#at + length + NUMBERS_BYTES_MAX
    if (needed > this.#into.length) this.#into = growArray(this.#into, Math.max(needed, this.#into.length * 2))
    this.#putCount(length)
    this.#into.set(bytes.subarray(start, start + length), this.#at)
    this.#at += length
    this.#putCount(count)
    this.distinct += 1
    this.keyBytes += length
  }

  #putCount(count: number): void {
    let rest = count
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#into[this.#at++] = (rest % 0x80) + 0x80
    this.#into[this.#at++] = rest
  }

  finish(): Uint8Array {
    return this.#into.slice(0, this.#at)
  }
}

/** Reads a list value by value: the key is [start, start + length) of `bytes`. */
export class CountedReader {
  readonly bytes: Uint8Array
  at: number
  start = 0
  length = 0
  count = 0
  isDone = false

  /** `at`: where the list begins; it goes to the end. */
  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
    this.next()
  }

  next(): void {
    this.isDone = this.at >= this.bytes.length
    if (this.isDone) return
    this.length = readCount(this)
    this.start = this.at
    this.at += this.length
    this.count = readCount(this)
  }
}

/** Writes both lists as one; a value that one of them lacks has that one's `absent` there. */
export function mergeCounted(
  left: CountedReader,
  right: CountedReader,
  into: CountedWriter,
  absent: { readonly left: number; readonly right: number } = { left: 0, right: 0 },
): void {
  while (!left.isDone || !right.isDone) {
    const order = left.isDone ? 1 : right.isDone ? -1 : compareKeys(left, right)
    const from = order <= 0 ? left : right
    const count = (order <= 0 ? left.count : absent.left) + (order >= 0 ? right.count : absent.right)
    into.add(from.bytes, from.start, from.length, count)
    if (order <= 0) left.next()
    if (order >= 0) right.next()
  }
}

function compareKeys(left: CountedReader, right: CountedReader): number {
  return compareEntries(left.bytes, left.start, left.length, right.bytes, right.start, right.length)
}
