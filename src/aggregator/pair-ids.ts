/**
 * Owns numbers for pairs of numbers, dense and in the order in which the pairs were first seen: the way from the numbers of a record's grouping values
 * (value-ids.ts) to its group. Three values are a pair and a value.
 */

const SLOTS_MIN = 1 << 10
/** A slot: both sides, the pair's number + 1 or EMPTY, and one number of padding. */
const [LEFT, RIGHT, ENTRY, SLOT] = [0, 1, 2, 4]
const SLOT_SHIFT = 2
const EMPTY = 0
/** Slots per pair at least: a step to the next one costs more than the look-up itself, since the processor doesn't foresee it. */
const SLOTS_PER_PAIR = 4
/** Odd, with bits all over: the multipliers of Murmur's 32-bit finalizer. */
const LEFT_MULTIPLIER = 0x85ebca6b
const RIGHT_MULTIPLIER = 0xc2b2ae35

export class PairIds {
  #slots = new Int32Array(SLOTS_MIN * SLOT)
  #mask = SLOTS_MIN - 1
  #count = 0

  get byteSize(): number {
    return this.#slots.byteLength
  }

  /** The pair's number. A new one has as many before it. */
  find(left: number, right: number): number {
    const slots = this.#slots
    const mask = this.#mask
    let slot = hashOf(left, right) & mask
    for (;;) {
      const at = slot << SLOT_SHIFT
      if (slots[(at + LEFT) | 0] === left && slots[(at + RIGHT) | 0] === right) {
        const entry = slots[(at + ENTRY) | 0]!
        if (entry !== EMPTY) return (entry - 1) | 0
      }
      if (slots[(at + ENTRY) | 0] === EMPTY) return this.#insert(at, left, right)
      slot = (slot + 1) & mask
    }
  }

  #insert(at: number, left: number, right: number): number {
    const id = this.#count
    this.#slots[at + LEFT] = left
    this.#slots[at + RIGHT] = right
    this.#slots[at + ENTRY] = id + 1
    this.#count = id + 1
    if (SLOTS_PER_PAIR * this.#count > this.#mask) this.#grow()
    return id
  }

  #grow(): void {
    const old = this.#slots
    const slots = new Int32Array(old.length * 2)
    const mask = 2 * this.#mask + 1
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from + ENTRY] === EMPTY) continue
      let slot = hashOf(old[from + LEFT]!, old[from + RIGHT]!) & mask
      while (slots[slot * SLOT + ENTRY] !== EMPTY) slot = (slot + 1) & mask
      slots.set(old.subarray(from, from + SLOT), slot * SLOT)
    }
    this.#slots = slots
    this.#mask = mask
  }

  /** Forgets all pairs and keeps the room. */
  reset(): void {
    if (this.#count === 0) return
    this.#slots.fill(0)
    this.#count = 0
  }
}

function hashOf(left: number, right: number): number {
  const hash = Math.imul(left, LEFT_MULTIPLIER) ^ Math.imul(right, RIGHT_MULTIPLIER)
  return hash ^ (hash >>> 15)
}
