/** Owns the distributions of many groups while records are folded: each has a table that counts by bucket, all in one array. */
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

/** A slot: a bucket, and how many values it has; 0: it is free. */
const SLOT_SIZE = 2
/** Of a group's first table; each further one is twice as long. */
const SLOTS_MIN = 4
const SIZES = 20
const ARENA_MIN = 1 << 14
/** Room that is kept for the next batch: 32 MiB. */
const ARENA_KEPT_MAX = 1 << 23
/** What is known of a group: where its table is, how long it is (0: there is none), how many slots are taken. */
const GROUP_SIZE = 4
const LENGTH = 1
const TAKEN = 2
/** Odd, with bits all over: the golden ratio of 2^32. Its upper bits mix best. */
const BUCKET_MIX = 0x9e3779b1
const MIX_SHIFT = 12
/** Slots are sorted as numbers: the bucket, made positive, above the count's 32 bits. */
const COUNT_LIMIT = 2 ** 32

export class QuantileAccumulator implements Accumulator {
  readonly #name: string
  readonly #view = new DataView(new ArrayBuffer(8))
  /** The tables of all groups: each is open-addressing, so that a record touches one or two lines of the cache. */
  #arena: Int32Array = new Int32Array(ARENA_MIN)
  #arenaUsed = 0
  /** By size: the place + 1 of a table that was outgrown, which holds that of the next (0: none). */
  readonly #free = new Int32Array(SIZES)
  #groups: Int32Array = new Int32Array(0)
  /** By group: the least and the greatest value, crossed infinities at first. */
  #ends: Float64Array = new Float64Array(0)

  constructor(name: string) {
    this.#name = name
  }

  grow(capacity: number): void {
    const before = this.#groups.length / GROUP_SIZE
    if (capacity <= before) return
    this.#groups = growArray(this.#groups, GROUP_SIZE * capacity)
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
    return this.#arenaUsed * Int32Array.BYTES_PER_ELEMENT
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
    const groups = this.#groups
    const at = group * GROUP_SIZE
    const taken = groups[at + TAKEN]!
    // three quarters may be taken
    if (taken * 4 >= groups[at + LENGTH]! * 3) this.#growTable(at)
    const table = groups[at]!
    const slot = this.#find(table, groups[at + LENGTH]!, bucket)
    const arena = this.#arena
    if (arena[slot + 1] === 0) {
      arena[slot] = bucket
      groups[at + TAKEN] = taken + 1
    }
    arena[slot + 1]! += 1
  }

  /** The bucket's slot, or the free one where it belongs. */
  #find(table: number, length: number, bucket: number): number {
    const arena = this.#arena
    const mask = length - 1
    let index = (Math.imul(bucket, BUCKET_MIX) >>> MIX_SHIFT) & mask
    let slot = table + index * SLOT_SIZE
    while (arena[slot + 1] !== 0 && arena[slot] !== bucket) {
      index = (index + 1) & mask
      slot = table + index * SLOT_SIZE
    }
    return slot
  }

  /** A table of twice the length for the group whose figures are at `at`. */
  #growTable(at: number): void {
    const groups = this.#groups
    const [old, oldLength] = [groups[at]!, groups[at + LENGTH]!]
    const length = oldLength === 0 ? SLOTS_MIN : oldLength * 2
    const table = this.#allocate(length)
    const arena = this.#arena
    for (let from = old; from < old + oldLength * SLOT_SIZE; from += SLOT_SIZE) {
      if (arena[from + 1] === 0) continue
      const slot = this.#find(table, length, arena[from]!)
      arena[slot] = arena[from]!
      arena[slot + 1] = arena[from + 1]!
    }
    if (oldLength > 0) {
      arena[old] = this.#free[sizeOf(oldLength)]!
      this.#free[sizeOf(oldLength)] = old + 1
    }
    groups[at] = table
    groups[at + LENGTH] = length
  }

  /** The place of an empty table. */
  #allocate(length: number): number {
    const free = this.#free[sizeOf(length)]! - 1
    if (free >= 0) {
      this.#free[sizeOf(length)] = this.#arena[free]!
      this.#arena.fill(0, free, free + length * SLOT_SIZE)
      return free
    }
    const place = this.#arenaUsed
    this.#arenaUsed += length * SLOT_SIZE
    while (this.#arenaUsed > this.#arena.length) this.#arena = growArray(this.#arena, this.#arena.length * 2)
    return place
  }

  stateOf(group: number, into: StateValue[]): void {
    const isEmpty = this.#groups[group * GROUP_SIZE + TAKEN] === 0
    const [least, greatest] = [this.#ends[2 * group]!, this.#ends[2 * group + 1]!]
    into[0] = isEmpty ? null : encodeSketch(least, greatest, this.#bucketsOf(group * GROUP_SIZE))
  }

  #bucketsOf(at: number): Buckets {
    const arena = this.#arena
    const length = this.#groups[at + TAKEN]!
    const table = this.#groups[at]!
    const end = table + this.#groups[at + LENGTH]! * SLOT_SIZE
    const order = new Float64Array(length)
    let index = 0
    for (let slot = table; slot < end; slot += SLOT_SIZE) {
      const count = arena[slot + 1]!
      if (count > 0) order[index++] = (arena[slot]! + INFINITY_BUCKET) * COUNT_LIMIT + count
    }
    order.sort()
    const numbers = new Int32Array(length)
    const counts = new Float64Array(length)
    for (let place = 0; place < length; place++) {
      const entry = order[place]!
      numbers[place] = Math.floor(entry / COUNT_LIMIT) - INFINITY_BUCKET
      counts[place] = entry % COUNT_LIMIT
    }
    return { numbers, counts, length }
  }

  reset(used = this.#groups.length / GROUP_SIZE): void {
    // gives the memory of an unusually large batch back
    if (this.#arena.length > ARENA_KEPT_MAX) this.#arena = new Int32Array(ARENA_MIN)
    else this.#arena.fill(0, 0, this.#arenaUsed)
    this.#arenaUsed = 0
    this.#free.fill(0)
    this.#groups.fill(0, 0, used * GROUP_SIZE)
    this.#resetEnds(0, used)
  }
}

/** The place of a table's length in the list of free ones. */
function sizeOf(length: number): number {
  return 31 - Math.clz32(length)
}

/** Of a number that is no double, the nearest one. */
function toDouble(r: Registers, arg: number): number {
  return r.tag[arg] === TAG_BIG_INTEGER ? Number(r.ref[arg]) : decimalToDouble(r.ref[arg] as Decimal)
}

function outOfRange(name: string): CellError {
  return { code: 'number_out_of_range', message: `${name} takes numbers within double precision's range only` }
}
