/** Owns the keys of one record's groups where there are grouping sets: the values are encoded once, each set's key is put together of them. */
import { KeyWriter } from '../core/key-bytes.ts'
import type { GroupingSetPlan } from '../planner/plan.ts'

export class GroupingSetKeys {
  /** How many sets there are: how many groups a record goes to. */
  readonly count: number
  /** Where each value ends in the writer of the values. */
  readonly ends: Uint32Array
  /** The key that write() has made. */
  readonly key = new KeyWriter()
  readonly #columnCount: number
  readonly #timeColumn: number
  /** A byte for each set and column: whether the set groups by it. */
  readonly #isGrouped: Uint8Array

  /** `timeColumn`: the one that is the bucket (planner/bucket.ts), -1 for none. */
  constructor(sets: readonly GroupingSetPlan[], columnCount: number, timeColumn: number) {
    this.count = sets.length
    this.ends = new Uint32Array(columnCount)
    this.#columnCount = columnCount
    this.#timeColumn = timeColumn
    this.#isGrouped = new Uint8Array(sets.length * columnCount)
    for (const [set, { columns }] of sets.entries()) {
      for (const column of columns) this.#isGrouped[set * columnCount + column] = 1
    }
  }

  /** Whether the set's groups have the time that is the bucket, if there is one. */
  hasTime(set: number): boolean {
    return this.#timeColumn >= 0 && this.#isGrouped[set * this.#columnCount + this.#timeColumn] === 1
  }

  /** Makes the key of the set; `values` holds the record's values one after another. */
  write(set: number, values: KeyWriter): void {
    const { key, ends } = this
    const first = set * this.#columnCount
    key.reset()
    key.appendGroupingSet(set)
    for (let column = 0, start = 0; column < this.#columnCount; column++) {
      const end = ends[column]!
      if (this.#isGrouped[first + column] === 1) key.appendKey(values, start, end)
      else key.appendNull()
      start = end
    }
  }
}
