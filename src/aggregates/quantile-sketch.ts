/**
 * Owns the sketch of a distribution of numbers: how many values each bucket holds, with the least and the greatest value. It is
 * DDSketch with buckets that a double's own bits name, so that finding one needs no logarithm and is the same on every machine. The state
 * is a function of the values alone, whatever their order or split (law 5). Source: Masson, Rim, Lee, DDSketch (VLDB 2019), with
 * the linear interpolation of its logarithm.
 *
 * Buckets: each power of two is cut into 64 of equal width; a bucket's number is the double's exponent and upper 6 bits of
 * fraction, negative for values below 0. Bucket 0 holds 0, what is nearer to it than 2^-1022, and what collapses: of more than
 * FINE_BUCKETS_MAX buckets those nearest to 0. (A bucket that is kept is among the greatest of each part too, so no part has lost a count of it.)
 *
 * Bytes: version | least, greatest: doubles, big-endian, infinities crossed where all values are NaN | for each bucket, ascending: the
 * step from the bucket before, its count; both as base-128 integers, low part first, the first step from FIRST.
 */
import { assert } from '../core/assert.ts'

const BYTES_VERSION = 1
const HEAD_BYTES = 1 + 8 + 8
const FRACTION_BITS = 6
const PARTS = 2 ** FRACTION_BITS
/** Of the upper half of a double: what lies behind the bucket's bits. */
export const BUCKET_SHIFT = 20 - FRACTION_BITS
/** Buckets below it hold subnormal numbers, and 0. */
export const NORMAL_BUCKET_MIN = PARTS
export const INFINITY_BUCKET = 2047 * PARTS
export const NAN_BUCKET = INFINITY_BUCKET + PARTS / 2
const FIRST = -INFINITY_BUCKET
/** Room for 64 powers of two without a gap, as all positive 64-bit integers have; about 12 KB. A value far off takes one of them. */
export const FINE_BUCKETS_MAX = 4096

const VIEW = new DataView(new ArrayBuffer(8))

/** The bucket of a value. Records go through an accumulator's own copy of it (quantile-accumulator.ts). */
export function bucketOf(value: number): number {
  if (Number.isNaN(value)) return NAN_BUCKET
  VIEW.setFloat64(0, value)
  const high = VIEW.getInt32(0)
  const magnitude = (high & 0x7fffffff) >>> BUCKET_SHIFT
  if (magnitude < NORMAL_BUCKET_MIN) return 0
  return high < 0 ? -magnitude : magnitude
}

/** The buckets of a state, ascending, and their counts. */
export interface Buckets {
  readonly numbers: Int32Array
  readonly counts: Float64Array
  readonly length: number
}

/** The state of at least one value. `least` and `greatest` leave NaN out. Cost: one array, of its very length. */
export function encodeSketch(least: number, greatest: number, all: Buckets): Uint8Array {
  const { numbers, counts, length } = all.length > FINE_BUCKETS_MAX ? collapse(all) : all
  let size = HEAD_BYTES
  for (let index = 0, before = FIRST; index < length; index++) {
    size += sizeOf(numbers[index]! - before) + sizeOf(counts[index]!)
    before = numbers[index]!
  }
  const bytes = new Uint8Array(size)
  bytes[0] = BYTES_VERSION
  putDouble(bytes, 1, least)
  putDouble(bytes, 9, greatest)
  for (let index = 0, before = FIRST, at = HEAD_BYTES; index < length; index++) {
    at = putInteger(bytes, at, numbers[index]! - before)
    at = putInteger(bytes, at, counts[index]!)
    before = numbers[index]!
  }
  return bytes
}

/** What stands between the FINE_BUCKETS_MAX buckets farthest from bucket 0 becomes bucket 0. */
function collapse({ numbers, counts, length }: Buckets): Buckets {
  let from = 0
  let to = length
  for (let kept = 0; from < to;) {
    const low = -numbers[from]!
    const high = numbers[to - 1]!
    const number = Math.max(low, high)
    if (number === 0 || (number < INFINITY_BUCKET && kept++ === FINE_BUCKETS_MAX)) break
    if (low > high) from++
    else to--
  }
  if (from === to) return { numbers, counts, length }
  let collapsed = 0
  for (let index = from; index < to; index++) collapsed += counts[index]!
  return {
    numbers: Int32Array.of(...numbers.subarray(0, from), 0, ...numbers.subarray(to, length)),
    counts: Float64Array.of(...counts.subarray(0, from), collapsed, ...counts.subarray(to, length)),
    length: length - (to - from) + 1,
  }
}

