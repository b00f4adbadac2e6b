/**
 * Owns an aggregate over the frame of a window: rows enter at its end and leave at its start, in order. Nothing is subtracted: the
 * states of rows are merged, so a frame's value has the same last digit as the value of its rows alone, for sketches and extremes too.
 */
import type { Accumulator, Aggregate, AggregateParameter, StateValue } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'
import { errorCell } from '../core/key-bytes.ts'
import { RecordPlace } from '../core/record-place.ts'
import type { Cell, ScalarType } from '../core/scalar-type.ts'
import { isErrorCell, toLoader, toStorer, type LoadCell, type StoreCell } from './cell-codec.ts'
import { RESULT_REGISTER, type QuerySession } from './query-session.ts'
import { toParameter } from './row-aggregate.ts'

/** Rows merged in order, or the error of the first of them that has one. */
export interface Merged {
  readonly state: readonly StateValue[]
  readonly error: Cell
}

/** What the folds of one window function share. */
export interface WindowAggregate {
  readonly aggregate: Aggregate
  readonly session: QuerySession
  readonly loaders: readonly LoadCell[]
  readonly store: StoreCell
}

export function toWindowAggregate(
  aggregate: Aggregate,
  argTypes: readonly ScalarType[],
  session: QuerySession,
): WindowAggregate {
  return { aggregate, session, loaders: argTypes.map(toLoader), store: toStorer(aggregate.type) }
}

/**
 * Rows leave a frame, or none does, or the frame is found by its row's key (range-frame.ts): then the aggregate gets the key first and gives
 * what FRAME_VALUE takes.
 */
export type FrameKind = 'sliding' | 'growing' | 'ranging'

export interface WindowFold {
  /** A row enters: the arguments' cells, then the parameter. */
  enter(cells: readonly Cell[]): void
  /** The row that entered first leaves. */
  leave(): void
  /** The value of the rows that are inside; more may enter and leave afterwards. */
  value(): Cell
}

/** Folds rows and merges, without knowing which of them are inside. */
export class RowFolder {
  readonly #shared: WindowAggregate
  readonly #accumulator: Accumulator
  /** Rows enter in the window's order: they are numbered. */
  readonly #place = new RecordPlace()
  #parameter: AggregateParameter = Number.NaN

  constructor(shared: WindowAggregate) {
    this.#shared = shared
    this.#accumulator = shared.aggregate.createAccumulator({ place: this.#place, order: [], bounds: 'state' })
    this.#accumulator.grow(1)
  }

  /** Adds a row to the pending ones; the error that it is, or null. */
  fold(cells: readonly Cell[]): Cell {
    const { loaders, session } = this.#shared
    const { registers, arena } = session
    arena.used = 0
    const count = loaders.length
    if (cells.length > count) this.#parameter = toParameter(cells[count] as Cell)
    this.#place.offset += 1
    for (let index = 0; index < count; index++) {
      const cell = cells[index] as Cell
      if (isErrorCell(cell)) return cell
      loaders[index]?.(registers, index, cell, arena)
    }
    const first = count > 0 ? 0 : -1
    const second = count > 1 ? 1 : -1
    const error = this.#accumulator.check(registers, first, second)
    if (error !== null) return errorCell(error.code, error.message)
    this.#accumulator.update(0, registers, first, second)
    return null
  }

  /** The state of the pending rows, which are none afterwards. */
  takeState(): StateValue[] {
    const state: StateValue[] = []
    this.#accumulator.stateOf(0, state)
    this.#accumulator.reset()
    return state
  }

  finalize({ state, error }: Merged): Cell {
    if (error !== null) return error
    const { aggregate, session, store } = this.#shared
    aggregate.finalize(state, session.registers, RESULT_REGISTER, this.#parameter)
    session.takeWarning()
    return store(session.registers, RESULT_REGISTER)
  }
}

/** A frame that begins with the partition: nothing leaves. */
export class GrowingFold implements WindowFold {
  readonly #aggregate: Aggregate
  readonly #folder: RowFolder
  #total: readonly StateValue[]
  #error: Cell = null
  #hasPending = false

  constructor(shared: WindowAggregate) {
    this.#aggregate = shared.aggregate
    this.#folder = new RowFolder(shared)
    this.#total = shared.aggregate.identity()
  }

  enter(cells: readonly Cell[]): void {
    if (this.#error !== null) return
    this.#error = this.#folder.fold(cells)
    this.#hasPending = true
  }

  leave(): void {
    assert(false, 'no row leaves a frame that begins with the partition')
  }

  value(): Cell {
    if (this.#hasPending) this.#total = this.#aggregate.merge(this.#total, this.#folder.takeState())
    this.#hasPending = false
    return this.#folder.finalize({ state: this.#total, error: this.#error })
  }
}

/** A frame whose start moves. */
export class SlidingFold implements WindowFold {
  readonly #folder: RowFolder
  readonly #queue: MergeQueue

  constructor(shared: WindowAggregate) {
    this.#folder = new RowFolder(shared)
    this.#queue = new MergeQueue(shared.aggregate)
  }

  enter(cells: readonly Cell[]): void {
    const error = this.#folder.fold(cells)
    this.#queue.push({ state: this.#folder.takeState(), error })
  }

  leave(): void {
    this.#queue.shift()
  }

  value(): Cell {
    return this.#folder.finalize(this.#queue.total())
  }
}

/**
 * A queue of rows with the merge of those inside: two stacks, where an entry of the front one holds the merge of all rows from it on, so a row
 * costs three merges on average however long the frame is (Tangwongsan et al., General Incremental Sliding-Window Aggregation, 2015).
 */
export class MergeQueue {
  readonly #aggregate: Aggregate
  /** The last entry is the first row, merged with the others here. */
  #front: Merged[] = []
  /** Single rows, the newest last. */
  #back: Merged[] = []
  #backTotal: Merged

  constructor(aggregate: Aggregate) {
    this.#aggregate = aggregate
    this.#backTotal = this.#empty()
  }

  push(row: Merged): void {
    this.#back.push(row)
    this.#backTotal = this.#merge(this.#backTotal, row)
  }

  /** The row that entered first leaves. */
  shift(): void {
    if (this.#front.length === 0) this.#turn()
    assert(this.#front.pop() !== undefined, 'a row leaves a frame without rows')
  }

  total(): Merged {
    const front = this.#front.at(-1)
    return front === undefined ? this.#backTotal : this.#merge(front, this.#backTotal)
  }

  #turn(): void {
    let merged = this.#empty()
    for (const row of this.#back.reverse()) {
      merged = this.#merge(row, merged)
      this.#front.push(merged)
    }
    this.#back = []
    this.#backTotal = this.#empty()
  }

  #empty(): Merged {
    return { state: this.#aggregate.identity(), error: null }
  }

  #merge(left: Merged, right: Merged): Merged {
    return { state: this.#aggregate.merge(left.state, right.state), error: left.error ?? right.error }
  }
}
