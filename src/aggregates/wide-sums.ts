/**
 * Owns one exact sum for each of many groups, of doubles and products of two doubles: fixed point from 2^-192 to beyond 2^128 in limbs of 32 bits,
 * big integers where that ends. Wider than the limbs of SUM (exact-sum-state.ts): the square of 12.34 has bits below 2^-96.
 *
 * Limbs (limb-number.ts) are signed and carry only when they grow large, once in a million additions: the total is canonical when it is read.
 */
import {
  addExact,
  canonicalExact,
  EXACT_ZERO,
  exactOfDouble,
  exactOfInteger,
  pushExact,
  type ExactNumber,
} from './exact-number.ts'
import { growArray } from './grow-array.ts'
import { createWords, LIMBS, LOW_EXPONENT, pushLimbs } from './limb-number.ts'

const LIMB_BITS = 32
const LIMB = 2 ** LIMB_BITS
const LIMB_BITS_BIG = BigInt(LIMB_BITS)
/** The highest limb of fractions. */
const BELOW_ONE = -LOW_EXPONENT / LIMB_BITS - 1
const UNITS = Float64Array.from({ length: LIMBS }, (_, index) => 2 ** (LOW_EXPONENT + LIMB_BITS * index))
const INVERSES = UNITS.map((unit) => 1 / unit)
/** Greater values go to the big integers. */
const VALUE_END = 2 ** 128
/** A limb beyond it carries: with one more piece below 2^32 it is still a safe integer. */
const LIMB_MAX = 2 ** 52
/** Factor of Veltkamp's split of a double into halves of 26 bits. */
const SPLIT = 2 ** 27 + 1
/** Guess of what one big integer takes, for the caller's bound on memory. */
const WIDE_BYTES = 300
/** Bytes of a group's limbs. */
export const LIMBS_BYTES = LIMBS * Float64Array.BYTES_PER_ELEMENT

/** Where the product of two doubles is a sum of two doubles, without overflow and underflow on the way. */
export const FACTOR_MAX = 2 ** 100
export const FACTOR_MIN = 2 ** -100

export class WideSums {
  #limbs: Float64Array = new Float64Array(0)
  readonly #words = createWords()
  /** What the window couldn't take, by group. */
  readonly #wide = new Map<number, ExactNumber>()

  grow(capacity: number): void {
    this.#limbs = growArray(this.#limbs, capacity * LIMBS)
  }

  get extraBytes(): number {
    return this.#wide.size * WIDE_BYTES
  }

  /** Any finite double. */
  addDouble(group: number, value: number): void {
    const magnitude = Math.abs(value)
    if (magnitude >= VALUE_END) {
      this.addExact(group, exactOfDouble(value))
      return
    }
    let index = magnitude < 1 ? BELOW_ONE : LIMBS - 1
    while (index > 0 && magnitude < UNITS[index]!) index--
    const base = group * LIMBS
    let rest = value
    // Each step is exact: a power of two scales, and the piece is taken from the rest's own bits.
    for (; rest !== 0; index--) {
      if (index < 0) {
        this.addExact(group, exactOfDouble(rest))
        return
      }
      const piece = Math.trunc(rest * INVERSES[index]!)
      if (piece === 0) continue
      rest -= piece * UNITS[index]!
      const sum = this.#limbs[base + index]! + piece
      this.#limbs[base + index] = sum
      if (sum > LIMB_MAX || sum < -LIMB_MAX) this.#carry(group, index)
    }
  }

  /**
   * The product as rounded, and what rounding left out, each a double. Caller keeps: magnitudes are 0, or from FACTOR_MIN to FACTOR_MAX.
   * Source: Dekker, A floating-point technique for extending the available precision, 1971.
   */
  addProduct(group: number, x: number, y: number): void {
    const product = x * y
    const bigX = SPLIT * x
    const highX = bigX - (bigX - x)
    const lowX = x - highX
    const bigY = SPLIT * y
    const highY = bigY - (bigY - y)
    const lowY = y - highY
    const rest = lowX * lowY - (product - highX * highY - lowX * highY - highX * lowY)
    this.addDouble(group, product)
    if (rest !== 0) this.addDouble(group, rest)
  }

  addExact(group: number, value: ExactNumber): void {
    this.#wide.set(group, addExact(this.#wide.get(group) ?? EXACT_ZERO, value))
  }

  #carry(group: number, index: number): void {
    const at = group * LIMBS + index
    const carry = Math.trunc(this.#limbs[at]! / LIMB)
    this.#limbs[at]! -= carry * LIMB
    if (index === LIMBS - 1) {
      this.addExact(group, { ...exactOfInteger(BigInt(carry)), exponent: LOW_EXPONENT + LIMBS * LIMB_BITS })
      return
    }
    const sum = this.#limbs[at + 1]! + carry
    this.#limbs[at + 1] = sum
    if (sum > LIMB_MAX || sum < -LIMB_MAX) this.#carry(group, index + 1)
  }

  /** Appends the total's canonical bytes (exact-number.ts). */
  pushTotal(group: number, bytes: number[]): void {
    if (this.#wide.size > 0 && this.#wide.has(group)) pushExact(bytes, this.#totalOf(group))
    else pushLimbs(bytes, this.#limbs, group * LIMBS, this.#words)
  }

  #totalOf(group: number): ExactNumber {
    const base = group * LIMBS
    let total = 0n
    for (let index = LIMBS - 1; index >= 0; index--) {
      total <<= LIMB_BITS_BIG
      const limb = this.#limbs[base + index]!
      if (limb !== 0) total += BigInt(limb)
    }
    const window: ExactNumber = { numerator: total, exponent: LOW_EXPONENT, fives: 0 }
    const wide = this.#wide.get(group)
    return canonicalExact(wide === undefined ? window : addExact(window, wide))
  }

  reset(used?: number): void {
    this.#limbs.fill(0, 0, used === undefined ? undefined : used * LIMBS)
    this.#wide.clear()
  }
}
