/**
 * Owns the distinct values of many groups while records are folded. One open-addressing table holds the hashes of all groups
 * with few values, 20 bytes each and half a slot: thousands of groups with some values cost no objects. A group that outgrows it gets registers.
 */
import { KeyWriter } from '../core/key-bytes.ts'
import { HASH_BYTES as FULL_HASH_BYTES, hashKey } from '../core/murmur3.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import { growArray } from './grow-array.ts'
import { HASH_BYTES, REGISTER_COUNT, SPARSE_MAX, addToRegisters, encodeDense, encodeSparse } from './hyperloglog.ts'

const ENTRIES_MIN = 1024
/** Room that is kept for the next batch: 24 MiB. */
const ENTRIES_KEPT_MAX = 1 << 20
/** An entry's halves of a hash, its group and its follower, and the table's slots for it. */
const ENTRY_BYTES = 16 + 8
const EMPTY = 0
/** Mixes a group's index into the slot: the golden ratio of 2^32. */
const GROUP_MIX = 0x9e3779b1

export class DistinctAccumulator implements Accumulator {
  readonly #key = new KeyWriter()
  readonly #hash = new Uint8Array(FULL_HASH_BYTES)
  readonly #hashView = new DataView(this.#hash.buffer)
  /** Entries are numbered from 1; 0 ends a chain and marks an empty slot. */
  #high: Int32Array = new Int32Array(ENTRIES_MIN)
  #low: Int32Array = new Int32Array(ENTRIES_MIN)
  #group: Int32Array = new Int32Array(ENTRIES_MIN)
  #next: Int32Array = new Int32Array(ENTRIES_MIN)
  #slots: Int32Array = new Int32Array(2 * ENTRIES_MIN)
  #entries = 0
  /** By group: its last entry, and how many it has. */
  #first: Int32Array = new Int32Array(0)
  #count: Int32Array = new Int32Array(0)
  readonly #dense = new Map<number, Uint8Array>()

  grow(capacity: number): void {
    this.#first = growArray(this.#first, capacity)
    this.#count = growArray(this.#count, capacity)
  }

  get extraBytes(): number {
    return this.#entries * ENTRY_BYTES + this.#dense.size * REGISTER_COUNT
  }

  /** Arrays and objects may hold what no key can. */
  check(r: Registers, arg: number): CellError | null {
    const tag = r.tag[arg]
    if (tag !== TAG.JSON) return null
    this.#key.reset()
    return this.#key.appendRegister(r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG.NULL) return
    const key = this.#key
    key.reset()
    key.appendRegister(r, arg)
    hashKey(key.bytes, 0, key.length, this.#hash, 0)
    const high = this.#hashView.getInt32(0)
    const low = this.#hashView.getInt32(4)
    if (this.#count[group]! > SPARSE_MAX) addToRegisters(this.#dense.get(group)!, high, low)
    else this.#insert(group, high, low)
  }

  #insert(group: number, high: number, low: number): void {
    const mask = this.#slots.length - 1
    let slot = (low ^ Math.imul(group, GROUP_MIX)) & mask
    for (let entry = this.#slots[slot]!; entry !== EMPTY; entry = this.#slots[slot]!) {
      if (this.#low[entry] === low && this.#high[entry] === high && this.#group[entry] === group) return
      slot = (slot + 1) & mask
    }
    if (this.#count[group] === SPARSE_MAX) {
      this.#makeDense(group)
      addToRegisters(this.#dense.get(group)!, high, low)
      return
    }
    const entry = ++this.#entries
    this.#high[entry] = high
    this.#low[entry] = low
    this.#group[entry] = group
    this.#next[entry] = this.#first[group]!
    this.#first[group] = entry
    this.#count[group]! += 1
    this.#slots[slot] = entry
    if (entry + 1 === this.#high.length) this.#growEntries()
  }

  /** Its entries stay in the table, unused, until the reset. */
  #makeDense(group: number): void {
    const registers = new Uint8Array(REGISTER_COUNT)
    for (let entry = this.#first[group]!; entry !== EMPTY; entry = this.#next[entry]!) {
      addToRegisters(registers, this.#high[entry]!, this.#low[entry]!)
    }
    this.#dense.set(group, registers)
    this.#count[group] = SPARSE_MAX + 1
  }

  #growEntries(): void {
    const capacity = this.#high.length * 2
    this.#high = growArray(this.#high, capacity)
    this.#low = growArray(this.#low, capacity)
    this.#group = growArray(this.#group, capacity)
    this.#next = growArray(this.#next, capacity)
    const slots = new Int32Array(capacity * 2)
    const mask = slots.length - 1
    for (let entry = 1; entry <= this.#entries; entry++) {
      let slot = (this.#low[entry]! ^ Math.imul(this.#group[entry]!, GROUP_MIX)) & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = entry
    }
    this.#slots = slots
  }

  /** Gives the memory of an unusually large batch back. */
  #shrinkEntries(): void {
    this.#high = new Int32Array(ENTRIES_MIN)
    this.#low = new Int32Array(ENTRIES_MIN)
    this.#group = new Int32Array(ENTRIES_MIN)
    this.#next = new Int32Array(ENTRIES_MIN)
    this.#slots = new Int32Array(2 * ENTRIES_MIN)
  }

  stateOf(group: number, into: StateValue[]): void {
    const registers = this.#dense.get(group)
    if (registers !== undefined) into[0] = encodeDense(registers)
    else into[0] = this.#count[group] === 0 ? null : encodeSparse(this.#sortedHashes(group))
  }

  #sortedHashes(group: number): Uint8Array {
    const hashes = new BigUint64Array(this.#count[group] ?? 0)
    let index = 0
    for (let entry = this.#first[group]!; entry !== EMPTY; entry = this.#next[entry]!) {
      hashes[index++] = (BigInt(this.#high[entry]! >>> 0) << 32n) | BigInt(this.#low[entry]! >>> 0)
    }
    hashes.sort()
    const bytes = new Uint8Array(hashes.length * HASH_BYTES)
    const view = new DataView(bytes.buffer)
    for (const [at, hash] of hashes.entries()) view.setBigUint64(at * HASH_BYTES, hash)
    return bytes
  }

  reset(used?: number): void {
    if (this.#high.length > ENTRIES_KEPT_MAX) this.#shrinkEntries()
    else if (this.#entries > 0) this.#slots.fill(EMPTY)
    this.#entries = 0
    this.#first.fill(EMPTY, 0, used)
    this.#count.fill(0, 0, used)
    this.#dense.clear()
  }
}
