/**
 * Owns the guess which key comes next. Records of a topic mostly have the same keys in the same order and spelling, so the
 * bytes between two values (comma, white space, key, colon) are compared with what came there the last two times, four bytes
 * at a time, instead of being read: that is half of a typical record. A guess is never trusted, only confirmed byte by byte.
 */

/** Texts of other lengths are read in full: below, a word doesn't fit, which only an empty key makes; above, keys are rare. */
const TEXT_BYTES_MIN = 4
const TEXT_BYTES_MAX = 60

/** A length that no document has room for: the entry matches nothing. One comparison then says both that and "too long". */
const NOTHING = 0x3fffffff

/** The fields of an entry in JsonKeyMemory.table, in 32-bit words. One table instead of arrays: one base, one bounds check each. */
export const ENTRY = {
  /** Bytes of the text, or NOTHING. */
  length: 0,
  /** Where the value's result goes, or -1. */
  slot: 1,
  /** The node to read the value with when it is an object or array, or -1: it is only checked. */
  node: 2,
  /** The entry (its position in the table) of the member that came behind this one the last time. */
  next: 3,
  /** The one that came before `next` changed: optional members and two orders of keys cost nothing. */
  otherNext: 4,
  /** The last four bytes of the text as a little-endian word; it overlaps with the one before. */
  lastWord: 5,
  /** The text's words from its beginning, without the last. */
  words: 6,
  size: 6 + TEXT_BYTES_MAX / 4 - 1,
} as const

/** Stands for the '{': its `next` are the first members. */
export const OPENING = 0
/** For a text that isn't remembered: holds its slot and node until the next such text. */
const UNREMEMBERED = ENTRY.size

/**
 * Texts of first members (no comma) and of later ones (a comma) live in ranges of their own: an entry that is taken over by
 * another text must not make the comma's absence or presence pass unseen.
 */
const FIRST_RANGE = 2 * ENTRY.size
/** Texts that hash alike: the second one survives the first one's replacement. */
const ENTRIES_PER_BUCKET = 2
const FIRST_BUCKETS = 2

/** The texts that were seen before the members of the objects that one node stands for. */
export class JsonKeyMemory {
  readonly table: Int32Array
  readonly #laterBuckets: number

  /** Buckets: a power of two; each has room for two texts of later members. */
  constructor(laterBuckets: number) {
    this.#laterBuckets = laterBuckets
    const entries = 2 + (FIRST_BUCKETS + laterBuckets) * ENTRIES_PER_BUCKET
    this.table = new Int32Array(entries * ENTRY.size)
    for (let entry = 0; entry < this.table.length; entry += ENTRY.size) this.#clear(entry)
  }

  /** Makes `entry` the first guess for what follows `previous`. */
  expect(previous: number, entry: number): void {
    const { table } = this
    if (table[previous + ENTRY.next] === entry) return
    table[previous + ENTRY.otherNext] = table[previous + ENTRY.next]!
    table[previous + ENTRY.next] = entry
  }

  /** The entry of the text [start, end) before a member's value: a known one, or another one taken over for it. */
  take(isFirst: boolean, bytes: Uint8Array, start: number, end: number, slot: number, node: number): number {
    const { table } = this
    const length = end - start
    if (length < TEXT_BYTES_MIN || length > TEXT_BYTES_MAX) {
      table[UNREMEMBERED + ENTRY.slot] = slot
      table[UNREMEMBERED + ENTRY.node] = node
      return UNREMEMBERED
    }
    const one = this.#findBucket(isFirst, bytes, start, end)
    const two = one + ENTRY.size
    if (this.#hasText(one, bytes, start, length)) return one
    if (this.#hasText(two, bytes, start, length)) return two
    // the newer text is in the first place of its bucket, the one before it in the second
    table.copyWithin(two, one, two)
    this.#clear(one)
    table[one + ENTRY.length] = length
    table[one + ENTRY.slot] = slot
    table[one + ENTRY.node] = node
    table[one + ENTRY.lastWord] = readWord(bytes, end - 4)
    for (let at = start, word = one + ENTRY.words; at < end - 4; at += 4) table[word++] = readWord(bytes, at)
    return one
  }

  #clear(entry: number): void {
    this.table[entry + ENTRY.length] = NOTHING
    this.table[entry + ENTRY.slot] = -1
    this.table[entry + ENTRY.node] = -1
    this.table[entry + ENTRY.next] = UNREMEMBERED
    this.table[entry + ENTRY.otherNext] = UNREMEMBERED
  }

  #findBucket(isFirst: boolean, bytes: Uint8Array, start: number, end: number): number {
    let hash = end - start
    for (let at = start; at < end; at++) hash = Math.imul(hash, 31) + bytes[at]!
    hash ^= hash >>> 15
    const bucket = isFirst ? hash & (FIRST_BUCKETS - 1) : FIRST_BUCKETS + (hash & (this.#laterBuckets - 1))
    return FIRST_RANGE + bucket * ENTRIES_PER_BUCKET * ENTRY.size
  }

  #hasText(entry: number, bytes: Uint8Array, start: number, length: number): boolean {
    const { table } = this
    if (table[entry + ENTRY.length] !== length) return false
    if (table[entry + ENTRY.lastWord] !== readWord(bytes, start + length - 4)) return false
    for (let at = 0, word = entry + ENTRY.words; at < length - 4; at += 4) {
      if (table[word++] !== readWord(bytes, start + at)) return false
    }
    return true
  }
}

function readWord(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}
