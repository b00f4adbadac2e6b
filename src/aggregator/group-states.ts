/** Owns what a batch keeps per group beside its key: the bucket, the count of records, the partial states. */
import type { Accumulator } from '../aggregates/aggregate.ts'
import { growArray } from '../aggregates/grow-array.ts'
import type { Registers } from '../core/registers.ts'
import { bucketOfRegister, NULL_BUCKET } from '../planner/bucket.ts'
import type { GroupKeys } from './group-keys.ts'

/** About a double per group and state column. */
const STATE_BYTES = 8

export class GroupStates {
  readonly accumulators: readonly Accumulator[]
  readonly #groupKeys: GroupKeys
  /** Register of the first time-typed grouping value, -1 where there is none. */
  readonly #bucketRegister: number
  readonly #bytesPerGroup: number
  #records: Float64Array = new Float64Array(0)
  #buckets: Float64Array = new Float64Array(0)
  /** Microseconds that no double holds, and nulls. */
  readonly #bigBuckets = new Map<number, bigint>()
  #capacity = 0

  constructor(
    groupKeys: GroupKeys,
    accumulators: readonly Accumulator[],
    stateColumns: number,
    bucketRegister: number,
  ) {
    this.#groupKeys = groupKeys
    this.accumulators = accumulators
    this.#bucketRegister = bucketRegister
    this.#bytesPerGroup = STATE_BYTES * (stateColumns + 2)
    this.#grow()
  }

  #grow(): void {
    this.#capacity = this.#groupKeys.capacity
    this.#records = growArray(this.#records, this.#capacity)
    this.#buckets = growArray(this.#buckets, this.#capacity)
    for (const accumulator of this.accumulators) accumulator.grow(this.#capacity)
  }

  /** Makes room for a new group and notes its bucket, while its grouping values are in the registers. */
  open(group: number, r: Registers): void {
    if (this.#capacity !== this.#groupKeys.capacity) this.#grow()
    const register = this.#bucketRegister
    if (register < 0) return
    const bucket = bucketOfRegister(r, register)
    if (typeof bucket === 'number') this.#buckets[group] = bucket
    else this.#bigBuckets.set(group, bucket)
  }

  /** As open, for a group of a grouping set without the time. */
  openTimeless(group: number): void {
    if (this.#capacity !== this.#groupKeys.capacity) this.#grow()
    if (this.#bucketRegister >= 0) this.#bigBuckets.set(group, NULL_BUCKET)
  }

  addRecord(group: number): void {
    this.#records[group]! += 1
  }

  addRecords(group: number, count: number): void {
    this.#records[group]! += count
  }

  recordsOf(group: number): number {
    return this.#records[group]!
  }

  bucketOf(group: number): number | bigint {
    return (this.#bigBuckets.size > 0 ? this.#bigBuckets.get(group) : undefined) ?? this.#buckets[group]!
  }

  /** What the touched groups take, about. */
  get byteSize(): number {
    let bytes = this.#groupKeys.count * this.#bytesPerGroup
    for (const accumulator of this.accumulators) bytes += accumulator.extraBytes ?? 0
    return bytes
  }

  reset(): void {
    const used = this.#groupKeys.count
    this.#records.fill(0, 0, used)
    this.#buckets.fill(0, 0, used)
    this.#bigBuckets.clear()
    for (const accumulator of this.accumulators) accumulator.reset(used)
  }
}
