/**
 * Owns the guess which key comes next. Records of a topic mostly have the same keys in the same order and spelling, so the
 * bytes between two values (comma, white space, key, colon) are compared with those of the last object, four at a time,
 * instead of being read: that is half of a typical record. A guess is never trusted, only confirmed byte by byte.
 */

/** Texts of other lengths are read in full: below, a word doesn't fit, which only an empty key makes; above, keys are rare. */
const TEXT_BYTES_MIN = 4
const TEXT_BYTES_MAX = 60

/** A length that no document has room for: nothing is remembered. One comparison then says both that and "too long". */
const NOTHING = 0x3fffffff

/** The fields of a place in JsonKeyMemory.table, in 32-bit words. One table instead of arrays: one base, one bounds check each. */
export const PLACE = {
  /** Bytes of the text, or NOTHING. */
  length: 0,
  /** Where the value's result goes, or NO_SLOT. */
  slot: 1,
  /** The node to read the value with when it is an object or array, or NO_NODE: it is only checked. */
  node: 2,
  /** The last four bytes of the text as a little-endian word; it overlaps with the one before. */
  lastWord: 3,
  /** The text's words from its beginning, without the last. */
  words: 4,
  stride: 4 + TEXT_BYTES_MAX / 4,
} as const

/** What was seen at each place among the members of the objects that one node stands for. */
export class JsonKeyMemory {
  readonly table: Int32Array
  /** Members that are remembered; those behind are read in full. */
  readonly places: number

  constructor(places: number) {
    this.places = places
    // a place more, never filled, stands for all those behind
    this.table = new Int32Array((places + 1) * PLACE.stride)
    for (let place = 0; place <= places; place++) this.table[place * PLACE.stride] = NOTHING
  }

  /** Keeps the text [start, end) before a member's value for the next object. */
  learn(place: number, bytes: Uint8Array, start: number, end: number, slot: number, node: number): void {
    const { table } = this
    const first = place * PLACE.stride
    const length = end - start
    if (length < TEXT_BYTES_MIN || length > TEXT_BYTES_MAX) {
      table[first + PLACE.length] = NOTHING
      return
    }
    table[first + PLACE.length] = length
    table[first + PLACE.slot] = slot
    table[first + PLACE.node] = node
    table[first + PLACE.lastWord] = readWord(bytes, end - 4)
    for (let index = 0; index < length - 4; index += 4) {
      table[first + PLACE.words + index / 4] = readWord(bytes, start + index)
    }
  }
}

function readWord(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}
