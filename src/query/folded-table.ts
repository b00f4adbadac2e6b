/** Owns folded groups as tables of SQLite: one for each number of columns, whose argument says which of the statement's folds it is. */
import type BetterSqlite3 from 'better-sqlite3'
import { at } from '../core/assert.ts'
import type { Cell } from '../core/scalar-type.ts'

/** A statement that reads more of one rollup is rare, and a table for each number stays registered. */
export const FOLDED_COLUMNS_MAX = 64

export interface FoldedRows {
  /** May be asked for several times. */
  rows(): Iterable<Cell[]>
  /** The SELECT that they come from; absent: they come from the copy of columns. */
  readonly sqlText?: string
}

export function foldedColumn(index: number): string {
  return `v${index}`
}

/** Of one connection. */
export class FoldedTables {
  readonly #connection: BetterSqlite3.Database
  readonly #widths = new Set<number>()
  #folds: readonly FoldedRows[] = []

  constructor(connection: BetterSqlite3.Database) {
    this.#connection = connection
  }

  /** What the statement's tables hold from now on, by number. */
  set(folds: readonly FoldedRows[]): void {
    this.#folds = folds
  }

  /** The SELECT behind the table of that number. */
  sqlTextOf(number: number): string | undefined {
    return this.#folds[number]?.sqlText
  }

  /** The table with so many columns. */
  nameFor(width: number): string {
    const name = `folded_${width}`
    if (this.#widths.has(width)) return name
    this.#widths.add(width)
    const rowsOf = (number: Cell): Iterable<Cell[]> => at(this.#folds, Number(number)).rows()
    this.#connection.table(name, {
      columns: Array.from({ length: width }, (_, index) => foldedColumn(index)),
      parameters: ['number'],
      safeIntegers: true,
      *rows(number) {
        yield* rowsOf(number as Cell)
      },
    })
    return name
  }
}
