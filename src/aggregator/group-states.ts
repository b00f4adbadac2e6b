/** Owns what a batch keeps of one plan per group: the count of records, the partial states. */
import type { Accumulator } from '../aggregates/aggregate.ts'
import { growArray } from '../aggregates/grow-array.ts'

/** About a double per group and state column. */
const STATE_BYTES = 8

export class GroupStates {
  readonly accumulators: readonly Accumulator[]
  readonly #bytesPerGroup: number
  #records: Float64Array = new Float64Array(0)

  constructor(accumulators: readonly Accumulator[], stateColumns: number) {
    this.accumulators = accumulators
    this.#bytesPerGroup = STATE_BYTES * (stateColumns + 1)
  }

  grow(capacity: number): void {
    this.#records = growArray(this.#records, capacity)
    for (const accumulator of this.accumulators) accumulator.grow(capacity)
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

  /** What so many groups take, about. */
  byteSizeOf(groups: number): number {
    let bytes = groups * this.#bytesPerGroup
    for (const accumulator of this.accumulators) bytes += accumulator.extraBytes ?? 0
    return bytes
  }

  /** Only groups below `used` were touched. */
  reset(used: number): void {
    this.#records.fill(0, 0, used)
    for (const accumulator of this.accumulators) accumulator.reset(used)
  }
}
