/**
 * Owns the distinct values of many groups while records are folded: a table of hashes for each group with few values
 * (group-tables.ts), registers for one that outgrows it.
 */
import { KeyWriter } from '../core/key-bytes.ts'
import { HASH_BYTES as FULL_HASH_BYTES, hashKey } from '../core/murmur3.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import { growArray } from './grow-array.ts'
import { GroupTables } from './group-tables.ts'
import { REGISTER_COUNT, SPARSE_MAX, addToRegisters, createSparse, encodeDense, putHash } from './hyperloglog.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const { NULL: TAG_NULL, JSON: TAG_JSON } = TAG
const HASHES_MAX = SPARSE_MAX

/** Up to so many hashes each takes its place among the few; more are sorted by the engine, which costs a microsecond to begin. */
const INSERTION_MAX = 24
/** The half of a 64-bit integer's two words that holds its upper bits. */
const UPPER_WORD = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0

export class DistinctAccumulator implements Accumulator {
  readonly #key = new KeyWriter()
  readonly #hash = new Uint8Array(FULL_HASH_BYTES)
  readonly #hashView = new DataView(this.#hash.buffer)
  /** Slots hold the halves of a hash, the upper one first. */
  readonly #tables = new GroupTables()
  /** By group: the place + 1 of its registers; 0: it has none. */
  #dense: Int32Array = new Int32Array(0)
  readonly #registers: Uint8Array[] = []
  readonly #sorted = new BigUint64Array(HASHES_MAX)
  readonly #words = new Uint32Array(this.#sorted.buffer)

  grow(capacity: number): void {
    this.#tables.grow(capacity)
    this.#dense = growArray(this.#dense, capacity)
  }

  get extraBytes(): number {
    return this.#tables.bytes + this.#registers.length * REGISTER_COUNT
  }

  /** Arrays and objects may hold what no key can. */
  check(r: Registers, arg: number): CellError | null {
    const tag = r.tag[arg]
    if (tag !== TAG_JSON) return null
    this.#key.reset()
    return this.#key.appendRegister(r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL) return
    const key = this.#key
    key.reset()
    key.appendRegister(r, arg)
    hashKey(key.bytes, 0, key.length, this.#hash, 0)
    const high = this.#hashView.getInt32(0)
    // a lower half of 0 counts as 1, since 0 marks a free slot
    const low = this.#hashView.getInt32(4) || 1
    const dense = this.#dense[group]!
    if (dense > 0) addToRegisters(this.#registers[dense - 1]!, high, low)
    else this.#insert(group, high, low)
  }

  #insert(group: number, high: number, low: number): void {
    const tables = this.#tables
    tables.makeRoom(group)
    const slot = tables.findPair(group, high, low)
    if (tables.slots[slot + 1] !== 0) return
    if (tables.takenOf(group) < HASHES_MAX) tables.take(group, slot, high, low)
    else addToRegisters(this.#makeDense(group), high, low)
  }

  #makeDense(group: number): Uint8Array {
    const registers = new Uint8Array(REGISTER_COUNT)
    const { slots } = this.#tables
    const end = this.#tables.endOf(group)
    for (let slot = this.#tables.placeOf(group); slot < end; slot += 2) {
      if (slots[slot + 1] !== 0) addToRegisters(registers, slots[slot]!, slots[slot + 1]!)
    }
    this.#tables.clear(group)
    this.#dense[group] = this.#registers.push(registers)
    return registers
  }

  stateOf(group: number, into: StateValue[]): void {
    const dense = this.#dense[group]!
    if (dense > 0) into[0] = encodeDense(this.#registers[dense - 1]!)
    else into[0] = this.#tables.takenOf(group) === 0 ? null : this.#sparseOf(group)
  }

  #sparseOf(group: number): Uint8Array {
    const count = this.#sortHashes(group)
    const bytes = createSparse(count)
    const words = this.#words
    for (let index = 0; index < count; index++) {
      putHash(bytes, index, words[2 * index + UPPER_WORD]!, words[2 * index + 1 - UPPER_WORD]!)
    }
    return bytes
  }

  /** Puts the group's hashes into `#sorted`, ascending. */
  #sortHashes(group: number): number {
    const { slots } = this.#tables
    const words = this.#words
    const end = this.#tables.endOf(group)
    const inserts = this.#tables.takenOf(group) <= INSERTION_MAX
    let count = 0
    for (let slot = this.#tables.placeOf(group); slot < end; slot += 2) {
      const low = slots[slot + 1]! >>> 0
      if (low === 0) continue
      const high = slots[slot]! >>> 0
      let at = 2 * count++
      if (inserts) {
        while (at > 0 && isAbove(words[at - 2 + UPPER_WORD]!, words[at - 1 - UPPER_WORD]!, high, low)) {
          words[at] = words[at - 2]!
          words[at + 1] = words[at - 1]!
          at -= 2
        }
      }
      words[at + UPPER_WORD] = high
      words[at + 1 - UPPER_WORD] = low
    }
    if (!inserts) this.#sorted.subarray(0, count).sort()
    return count
  }

  reset(used = this.#dense.length): void {
    this.#tables.reset(used)
    this.#dense.fill(0, 0, used)
    this.#registers.length = 0
  }
}

function isAbove(high: number, low: number, otherHigh: number, otherLow: number): boolean {
  return high > otherHigh || (high === otherHigh && low > otherLow)
}
