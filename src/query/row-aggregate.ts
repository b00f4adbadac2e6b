/**
 * Owns an aggregate of ours as a SQLite aggregate over rows: the accumulator that folds records also folds rows, so SUM is exact
 * here too. SQLite mostly finishes one group before it starts the next; the accumulator's place is used again then.
 */
import type {
  Accumulator,
  AccumulatorInput,
  Aggregate,
  AggregateParameter,
  StateValue,
} from '../aggregates/aggregate.ts'
import type { OrderKey } from '../aggregates/order-key.ts'
import { errorCell } from '../core/key-bytes.ts'
import { RecordPlace } from '../core/record-place.ts'
import type { Cell, ScalarType } from '../core/scalar-type.ts'
import { isErrorCell, toLoader, toStorer, type LoadCell, type StoreCell } from './cell-codec.ts'
import { RESULT_REGISTER, type QuerySession } from './query-session.ts'

/** One group of rows: its place in the accumulator, or the error that its result is. */
export interface RowGroup {
  readonly index: number
  /** For finalize; NaN where the call has none. */
  parameter: AggregateParameter
  error: Cell
}

const CAPACITY_AT_START = 16
/** Groups open at once beyond this are rare; their room is given back. */
const CAPACITY_KEPT_MAX = 1024

export class RowAggregate {
  readonly #aggregate: Aggregate
  readonly #session: QuerySession
  readonly #loaders: readonly LoadCell[]
  readonly #store: StoreCell
  readonly #input: AccumulatorInput
  /** Rows come in the order that the call asks for: they are numbered. */
  readonly #place = new RecordPlace()
  #accumulator: Accumulator
  #capacity = CAPACITY_AT_START
  #next = 0
  #open = 0

  /** `order`: ORDER BY of a call with DISTINCT; else SQLite puts the rows in order. */
  constructor(
    aggregate: Aggregate,
    argTypes: readonly ScalarType[],
    session: QuerySession,
    order: readonly OrderKey[] = [],
  ) {
    this.#aggregate = aggregate
    this.#session = session
    this.#loaders = argTypes.map(toLoader)
    this.#store = toStorer(aggregate.type)
    this.#input = { place: this.#place, order, bounds: 'rows' }
    this.#accumulator = aggregate.createAccumulator(this.#input)
    this.#accumulator.grow(this.#capacity)
  }

  start(): RowGroup {
    if (this.#next === this.#capacity) {
      this.#capacity *= 2
      this.#accumulator.grow(this.#capacity)
    }
    this.#open += 1
    return { index: this.#next++, parameter: Number.NaN, error: null }
  }

  /** The arguments' cells, then the parameter. */
  step(group: RowGroup, cells: readonly Cell[]): void {
    if (group.error !== null) return
    const { registers, arena } = this.#session
    arena.used = 0
    const count = this.#loaders.length
    if (cells.length > count) group.parameter = toParameter(cells[count] as Cell)
    this.#place.offset += 1
    for (let index = 0; index < count; index++) {
      const cell = cells[index] as Cell
      if (isErrorCell(cell)) {
        group.error = cell
        return
      }
      this.#loaders[index]?.(registers, index, cell, arena)
    }
    const first = count > 0 ? 0 : -1
    const second = count > 1 ? 1 : -1
    const error = this.#accumulator.check(registers, first, second)
    if (error === null) this.#accumulator.update(group.index, registers, first, second)
    else group.error = errorCell(error.code, error.message)
  }

  result(group: RowGroup): Cell {
    const cell = group.error ?? this.#finalize(group)
    this.#open -= 1
    if (this.#open === 0) this.startAgain()
    return cell
  }

  #finalize({ index, parameter }: RowGroup): Cell {
    const state: StateValue[] = []
    this.#accumulator.stateOf(index, state)
    const { registers } = this.#session
    this.#aggregate.finalize(state, registers, RESULT_REGISTER, parameter)
    this.#session.takeWarning()
    return this.#store(registers, RESULT_REGISTER)
  }

  /** Forgets all groups; those of a query that was cut off too. */
  startAgain(): void {
    this.#next = 0
    this.#open = 0
    this.#place.offset = 0
    if (this.#capacity > CAPACITY_KEPT_MAX) {
      this.#capacity = CAPACITY_AT_START
      this.#accumulator = this.#aggregate.createAccumulator(this.#input)
      this.#accumulator.grow(this.#capacity)
    } else this.#accumulator.reset()
  }
}

/** The parameter of an aggregate from its cell, a number or a text. */
export function toParameter(cell: Cell): AggregateParameter {
  return typeof cell === 'string' ? cell : Number(cell)
}
