/**
 * Owns SUM and AVG of intervals. The state is a BLOB, since such sums are rare: its version, the count, and the exact totals of months, days and
 * microseconds. They don't carry into each other, so an interval's range counts only when the sum is read.
 */
import { daysOf, monthsOf, setBigInterval, timeOf } from '../core/interval.ts'
import { divideInterval } from '../core/interval-arithmetic.ts'
import { TAG, type Registers } from '../core/registers.ts'
import type { Accumulator, Aggregate, StateValue } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { growArray } from './grow-array.ts'
import { pushCount, pushInteger, readCount, readInteger, type StateReader } from './state-bytes.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const { NULL: TAG_NULL, INTERVAL: TAG_INTERVAL } = TAG
const VERSION = 1
/** Guess of what a total in big integers takes. */
const WIDE_BYTES = 120

interface Totals {
  count: number
  months: bigint
  days: bigint
  microseconds: bigint
}

function zeroTotals(): Totals {
  return { count: 0, months: 0n, days: 0n, microseconds: 0n }
}

function encode({ count, months, days, microseconds }: Totals): Uint8Array | null {
  if (count === 0) return null
  const bytes = [VERSION]
  pushCount(bytes, count)
  for (const total of [months, days, microseconds]) pushInteger(bytes, total)
  return Uint8Array.from(bytes)
}

function decode(state: Uint8Array): Totals {
  const reader: StateReader = { bytes: state, at: 1 }
  const count = readCount(reader)
  return { count, months: readInteger(reader), days: readInteger(reader), microseconds: readInteger(reader) }
}

function combine(left: Uint8Array, right: Uint8Array, sign: 1 | -1): Uint8Array | null {
  const [a, b] = [decode(left), decode(right)]
  const by = BigInt(sign)
  return encode({
    count: a.count + sign * b.count,
    months: a.months + by * b.months,
    days: a.days + by * b.days,
    microseconds: a.microseconds + by * b.microseconds,
  })
}

class IntervalSumAccumulator implements Accumulator {
  #counts: Float64Array = new Float64Array(0)
  #months: Float64Array = new Float64Array(0)
  #days: Float64Array = new Float64Array(0)
  #microseconds: Float64Array = new Float64Array(0)
  /** What the arrays have no room for, beside what stands there. */
  readonly #wide = new Map<number, Totals>()

  grow(capacity: number): void {
    this.#counts = growArray(this.#counts, capacity)
    this.#months = growArray(this.#months, capacity)
    this.#days = growArray(this.#days, capacity)
    this.#microseconds = growArray(this.#microseconds, capacity)
  }

  get extraBytes(): number {
    return this.#wide.size * WIDE_BYTES
  }

  check(): null {
    return null
  }

  update(group: number, r: Registers, arg: number): void {
    if (r.tag[arg] === TAG_NULL) return
    this.#counts[group]! += 1
    if (r.tag[arg] === TAG_INTERVAL) {
      const months = this.#months[group]! + monthsOf(r, arg)
      const days = this.#days[group]! + daysOf(r, arg)
      const microseconds = this.#microseconds[group]! + r.num[arg]!
      if (Number.isSafeInteger(months) && Number.isSafeInteger(days) && Number.isSafeInteger(microseconds)) {
        this.#months[group] = months
        this.#days[group] = days
        this.#microseconds[group] = microseconds
        return
      }
    }
    const wide = this.#wide.get(group) ?? zeroTotals()
    this.#wide.set(group, wide)
    wide.months += BigInt(monthsOf(r, arg))
    wide.days += BigInt(daysOf(r, arg))
    wide.microseconds += timeOf(r, arg)
  }

  stateOf(group: number, into: StateValue[]): void {
    const wide = this.#wide.get(group)
    into[0] = encode({
      count: this.#counts[group]!,
      months: BigInt(this.#months[group]!) + (wide?.months ?? 0n),
      days: BigInt(this.#days[group]!) + (wide?.days ?? 0n),
      microseconds: BigInt(this.#microseconds[group]!) + (wide?.microseconds ?? 0n),
    })
  }

  reset(used?: number): void {
    for (const array of [this.#counts, this.#months, this.#days, this.#microseconds]) array.fill(0, 0, used)
    this.#wide.clear()
  }
}

function setTotal({ months, days, microseconds }: Totals, r: Registers, out: number): boolean {
  return setBigInterval(r, out, Number(months), Number(days), microseconds)
}

/** SUM, or AVG: the sum divided as PostgreSQL's `/` divides an interval, months down to days and days down to microseconds. */
export function createIntervalSum(name: 'sum' | 'avg'): Aggregate {
  const merge = (left: Uint8Array, right: Uint8Array): Uint8Array => combine(left, right, 1) as Uint8Array
  return {
    type: 'interval',
    ...blobStateParts(merge, false),
    subtract: ([whole = null], [part = null]) =>
      part === null ? [whole] : [combine(whole as Uint8Array, part as Uint8Array, -1)],
    stateDescription: `${name}: count, exact months, days and microseconds`,
    canFail: true,
    createAccumulator: () => new IntervalSumAccumulator(),
    finalize: ([state], r, out) => {
      if (!(state instanceof Uint8Array)) return r.setNull(out)
      const totals = decode(state)
      const isInRange = setTotal(totals, r, out) && (name === 'sum' || divideInterval(r, out, out, totals.count))
      if (!isInRange) r.setError(out, 'interval_out_of_range', `the ${name} is out of range of interval`)
    },
  }
}
