/**
 * Owns the groups of a batch with their buckets, for every plan of a set that groups by the same expressions: a record's group is looked up
 * once, and each plan keeps its states by that one index.
 */
import { growArray } from '../aggregates/grow-array.ts'
import { HASH_BYTES } from '../core/murmur3.ts'
import type { Registers } from '../core/registers.ts'
import { bucketOfRegister, NULL_BUCKET } from '../planner/bucket.ts'
import type { GroupKeys } from './group-keys.ts'
import { orderGroups } from './group-order.ts'
import type { GroupStates } from './group-states.ts'

const BUCKET_BYTES = 8

/** The groups in the order of a batch. */
export interface OrderedGroups {
  readonly order: Uint32Array
  /** 16 bytes for each group, by its index. */
  readonly ids: Uint8Array
}

export class GroupTable {
  readonly keys: GroupKeys
  /** Register of the first time-typed grouping value, -1 where there is none. */
  readonly #bucketRegister: number
  /** One for each plan. */
  readonly #states: readonly GroupStates[]
  #buckets: Float64Array = new Float64Array(0)
  /** Microseconds that no double holds, and nulls. */
  readonly #bigBuckets = new Map<number, bigint>()
  #capacity = 0
  #ordered: OrderedGroups | undefined

  constructor(keys: GroupKeys, bucketRegister: number, states: readonly GroupStates[]) {
    this.keys = keys
    this.#bucketRegister = bucketRegister
    this.#states = states
    this.#grow()
  }

  /** Some groups may be of other plans alone. */
  get isShared(): boolean {
    return this.#states.length > 1
  }

  #grow(): void {
    this.#capacity = this.keys.capacity
    this.#buckets = growArray(this.#buckets, this.#capacity)
    for (const states of this.#states) states.grow(this.#capacity)
  }

  /** Makes room for a new group and notes its bucket, while its grouping values are in the registers. */
  open(group: number, r: Registers): void {
    if (this.#capacity !== this.keys.capacity) this.#grow()
    const register = this.#bucketRegister
    if (register < 0) return
    const bucket = bucketOfRegister(r, register)
    if (typeof bucket === 'number') this.#buckets[group] = bucket
    else this.#bigBuckets.set(group, bucket)
  }

  /** As open, for a group of a grouping set without the time. */
  openTimeless(group: number): void {
    if (this.#capacity !== this.keys.capacity) this.#grow()
    if (this.#bucketRegister >= 0) this.#bigBuckets.set(group, NULL_BUCKET)
  }

  bucketOf(group: number): number | bigint {
    return (this.#bigBuckets.size > 0 ? this.#bigBuckets.get(group) : undefined) ?? this.#buckets[group]!
  }

  /** Cost: a hash for each group and a sort, for the first plan that asks. */
  ordered(): OrderedGroups {
    const { count } = this.keys
    if (this.#ordered?.order.length === count) return this.#ordered
    const ids = new Uint8Array(count * HASH_BYTES)
    for (let group = 0; group < count; group++) this.keys.writeId(group, ids, group * HASH_BYTES)
    const bucketOf = (group: number): number | bigint => this.bucketOf(group)
    const compareKeys = (left: number, right: number): number => this.keys.compare(left, right)
    this.#ordered = { order: orderGroups(count, bucketOf, ids, compareKeys), ids }
    return this.#ordered
  }

  /** What keys, buckets and the states of all plans take, about. */
  get byteSize(): number {
    let bytes = this.keys.byteSize + this.keys.count * BUCKET_BYTES
    for (const states of this.#states) bytes += states.byteSizeOf(this.keys.count)
    return bytes
  }

  /** Forgets all groups, and what every plan has of them. */
  reset(): void {
    const { count } = this.keys
    for (const states of this.#states) states.reset(count)
    this.#buckets.fill(0, 0, count)
    this.#bigBuckets.clear()
    this.#ordered = undefined
    this.keys.reset()
  }
}
