/**
 * Owns the extremes of many groups while records are folded. Internally all are greatest values: MIN looks at numbers with
 * the other sign. NaN is above all numbers, as PostgreSQL orders it.
 */
import { copyBytes } from '../core/copy-bytes.ts'
import { compareDecimals, decimalOfDouble, decimalOfInteger, type Decimal } from '../core/decimal.ts'
import { TAG, type Registers } from '../core/registers.ts'
import { growArray } from './grow-array.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const { BIG_INTEGER: TAG_BIG_INTEGER, NUMERIC: TAG_NUMERIC } = TAG
const { BIG_TIMESTAMP: TAG_BIG_TIMESTAMP, BIG_LOCAL_TIMESTAMP: TAG_BIG_LOCAL_TIMESTAMP } = TAG

/** 1: greatest, MAX. -1: least, MIN. */
export type Direction = 1 | -1

/** Guess of what an entry of a map takes, for the caller's bound on memory. */
const ENTRY_BYTES = 100

/** Numbers, and what is stored as one: booleans and times. */
export class ExtremeNumbers {
  readonly #direction: Direction
  /** Greatest of direction * value; meaningless where #seen is 0. */
  #greatest: Float64Array = new Float64Array(0)
  #seen: Uint8Array = new Uint8Array(0)
  /** Greatest of the exact values that no double holds, by group. */
  readonly #exact = new Map<number, Decimal>()
  readonly #nans = new Set<number>()

  constructor(direction: Direction) {
    this.#direction = direction
  }

  grow(capacity: number): void {
    this.#greatest = growArray(this.#greatest, capacity)
    this.#seen = growArray(this.#seen, capacity)
  }

  /** Takes a register whose value is in `num`, or in `ref` as a bigint or a decimal. */
  offer(group: number, r: Registers, arg: number): void {
    const tag = r.tag[arg]
    if (tag === TAG_BIG_INTEGER || tag === TAG_BIG_TIMESTAMP || tag === TAG_BIG_LOCAL_TIMESTAMP) {
      this.#offerExact(group, decimalOfInteger(r.ref[arg] as bigint))
    } else if (tag === TAG_NUMERIC) {
      this.#offerExact(group, r.ref[arg] as Decimal)
    } else {
      const value = r.num[arg]! * this.#direction
      if (value > this.#greatest[group]! || this.#seen[group] === 0) this.#raise(group, value)
      else if (value !== value) this.#nans.add(group)
    }
  }

  #raise(group: number, value: number): void {
    if (Number.isNaN(value)) {
      this.#nans.add(group)
      return
    }
    this.#greatest[group] = value
    this.#seen[group] = 1
  }

  #offerExact(group: number, value: Decimal): void {
    const old = this.#exact.get(group)
    if (old === undefined || compareDecimals(value, old) * this.#direction > 0) this.#exact.set(group, value)
  }

  /** The group's extreme: a double, an exact value that may be beyond doubles, or null for no value. */
  extremeOf(group: number): number | Decimal | null {
    const exact = this.#exact.get(group)
    if (this.#nans.has(group) && (this.#direction > 0 || (exact === undefined && this.#seen[group] === 0))) return NaN
    // Adding 0 makes the 0 of a MIN, which is -0 here, a 0 again.
    const small = this.#seen[group] === 0 ? null : this.#greatest[group]! * this.#direction + 0
    if (exact === undefined) return small
    if (small === null || !Number.isFinite(small)) return small === this.#direction * Infinity ? small : exact
    return compareDecimals(exact, decimalOfDouble(small)) * this.#direction > 0 ? exact : small
  }

  get extraBytes(): number {
    return (this.#exact.size + this.#nans.size) * ENTRY_BYTES
  }

  reset(used?: number): void {
    this.#seen.fill(0, 0, used)
    this.#exact.clear()
    this.#nans.clear()
  }
}

/** Texts and keys, in the order of their bytes. */
export class ExtremeTexts {
  readonly #direction: Direction
  #texts: (Uint8Array | undefined)[] = []
  #bytes = 0

  constructor(direction: Direction) {
    this.#direction = direction
  }

  offer(group: number, r: Registers, arg: number): void {
    this.offerBytes(group, r.ref[arg] as Uint8Array, r.num[arg]!, r.end[arg]!)
  }

  offerBytes(group: number, bytes: Uint8Array, start: number, end: number): void {
    const old = this.#texts[group]
    if (old !== undefined && compareText(bytes, start, end, old) * this.#direction <= 0) return
    this.#texts[group] = copyBytes(bytes, start, end)
    this.#bytes += ENTRY_BYTES + end - start - (old === undefined ? 0 : ENTRY_BYTES + old.length)
  }

  extremeOf(group: number): Uint8Array | null {
    return this.#texts[group] ?? null
  }

  get extraBytes(): number {
    return this.#bytes
  }

  reset(): void {
    this.#texts = []
    this.#bytes = 0
  }
}

function compareText(bytes: Uint8Array, start: number, end: number, other: Uint8Array): number {
  const length = end - start
  const shared = Math.min(length, other.length)
  for (let index = 0; index < shared; index++) {
    const difference = bytes[start + index]! - other[index]!
    if (difference !== 0) return difference
  }
  return length - other.length
}
