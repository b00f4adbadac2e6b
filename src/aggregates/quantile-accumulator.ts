/** Owns the distributions of many groups while records are folded: one open-addressing table counts by group and bucket. */
import { type Decimal, decimalToDouble } from '../core/decimal.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, StateValue } from './aggregate.ts'
import { growArray } from './grow-array.ts'
import {
  BUCKET_SHIFT,
  type Buckets,
  encodeSketch,
  INFINITY_BUCKET,
  NAN_BUCKET,
  NORMAL_BUCKET_MIN,
} from './quantile-sketch.ts'
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

/** Half of them may be taken, then there are twice as many. */
const SLOTS_MIN = 2048
/** Room that is kept for the next batch: 32 MiB. */
const SLOTS_KEPT_MAX = 1 << 21
/** A slot stands together, so that a record touches one line of the cache: the group's index + 1 (0: empty), ... */
const SLOT_SIZE = 4
const BUCKET = 1
const COUNT = 2
/** ... and the slot of another bucket of the group + 1 (0: none). */
const NEXT = 3
const SLOT_BYTES = 16
/** Odd, with bits all over: they mix a group's index and a bucket into a slot. */
const GROUP_MIX = 0x9e3779b1
const BUCKET_MIX = 0x85ebca6b
/** Entries are sorted as numbers: the bucket, made positive, above the count's 32 bits. */
const COUNT_LIMIT = 2 ** 32

export class QuantileAccumulator implements Accumulator {
  readonly #name: string
  readonly #view = new DataView(new ArrayBuffer(8))
  #slots: Int32Array = new Int32Array(SLOTS_MIN * SLOT_SIZE)
  #taken = 0
  /** By group: the least and the greatest value, crossed infinities at first; a slot + 1 (0: none); how many slots. */
  #ends: Float64Array = new Float64Array(0)
  #first: Int32Array = new Int32Array(0)
  #length: Int32Array = new Int32Array(0)

  constructor(name: string) {
    this.#name = name
  }

  grow(capacity: number): void {
    const before = this.#first.length
    if (capacity <= before) return
    this.#first = growArray(this.#first, capacity)
    this.#length = growArray(this.#length, capacity)
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
    return this.#taken * 2 * SLOT_BYTES
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
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = slotOf(group, bucket) & mask
    for (let owner = slots[slot]!; owner !== 0; owner = slots[slot]!) {
      if (owner === group + 1 && slots[slot + BUCKET] === bucket) {
        slots[slot + COUNT]! += 1
        return
      }
      slot = (slot + SLOT_SIZE) & mask
    }
    this.#take(slot, group, bucket, 1)
    this.#length[group]! += 1
    this.#taken += 1
    if (this.#taken * 2 * SLOT_SIZE >= slots.length) this.#growSlots()
  }

  #take(slot: number, group: number, bucket: number, count: number): void {
    const slots = this.#slots
    slots[slot] = group + 1
    slots[slot + BUCKET] = bucket
    slots[slot + COUNT] = count
    slots[slot + NEXT] = this.#first[group]!
    this.#first[group] = slot + 1
  }

  #growSlots(): void {
    const old = this.#slots
    const slots = new Int32Array(old.length * 2)
    const mask = slots.length - 1
    this.#slots = slots
    for (let from = 0; from < old.length; from += SLOT_SIZE) {
      // the chains are made anew
      if (old[from] !== 0) this.#first[old[from]! - 1] = 0
    }
    for (let from = 0; from < old.length; from += SLOT_SIZE) {
      if (old[from] === 0) continue
      const [group, bucket] = [old[from]! - 1, old[from + BUCKET]!]
      let slot = slotOf(group, bucket) & mask
      while (slots[slot] !== 0) slot = (slot + SLOT_SIZE) & mask
      this.#take(slot, group, bucket, old[from + COUNT]!)
    }
  }

  stateOf(group: number, into: StateValue[]): void {
    const [least, greatest] = [this.#ends[2 * group]!, this.#ends[2 * group + 1]!]
    into[0] = this.#length[group] === 0 ? null : encodeSketch(least, greatest, this.#bucketsOf(group))
  }

  #bucketsOf(group: number): Buckets {
    const slots = this.#slots
    const length = this.#length[group]!
    const order = new Float64Array(length)
    let index = 0
    for (let slot = this.#first[group]! - 1; slot >= 0; slot = slots[slot + NEXT]! - 1) {
      order[index++] = (slots[slot + BUCKET]! + INFINITY_BUCKET) * COUNT_LIMIT + slots[slot + COUNT]!
    }
    order.sort()
    const numbers = new Int32Array(length)
    const counts = new Float64Array(length)
    for (let at = 0; at < length; at++) {
      const entry = order[at]!
      numbers[at] = Math.floor(entry / COUNT_LIMIT) - INFINITY_BUCKET
      counts[at] = entry % COUNT_LIMIT
    }
    return { numbers, counts, length }
  }

  reset(used = this.#first.length): void {
    // gives the memory of an unusually large batch back
    if (this.#slots.length > SLOTS_KEPT_MAX * SLOT_SIZE) this.#slots = new Int32Array(SLOTS_MIN * SLOT_SIZE)
    else if (this.#taken > 0) this.#slots.fill(0)
    this.#taken = 0
    this.#first.fill(0, 0, used)
    this.#length.fill(0, 0, used)
    this.#resetEnds(0, used)
  }
}

/** A multiple of SLOT_SIZE. */
function slotOf(group: number, bucket: number): number {
  const mixed = Math.imul(group, GROUP_MIX) ^ Math.imul(bucket, BUCKET_MIX)
  return Math.imul(mixed ^ (mixed >>> 15), SLOT_SIZE)
}

/** Of a number that is no double, the nearest one. */
function toDouble(r: Registers, arg: number): number {
  return r.tag[arg] === TAG_BIG_INTEGER ? Number(r.ref[arg]) : decimalToDouble(r.ref[arg] as Decimal)
}

function outOfRange(name: string): CellError {
  return { code: 'number_out_of_range', message: `${name} takes numbers within double precision's range only` }
}
