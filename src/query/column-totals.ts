/**
 * Owns the totals of a copied column: one for each place of an array, filled by passes over typed arrays. V8 makes slow code of a loop that sees
 * arrays of several sorts: each sort has its own, and narrow integers are widened first.
 */
import type { StateValue } from '../aggregates/aggregate.ts'
import { BrokenInvariant } from '../core/assert.ts'
import { type CopiedColumn, type Numbers, toLimb } from './copied-column.ts'

/** Room in which integers are widened. What it gives holds until the next call. */
export class WideIntegers {
  #room = new Int32Array(0)

  of(integers: ArrayLike<number>): Int32Array {
    if (this.#room.length < integers.length) this.#room = new Int32Array(integers.length)
    this.#room.set(integers)
    return this.#room
  }

  zeros(length: number): Int32Array {
    if (this.#room.length < length) this.#room = new Int32Array(length)
    return this.#room.fill(0)
  }
}

/** Totals of one column by place. */
export interface Totals {
  /** Takes the column of some rows; `places` has the place of each. */
  add(column: CopiedColumn, places: Int32Array, rows: number): void
  valueAt(place: number): StateValue
}

/** Exact sums of integers: the caller knows that each is a safe one. Of no values 0. */
export class SumTotals implements Totals {
  readonly #sums: Float64Array
  readonly #wide: WideIntegers

  constructor(places: number, wide: WideIntegers) {
    this.#sums = new Float64Array(places)
    this.#wide = wide
  }

  add(column: CopiedColumn, places: Int32Array, rows: number): void {
    addNumbers(this.#sums, numbersOf(column), places, rows, this.#wide)
  }

  valueAt(place: number): number {
    return this.#sums[place]! + 0
  }
}

/** Exact sums of limbs, of any size. */
export class LimbTotals implements Totals {
  readonly #high: Float64Array
  readonly #low: Float64Array
  readonly #wide: WideIntegers

  constructor(places: number, wide: WideIntegers) {
    this.#high = new Float64Array(places)
    this.#low = new Float64Array(places)
    this.#wide = wide
  }

  add(column: CopiedColumn, places: Int32Array, rows: number): void {
    if (column.form !== 'limb') throw new BrokenInvariant(`a ${column.form} column is no limb`)
    addNumbers(this.#high, column.high, places, rows, this.#wide)
    addNumbers(this.#low, column.low, places, rows, this.#wide)
  }

  valueAt(place: number): bigint {
    return toLimb(this.#high[place]!, this.#low[place]!)
  }
}

/** How many values aren't NULL. */
export class CountTotals implements Totals {
  readonly #counts: Float64Array

  constructor(places: number) {
    this.#counts = new Float64Array(places)
  }

  add(column: CopiedColumn, places: Int32Array, rows: number): void {
    const { values, hasNulls } = numbersOf(column)
    if (!hasNulls) return countRows(this.#counts, places, rows)
    // one value for all: NULL
    if (values === undefined) return
    for (let row = 0; row < rows; row++) if (!Number.isNaN(values[row])) this.#counts[places[row]!]! += 1
  }

  valueAt(place: number): number {
    return this.#counts[place]!
  }
}

/** The least or greatest value; NULL of none. */
export class ExtremeTotals implements Totals {
  readonly #direction: 1 | -1
  /** NaN: there was none yet. */
  readonly #extremes: Float64Array

  constructor(places: number, direction: 1 | -1) {
    this.#direction = direction
    this.#extremes = new Float64Array(places).fill(NaN)
  }

  add(column: CopiedColumn, places: Int32Array, rows: number): void {
    const { values, constant } = numbersOf(column)
    const extremes = this.#extremes
    const isGreatest = this.#direction > 0
    for (let row = 0; row < rows; row++) {
      const value = values === undefined ? constant : values[row]!
      const extreme = extremes[places[row]!]!
      if (Number.isNaN(extreme) || (isGreatest ? value > extreme : value < extreme)) extremes[places[row]!] = value
    }
  }

  valueAt(place: number): StateValue {
    const extreme = this.#extremes[place]!
    return Number.isNaN(extreme) ? null : extreme
  }
}

/** Of a column that is NULL everywhere. */
export const NULL_TOTALS: Totals = { add: () => {}, valueAt: () => null }

/** Counts rows by place. */
export function countRows(counts: Float64Array, places: Int32Array, rows: number): void {
  for (let row = 0; row < rows; row++) counts[places[row]!]! += 1
}

function numbersOf(column: CopiedColumn): Numbers {
  if (column.form !== 'number') throw new BrokenInvariant(`a ${column.form} column has no numbers`)
  return column.numbers
}

function addNumbers(sums: Float64Array, numbers: Numbers, places: Int32Array, rows: number, wide: WideIntegers): void {
  const { values, constant, hasNulls } = numbers
  if (values === undefined) {
    if (constant !== 0 && !Number.isNaN(constant)) addConstant(sums, constant, places, rows)
  } else if (!(values instanceof Float64Array)) addIntegers(sums, wide.of(values), places, rows)
  else if (hasNulls) addPresent(sums, values, places, rows)
  else addDoubles(sums, values, places, rows)
}

function addConstant(sums: Float64Array, constant: number, places: Int32Array, rows: number): void {
  for (let row = 0; row < rows; row++) sums[places[row]!]! += constant
}

function addIntegers(sums: Float64Array, values: Int32Array, places: Int32Array, rows: number): void {
  for (let row = 0; row < rows; row++) sums[places[row]!]! += values[row]!
}

function addDoubles(sums: Float64Array, values: Float64Array, places: Int32Array, rows: number): void {
  for (let row = 0; row < rows; row++) sums[places[row]!]! += values[row]!
}

function addPresent(sums: Float64Array, values: Float64Array, places: Int32Array, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const value = values[row]!
    if (!Number.isNaN(value)) sums[places[row]!]! += value
  }
}
