/**
 * Owns the groups of a batch: from key bytes to a dense group index, by open addressing. Keys stand one after another in one
 * arena, in the order in which their groups were first seen. States are not here: accumulators keep them by the same index. Values that several
 * tables group by are numbered by it too (value-ids.ts).
 */
import { HASH_BYTES, hashKey } from '../core/murmur3.ts'

const SLOTS_MIN = 1 << 12
const GROUPS_MIN = 1 << 10
const ARENA_BYTES_MIN = 1 << 15
/** Slots per group at most 2: short chains. */
const EMPTY = 0
/** Odd, with bits all over: the multiplier of Murmur's 32-bit finalizer. */
const HASH_MULTIPLIER = 0x85ebca6b

export class GroupKeys {
  /** Two numbers a slot, so that one cache line tells: the key's hash, and its group + 1. */
  #slots: Int32Array = new Int32Array(2 * SLOTS_MIN)
  #mask = SLOTS_MIN - 1
  /** Where the group's key begins; one more than groups, so that the next one's start is this one's end. */
  #starts: Uint32Array = new Uint32Array(GROUPS_MIN + 1)
  #arena: Uint8Array = new Uint8Array(ARENA_BYTES_MIN)
  #arenaView = new DataView(this.#arena.buffer)
  /** Those that were looked into last: the caller has the same again and again. */
  #bytes: Uint8Array = new Uint8Array(0)
  #view = new DataView(this.#bytes.buffer)
  #capacity = GROUPS_MIN
  /** Groups that the batch has touched. */
  count = 0
  readonly #idBits: number

  /** `idBits` below 128 weakens the ids, so that tests see two groups of one id. */
  constructor(idBits = 128) {
    this.#idBits = idBits
  }

  /** Groups 0 to capacity - 1 fit; it grows when a new group needs it. */
  get capacity(): number {
    return this.#capacity
  }

  /** Of keys and tables. */
  get byteSize(): number {
    return this.#slots.byteLength + this.#capacity * 4 + (this.#starts[this.count] ?? 0)
  }

  /** The group of the key bytes[start, end). A new one has the index that `count` was before. */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    const hash = this.#hash(bytes, start, end)
    const slots = this.#slots
    let slot = hash & this.#mask
    for (;;) {
      const entry = slots[((slot << 1) + 1) | 0]!
      if (entry === EMPTY) return this.#insert(slot, hash, bytes, start, end)
      const group = (entry - 1) | 0
      if (slots[slot << 1] === hash && this.#hasKey(group, bytes, start, end)) return group
      slot = (slot + 1) & this.#mask
    }
  }

  /** Four bytes a step, the last ones overlap. */
  #hash(bytes: Uint8Array, start: number, end: number): number {
    const view = this.#view
    const last = (end - 4) | 0
    let hash = (end - start) | 0
    let at = start
    for (; at < last; at = (at + 4) | 0) {
      hash = Math.imul(hash ^ view.getInt32(at, true), HASH_MULTIPLIER)
      hash ^= hash >>> 15
    }
    if (last >= start) hash = Math.imul(hash ^ view.getInt32(last, true), HASH_MULTIPLIER)
    else for (; at < end; at = (at + 1) | 0) hash = Math.imul(hash ^ bytes[at]!, HASH_MULTIPLIER)
    hash = Math.imul(hash ^ (hash >>> 13), HASH_MULTIPLIER)
    return hash ^ (hash >>> 16)
  }

  #hasKey(group: number, bytes: Uint8Array, start: number, end: number): boolean {
    const view = this.#view
    const arena = this.#arena
    const arenaView = this.#arenaView
    let there = this.#starts[group]! | 0
    if (((this.#starts[(group + 1) | 0]! - there) | 0) !== ((end - start) | 0)) return false
    const last = (end - 4) | 0
    const lastThere = (there + last - start) | 0
    let at = start
    for (; at < last; at = (at + 4) | 0) {
      if (view.getInt32(at, true) !== arenaView.getInt32(there, true)) return false
      there = (there + 4) | 0
    }
    if (last >= start) return view.getInt32(last, true) === arenaView.getInt32(lastThere, true)
    for (; at < end; at = (at + 1) | 0) {
      if (bytes[at] !== arena[there]) return false
      there = (there + 1) | 0
    }
    return true
  }

  #insert(slot: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    const group = this.count
    if (group === this.#capacity) this.#growGroups()
    const into = this.#starts[group]!
    const behind = into + end - start
    if (behind > this.#arena.length) this.#growArena(behind)
    this.#arena.set(bytes.subarray(start, end), into)
    this.#starts[group + 1] = behind
    this.#slots[2 * slot] = hash
    this.#slots[2 * slot + 1] = group + 1
    this.count = group + 1
    if (this.count * 4 > this.#slots.length) this.#growSlots()
    return group
  }

  #growGroups(): void {
    this.#capacity *= 2
    const starts = new Uint32Array(this.#capacity + 1)
    starts.set(this.#starts)
    this.#starts = starts
  }

  #growArena(needed: number): void {
    const arena = new Uint8Array(Math.max(needed, this.#arena.length * 2))
    arena.set(this.#arena)
    this.#arena = arena
    this.#arenaView = new DataView(arena.buffer)
  }

  #growSlots(): void {
    const old = this.#slots
    const slots = new Int32Array(old.length * 2)
    this.#mask = slots.length / 2 - 1
    for (let from = 0; from < old.length; from += 2) {
      const entry = old[from + 1]!
      if (entry === EMPTY) continue
      let slot = old[from]! & this.#mask
      while (slots[2 * slot + 1] !== EMPTY) slot = (slot + 1) & this.#mask
      slots[2 * slot] = old[from]!
      slots[2 * slot + 1] = entry
    }
    this.#slots = slots
  }

  keyStart(group: number): number {
    return this.#starts[group]!
  }

  keyEnd(group: number): number {
    return this.#starts[group + 1]!
  }

  /** All keys, one after another: group g's is [keyStart(g), keyEnd(g)). A view, until the next find. */
  get keys(): Uint8Array {
    return this.#arena.subarray(0, this.#starts[this.count])
  }

  /** By bytes. */
  compare(left: number, right: number): number {
    const bytesOf = (group: number): Uint8Array => this.#arena.subarray(this.keyStart(group), this.keyEnd(group))
    return Buffer.compare(bytesOf(left), bytesOf(right))
  }

  /** Writes the group's 128-bit id, 16 bytes. */
  writeId(group: number, into: Uint8Array, at: number): void {
    hashKey(this.#arena, this.#starts[group]!, this.#starts[group + 1]!, into, at)
    if (this.#idBits < HASH_BYTES * 8) this.#weaken(into, at)
  }

  #weaken(into: Uint8Array, at: number): void {
    for (let index = 0; index < HASH_BYTES; index++) {
      const kept = Math.min(8, Math.max(0, this.#idBits - index * 8))
      into[at + index]! &= 0xff00 >> kept
    }
  }

  /** Forgets all groups and keeps the room. */
  reset(): void {
    if (this.count === 0) return
    this.#slots.fill(EMPTY)
    this.count = 0
  }
}