/** For the bytes of a double; nothing is kept in it. */
const BITS = new DataView(new ArrayBuffer(8))

/** Byte by byte: to ask a small array for its buffer would move it. */
function putDouble(bytes: Uint8Array, at: number, value: number): void {
  BITS.setFloat64(0, value)
  for (let index = 0; index < 8; index++) bytes[at + index] = BITS.getUint8(index)
}

function sizeOf(value: number): number {
  let size = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
  return size
}

function putInteger(bytes: Uint8Array, at: number, value: number): number {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) + 128
  bytes[at++] = rest
  return at
}

/** Reads a state from its beginning to its end. */
class SketchReader {
  readonly least: number
  readonly greatest: number
  number = FIRST
  count = 0
  isDone = false
  readonly #bytes: Uint8Array
  #at = HEAD_BYTES

  constructor(bytes: Uint8Array) {
    assert(bytes[0] === BYTES_VERSION, `quantile sketch has version ${bytes[0]}`)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.least = view.getFloat64(1)
    this.greatest = view.getFloat64(9)
    this.#bytes = bytes
    this.next()
  }

  /** Puts the next bucket into `number` and `count`. */
  next(): void {
    this.isDone = this.#at === this.#bytes.length
    if (this.isDone) return
    this.number += this.#integer()
    this.count = this.#integer()
  }

  #integer(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++]!
      if (byte < 128) return value + byte * factor
      value += (byte - 128) * factor
    }
  }
}

/** The state of both distributions together. */
export function mergeSketches(left: Uint8Array, right: Uint8Array): Uint8Array {
  const l = new SketchReader(left)
  const r = new SketchReader(right)
  // an entry takes two bytes at least
  const capacity = (left.length + right.length - 2 * HEAD_BYTES) >> 1
  const numbers = new Int32Array(capacity)
  const counts = new Float64Array(capacity)
  let length = 0
  while (!l.isDone || !r.isDone) {
    const fromLeft = !l.isDone && (r.isDone || l.number <= r.number)
    const fromRight = !r.isDone && (l.isDone || r.number <= l.number)
    numbers[length] = fromLeft ? l.number : r.number
    counts[length++] = (fromLeft ? l.count : 0) + (fromRight ? r.count : 0)
    if (fromLeft) l.next()
    if (fromRight) r.next()
  }
  const [least, greatest] = [Math.min(l.least, r.least), Math.max(l.greatest, r.greatest)]
  return encodeSketch(least, greatest, { numbers, counts, length })
}

/** How many values. */
export function countValues(state: Uint8Array): number {
  let count = 0
  for (const reader = new SketchReader(state); !reader.isDone; reader.next()) count += reader.count
  return count
}

/**
 * About the value with that many others before it in ascending order, NaN last: within 1 / 129 of it unless it has collapsed. The first
 * and the last are exact.
 */
export function valueAt(state: Uint8Array, rank: number): number {
  const reader = new SketchReader(state)
  if (rank === 0 && reader.number !== NAN_BUCKET) return reader.least
  let before = reader.count
  while (before <= rank) {
    reader.next()
    before += reader.count
  }
  const { number } = reader
  if (number === NAN_BUCKET) return Number.NaN
  reader.next()
  const isLast = rank === before - 1 && (reader.isDone || reader.number === NAN_BUCKET)
  if (isLast) return reader.greatest
  return Math.min(Math.max(middleOf(number), reader.least), reader.greatest)
}

/** The number with the same relative distance to both ends of the bucket. */
function middleOf(bucket: number): number {
  const magnitude = Math.abs(bucket)
  if (magnitude === 0) return 0
  if (magnitude === INFINITY_BUCKET) return bucket < 0 ? -Infinity : Infinity
  const part = PARTS + (magnitude % PARTS)
  const power = 2 ** (Math.floor(magnitude / PARTS) - 1023)
  const middle = power * ((2 * part * (part + 1)) / (PARTS * (2 * part + 1)))
  return bucket < 0 ? -middle : middle
}
