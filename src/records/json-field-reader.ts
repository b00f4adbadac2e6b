/**
 * Owns the reading of wanted fields from the bytes of a JSON document, in one pass, without an object or a string: a path's
 * result is a kind and a slice. The whole document is checked by RFC 8259, the unwanted parts too; what a slice means
 * (core/json-number.ts, core/json-string.ts) and whether text is valid UTF-8 is left to whoever uses the slice.
 */
import { isEscapedEqual } from '../core/json-string.ts'
import { JSON_DEPTH_MAX, JSON_KIND, JSON_OUTCOME, type JsonOutcome, type JsonPath } from '../core/json-field.ts'
import { ENTRY, JsonKeyMemory, OPENING as OPENING_ENTRY } from './json-key-memory.ts'
import { buildJsonPathTrie, type JsonPathNode } from './json-path-trie.ts'
import { JsonScanner, SLACK_BYTES } from '../core/json-scanner.ts'

// The hot path reads constants of its own: an imported binding is loaded anew at each use and its properties are looked up,
// a constant of this file is part of the machine code (35 ns of a record).
const { OK, NOT_OBJECT, TOO_DEEP, EMPTY } = JSON_OUTCOME
const { MISSING, STRING, STRING_ESCAPED, ARRAY, OBJECT } = JSON_KIND
const ENTRY_LENGTH = ENTRY.length
const ENTRY_SLOT = ENTRY.slot
const ENTRY_NODE = ENTRY.node
const ENTRY_NEXT = ENTRY.next
const ENTRY_OTHER_NEXT = ENTRY.otherNext
const ENTRY_LAST_WORD = ENTRY.lastWord
const ENTRY_WORDS = ENTRY.words
const OPENING = OPENING_ENTRY
const DEPTH_MAX = JSON_DEPTH_MAX
/** No slot, no node. */
const NONE = -1

/** Instead of an entry: the object has no more members. */
const CLOSED = -1
/** Room for remembered texts, in pairs: of objects with wanted fields inside and of others. About 160 bytes a pair. */
const WANTED_BUCKETS = 64
const PLAIN_BUCKETS = 16
/** Objects without wanted fields whose keys are remembered; others are read in full. */
const PLAIN_NODES_MAX = 32
/** More than any position in a memory's table. */
const ENTRIES_MAX = 2 ** 16
const NO_SLOTS = new Int32Array(0)

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_OPEN = 0x5b
const ARRAY_CLOSE = 0x5d
const OBJECT_OPEN = 0x7b
const OBJECT_CLOSE = 0x7d

export class JsonFieldReader extends JsonScanner {
  /** JSON_KIND of each path's result, by the path's index. Valid after OK. */
  readonly kind: Uint8Array
  /** Slices by the path's index: strings without their quotes, all else whole. Positions in the bytes given to read(). */
  readonly start: Int32Array
  readonly end: Int32Array
  /** Where the document was refused, in bytes from its start. Valid after INVALID_JSON and TOO_DEEP. */
  errorOffset = 0

  /** The path tree, and behind it plain nodes, which no path leads to. */
  readonly #nodes: JsonPathNode[]
  readonly #memories: JsonKeyMemory[]
  readonly #plainNodes = new Map<number, number>()
  /** Pairs of paths that are equal: the first has the result, the second gets a copy. */
  readonly #copies: readonly { readonly from: number; readonly to: number }[]
  #source: Uint8Array | undefined
  /** The entry of the key that was read last, or CLOSED. */
  #entry = OPENING

