/**
 * Owns the counts of values of many groups while records are folded. A group with twice what its state may hold is made a state, which its
 * later values are merged into.
 */
import { KeyWriter } from '../core/key-bytes.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, AccumulatorInput, StateValue } from './aggregate.ts'
import { CountedMembers } from './counted-members.ts'
import { growArray } from './grow-array.ts'
import { checkKey } from './order-key.ts'
import {
  COUNTS_BOUNDS,
  COUNTS_ROW_BOUNDS,
  mergeValueCounts,
  startValueCounts,
  withinBounds,
  type CountsBounds,
} from './value-counts.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const TAG_NULL = TAG.NULL

/** Entries of the table that no group uses any more are given up with the batch, or when all take so much. */
const TABLE_BYTES_MAX = 1 << 26
const SLOTS_MIN = 16
const NONE = 0

export class ValueCountsAccumulator implements Accumulator {
  readonly #key = new KeyWriter()
  readonly #bounds: CountsBounds
  readonly #members = new CountedMembers()
  /** By group: under which number the table has its values; NONE: it has none. */
  #slots: Int32Array = new Int32Array(0)
  #slotCount = 0
  #slotCapacity = 0
  /** By group: what was too much to go on with. */
  readonly #sealed = new Map<number, Uint8Array>()
  #sealedBytes = 0

  constructor({ bounds }: Pick<AccumulatorInput, 'bounds'>) {
    this.#bounds = bounds === 'rows' ? COUNTS_ROW_BOUNDS : COUNTS_BOUNDS
  }

  grow(capacity: number): void {
    this.#slots = growArray(this.#slots, capacity)
  }

  get extraBytes(): number {
    return this.#members.extraBytes + this.#sealedBytes
  }

  check(r: Registers, arg: number): CellError | null {
    return checkKey(this.#key, r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL) return
    const key = this.#key
    key.reset()
    key.appendRegister(r, arg)
    let slot = this.#slots[group]!
    if (slot === NONE) slot = this.#openSlot(group)
    const members = this.#members
    members.add(slot, key.bytes, key.length)
    const { valuesMax, bytesMax } = this.#bounds
    if (members.distinctOf(slot) >= 2 * valuesMax || members.bytesOf(slot) >= 2 * bytesMax) this.#seal(group)
  }

  #openSlot(group: number): number {
    const slot = ++this.#slotCount
    if (slot >= this.#slotCapacity) {
      this.#slotCapacity = Math.max(SLOTS_MIN, this.#slotCapacity * 2)
      this.#members.grow(this.#slotCapacity)
    }
    this.#slots[group] = slot
    return slot
  }

  #seal(group: number): void {
    this.#sealOne(group)
    if (this.#members.extraBytes < TABLE_BYTES_MAX) return
    for (let other = 0; other < this.#slots.length; other++) if (this.#slots[other] !== NONE) this.#sealOne(other)
    this.#members.reset()
    this.#slotCount = 0
  }

  #sealOne(group: number): void {
    const state = this.#stateOf(group, this.#slots[group]!)
    this.#sealedBytes += state.length - (this.#sealed.get(group)?.length ?? 0)
    this.#sealed.set(group, state)
    this.#slots[group] = NONE
  }

  #stateOf(group: number, slot: number): Uint8Array {
    const written = startValueCounts(true, 0)
    this.#members.visit(slot, (bytes, start, length, count) => written.add(bytes, start, length, count))
    const state = withinBounds(written, 0, this.#bounds)
    const sealed = this.#sealed.get(group)
    return sealed === undefined ? state : mergeValueCounts(sealed, state, this.#bounds)
  }

  stateOf(group: number, into: StateValue[]): void {
    const slot = this.#slots[group]!
    into[0] = slot === NONE ? (this.#sealed.get(group) ?? null) : this.#stateOf(group, slot)
  }

  reset(used?: number): void {
    this.#members.reset()
    this.#slotCount = 0
    this.#slots.fill(NONE, 0, used)
    this.#sealed.clear()
    this.#sealedBytes = 0
  }
}
