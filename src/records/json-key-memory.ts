/**
 * Owns the guess which key comes next. Records of a topic mostly have the same keys in the same order and spelling, so the
 * bytes between two values (comma, white space, key, colon) are compared with those of the last object, four at a time,
 * instead of being read: that is half of a typical record. A guess is never trusted, only confirmed byte by byte.
 */
import { NO_NODE } from './json-path-trie.ts'

/** Members of an object that are remembered; those behind are read in full. */
export const REMEMBERED_MEMBERS_MAX = 128
/** Longest text that is remembered; longer ones are read in full. */
const TEXT_BYTES_MAX = 64
/** 32-bit words for one member's text: one more than it needs, so that the last word is always there. */
export const WORDS_PER_MEMBER = TEXT_BYTES_MAX / 4 + 1

/** What was seen at each place among the members of one object of the path tree. */
export class JsonKeyMemory {
  /** Bytes of the text at each place; 0: nothing is known. */
  readonly lengths = new Int32Array(REMEMBERED_MEMBERS_MAX)
  /** The text as little-endian words, WORDS_PER_MEMBER for each place, the rest zero. */
  readonly words = new Int32Array(REMEMBERED_MEMBERS_MAX * WORDS_PER_MEMBER)
  /** Which bits of the word after the whole ones belong to the text. */
  readonly tailMasks = new Int32Array(REMEMBERED_MEMBERS_MAX)
  /** The node of the path tree that the key leads to, or NO_NODE. */
  readonly nodes = new Int32Array(REMEMBERED_MEMBERS_MAX).fill(NO_NODE)

  /** Keeps the text [start, end) of a place for the next object. */
  learn(place: number, bytes: Uint8Array, start: number, end: number, node: number): void {
    const length = end - start
    if (length > TEXT_BYTES_MAX) {
      this.lengths[place] = 0
      return
    }
    const first = place * WORDS_PER_MEMBER
    this.words.fill(0, first, first + WORDS_PER_MEMBER)
    for (let index = 0; index < length; index++) {
      this.words[first + (index >> 2)]! |= bytes[start + index]! << ((index & 3) * 8)
    }
    this.lengths[place] = length
    this.tailMasks[place] = (1 << ((length & 3) * 8)) - 1
    this.nodes[place] = node
  }
}
