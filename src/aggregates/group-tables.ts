/**
 * Owns small open-addressing tables, one for each of many groups, all in one array: a record touches one or two lines of the cache, and
 * thousands of groups cost no objects. A slot is a pair of 32-bit integers, the second 0 while it is free; what they mean is the caller's.
 */
import { growArray } from './grow-array.ts'

/** Of a group's first table; each further one is twice as long. */
const SLOTS_MIN = 4
const SIZES = 28
const ARENA_MIN = 1 << 14
/** Room that is kept for the next batch: 32 MiB. */
const ARENA_KEPT_MAX = 1 << 23
/** What is known of a group: where its table is, how many slots it has (0: there is none), how many are taken. */
const GROUP_SIZE = 4
const LENGTH = 1
const TAKEN = 2
/** Odd, with bits all over: the golden ratio of 2^32. Its upper bits mix best. */
const KEY_MIX = 0x9e3779b1
const MIX_SHIFT = 12

export class GroupTables {
  /** Replaced when it grows: read it after makeRoom. */
  slots: Int32Array = new Int32Array(ARENA_MIN)
  #used = 0
  /** By size: the place + 1 of a table that was outgrown, which holds that of the next (0: none). */
  readonly #free = new Int32Array(SIZES)
  #groups: Int32Array = new Int32Array(0)

  grow(capacity: number): void {
    this.#groups = growArray(this.#groups, GROUP_SIZE * capacity)
  }

  get bytes(): number {
    return this.#used * Int32Array.BYTES_PER_ELEMENT
  }

  /** How many slots of the group's table are taken. */
  takenOf(group: number): number {
    return this.#groups[group * GROUP_SIZE + TAKEN]!
  }

  /** The group's table is slots[place, end), pairs. */
  placeOf(group: number): number {
    return this.#groups[group * GROUP_SIZE]!
  }

  endOf(group: number): number {
    const at = group * GROUP_SIZE
    return this.#groups[at]! + 2 * this.#groups[at + LENGTH]!
  }

  /** To be called before a slot is looked for that may be taken then: a quarter of them stays free. */
  makeRoom(group: number): void {
    const at = group * GROUP_SIZE
    if (this.#groups[at + TAKEN]! * 4 >= this.#groups[at + LENGTH]! * 3) this.#growTable(at)
  }

  /** The slot whose first integer is `key`, or the free one where it belongs. */
  find(group: number, key: number): number {
    const groups = this.#groups
    const at = group * GROUP_SIZE
    const { slots } = this
    const place = groups[at]!
    const mask = groups[at + LENGTH]! - 1
    let index = (Math.imul(key, KEY_MIX) >>> MIX_SHIFT) & mask
    let slot = place + index * 2
    while (slots[slot + 1] !== 0 && slots[slot] !== key) {
      index = (index + 1) & mask
      slot = place + index * 2
    }
    return slot
  }

  /** The slot that holds both, or the free one where they belong. */
  findPair(group: number, key: number, value: number): number {
    const groups = this.#groups
    const at = group * GROUP_SIZE
    const { slots } = this
    const place = groups[at]!
    const mask = groups[at + LENGTH]! - 1
    let index = (Math.imul(key, KEY_MIX) >>> MIX_SHIFT) & mask
    let slot = place + index * 2
    while (slots[slot + 1] !== 0 && (slots[slot] !== key || slots[slot + 1] !== value)) {
      index = (index + 1) & mask
      slot = place + index * 2
    }
    return slot
  }

  /** Fills a free slot of the group. Caller keeps: it was found for that key, and `value` is not 0. */
  take(group: number, slot: number, key: number, value: number): void {
    this.slots[slot] = key
    this.slots[slot + 1] = value
    this.#groups[group * GROUP_SIZE + TAKEN]! += 1
  }

  #growTable(at: number): void {
    const groups = this.#groups
    const [old, oldLength] = [groups[at]!, groups[at + LENGTH]!]
    const length = oldLength === 0 ? SLOTS_MIN : oldLength * 2
    const place = this.#allocate(length)
    const { slots } = this
    const mask = length - 1
    for (let from = old; from < old + oldLength * 2; from += 2) {
      if (slots[from + 1] === 0) continue
      let index = (Math.imul(slots[from]!, KEY_MIX) >>> MIX_SHIFT) & mask
      while (slots[place + index * 2 + 1] !== 0) index = (index + 1) & mask
      slots[place + index * 2] = slots[from]!
      slots[place + index * 2 + 1] = slots[from + 1]!
    }
    this.#release(old, oldLength)
    groups[at] = place
    groups[at + LENGTH] = length
  }

  /** The place of an empty table. */
  #allocate(length: number): number {
    const free = this.#free[sizeOf(length)]! - 1
    if (free >= 0) {
      this.#free[sizeOf(length)] = this.slots[free]!
      this.slots.fill(0, free, free + length * 2)
      return free
    }
    const place = this.#used
    this.#used += length * 2
    while (this.#used > this.slots.length) this.slots = growArray(this.slots, this.slots.length * 2)
    return place
  }

  #release(place: number, length: number): void {
    if (length === 0) return
    this.slots[place] = this.#free[sizeOf(length)]!
    this.#free[sizeOf(length)] = place + 1
  }

  /** The group has no table then. */
  clear(group: number): void {
    const at = group * GROUP_SIZE
    this.#release(this.#groups[at]!, this.#groups[at + LENGTH]!)
    this.#groups.fill(0, at, at + GROUP_SIZE)
  }

  /** Of all groups below `used`. */
  reset(used = this.#groups.length / GROUP_SIZE): void {
    // gives the memory of an unusually large batch back
    if (this.slots.length > ARENA_KEPT_MAX) this.slots = new Int32Array(ARENA_MIN)
    else this.slots.fill(0, 0, this.#used)
    this.#used = 0
    this.#free.fill(0)
    this.#groups.fill(0, 0, used * GROUP_SIZE)
  }
}

/** The place of a table's length in the list of free ones. */
function sizeOf(length: number): number {
  return 31 - Math.clz32(length)
}
