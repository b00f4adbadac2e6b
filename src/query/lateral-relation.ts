/**
 * Owns LATERAL subqueries in FROM. SQLite has none, but its table-valued functions take arguments of earlier items: the subquery is a
 * correlated one that packs its rows into one cell, from which such a function unpacks them.
 */
import { deserialize, serialize } from 'node:v8'
import type BetterSqlite3 from 'better-sqlite3'
import { at } from '../core/assert.ts'
import { errorCell } from '../core/key-bytes.ts'
import type { Cell } from '../core/scalar-type.ts'
import type { SqlFragment } from '../sql/expression.ts'
import type { AggregateParts } from './cell-functions.ts'
import type { CompileContext } from './compile-context.ts'
import { nowhere } from './guard-place.ts'
import type { Relation, RelationColumn } from './relation.ts'
import type { SelectPlan } from './select-plan.ts'

/** Its name in statements. */
export const PACK_ROWS = 'pack_rows'
/** A subquery's rows for one row before it: they are in memory at once. */
const ROWS_MAX = 100_000

export const ROW_PACKER: AggregateParts<Cell[][]> = {
  start: () => [],
  step: (rows, ...cells) => {
    // one more tells that there are too many
    if (rows.length <= ROWS_MAX) rows.push(cells)
  },
  result: (rows) =>
    rows.length > ROWS_MAX
      ? errorCell('invalid_argument', `a LATERAL subquery gave more than ${ROWS_MAX} rows for one row`)
      : serialize(rows),
}

/** A table whose rows are those of its argument: columns c0, c1, ...; of NULL none. */
export function registerPackedRows(connection: BetterSqlite3.Database, name: string, columnCount: number): void {
  connection.table(name, {
    columns: Array.from({ length: columnCount }, (_, index) => `c${index}`),
    parameters: ['packed'],
    safeIntegers: true,
    *rows(packed) {
      if (packed !== null) yield* deserialize(packed as Buffer) as Cell[][]
    },
  })
}

export class LateralRelation implements Relation {
  readonly alias: string
  readonly columns: readonly RelationColumn[]
  readonly #plan: SelectPlan
  readonly #context: CompileContext
  readonly #table: string

  constructor(alias: string, plan: SelectPlan, context: CompileContext) {
    this.alias = alias
    this.#plan = plan
    this.#context = context
    this.#table = context.parts.functions.packedRows(plan.columns.length)
    this.columns = plan.columns.map(({ name, type, canFail }) => ({ name, type, canFail, hidden: false }))
  }

  column(index: number, position: number): SqlFragment {
    const { type, canFail } = at(this.columns, index)
    return { kind: 'fragment', sql: `${this.alias}.c${index}`, type, canFail, position }
  }

  render(): string {
    const cells = this.columns.map((_, index) => `c${index}`).join(', ')
    const packed = `(SELECT ${PACK_ROWS}(${cells}) FROM (${this.#plan.render()}))`
    return `${this.#table}(${this.#context.conditions.guard(packed, nowhere('LATERAL'))}) AS ${this.alias}`
  }
}
