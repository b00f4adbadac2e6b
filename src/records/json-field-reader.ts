/**
 * Owns the reading of wanted fields from the bytes of a JSON document, in one pass, without an object or a string: a path's
 * result is a kind and a slice. The whole document is checked by RFC 8259, the unwanted parts too; what a slice means
 * (number-text.ts, json-string.ts, json-value.ts) and whether text is valid UTF-8 is left to whoever uses the slice.
 */
import { JSON_DEPTH_MAX, JSON_KIND, JSON_OUTCOME, type JsonOutcome, type JsonPath } from './json-field.ts'
import { JsonKeyMemory, REMEMBERED_MEMBERS_MAX, WORDS_PER_MEMBER } from './json-key-memory.ts'
import { buildJsonPathTrie, NO_NODE, NO_SLOT, type JsonPathNode } from './json-path-trie.ts'
import { isEscapedEqual, readHexDigit } from './json-string.ts'

/** A method's answer instead of a position: the document is refused, #outcome and #errorAt say why and where. */
const REFUSED = -1

/** What #readKey answers besides nodes (0 and up) and NO_NODE (-1). */
const OBJECT_ENDED = -2
const KEY_REFUSED = -3

/** Bytes behind a document that may be looked at: reads are four bytes wide and an escape has six. */
const SLACK_BYTES = 16

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const ARRAY_OPEN = 0x5b
const ARRAY_CLOSE = 0x5d
const OBJECT_OPEN = 0x7b
const OBJECT_CLOSE = 0x7d
/** The closing bracket's byte minus the opening one's, for both kinds. */
const CLOSE_AFTER_OPEN = 2
const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const ZERO = 0x30
const LETTER_E = 0x65

/** The texts as little-endian words. */
const TRUE_WORD = 0x65757274
const ALSE_WORD = 0x65736c61
const NULL_WORD = 0x6c6c756e

/** A byte of a word that ends the simple part of a string has its high bit set in the result: a quote, a backslash, a control character, beyond ASCII. */
function findSpecial(word: number): number {
  // Classic SWAR: byte - 0x20 borrows below 0x20, (byte ^ c) - 1 borrows where byte = c. Borrows only spoil bytes above the first hit.
  return (
    ((word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101) | word) & 0x80808080
  )
}

export class JsonFieldReader {
  /** JSON_KIND of each path's result, by the path's index. Valid after OK. */
  readonly kind: Uint8Array
  /** Slices by the path's index: strings without their quotes, all else whole. Positions in the bytes given to read(). */
  readonly start: Int32Array
  readonly end: Int32Array
  /** Where the document was refused, in bytes from its start. Valid after INVALID_JSON and TOO_DEEP. */
  errorOffset = 0

  readonly #nodes: readonly JsonPathNode[]
  readonly #memories: readonly JsonKeyMemory[]
  /** Pairs of paths that are equal: the first has the result, the second gets a copy. */
  readonly #copies: readonly { readonly from: number; readonly to: number }[]
  readonly #containers = new Uint8Array(JSON_DEPTH_MAX + 1)
  #source: Uint8Array | undefined
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #end = 0
  #outcome: JsonOutcome = JSON_OUTCOME.OK
  #errorAt = 0
  /** Where the text before a value ends, after #readKey. */
  #keyTextEnd = 0
  /** JSON_KIND of the value that was skipped last. */
  #scannedKind = 0

