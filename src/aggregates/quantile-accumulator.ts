/** Owns the distributions of many groups while records are folded: a table for each that counts by bucket (group-tables.ts). */
import { type Decimal, decimalToDouble } from '../core/decimal.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import { growArray } from './grow-array.ts'
import { GroupTables } from './group-tables.ts'
import { BUCKET_SHIFT, encodeSketch, INFINITY_BUCKET, NAN_BUCKET, NORMAL_BUCKET_MIN } from './quantile-sketch.ts'
import { wrongKind } from './wrong-kind.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const {
  NULL: TAG_NULL,
  INTEGER: TAG_INTEGER,
  BIG_INTEGER: TAG_BIG_INTEGER,
  DOUBLE: TAG_DOUBLE,
  NUMERIC: TAG_NUMERIC,
} = TAG
const SHIFT = BUCKET_SHIFT
const NORMAL_MIN = NORMAL_BUCKET_MIN
const NAN = NAN_BUCKET

/** Up to so many buckets each takes its place among the few; more are sorted by the engine, which costs a microsecond to begin. */
const INSERTION_MAX = 24
/** Many buckets are sorted as numbers: the bucket, made positive, above the count's 32 bits. */
const COUNT_LIMIT = 2 ** 32

export class QuantileAccumulator implements Accumulator {
  readonly #name: string
  readonly #view = new DataView(new ArrayBuffer(8))
  /** Slots hold a bucket and how many values it has. */
  readonly #tables = new GroupTables()
  /** By group: the least and the greatest value, crossed infinities at first. */
  #ends: Float64Array = new Float64Array(0)
  /** The buckets of the group that is read. */
  #numbers: Int32Array = new Int32Array(INSERTION_MAX)
  #counts: Float64Array = new Float64Array(INSERTION_MAX)
  #order: Float64Array = new Float64Array(0)

  constructor(name: string) {
    this.#name = name
  }

  grow(capacity: number): void {
    const before = this.#ends.length / 2
    if (capacity <= before) return
    this.#tables.grow(capacity)
    this.#ends = growArray(this.#ends, 2 * capacity)
    this.#resetEnds(before, capacity)
  }

  #resetEnds(from: number, to: number): void {
    for (let group = from; group < to; group++) {
      this.#ends[2 * group] = Infinity
      this.#ends[2 * group + 1] = -Infinity
    }
  }

  get extraBytes(): number {
    return this.#tables.bytes
  }

  check(r: Registers, arg: number): CellError | null {
    switch (r.tag[arg]) {
      case TAG_NULL:
      case TAG_INTEGER:
      case TAG_DOUBLE:
        return null
      case TAG_BIG_INTEGER:
      case TAG_NUMERIC:
        return Number.isFinite(toDouble(r, arg)) ? null : outOfRange(this.#name)
      default:
        return wrongKind(this.#name, r, arg)
    }
  }

  update(group: number, r: Registers, arg: number): void {
    const tag = r.tag[arg]
    if (tag === TAG_NULL) return
    const value = tag === TAG_DOUBLE || tag === TAG_INTEGER ? r.num[arg]! : toDouble(r, arg)
    let bucket = NAN
    // the comparison leaves NaN out
    if (value === value) {
      this.#view.setFloat64(0, value)
      const high = this.#view.getInt32(0)
      const magnitude = (high & 0x7fffffff) >>> SHIFT
      bucket = magnitude < NORMAL_MIN ? 0 : high < 0 ? -magnitude : magnitude
    }
    this.#add(group, bucket, value)
  }

  #add(group: number, bucket: number, value: number): void {
    const ends = this.#ends
    if (value < ends[2 * group]!) ends[2 * group] = value
    if (value > ends[2 * group + 1]!) ends[2 * group + 1] = value
    const tables = this.#tables
    tables.makeRoom(group)
    const slot = tables.find(group, bucket)
    if (tables.slots[slot + 1] === 0) tables.take(group, slot, bucket, 1)
    else tables.slots[slot + 1]! += 1
  }

  stateOf(group: number, into: StateValue[]): void {
    const length = this.#tables.takenOf(group)
    if (length === 0) {
      into[0] = null
      return
    }
    if (length > this.#numbers.length) this.#growScratch(length)
    if (length <= INSERTION_MAX) this.#insertBuckets(group)
    else this.#sortBuckets(group, length)
    const buckets = { numbers: this.#numbers, counts: this.#counts, length }
    into[0] = encodeSketch(this.#ends[2 * group]!, this.#ends[2 * group + 1]!, buckets)
  }

  #growScratch(length: number): void {
    this.#numbers = new Int32Array(2 * length)
    this.#counts = new Float64Array(2 * length)
    this.#order = new Float64Array(2 * length)
  }

  /** Puts the group's buckets into `#numbers`, ascending, and their counts beside them. */
  #insertBuckets(group: number): void {
    const { slots } = this.#tables
    const [numbers, counts] = [this.#numbers, this.#counts]
    const end = this.#tables.endOf(group)
    let length = 0
    for (let slot = this.#tables.placeOf(group); slot < end; slot += 2) {
      const count = slots[slot + 1]!
      if (count === 0) continue
      const number = slots[slot]!
      let at = length++
      for (; at > 0 && numbers[at - 1]! > number; at--) {
        numbers[at] = numbers[at - 1]!
        counts[at] = counts[at - 1]!
      }
      numbers[at] = number
      counts[at] = count
    }
  }

  /** As #insertBuckets. */
  #sortBuckets(group: number, length: number): void {
    const { slots } = this.#tables
    const end = this.#tables.endOf(group)
    const order = this.#order.subarray(0, length)
    let index = 0
    for (let slot = this.#tables.placeOf(group); slot < end; slot += 2) {
      const count = slots[slot + 1]!
      if (count > 0) order[index++] = (slots[slot]! + INFINITY_BUCKET) * COUNT_LIMIT + count
    }
    order.sort()
    for (let place = 0; place < length; place++) {
      const entry = order[place]!
      this.#numbers[place] = Math.floor(entry / COUNT_LIMIT) - INFINITY_BUCKET
      this.#counts[place] = entry % COUNT_LIMIT
    }
  }

  reset(used = this.#ends.length / 2): void {
    this.#tables.reset(used)
    this.#resetEnds(0, used)
  }
}

/** Of a number that is no double, the nearest one. */
function toDouble(r: Registers, arg: number): number {
  return r.tag[arg] === TAG_BIG_INTEGER ? Number(r.ref[arg]) : decimalToDouble(r.ref[arg] as Decimal)
}

function outOfRange(name: string): CellError {
  return { code: 'number_out_of_range', message: `${name} takes numbers within double precision's range only` }
}
