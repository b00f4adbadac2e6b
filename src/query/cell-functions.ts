/**
 * Owns the functions over cells that are the same whatever the types: AND, OR and CASE that pass errors on, and aggregates that SQLite
 * has otherwise.
 */
import { errorCell, KEY_TAG } from '../core/key-bytes.ts'
import type { Cell } from '../core/scalar-type.ts'
import { isErrorCell } from './cell-codec.ts'
import { CONTAINER_CELLS, containerCell } from './json-parts-table.ts'
import type { QuerySession } from './query-session.ts'

/** A SQLite aggregate; `step` may change the state in place. */
export interface AggregateParts<T> {
  readonly start: () => T
  readonly step: (state: T, ...cells: Cell[]) => T | void
  /** Takes back the oldest step; present: the aggregate may stand before OVER. */
  readonly inverse?: (state: T) => void
  readonly result: (state: T) => Cell
}

/** Left to right, stopping at the first that decides: an error decides too. */
function andValues(...cells: Cell[]): Cell {
  let result: Cell = 1n
  for (const cell of cells) {
    if (isErrorCell(cell)) return cell
    if (cell === null) result = null
    else if (Number(cell) === 0) return 0n
  }
  return result
}

function orValues(...cells: Cell[]): Cell {
  let result: Cell = 0n
  for (const cell of cells) {
    if (isErrorCell(cell)) return cell
    if (cell === null) result = null
    else if (Number(cell) !== 0) return 1n
  }
  return result
}

/** when, then, when, then, ..., otherwise. */
function caseValues(...cells: Cell[]): Cell {
  for (let index = 0; index + 1 < cells.length; index += 2) {
    const when = cells[index] as Cell
    if (isErrorCell(when)) return when
    if (when !== null && Number(when) !== 0) return cells[index + 1] as Cell
  }
  return cells.at(-1) as Cell
}

function tryValue(cell: Cell = null): Cell {
  return isErrorCell(cell) ? null : cell
}

function notTrue(cell: Cell = null): Cell {
  return cell === null || Number(cell) === 0 ? 1n : 0n
}

/** Of an undeclared value: one that is no boolean is NULL, and counted. */
export function truthValue(cell: Cell, session: QuerySession): Cell {
  if (typeof cell !== 'object' || cell === null || isErrorCell(cell)) return cell
  if (cell[0] === KEY_TAG.TRUE) return 1n
  if (cell[0] === KEY_TAG.FALSE) return 0n
  if (cell[0] !== KEY_TAG.NULL) session.kindMismatches += 1
  return null
}

/** What MEASURE has merged, if it was of groups of one set: the least and the greatest are the same. */
function oneGroupingSet(least: Cell = null, greatest: Cell = null, merged: Cell = null): Cell {
  if (least === null || Buffer.compare(least as Uint8Array, greatest as Uint8Array) === 0) return merged
  const message = 'MEASURE merges groups of several grouping sets, which hold the same records: filter on GROUPING'
  return errorCell('mixed_grouping_sets', message)
}

export const CELL_FUNCTIONS: readonly {
  readonly name: string
  readonly safeIntegers: boolean
  readonly body: (...cells: Cell[]) => Cell
}[] = [
  { name: 'and_values', safeIntegers: false, body: andValues },
  { name: 'or_values', safeIntegers: false, body: orValues },
  { name: 'case_values', safeIntegers: true, body: caseValues },
  { name: 'try_value', safeIntegers: true, body: tryValue },
  { name: 'not_true', safeIntegers: false, body: notTrue },
  { name: 'one_grouping_set', safeIntegers: true, body: oneGroupingSet },
  { name: CONTAINER_CELLS.array, safeIntegers: true, body: containerCell('array') },
  { name: CONTAINER_CELLS.object, safeIntegers: true, body: containerCell('object') },
]

/** The value of a scalar subquery: PostgreSQL refuses a second row, SQLite would take the first. */
export const ONLY_VALUE: AggregateParts<{ rows: number; cell: Cell }> = {
  start: () => ({ rows: 0, cell: null }),
  step: (state, cell) => {
    state.rows += 1
    state.cell = cell ?? null
  },
  result: ({ rows, cell }) =>
    rows > 1 ? errorCell('invalid_argument', 'a subquery used as a value gave more than one row') : cell,
}

/** x IN (SELECT ...) over the comparisons: true where any is, else the error, else NULL where any is, else false. */
export const ANY_TRUE: AggregateParts<{ result: Cell }> = {
  start: () => ({ result: 0n }),
  step: (state, cell = null) => {
    if (state.result === 1n) return
    if (cell !== null && !isErrorCell(cell)) {
      if (Number(cell) !== 0) state.result = 1n
    } else if (!isErrorCell(state.result)) state.result = cell
  },
  result: ({ result }) => result,
}
