/**
 * Owns frames of RANGE whose offsets are no fixed length: months. SQLite adds a number to the key, so here an aggregate collects its partition's
 * rows, and a function finds the frame of each row among them by its key.
 */
import { assert, at } from '../core/assert.ts'
import type { Cell } from '../core/scalar-type.ts'
import type { AggregateParts } from './cell-functions.ts'
import type { Interval } from '../core/registers.ts'
import { addInterval } from './series-steps.ts'
import { MergeQueue, RowFolder, type Merged, type WindowAggregate } from './window-fold.ts'

/** An end of a frame: `before` and `behind` an interval in the window's order. */
export type RangeBound = 'unbounded' | 'current' | { readonly interval: Interval; readonly isBefore: boolean }

export interface RangeFrame {
  readonly start: RangeBound
  readonly end: RangeBound
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** Gives the value of a frame by its row's key. */
export const FRAME_VALUE = 'frame_value'

/** A partition's rows in the window's order. */
export class RangeRows {
  readonly #shared: WindowAggregate
  readonly #folder: RowFolder
  readonly #rows: Merged[] = []
  readonly #keys: (bigint | null)[] = []
  #queue: MergeQueue
  /** What the queue holds: [left, entered). */
  #left = 0
  #entered = 0
  #value: { readonly from: number; readonly to: number; readonly cell: Cell } | undefined

  constructor(shared: WindowAggregate) {
    this.#shared = shared
    this.#folder = new RowFolder(shared)
    this.#queue = new MergeQueue(shared.aggregate)
  }

  /** The key in microseconds, then the arguments' cells and the parameter. */
  enter([key = null, ...cells]: readonly Cell[]): void {
    const error = this.#folder.fold(cells)
    this.#rows.push({ state: this.#folder.takeState(), error })
    this.#keys.push(key as bigint | null)
  }

  /** Rows ask in order, so that the frame moves on; a key before the last one's is right as well. */
  valueAt(key: bigint | null, frame: RangeFrame): Cell {
    const { from, to } = this.#find(key, frame)
    if (this.#value?.from === from && this.#value.to === to) return this.#value.cell
    const needed = Math.max(from, to)
    if (from < this.#left || needed < this.#entered) {
      this.#queue = new MergeQueue(this.#shared.aggregate)
      this.#left = from
      this.#entered = from
    }
    for (; this.#entered < needed; this.#entered++) this.#queue.push(this.#rows[this.#entered] as Merged)
    for (; this.#left < from; this.#left++) this.#queue.shift()
    const cell = this.#folder.finalize(this.#queue.total())
    this.#value = { from, to, cell }
    return cell
  }

  #find(key: bigint | null, frame: RangeFrame): { from: number; to: number } {
    const { start, end, nullsFirst } = frame
    const count = this.#keys.length
    const nulls = this.#nullCount(nullsFirst)
    const values = nullsFirst ? { from: nulls, to: count } : { from: 0, to: count - nulls }
    if (key === null) {
      // without a key a row has those without one beside it, whatever the offset
      const peers = nullsFirst ? { from: 0, to: nulls } : { from: values.to, to: count }
      return { from: start === 'unbounded' ? 0 : peers.from, to: end === 'unbounded' ? count : peers.to }
    }
    return {
      from: start === 'unbounded' ? 0 : this.#search(values, boundOf(key, start, frame), frame.descending, false),
      to: end === 'unbounded' ? count : this.#search(values, boundOf(key, end, frame), frame.descending, true),
    }
  }

  #nullCount(nullsFirst: boolean): number {
    const keys = this.#keys
    let count = 0
    while (count < keys.length && keys[nullsFirst ? count : keys.length - 1 - count] === null) count++
    return count
  }

  /** The first row whose key is not before the bound, or behind it. */
  #search(values: { from: number; to: number }, bound: bigint, descending: boolean, isBehind: boolean): number {
    let { from, to } = values
    while (from < to) {
      const middle = (from + to) >>> 1
      const key = this.#keys[middle] as bigint
      const isBefore = key === bound ? isBehind : descending ? key > bound : key < bound
      if (isBefore) from = middle + 1
      else to = middle
    }
    return from
  }
}

function boundOf(key: bigint, bound: Exclude<RangeBound, 'unbounded'>, { descending }: RangeFrame): bigint {
  if (bound === 'current') return key
  const { months, days, microseconds } = bound.interval
  const sign = bound.isBefore === descending ? 1 : -1
  return addInterval(key, { months: sign * months, days: sign * days, microseconds: BigInt(sign) * microseconds })
}

/** The frames of one statement, and the partitions that its aggregates have collected. */
export class RangeFrames {
  readonly #frames: RangeFrame[] = []
  readonly #partitions: RangeRows[] = []

  clear(): void {
    this.#frames.length = 0
    this.#partitions.length = 0
  }

  add(frame: RangeFrame): number {
    return this.#frames.push(frame) - 1
  }

  /** Its result is the number of the partition's rows. */
  collector(shared: WindowAggregate): AggregateParts<{ rows: RangeRows; number: bigint | undefined }> {
    return {
      start: () => ({ rows: new RangeRows(shared), number: undefined }),
      step: ({ rows }, ...cells) => rows.enter(cells),
      // the frame is the whole partition: no row leaves it
      inverse: () => assert(false, 'no row leaves a partition'),
      result: (partition) => (partition.number ??= BigInt(this.#partitions.push(partition.rows) - 1)),
    }
  }

  valueOf(partition: Cell = null, key: Cell = null, frame: Cell = null): Cell {
    const rows = at(this.#partitions, Number(partition))
    return rows.valueAt(key as bigint | null, at(this.#frames, Number(frame)))
  }
}
