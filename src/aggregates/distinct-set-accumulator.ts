/**
 * Owns the exact distinct values of many groups while records are folded. One open-addressing table holds the members of all
 * groups, their bytes in one arena: a value costs no object, unless it is long.
 */
import { KeyWriter } from '../core/key-bytes.ts'
import { HASH_BYTES, hashKey } from '../core/murmur3.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import {
  compareMembers,
  createMembersState,
  DISTINCT_MAX,
  hashedMember,
  HEAD_BYTES,
  MEMBER_BYTES_MAX,
  pastState,
} from './distinct-set.ts'
import { growArray } from './grow-array.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const { NULL: TAG_NULL, JSON: TAG_JSON } = TAG
const MEMBER_MAX = MEMBER_BYTES_MAX
const COUNT_MAX = DISTINCT_MAX

const ENTRIES_MIN = 1024
const ARENA_BYTES_MIN = 16 * ENTRIES_MIN
/** Room that is kept for the next batch: 20 MiB of entries and slots. */
const ENTRIES_KEPT_MAX = 1 << 20
const ARENA_KEPT_BYTES_MAX = 16 * ENTRIES_KEPT_MAX
/** An entry's hash, place, group and follower, and the table's slots for it. */
const ENTRY_BYTES = 16 + 8
const EMPTY = 0
/** Mixes a group's index into the hash: the golden ratio of 2^32. */
const GROUP_MIX = 0x9e3779b1

export class DistinctSetAccumulator implements Accumulator {
  readonly #key = new KeyWriter()
  readonly #hash = new Uint8Array(HASH_BYTES)
  readonly #hashView = new DataView(this.#hash.buffer)
  /** Entries are numbered from 1; 0 ends a chain and marks an empty slot. */
  #hashes: Int32Array = new Int32Array(ENTRIES_MIN)
  #place: Uint32Array = new Uint32Array(ENTRIES_MIN)
  #group: Int32Array = new Int32Array(ENTRIES_MIN)
  #next: Int32Array = new Int32Array(ENTRIES_MIN)
  #slots: Int32Array = new Int32Array(2 * ENTRIES_MIN)
  #entries = 0
  /** The members, each with its length in front. */
  #arena: Uint8Array = new Uint8Array(ARENA_BYTES_MIN)
  #arenaUsed = 0
  /** By group: its last entry, and how many it has; one more than COUNT_MAX: past the bound. */
  #first: Int32Array = new Int32Array(0)
  #count: Int32Array = new Int32Array(0)

  grow(capacity: number): void {
    this.#first = growArray(this.#first, capacity)
    this.#count = growArray(this.#count, capacity)
  }

  get extraBytes(): number {
    return this.#entries * ENTRY_BYTES + this.#arenaUsed
  }

  /** Arrays and objects may hold what no key can. */
  check(r: Registers, arg: number): CellError | null {
    const tag = r.tag[arg]
    if (tag !== TAG_JSON) return null
    this.#key.reset()
    return this.#key.appendRegister(r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL || this.#count[group]! > COUNT_MAX) return
    const key = this.#key
    key.reset()
    key.appendRegister(r, arg)
    if (key.length <= MEMBER_MAX) this.#insert(group, key.bytes, key.length)
    else {
      const member = hashedMember(key.bytes.subarray(0, key.length))
      this.#insert(group, member, member.length)
    }
  }

  #insert(group: number, member: Uint8Array, length: number): void {
    hashKey(member, 0, length, this.#hash, 0)
    const hash = this.#hashView.getInt32(0) ^ Math.imul(group, GROUP_MIX)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let entry = this.#slots[slot]!; entry !== EMPTY; entry = this.#slots[slot]!) {
      if (this.#hashes[entry] === hash && this.#group[entry] === group && this.#holds(entry, member, length)) return
      slot = (slot + 1) & mask
    }
    this.#count[group]! += 1
    if (this.#count[group]! > COUNT_MAX) return
    const entry = ++this.#entries
    this.#hashes[entry] = hash
    this.#place[entry] = this.#append(member, length)
    this.#group[entry] = group
    this.#next[entry] = this.#first[group]!
    this.#first[group] = entry
    this.#slots[slot] = entry
    if (entry + 1 === this.#hashes.length) this.#growEntries()
  }

  #holds(entry: number, member: Uint8Array, length: number): boolean {
    const place = this.#place[entry]!
    if (this.#arena[place] !== length) return false
    for (let index = 0; index < length; index++) {
      if (this.#arena[place + 1 + index] !== member[index]) return false
    }
    return true
  }

  #append(member: Uint8Array, length: number): number {
    const place = this.#arenaUsed
    if (place + 1 + length > this.#arena.length) this.#arena = growArray(this.#arena, this.#arena.length * 2)
    this.#arena[place] = length
    for (let index = 0; index < length; index++) this.#arena[place + 1 + index] = member[index]!
    this.#arenaUsed += 1 + length
    return place
  }

  #growEntries(): void {
    const capacity = this.#hashes.length * 2
    this.#hashes = growArray(this.#hashes, capacity)
    this.#place = growArray(this.#place, capacity)
    this.#group = growArray(this.#group, capacity)
    this.#next = growArray(this.#next, capacity)
    const slots = new Int32Array(capacity * 2)
    const mask = slots.length - 1
    for (let entry = 1; entry <= this.#entries; entry++) {
      let slot = this.#hashes[entry]! & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = entry
    }
    this.#slots = slots
  }

  stateOf(group: number, into: StateValue[]): void {
    const count = this.#count[group]!
    into[0] = count === 0 ? null : count > COUNT_MAX ? pastState() : this.#membersOf(group)
  }

  #membersOf(group: number): Uint8Array {
    const arena = this.#arena
    const places = new Uint32Array(this.#count[group]!)
    let bytes = 0
    let index = 0
    for (let entry = this.#first[group]!; entry !== EMPTY; entry = this.#next[entry]!) {
      const place = this.#place[entry]!
      places[index++] = place
      bytes += 1 + arena[place]!
    }
    places.sort((left, right) => compareMembers(arena, left, arena, right))
    const state = createMembersState(bytes)
    let at = HEAD_BYTES
    for (const place of places) {
      const end = place + 1 + arena[place]!
      for (let from = place; from < end; from++) state[at++] = arena[from]!
    }
    return state
  }

  /** Gives the memory of an unusually large batch back. */
  #shrink(): void {
    this.#hashes = new Int32Array(ENTRIES_MIN)
    this.#place = new Uint32Array(ENTRIES_MIN)
    this.#group = new Int32Array(ENTRIES_MIN)
    this.#next = new Int32Array(ENTRIES_MIN)
    this.#slots = new Int32Array(2 * ENTRIES_MIN)
    this.#arena = new Uint8Array(ARENA_BYTES_MIN)
  }

  reset(used?: number): void {
    if (this.#hashes.length > ENTRIES_KEPT_MAX || this.#arena.length > ARENA_KEPT_BYTES_MAX) this.#shrink()
    else if (this.#entries > 0) this.#slots.fill(EMPTY)
    this.#entries = 0
    this.#arenaUsed = 0
    this.#first.fill(EMPTY, 0, used)
    this.#count.fill(0, 0, used)
  }
}