  constructor(paths: readonly JsonPath[]) {
    super()
    const trie = buildJsonPathTrie(paths)
    // slots are numbered by the first path of each, so a slot is that path's index
    const firstPath = Array.from({ length: trie.slotCount }, (_, slot) => trie.slots.indexOf(slot))
    this.#nodes = trie.nodes.map((node) => ({
      ...node,
      slot: node.slot === NONE ? NONE : firstPath[node.slot]!,
      slotsBelow: node.slotsBelow.map((slot) => firstPath[slot]!),
    }))
    // only objects on the way to a field are read by guesses; the others share one that stays empty
    const unused = new JsonKeyMemory(1)
    this.#memories = trie.nodes.map((node, id) =>
      id === 0 || node.keys.length > 0 ? new JsonKeyMemory(WANTED_BUCKETS) : unused,
    )
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
    if (start >= end) return EMPTY
    if (end + SLACK_BYTES > bytes.length) return this.#readCopy(bytes, start, end)
    if (bytes !== this.#source) {
      this.#source = bytes
      this.bytes = bytes
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    return this.#readDocument(start, end)
  }

  /**
   * Reads the value at `start`, an element of an array in a document that was read before, with the paths from there: an empty path is the
   * value itself. Returns where it ends. Caller keeps: SLACK_BYTES of room behind the array.
   */
  readElement(bytes: Uint8Array, start: number, documentEnd: number): number {
    if (bytes !== this.#source) {
      this.#source = bytes
      this.bytes = bytes
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    this.documentEnd = documentEnd
    this.outcome = OK
    return this.#readValue(0, this.#nodes[0]!.slot, start, 1)
  }

  /** No value was found: all paths are missing. */
  clear(): void {
    this.kind.fill(MISSING)
  }

  /** For a document at the very end of its buffer, or whose own end isn't sure to stop a number: the same with room behind it. */
  #readCopy(bytes: Uint8Array, start: number, end: number): JsonOutcome {
    const copy = new Uint8Array(end - start + SLACK_BYTES)
    copy.set(bytes.subarray(start, end))
    this.#source = undefined
    this.bytes = copy
    this.view = new DataView(copy.buffer)
    const outcome = this.#readDocument(0, end - start)
    for (let index = 0; index < this.kind.length; index++) {
      this.start[index]! += start
      this.end[index]! += start
    }
    return outcome
  }

  #readDocument(start: number, end: number): JsonOutcome {
    const { kind } = this
    for (let index = 0; index < kind.length; index++) kind[index] = MISSING
    this.documentEnd = end
    this.outcome = OK
    let at = this.skipSpace(start)
    const isObject = at < end && this.bytes[at] === OBJECT_OPEN
    // within an object a number ends before the document does; alone it could go on behind it
    if (!isObject && this.#source !== undefined) return this.#readCopy(this.bytes, start, end)
    at = isObject ? this.#readObject(0, at, 1) : this.skipValue(at, 0)
    if (at >= 0) {
      at = this.skipSpace(at)
      if (at !== end) this.refuse(Math.min(at, end))
    }
    if (this.outcome !== OK) {
      this.errorOffset = this.errorAt - start
      return this.outcome
    }
    if (!isObject) return NOT_OBJECT
    for (const { from, to } of this.#copies) {
      kind[to] = kind[from]!
      this.start[to] = this.start[from]!
      this.end[to] = this.end[from]!
    }
    return OK
  }

  /** Reads the object that opens at `open`; returns the position behind it. */
  #readObject(node: number, open: number, depth: number): number {
    if (depth > DEPTH_MAX) return this.refuse(open, TOO_DEEP)
    const bytes = this.bytes
    const view = this.view
    const end = this.documentEnd
    const { table } = this.#memories[node]!
    let at = (open + 1) | 0
    let entry = OPENING
    for (;;) {
      const previous = entry
      entry = table[(previous + ENTRY_NEXT) | 0]!
      const behind = (at + table[(entry + ENTRY_LENGTH) | 0]!) | 0
      guess: {
        if (behind <= end) {
          const lastAt = (behind - 4) | 0
          let word = (entry + ENTRY_WORDS) | 0
          while (at < lastAt && view.getInt32(at, true) === table[word]) {
            at = (at + 4) | 0
            word = (word + 1) | 0
          }
          if (at >= lastAt && view.getInt32(lastAt, true) === table[(entry + ENTRY_LAST_WORD) | 0]) {
            at = behind
            break guess
          }
          at = (behind - table[(entry + ENTRY_LENGTH) | 0]!) | 0
        }
        if (bytes[at] === OBJECT_CLOSE && at < end) return (at + 1) | 0
        at = this.#readUnexpectedKey(node, previous, at) | 0
        if (at < 0) return at
        entry = this.#entry | 0
        if (entry === CLOSED) return at
      }
      const slot = table[(entry + ENTRY_SLOT) | 0]!
      const child = table[(entry + ENTRY_NODE) | 0]!
      let first = bytes[at]!
      if (first <= 0x20) {
        // more space before the value than the remembered text has
        at = this.skipSpace(at) | 0
        first = bytes[at]!
      }
      if (child !== NONE) {
        at = this.#readValue(child, slot, at, depth) | 0
        if (at < 0) return at
        continue
      }
      let start = at
      if (first === QUOTE) {
        start = (start + 1) | 0
        at = this.skipString(start) | 0
        if (at < 0) return at
        if (slot === NONE) continue
        this.end[slot] = (at - 1) | 0
      } else {
        at = (first === OBJECT_OPEN ? this.#readPlainObject(node, entry, at, depth) : this.skipValue(at, depth)) | 0
        if (at < 0) return at
        if (slot === NONE) continue
        this.end[slot] = at
      }
      this.kind[slot] = this.scannedKind
      this.start[slot] = start
    }
  }

  /**
   * Reads from behind '{' or a member to the next member's value (white space, comma, key, colon) where the first guess was
   * wrong. Returns where the value begins, with #entry for it; where the object has ended, with CLOSED as #entry; or a
   * negative position.
   */
  #readUnexpectedKey(node: number, previous: number, start: number): number {
    const memory = this.#memories[node]!
    const { table } = memory
    const other = table[previous + ENTRY_OTHER_NEXT]!
    const behind = this.#match(table, other, start)
    if (behind >= 0) {
      memory.expect(previous, other)
      this.#entry = other
      return behind
    }
    const at = this.#readKey(node, previous === OPENING, start)
    if (at >= 0 && this.#entry !== CLOSED) memory.expect(previous, this.#entry)
    return at
  }

  /** The position behind an entry's text if it is there, else a negative one. */
  #match(table: Int32Array, entry: number, start: number): number {
    const { view } = this
    const behind = start + table[entry + ENTRY_LENGTH]!
    if (behind > this.documentEnd) return -1
    let word = entry + ENTRY_WORDS
    for (let at = start; at < behind - 4; at += 4) if (view.getInt32(at, true) !== table[word++]) return -1
    return view.getInt32(behind - 4, true) === table[entry + ENTRY_LAST_WORD] ? behind : -1
  }

  /** As #readUnexpectedKey, without any guess. */
  #readKey(node: number, isFirst: boolean, start: number): number {
    const { bytes } = this
    const end = this.documentEnd
    let at = this.skipSpace(start)
    if (at < end && bytes[at] === OBJECT_CLOSE) {
      this.#entry = CLOSED
      return at + 1
    }
    if (!isFirst) {
      if (at >= end || bytes[at] !== COMMA) return this.refuse(at)
      at = this.skipSpace(at + 1)
    }
    if (at >= end || bytes[at] !== QUOTE) return this.refuse(at)
    const keyStart = at + 1
    const keyEnd = this.skipString(keyStart)
    if (keyEnd < 0) return keyEnd
    const wanted = this.#findChild(node, keyStart, keyEnd - 1)
    at = this.skipSpace(keyEnd)
    if (at >= end || bytes[at] !== COLON) return this.refuse(at)
    at = this.skipSpace(at + 1)
    const wantedNode = wanted === NONE ? undefined : this.#nodes[wanted]!
    const child = wantedNode !== undefined && wantedNode.slotsBelow.length > 0 ? wanted : NONE
    this.#entry = this.#memories[node]!.take(isFirst, bytes, start, at, wantedNode?.slot ?? NONE, child)
    return at
  }

  /** Reads an object of an entry without a node; from now on the entry has one. */
  #readPlainObject(parent: number, entry: number, start: number, depth: number): number {
    const node = this.#takePlainNode(parent, entry)
    if (node === NONE) return this.skipValue(start, depth)
    this.#memories[parent]!.table[entry + ENTRY_NODE] = node
    const at = this.#readObject(node, start, depth + 1)
    this.scannedKind = OBJECT
    return at
  }

  /**
   * The node that stands for the objects of an entry from which nothing is wanted inside: only there to remember their keys.
   * Whatever object comes at this entry can be read with it, so that a topic of many shapes needs no more of them.
   */
  #takePlainNode(parent: number, entry: number): number {
    const key = parent * ENTRIES_MAX + entry
    const known = this.#plainNodes.get(key)
    if (known !== undefined) return known
    if (this.#plainNodes.size >= PLAIN_NODES_MAX) return NONE
    const node = this.#nodes.length
    this.#nodes.push({ slot: NONE, keys: [], elements: [], slotsBelow: NO_SLOTS })
    this.#memories.push(new JsonKeyMemory(PLAIN_BUCKETS))
    this.#plainNodes.set(key, node)
    return node
  }

  #setResult(slot: number, start: number, end: number): void {
    const kind = this.scannedKind
    const quote = kind >= STRING && kind <= STRING_ESCAPED ? 1 : 0
    this.kind[slot] = kind
    this.start[slot] = start + quote
    this.end[slot] = end - quote
  }

  /** The node of the key that was just skipped. */
  #findChild(node: number, keyStart: number, keyEnd: number): number {
    const bytes = this.bytes
    const isEscaped = this.scannedKind === STRING_ESCAPED
    for (const { name, node: child } of this.#nodes[node]!.keys) {
      if (isEscaped) {
        if (isEscapedEqual(bytes, keyStart, keyEnd, name)) return child
      } else if (keyEnd - keyStart === name.length) {
        let index = 0
        while (index < name.length && bytes[keyStart + index] === name[index]) index++
        if (index === name.length) return child
      }
    }
    return NONE
  }

  /** Reads a value whose inside has a node; returns the position behind it. */
  #readValue(node: number, slot: number, start: number, depth: number): number {
    const { slotsBelow } = this.#nodes[node]!
    for (let index = 0; index < slotsBelow.length; index++) this.kind[slotsBelow[index]!] = MISSING
    const first = start < this.documentEnd ? this.bytes[start] : undefined
    let at: number
    if (first === OBJECT_OPEN) {
      at = this.#readObject(node, start, depth + 1)
      this.scannedKind = OBJECT
    } else if (first === ARRAY_OPEN) {
      at = this.#readArray(node, start, depth + 1)
      this.scannedKind = ARRAY
    } else {
      at = this.skipValue(start, depth)
    }
    if (at < 0) return at
    if (slot !== NONE) this.#setResult(slot, start, at)
    return at
  }

  /** Reads the array that opens at `open`; returns the position behind it. */
  #readArray(node: number, open: number, depth: number): number {
    if (depth > DEPTH_MAX) return this.refuse(open, TOO_DEEP)
    const bytes = this.bytes
    const end = this.documentEnd
    const { elements } = this.#nodes[node]!
    let wanted = 0
    let at = this.skipSpace(open + 1)
    if (at < end && bytes[at] === ARRAY_CLOSE) return at + 1
    for (let index = 0; ; index++) {
      const element = elements[wanted]
      if (element !== undefined && element.index === index) {
        at = this.#readValue(element.node, this.#nodes[element.node]!.slot, at, depth)
        wanted++
      } else {
        at = this.skipValue(at, depth)
      }
      if (at < 0) return at
      at = this.skipSpace(at)
      if (at >= end) return this.refuse(at)
      const next = bytes[at]
      if (next === ARRAY_CLOSE) return at + 1
      if (next !== COMMA) return this.refuse(at)
      at = this.skipSpace(at + 1)
    }
  }
}
