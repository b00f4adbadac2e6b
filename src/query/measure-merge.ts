/**
 * Owns MEASURE as a SQLite aggregate: the states of rows merged, then finished. Behind a join a group stands in several rows; there
 * each row says which group it is, and a group is merged once.
 */
import type { Aggregate, AggregateParameter, StateValue } from '../aggregates/aggregate.ts'
import { toStateValue } from '../aggregates/state-value.ts'
import type { Cell } from '../core/scalar-type.ts'
import { toStorer } from './cell-codec.ts'
import { RESULT_REGISTER, type QuerySession } from './query-session.ts'
import { toParameter } from './row-aggregate.ts'
import { StateMerger } from '../aggregates/state-merger.ts'

/** What is merged of one output group. */
export interface Measured {
  readonly merger: StateMerger
  /** The groups that are in; absent: each comes once. */
  readonly seen: Set<Cell> | undefined
  parameter: AggregateParameter
}

/** A row's cells: the group's identity where `mayRepeat`, the state, and the call's parameter where it has one. */
export function measureAggregate(
  aggregate: Aggregate,
  session: QuerySession,
  mayRepeat: boolean,
): {
  readonly start: () => Measured
  readonly step: (measured: Measured, ...cells: Cell[]) => void
  readonly result: (measured: Measured) => Cell
} {
  const { registers } = session
  const store = toStorer(aggregate.type)
  const addState = (measured: Measured, cells: readonly Cell[]): void => {
    measured.parameter = parameterOf(aggregate, cells)
    measured.merger.add(toStates(cells.slice(0, aggregate.columns.length)))
  }
  return {
    start: () => ({
      merger: new StateMerger(aggregate),
      seen: mayRepeat ? new Set() : undefined,
      parameter: Number.NaN,
    }),
    step: (measured, ...cells) => {
      if (measured.seen === undefined) {
        addState(measured, cells)
        return
      }
      const [identity = null, ...state] = cells
      // a row that an outer join made up has no group
      if (identity === null || measured.seen.has(identity)) return
      measured.seen.add(identity)
      addState(measured, state)
    },
    result: ({ merger, parameter }) => {
      aggregate.finalize(merger.total(), registers, RESULT_REGISTER, parameter)
      session.takeWarning()
      return store(registers, RESULT_REGISTER)
    },
  }
}

export function toStates(cells: readonly Cell[]): StateValue[] {
  return cells.map((cell) => toStateValue(cell as StateValue))
}

/** Behind the state's cells; NaN where the call has none. */
export function parameterOf({ columns }: Aggregate, cells: readonly Cell[]): AggregateParameter {
  return cells.length > columns.length ? toParameter(cells[columns.length] as Cell) : Number.NaN
}