  constructor(paths: readonly JsonPath[]) {
    const trie = buildJsonPathTrie(paths)
    // slots are numbered by the first path of each, so a slot is that path's index
    const firstPath = Array.from({ length: trie.slotCount }, (_, slot) => trie.slots.indexOf(slot))
    this.#nodes = trie.nodes.map((node) => ({
      ...node,
      slot: node.slot === NO_SLOT ? NO_SLOT : firstPath[node.slot]!,
      slotsBelow: node.slotsBelow.map((slot) => firstPath[slot]!),
    }))
    // only objects on the way to a field are read by guesses; the others share one that stays empty
    const unused = new JsonKeyMemory()
    this.#memories = trie.nodes.map((node, id) => (id === 0 || node.keys.length > 0 ? new JsonKeyMemory() : unused))
    this.#copies = [...trie.slots.entries()]
      .map(([to, slot]) => ({ from: firstPath[slot]!, to }))
      .filter(({ from, to }) => from !== to)
    this.kind = new Uint8Array(paths.length)
    this.start = new Int32Array(paths.length)
    this.end = new Int32Array(paths.length)
  }

  /**
   * Reads the document bytes[start, end) and fills kind, start and end for every path; of duplicate keys the last one holds,
   * with all below it. Errors: an outcome other than OK, never an exception; the results are then worthless.
   * Cost: about 1 ns a byte.
   */
  read(bytes: Uint8Array, start: number, end: number): JsonOutcome {
    if (start >= end) return JSON_OUTCOME.EMPTY
    if (end + SLACK_BYTES > bytes.length) return this.#readCopy(bytes, start, end)
    if (bytes !== this.#source) {
      this.#source = bytes
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    return this.#readDocument(start, end)
  }

  /** For a document at the very end of its buffer, or whose own end isn't sure to stop a number: the same with room behind it. */
  #readCopy(bytes: Uint8Array, start: number, end: number): JsonOutcome {
    const copy = new Uint8Array(end - start + SLACK_BYTES)
    copy.set(bytes.subarray(start, end))
    this.#source = undefined
    this.#bytes = copy
    this.#view = new DataView(copy.buffer)
    const outcome = this.#readDocument(0, end - start)
    for (let index = 0; index < this.kind.length; index++) {
      this.start[index]! += start
      this.end[index]! += start
    }
    return outcome
  }

  #readDocument(start: number, end: number): JsonOutcome {
    const { kind } = this
    for (let index = 0; index < kind.length; index++) kind[index] = JSON_KIND.MISSING
    this.#end = end
    this.#outcome = JSON_OUTCOME.OK
    let at = this.#skipSpace(start)
    const isObject = at < end && this.#bytes[at] === OBJECT_OPEN
    // within an object a number ends before the document does; alone it could go on behind it
    if (!isObject && this.#source !== undefined) return this.#readCopy(this.#bytes, start, end)
    at = isObject ? this.#readObject(0, at, 1) : this.#skipValue(at, 0)
    if (at !== REFUSED) {
      at = this.#skipSpace(at)
      if (at !== end) this.#refuse(Math.min(at, end))
    }
    if (this.#outcome !== JSON_OUTCOME.OK) {
      this.errorOffset = this.#errorAt - start
      return this.#outcome
    }
    if (!isObject) return JSON_OUTCOME.NOT_OBJECT
    for (const { from, to } of this.#copies) {
      kind[to] = kind[from]!
      this.start[to] = this.start[from]!
      this.end[to] = this.end[from]!
    }
    return JSON_OUTCOME.OK
  }

  #refuse(at: number, outcome: JsonOutcome = JSON_OUTCOME.INVALID_JSON): number {
    this.#outcome = outcome
    this.#errorAt = Math.min(at, this.#end)
    return REFUSED
  }

  /** Reads the object that opens at `open`; returns the position behind it. */
  #readObject(node: number, open: number, depth: number): number {
    if (depth > JSON_DEPTH_MAX) return this.#refuse(open, JSON_OUTCOME.TOO_DEEP)
    const bytes = this.#bytes
    const view = this.#view
    const end = this.#end
    const { lengths, words, tailMasks, nodes } = this.#memories[node]!
    let at = open + 1
    for (let place = 0; ; place++) {
      if (bytes[at] === OBJECT_CLOSE && at < end) return at + 1
      let child: number
      const length = place < REMEMBERED_MEMBERS_MAX ? lengths[place]! : 0
      if (length > 0 && at + length <= end) {
        let word = place * WORDS_PER_MEMBER
        let from = at
        for (const last = at + (length & ~3); from < last && view.getInt32(from, true) === words[word]; from += 4)
          word++
        // the word after the last whole one: if the loop ended early, its whole bits differ below or beside the mask
        if (from === at + (length & ~3) && ((view.getInt32(from, true) ^ words[word]!) & tailMasks[place]!) === 0) {
          child = nodes[place]!
          at += length
          // this one may have more space before its value than the remembered one
          if (bytes[at]! <= 0x20) at = this.#skipSpace(at)
        } else {
          child = this.#readKey(node, at, place)
          at = this.#keyTextEnd
        }
      } else {
        child = this.#readKey(node, at, place)
        at = this.#keyTextEnd
      }
      if (child < NO_NODE) return child === OBJECT_ENDED ? at : REFUSED
      at = child === NO_NODE ? this.#skipValue(at, depth) : this.#readValue(child, at, depth)
      if (at === REFUSED) return REFUSED
    }
  }

  /**
   * Reads from behind '{' or a member to the next member's value: white space, comma, key, colon. Returns the node of the
   * key, OBJECT_ENDED or KEY_REFUSED; #keyTextEnd is where the value begins or the object has ended.
   */
  #readKey(node: number, start: number, place: number): number {
    const bytes = this.#bytes
    const end = this.#end
    let at = this.#skipSpace(start)
    if (at < end && bytes[at] === OBJECT_CLOSE) {
      this.#keyTextEnd = at + 1
      return OBJECT_ENDED
    }
    if (place > 0) {
      if (at >= end || bytes[at] !== COMMA) return this.#refuseKey(at)
      at = this.#skipSpace(at + 1)
    }
    if (at >= end || bytes[at] !== QUOTE) return this.#refuseKey(at)
    const keyStart = at + 1
    const keyEnd = this.#skipString(keyStart)
    if (keyEnd === REFUSED) return KEY_REFUSED
    const child = this.#findChild(node, keyStart, keyEnd - 1)
    at = this.#skipSpace(keyEnd)
    if (at >= end || bytes[at] !== COLON) return this.#refuseKey(at)
    at = this.#skipSpace(at + 1)
    if (place < REMEMBERED_MEMBERS_MAX) this.#memories[node]!.learn(place, bytes, start, at, child)
    this.#keyTextEnd = at
    return child
  }

  #refuseKey(at: number): number {
    this.#refuse(at)
    return KEY_REFUSED
  }

  /** The node of the key that was just skipped. */
  #findChild(node: number, keyStart: number, keyEnd: number): number {
    const bytes = this.#bytes
    const isEscaped = this.#scannedKind === JSON_KIND.STRING_ESCAPED
    for (const { name, node: child } of this.#nodes[node]!.keys) {
      if (isEscaped) {
        if (isEscapedEqual(bytes, keyStart, keyEnd, name)) return child
      } else if (keyEnd - keyStart === name.length) {
        let index = 0
        while (index < name.length && bytes[keyStart + index] === name[index]) index++
        if (index === name.length) return child
      }
    }
    return NO_NODE
  }

  /** Reads a value that paths lead to or through; returns the position behind it. */
  #readValue(node: number, start: number, depth: number): number {
    const { slot, slotsBelow } = this.#nodes[node]!
    const first = this.#bytes[start]
    let at: number
    let kind: number
    if (slotsBelow.length === 0) {
      at = this.#skipValue(start, depth)
      kind = this.#scannedKind
    } else {
      for (const below of slotsBelow) this.kind[below] = JSON_KIND.MISSING
      if (first === OBJECT_OPEN) {
        at = this.#readObject(node, start, depth + 1)
        kind = JSON_KIND.OBJECT
      } else if (first === ARRAY_OPEN) {
        at = this.#readArray(node, start, depth + 1)
        kind = JSON_KIND.ARRAY
      } else {
        at = this.#skipValue(start, depth)
        kind = this.#scannedKind
      }
    }
    if (at === REFUSED) return REFUSED
    if (slot !== NO_SLOT) {
      const isString = first === QUOTE ? 1 : 0
      this.kind[slot] = kind
      this.start[slot] = start + isString
      this.end[slot] = at - isString
    }
    return at
  }

  /** Reads the array that opens at `open`; returns the position behind it. */
  #readArray(node: number, open: number, depth: number): number {
    if (depth > JSON_DEPTH_MAX) return this.#refuse(open, JSON_OUTCOME.TOO_DEEP)
    const bytes = this.#bytes
    const end = this.#end
    const { elements } = this.#nodes[node]!
    let wanted = 0
    let at = this.#skipSpace(open + 1)
    if (at < end && bytes[at] === ARRAY_CLOSE) return at + 1
    for (let index = 0; ; index++) {
      const element = elements[wanted]
      if (element !== undefined && element.index === index) {
        at = this.#readValue(element.node, at, depth)
        wanted++
      } else {
        at = this.#skipValue(at, depth)
      }
      if (at === REFUSED) return REFUSED
      at = this.#skipSpace(at)
      if (at >= end) return this.#refuse(at)
      const next = bytes[at]
      if (next === ARRAY_CLOSE) return at + 1
      if (next !== COMMA) return this.#refuse(at)
      at = this.#skipSpace(at + 1)
    }
  }

  /** Checks a value of any kind; returns the position behind it and leaves its kind in #scannedKind. */
  #skipValue(at: number, depth: number): number {
    if (at >= this.#end) return this.#refuse(at)
    switch (this.#bytes[at]) {
      case QUOTE:
        return this.#skipString(at + 1)
      case OBJECT_OPEN:
      case ARRAY_OPEN:
        return this.#skipContainer(at, depth)
      case 0x74:
        this.#scannedKind = JSON_KIND.TRUE
        return this.#view.getInt32(at, true) === TRUE_WORD ? this.#endWithin(at + 4) : this.#refuse(at)
      case 0x66:
        this.#scannedKind = JSON_KIND.FALSE
        return this.#view.getInt32(at + 1, true) === ALSE_WORD ? this.#endWithin(at + 5) : this.#refuse(at)
      case 0x6e:
        this.#scannedKind = JSON_KIND.NULL
        return this.#view.getInt32(at, true) === NULL_WORD ? this.#endWithin(at + 4) : this.#refuse(at)
      default:
        return this.#skipNumber(at)
    }
  }

  #endWithin(at: number): number {
    return at <= this.#end ? at : this.#refuse(this.#end)
  }

  /** Checks the rest of a string from behind its opening quote; returns the position behind the closing one. */
  #skipString(start: number): number {
    const view = this.#view
    const end = this.#end
    let kind: number = JSON_KIND.STRING
    for (let at = start; at < end;) {
      const special = findSpecial(view.getInt32(at, true))
      if (special === 0) {
        at += 4
        continue
      }
      // the lowest byte that is marked
      at += (31 - Math.clz32(special & -special)) >> 3
      const byte = view.getUint8(at)
      if (byte === QUOTE) {
        if (at >= end) break
        this.#scannedKind = kind
        return at + 1
      }
      if (byte >= 0x80) {
        if (kind === JSON_KIND.STRING) kind = JSON_KIND.STRING_UTF8
        do at++
        while (at < end && view.getUint8(at) >= 0x80)
      } else {
        if (byte !== BACKSLASH) return this.#refuse(at)
        const length = measureEscape(this.#bytes, at)
        if (length === 0) return this.#refuse(at)
        kind = JSON_KIND.STRING_ESCAPED
        at += length
      }
    }
    return this.#refuse(end)
  }

  /** Checks a number; returns the position behind it. */
  #skipNumber(start: number): number {
    const bytes = this.#bytes
    let at = start
    let byte = bytes[at]!
    if (byte === MINUS) byte = bytes[++at]!
    if (byte === ZERO) byte = bytes[++at]!
    else {
      if (!isDigit(byte)) return this.#refuse(at)
      do byte = bytes[++at]!
      while (isDigit(byte))
    }
    let kind: number = JSON_KIND.INTEGER
    if (byte === POINT) {
      kind = JSON_KIND.DECIMAL
      byte = bytes[++at]!
      if (!isDigit(byte)) return this.#refuse(at)
      do byte = bytes[++at]!
      while (isDigit(byte))
    }
    if ((byte | 0x20) === LETTER_E) {
      kind = JSON_KIND.DECIMAL
      byte = bytes[++at]!
      if (byte === PLUS || byte === MINUS) byte = bytes[++at]!
      if (!isDigit(byte)) return this.#refuse(at)
      do byte = bytes[++at]!
      while (isDigit(byte))
    }
    this.#scannedKind = kind
    return this.#endWithin(at)
  }

  /** Checks an array or object that nothing is wanted from; without recursion. */
  #skipContainer(open: number, depth: number): number {
    const bytes = this.#bytes
    const end = this.#end
    const containers = this.#containers
    const kind = bytes[open] === OBJECT_OPEN ? JSON_KIND.OBJECT : JSON_KIND.ARRAY
    let level = depth
    let at = open
    // each turn is at the beginning of a value
    for (;;) {
      const first = bytes[at]
      if ((first === OBJECT_OPEN || first === ARRAY_OPEN) && at < end) {
        if (++level > JSON_DEPTH_MAX) return this.#refuse(at, JSON_OUTCOME.TOO_DEEP)
        containers[level] = first
        at = this.#skipSpace(at + 1)
        if (at < end && bytes[at] === first + CLOSE_AFTER_OPEN) {
          level--
          at++
        } else {
          if (first === OBJECT_OPEN) at = this.#skipKey(at)
          if (at === REFUSED) return REFUSED
          continue
        }
      } else {
        at = this.#skipValue(at, level)
        if (at === REFUSED) return REFUSED
      }
      // behind a value: close what ends here, up to the next value
      for (;;) {
        if (level === depth) {
          this.#scannedKind = kind
          return at
        }
        at = this.#skipSpace(at)
        if (at >= end) return this.#refuse(at)
        if (bytes[at] === COMMA) break
        if (bytes[at] !== containers[level]! + CLOSE_AFTER_OPEN) return this.#refuse(at)
        level--
        at++
      }
      at = this.#skipSpace(at + 1)
      if (containers[level] === OBJECT_OPEN) at = this.#skipKey(at)
      if (at === REFUSED) return REFUSED
    }
  }

  /** Checks a key and its colon; returns where the value begins. */
  #skipKey(start: number): number {
    if (start >= this.#end || this.#bytes[start] !== QUOTE) return this.#refuse(start)
    let at = this.#skipString(start + 1)
    if (at === REFUSED) return REFUSED
    at = this.#skipSpace(at)
    if (at >= this.#end || this.#bytes[at] !== COLON) return this.#refuse(at)
    return this.#skipSpace(at + 1)
  }

  #skipSpace(start: number): number {
    const bytes = this.#bytes
    let at = start
    for (; at < this.#end; at++) {
      const byte = bytes[at]!
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break
    }
    return at
  }
}

/** Length of the escape at a backslash, 0 where it is none. */
function measureEscape(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2
    case 0x75:
      for (let index = at + 2; index < at + 6; index++) if (readHexDigit(bytes[index]!) < 0) return 0
      return 6
    default:
      return 0
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
