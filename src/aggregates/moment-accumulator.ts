/** Owns the moments of many groups while records are folded: one value, or a pair of which none is NULL. */
import type { Decimal } from '../core/decimal.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import { exactOfDecimal, exactOfDouble, exactOfInteger, multiplyExact, type ExactNumber } from './exact-number.ts'
import { growArray } from './grow-array.ts'
import { encodeMoments, MOMENT, zeroNonFinite, type Moment, type NonFinitePair } from './moment-state.ts'
import { FACTOR_MAX, FACTOR_MIN, LIMBS_BYTES, WideSums } from './wide-sums.ts'
import { checkNumber } from './wrong-kind.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const {
  NULL: TAG_NULL,
  INTEGER: TAG_INTEGER,
  BIG_INTEGER: TAG_BIG_INTEGER,
  DOUBLE: TAG_DOUBLE,
  NUMERIC: TAG_NUMERIC,
} = TAG
const [LEAST, GREATEST] = [FACTOR_MIN, FACTOR_MAX]
const { X, Y, XX, YY, XY } = MOMENT

/** Guess of what the counts of a group with values that aren't finite take. */
const NON_FINITE_BYTES = 200

export class MomentAccumulator implements Accumulator {
  readonly #name: string
  readonly #isPair: boolean
  #counts: Float64Array = new Float64Array(0)
  readonly #x: WideSums | undefined
  readonly #y: WideSums | undefined
  readonly #xx: WideSums | undefined
  readonly #yy: WideSums | undefined
  readonly #xy: WideSums | undefined
  readonly #sums: readonly WideSums[]
  readonly #nonFinite = new Map<number, NonFinitePair>()
  /** Above every group that was touched. */
  #used = 0

  constructor(name: string, kept: readonly Moment[], isPair: boolean) {
    this.#name = name
    this.#isPair = isPair
    this.#sums = kept.map(() => new WideSums())
    const sumOf = (moment: Moment): WideSums | undefined => this.#sums[kept.indexOf(moment)]
    this.#x = sumOf(X)
    this.#y = sumOf(Y)
    this.#xx = sumOf(XX)
    this.#yy = sumOf(YY)
    this.#xy = sumOf(XY)
  }

  grow(capacity: number): void {
    this.#counts = growArray(this.#counts, capacity)
    for (const sum of this.#sums) sum.grow(capacity)
  }

  get extraBytes(): number {
    let bytes = this.#used * this.#sums.length * LIMBS_BYTES + this.#nonFinite.size * NON_FINITE_BYTES
    for (const sum of this.#sums) bytes += sum.extraBytes
    return bytes
  }

  check(r: Registers, arg: number, second: number): CellError | null {
    const error = checkNumber(this.#name, r, arg)
    return error !== null || !this.#isPair ? error : checkNumber(this.#name, r, second)
  }

  /** Of a pair the first argument is y, PostgreSQL's order. */
  update(group: number, r: Registers, arg: number, second: number): void {
    const xAt = this.#isPair ? second : arg
    if (r.tag[arg] === TAG_NULL || r.tag[xAt] === TAG_NULL) return
    this.#counts[group]! += 1
    if (group >= this.#used) this.#used = group + 1
    if (!isFactor(r, xAt) || (this.#isPair && !isFactor(r, arg))) {
      this.#updateSlowly(group, r, arg, xAt)
      return
    }
    const x = r.num[xAt]!
    this.#x?.addDouble(group, x)
    this.#xx?.addProduct(group, x, x)
    if (!this.#isPair) return
    const y = r.num[arg]!
    this.#y?.addDouble(group, y)
    this.#yy?.addProduct(group, y, y)
    this.#xy?.addProduct(group, x, y)
  }

  /** Big integers, decimals, the largest and smallest doubles, and what isn't finite. */
  #updateSlowly(group: number, r: Registers, yAt: number, xAt: number): void {
    const x = exactOf(r, xAt)
    const y = this.#isPair ? exactOf(r, yAt) : undefined
    if (x === undefined) this.#countNonFinite(group, 'x', r.num[xAt]!)
    else {
      this.#x?.addExact(group, x)
      this.#xx?.addExact(group, multiplyExact(x, x))
    }
    if (!this.#isPair) return
    if (y === undefined) this.#countNonFinite(group, 'y', r.num[yAt]!)
    else {
      this.#y?.addExact(group, y)
      this.#yy?.addExact(group, multiplyExact(y, y))
      if (x !== undefined) this.#xy?.addExact(group, multiplyExact(x, y))
    }
  }

  #countNonFinite(group: number, variable: 'x' | 'y', value: number): void {
    const counts = this.#nonFinite.get(group) ?? { x: zeroNonFinite(), y: zeroNonFinite() }
    this.#nonFinite.set(group, counts)
    if (Number.isNaN(value)) counts[variable].nans += 1
    else if (value > 0) counts[variable].positiveInfinities += 1
    else counts[variable].negativeInfinities += 1
  }

  stateOf(group: number, into: StateValue[]): void {
    if (this.#counts[group] === 0) {
      into[0] = null
      return
    }
    into[0] = encodeMoments(this.#counts[group]!, this.#nonFinite.get(group), (bytes) => {
      for (const sum of this.#sums) sum.pushTotal(group, bytes)
    })
  }

  reset(used?: number): void {
    this.#counts.fill(0, 0, used)
    for (const sum of this.#sums) sum.reset(used)
    this.#nonFinite.clear()
    this.#used = 0
  }
}

/** Whether it is a double or safe integer whose products are two doubles. */
function isFactor(r: Registers, index: number): boolean {
  const tag = r.tag[index]
  if (tag !== TAG_DOUBLE && tag !== TAG_INTEGER) return false
  const magnitude = Math.abs(r.num[index]!)
  return (magnitude >= LEAST && magnitude <= GREATEST) || magnitude === 0
}

/** Undefined where it isn't finite. */
function exactOf(r: Registers, index: number): ExactNumber | undefined {
  switch (r.tag[index]) {
    case TAG_BIG_INTEGER:
      return exactOfInteger(r.ref[index] as bigint)
    case TAG_NUMERIC:
      return exactOfDecimal(r.ref[index] as Decimal)
    default: {
      const value = r.num[index]!
      return Number.isFinite(value) ? exactOfDouble(value) : undefined
    }
  }
}
