/**
 * Owns the fold of a rollup's groups in SQLite: at the grain of some keys, by SQLite's own aggregates over the leaf's columns, where the
 * statement itself would call a function of ours for each group. For what a key finds, and for what has no copy.
 */
import BetterSqlite3 from 'better-sqlite3'
import type { StateValue } from '../aggregates/aggregate.ts'
import { assert, at } from '../core/assert.ts'
import type { Cell } from '../core/scalar-type.ts'
import { toStateValue } from '../aggregates/state-value.ts'
import { LEAF_COLUMN, type LeafPartial } from '../leaf/leaf-schema.ts'
import { type FoldCell, type FoldRequest, nameOfCell } from './fold-request.ts'
import type { FoldRun } from './folded-derivation.ts'
import { foldedColumn, type FoldedRows } from './folded-table.ts'

/** They are held in memory; with more of them little was folded. */
const ROWS_MAX = 1 << 16

/** Places of a partial's totals in a row of the SELECT, and whether a group had a value that they can't tell. */
interface Totals {
  readonly partial: LeafPartial
  readonly first: number
  readonly strangers: number
}

/**
 * The rows of the request; undefined: there are too many, a group has a value that only the aggregate's own code merges, or a total is
 * beyond int64.
 */
export function foldByKey({ connection, bindings }: FoldRun, request: FoldRequest): FoldedRows | undefined {
  const { cells, rollup } = request
  const select = new FoldSelect(request)
  const places = cells.map((cell) => select.placeOf(cell))
  const sqlText = select.text()
  let found: Cell[][]
  try {
    found = connection.prepare<unknown[], Cell[]>(sqlText).raw().safeIntegers().all(bindings)
  } catch (error) {
    if (error instanceof BetterSqlite3.SqliteError && error.message === 'integer overflow') return undefined
    throw error
  }
  const strangers = [...select.totals.values()].map((one) => one.strangers)
  const isStrange = (row: readonly Cell[]): boolean =>
    strangers.some((place) => row[place] !== 0n) || select.sums.some((place) => typeof row[place] !== 'bigint')
  if (found.length > ROWS_MAX || found.some(isStrange)) return undefined
  const rows = found.map((row) => {
    const states = new Map([...select.totals].map(([partial, one]) => [partial, stateOf(one, row)]))
    return cells.map((cell, index): Cell => {
      if (cell.kind !== 'state') return row[places[index] as number] as Cell
      const { storage } = at(at(rollup.schema.partials, cell.partial).columns, cell.column)
      const value = states.get(cell.partial)?.[cell.column] ?? null
      return typeof value === 'number' && storage === 'INTEGER' ? BigInt(value) : value
    })
  })
  return { rows: () => rows, sqlText }
}

function stateOf({ partial, first }: Totals, row: readonly Cell[]): readonly StateValue[] {
  const { columnFold } = partial.aggregate
  assert(columnFold !== undefined, 'a partial that is asked for can be folded by columns')
  return columnFold.toState(partial.columns.map((_, index) => toStateValue(row[first + index] as StateValue)))
}

/** The SELECT whose rows are the groups at the grain of the keys. */
class FoldSelect {
  readonly #request: FoldRequest
  readonly #outputs: string[] = []
  /** Ordinals of outputs, or columns. */
  readonly #keys: (number | string)[] = []
  /** Conditions of WHERE, which are true of all rows here. */
  readonly #conditions: ReadonlySet<string>
  /** Of each partial whose state is asked for. */
  readonly totals = new Map<number, Totals>()
  /** Places of sums: of integers each is one. */
  readonly sums: number[] = []

  constructor(request: FoldRequest) {
    this.#request = request
    this.#conditions = new Set(request.conditions.map((derivation) => nameOfCell({ kind: 'derived', derivation })))
  }

  /** Where a cell stands in a row; of a state nowhere. */
  placeOf(cell: FoldCell): number {
    switch (cell.kind) {
      case 'unused':
        return this.#add('NULL')
      case 'key':
        return this.#addGroup(cell.group)
      case 'derived':
        return this.#conditions.has(nameOfCell(cell)) ? this.#add('1') : this.#addKey(cell.derivation.text)
      case 'groups':
        return this.#add('count(*)')
      case 'count':
        return this.#add(`count(${cell.column})`)
      case 'sum':
        return this.#addSum(cell.column)
      case 'least':
        return this.#add(`min(${cell.column})`)
      case 'greatest':
        return this.#add(`max(${cell.column})`)
      default:
        this.#addTotals(cell.partial)
        return -1
    }
  }

  #addTotals(index: number): void {
    if (this.totals.has(index)) return
    const partial = at(this.#request.rollup.schema.partials, index)
    const { kinds = [] } = partial.aggregate.columnFold ?? {}
    const first = this.#outputs.length
    const strangers: string[] = []
    for (const [column, { name }] of partial.columns.entries()) {
      switch (at(kinds, column)) {
        case 'least':
          this.#add(`min(${name})`)
          break
        case 'greatest':
          this.#add(`max(${name})`)
          break
        case 'none':
          this.#add('NULL')
          strangers.push(`count(${name})`)
          break
        default:
          this.#addSum(name)
          strangers.push(`(count(*) - count(${name}))`)
      }
    }
    this.totals.set(index, { partial, first, strangers: this.#add(['0', ...strangers].join(' + ')) })
  }

  #add(output: string): number {
    return this.#outputs.push(output) - 1
  }

  #addSum(column: string): number {
    const place = this.#add(`coalesce(sum(${column}), 0)`)
    this.sums.push(place)
    return place
  }

  /** The bucket tells a group's time as well, and groups lie in its order: nothing is sorted for it. */
  #addGroup(group: number): number {
    const { alias, rollup, share } = this.#request
    const text = this.#sourceOf(group)
    if (group === rollup.schema.bucketGroup) this.#keys.push(`${alias}.${LEAF_COLUMN.bucket}`)
    // of a range of time that is open on one side SQLite would read all groups, in the order of this value's index
    else this.#keys.push(share < 1 ? `+${text}` : text)
    return this.#add(text)
  }

  #addKey(text: string): number {
    const place = this.#add(text)
    this.#keys.push(place + 1)
    return place
  }

  /** A grouping value's name in texts over the request's alias. */
  #sourceOf(group: number): string {
    const { cells, alias } = this.#request
    const index = cells.findIndex((cell) => cell.kind === 'key' && cell.group === group)
    return `${alias}.${foldedColumn(index)}`
  }

  text(): string {
    const { alias, cells, conditions, rollup } = this.#request
    const { groupColumns, table } = rollup.schema
    const sources = new Map<string, string>()
    for (const [index, cell] of cells.entries()) {
      if (cell.kind === 'key') sources.set(foldedColumn(index), at(groupColumns, cell.group).name)
      if (cell.kind === 'derived') sources.set(cell.derivation.source, at(groupColumns, cell.derivation.group).name)
    }
    const named = [...sources].map(([name, column]) => `, ${column} AS ${name}`).join('')
    return [
      `SELECT ${this.#outputs.join(', ')}`,
      `FROM (SELECT *${named} FROM ${table}) AS ${alias}`,
      ...(conditions.length === 0 ? [] : [`WHERE ${conditions.map(({ text }) => `(${text})`).join(' AND ')}`]),
      ...(this.#keys.length === 0 ? [] : [`GROUP BY ${this.#keys.join(', ')}`]),
      `HAVING count(*) > 0 LIMIT ${ROWS_MAX + 1}`,
    ].join(' ')
  }
}
