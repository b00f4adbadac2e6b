/**
 * Owns the different values of many groups while records are folded, and how often each came. One open-addressing table holds the members
 * of all groups, their bytes in one arena: a value costs no object.
 */
import { HASH_BYTES, hashKey } from '../core/murmur3.ts'
import { compareEntries } from './entry-writer.ts'
import { growArray } from './grow-array.ts'

const ENTRIES_MIN = 64
const ARENA_BYTES_MIN = 16 * ENTRIES_MIN
/** Room that is kept for the next batch. */
const ENTRIES_KEPT_MAX = 1 << 18
const ARENA_KEPT_BYTES_MAX = 1 << 22
/** An entry's hash, place, length, group, follower and count, and the table's slots for it. */
const ENTRY_BYTES = 5 * 4 + 8 + 2 * 4
const EMPTY = 0
/** Mixes a group's index into the hash: the golden ratio of 2^32. */
const GROUP_MIX = 0x9e3779b1

export class CountedMembers {
  readonly #hash = new Uint8Array(HASH_BYTES)
  readonly #hashView = new DataView(this.#hash.buffer)
  /** Entries are numbered from 1; 0 ends a chain and marks an empty slot. */
  #hashes: Int32Array = new Int32Array(ENTRIES_MIN)
  #place: Uint32Array = new Uint32Array(ENTRIES_MIN)
  #length: Uint32Array = new Uint32Array(ENTRIES_MIN)
  #group: Int32Array = new Int32Array(ENTRIES_MIN)
  #next: Int32Array = new Int32Array(ENTRIES_MIN)
  #counts: Float64Array = new Float64Array(ENTRIES_MIN)
  #slots: Int32Array = new Int32Array(2 * ENTRIES_MIN)
  #entries = 0
  #arena: Uint8Array = new Uint8Array(ARENA_BYTES_MIN)
  #arenaUsed = 0
  /** By group: its last entry, how many it has, their bytes. */
  #first: Int32Array = new Int32Array(0)
  #distinct: Int32Array = new Int32Array(0)
  #bytes: Float64Array = new Float64Array(0)

  grow(capacity: number): void {
    this.#first = growArray(this.#first, capacity)
    this.#distinct = growArray(this.#distinct, capacity)
    this.#bytes = growArray(this.#bytes, capacity)
  }

  get extraBytes(): number {
    return this.#entries * ENTRY_BYTES + this.#arenaUsed
  }

  /** Counts the value with key bytes[0, length). */
  add(group: number, key: Uint8Array, length: number): void {
    hashKey(key, 0, length, this.#hash, 0)
    const hash = this.#hashView.getInt32(0) ^ Math.imul(group, GROUP_MIX)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let entry = this.#slots[slot]!; entry !== EMPTY; entry = this.#slots[slot]!) {
      if (this.#hashes[entry] === hash && this.#group[entry] === group && this.#holds(entry, key, length)) {
        this.#counts[entry]! += 1
        return
      }
      slot = (slot + 1) & mask
    }
    this.#insert(group, hash, slot, key, length)
  }

  #holds(entry: number, key: Uint8Array, length: number): boolean {
    if (this.#length[entry] !== length) return false
    const place = this.#place[entry]!
    for (let index = 0; index < length; index++) if (this.#arena[place + index] !== key[index]) return false
    return true
  }

  #insert(group: number, hash: number, slot: number, key: Uint8Array, length: number): void {
    const place = this.#arenaUsed
    const needed = place + length
    if (needed > this.#arena.length) this.#arena = growArray(this.#arena, Math.max(needed, this.#arena.length * 2))
    for (let index = 0; index < length; index++) this.#arena[place + index] = key[index]!
    this.#arenaUsed = needed
    const entry = ++this.#entries
    this.#hashes[entry] = hash
    this.#place[entry] = place
    this.#length[entry] = length
    this.#group[entry] = group
    this.#counts[entry] = 1
    this.#next[entry] = this.#first[group]!
    this.#first[group] = entry
    this.#slots[slot] = entry
    this.#distinct[group]! += 1
    this.#bytes[group]! += length
    if (entry + 1 === this.#hashes.length) this.#growEntries()
  }

  #growEntries(): void {
    const capacity = this.#hashes.length * 2
    this.#hashes = growArray(this.#hashes, capacity)
    this.#place = growArray(this.#place, capacity)
    this.#length = growArray(this.#length, capacity)
    this.#group = growArray(this.#group, capacity)
    this.#next = growArray(this.#next, capacity)
    this.#counts = growArray(this.#counts, capacity)
    const slots = new Int32Array(capacity * 2)
    const mask = slots.length - 1
    for (let entry = 1; entry <= this.#entries; entry++) {
      let slot = this.#hashes[entry]! & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = entry
    }
    this.#slots = slots
  }

  /** Different values of the group. */
  distinctOf(group: number): number {
    return this.#distinct[group]!
  }

  /** The bytes of their keys. */
  bytesOf(group: number): number {
    return this.#bytes[group]!
  }

  /** The group's values in the order of their keys, or another one: [start, start + length) of `bytes`. */
  visit(
    group: number,
    visitor: (bytes: Uint8Array, start: number, length: number, count: number) => void,
    order = compareEntries,
  ): void {
    const sorted = new Int32Array(this.#distinct[group]!)
    let index = 0
    for (let entry = this.#first[group]!; entry !== EMPTY; entry = this.#next[entry]!) sorted[index++] = entry
    const arena = this.#arena
    const [place, length] = [this.#place, this.#length]
    sorted.sort((a, b) => order(arena, place[a]!, length[a]!, arena, place[b]!, length[b]!))
    for (const entry of sorted) visitor(arena, place[entry]!, length[entry]!, this.#counts[entry]!)
  }

  reset(used?: number): void {
    // gives the memory of an unusually large batch back
    if (this.#hashes.length > ENTRIES_KEPT_MAX || this.#arena.length > ARENA_KEPT_BYTES_MAX) {
      this.#hashes = new Int32Array(ENTRIES_MIN)
      this.#place = new Uint32Array(ENTRIES_MIN)
      this.#length = new Uint32Array(ENTRIES_MIN)
      this.#group = new Int32Array(ENTRIES_MIN)
      this.#next = new Int32Array(ENTRIES_MIN)
      this.#counts = new Float64Array(ENTRIES_MIN)
      this.#slots = new Int32Array(2 * ENTRIES_MIN)
      this.#arena = new Uint8Array(ARENA_BYTES_MIN)
    } else if (this.#entries > 0) this.#slots.fill(EMPTY)
    this.#entries = 0
    this.#arenaUsed = 0
    this.#first.fill(EMPTY, 0, used)
    this.#distinct.fill(0, 0, used)
    this.#bytes.fill(0, 0, used)
  }
}
