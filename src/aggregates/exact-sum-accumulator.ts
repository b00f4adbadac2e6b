/** Owns the exact sums of many groups while records are folded: fixed point in typed arrays, big integers where that ends. */
import type { Decimal } from '../core/decimal.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import { LIMB, writeTotal, type ExactSumLayout } from './exact-sum-state.ts'
import { addDecimal, addDouble, addTotal, zeroTotal, type ExactTotal } from './exact-total.ts'
import { growArray } from './grow-array.ts'
import { checkNumber } from './wrong-kind.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const { INTEGER: TAG_INTEGER, BIG_INTEGER: TAG_BIG_INTEGER, DOUBLE: TAG_DOUBLE, NUMERIC: TAG_NUMERIC } = TAG
const LIMB_SIZE = LIMB

/** Below it a top plus a carry is a safe integer. */
const TOP_MAX = Number.MAX_SAFE_INTEGER - 1
/** Guess of what one exact total takes, for the caller's bound on memory. */
const WIDE_BYTES = 400
const LIMB_UNIT = 1 / LIMB_SIZE

export class ExactSumAccumulator implements Accumulator {
  readonly #name: string
  readonly #layout: ExactSumLayout
  /** The same array where integers aren't counted apart. */
  #integers: Float64Array
  #others: Float64Array
  #top: Float64Array
  /** Units of 2^-48 and 2^-96, each in [0, 2^48): normalized by every addition. */
  #f1: Float64Array
  #f2: Float64Array
  /** What the window couldn't take, by group. */
  readonly #wide = new Map<number, ExactTotal>()

  constructor(name: string, layout: ExactSumLayout) {
    this.#name = name
    this.#layout = layout
    this.#others = new Float64Array(0)
    this.#integers = layout.integers < 0 ? this.#others : new Float64Array(0)
    this.#top = new Float64Array(0)
    this.#f1 = new Float64Array(0)
    this.#f2 = new Float64Array(0)
  }

  grow(capacity: number): void {
    this.#others = growArray(this.#others, capacity)
    this.#integers = this.#layout.integers < 0 ? this.#others : growArray(this.#integers, capacity)
    this.#top = growArray(this.#top, capacity)
    if (this.#layout.f1 < 0) return
    this.#f1 = growArray(this.#f1, capacity)
    this.#f2 = growArray(this.#f2, capacity)
  }

  get extraBytes(): number {
    return this.#wide.size * WIDE_BYTES
  }

  check(r: Registers, arg: number): CellError | null {
    return checkNumber(this.#name, r, arg)
  }

  update(group: number, r: Registers, arg: number): void {
    const tag = r.tag[arg]
    if (tag === TAG_DOUBLE) {
      this.#others[group]! += 1
      this.#addDouble(group, r.num[arg]!)
    } else if (tag === TAG_INTEGER) {
      this.#integers[group]! += 1
      this.#addInteger(group, r.num[arg]!)
    } else if (tag === TAG_BIG_INTEGER) {
      this.#integers[group]! += 1
      this.#wideOf(group).whole += r.ref[arg] as bigint
    } else if (tag === TAG_NUMERIC) {
      this.#others[group]! += 1
      addDecimal(this.#wideOf(group), r.ref[arg] as Decimal)
    }
  }

  #addInteger(group: number, value: number): void {
    const top = this.#top[group]! + value
    if (top > TOP_MAX || top < -TOP_MAX) this.#wideOf(group).whole += BigInt(value)
    else this.#top[group] = top
  }

  /** Splits the double at the limbs' borders, each step exact, and carries at once, rounding down. */
  #addDouble(group: number, value: number): void {
    const whole = Math.trunc(value)
    const scaled = (value - whole) * LIMB_SIZE
    const high = Math.trunc(scaled)
    const low = (scaled - high) * LIMB_SIZE
    const lowSum = this.#f2[group]! + low
    const lowCarry = Math.floor(lowSum * LIMB_UNIT)
    const highSum = this.#f1[group]! + high + lowCarry
    const highCarry = Math.floor(highSum * LIMB_UNIT)
    const top = this.#top[group]! + whole + highCarry
    // The negated comparison takes NaN too.
    if (low !== Math.trunc(low) || !(top <= TOP_MAX && top >= -TOP_MAX)) {
      addDouble(this.#wideOf(group), value)
      return
    }
    this.#f2[group] = lowSum - lowCarry * LIMB_SIZE
    this.#f1[group] = highSum - highCarry * LIMB_SIZE
    this.#top[group] = top
  }

  #wideOf(group: number): ExactTotal {
    let total = this.#wide.get(group)
    if (total === undefined) {
      total = zeroTotal()
      this.#wide.set(group, total)
    }
    // Emptied, so that a sum near the window's end doesn't come here with every value.
    total.whole += BigInt(this.#top[group]!)
    this.#top[group] = 0
    return total
  }

  stateOf(group: number, into: StateValue[]): void {
    const layout = this.#layout
    if (layout.integers >= 0) into[layout.integers] = this.#integers[group]!
    into[layout.others] = this.#others[group]!
    const wide = this.#wide.get(group)
    if (wide !== undefined) return writeTotal(layout, this.#totalOf(group, wide), into)
    into[layout.top] = this.#top[group]! + 0
    into[layout.wide] = null
    if (layout.f1 < 0) return
    into[layout.f1] = this.#f1[group]!
    into[layout.f2] = this.#f2[group]!
  }

  #totalOf(group: number, wide: ExactTotal): ExactTotal {
    const total = zeroTotal()
    total.whole = BigInt(this.#top[group]!)
    if (this.#layout.f1 >= 0) {
      addDouble(total, this.#f1[group]! / LIMB_SIZE)
      addDouble(total, this.#f2[group]! / LIMB_SIZE / LIMB_SIZE)
    }
    addTotal(total, wide)
    return total
  }

  reset(used?: number): void {
    this.#others.fill(0, 0, used)
    this.#integers.fill(0, 0, used)
    this.#top.fill(0, 0, used)
    this.#f1.fill(0, 0, used)
    this.#f2.fill(0, 0, used)
    this.#wide.clear()
  }
}
