/**
 * Owns the fold of a copy's columns: the groups at the grain of some keys. Keys are codes, so each combination of them has a place in arrays, and a cell
 * is a pass over a column. What can't be exact there is refused before.
 */
import { assert, at } from '../core/assert.ts'
import type { Cell, ColumnStorage } from '../core/scalar-type.ts'
import type { StateValue } from '../aggregates/aggregate.ts'
import type { LeafSchema } from '../leaf/leaf-schema.ts'
import type { ColumnCopy, Stretch } from './column-copy.ts'
import {
  countRows,
  CountTotals,
  ExtremeTotals,
  LimbTotals,
  NULL_TOTALS,
  SumTotals,
  type Totals,
  WideIntegers,
} from './column-totals.ts'
import { formOf } from './column-form.ts'
import type { Derivation, FoldCell, FoldRequest } from './fold-request.ts'
import type { DerivedCodes } from './folded-derivation.ts'

/** Combinations of keys at once: an array of them is half a megabyte for each cell. */
const PLACES_MAX = 1 << 16
/** With fewer groups in a combination little is folded, and SQLite is as fast. */
const GROUPS_PER_PLACE_MIN = 8
/** So few are always worth it. */
const PLACES_FREE = 1024

interface Key {
  readonly column: string
  readonly cells: readonly Cell[]
  /** What the column's codes stand for; undefined: for themselves. */
  readonly derived: Int32Array | undefined
}

/** Thrown where a copy has the columns, but can't answer exactly or well. */
export class UnfitForFold extends Error {}

/** Derives values of a dictionary. */
export type Derive = (request: FoldRequest, derivation: Derivation, values: readonly Cell[]) => DerivedCodes

interface NamedTotals {
  readonly column: string
  readonly totals: Totals
}

export class ColumnFold {
  readonly #copy: ColumnCopy
  /** The last one's code counts by 1 in a place. */
  readonly #keys = new Map<FoldCell, Key>()
  readonly #places: number
  readonly #counts: Float64Array
  /** Equal ones once, by what they are. */
  readonly #totals = new Map<string, NamedTotals>()
  readonly #states = new Map<number, (place: number) => readonly StateValue[]>()
  readonly #cells: readonly ((place: number) => Cell)[]
  readonly #wide = new WideIntegers()
  /** Of the rows of a stretch. */
  readonly #rowPlaces = new WideIntegers()
  #isFolded = false

  /** Errors: UnfitForFold where a total may be beyond 2^53, or the keys make too many combinations. */
  constructor(request: FoldRequest, copy: ColumnCopy, derive: Derive) {
    const { cells } = request
    const { schema } = request.rollup
    this.#copy = copy
    for (const cell of cells) {
      if (cell.kind === 'key') {
        const column = at(schema.groupColumns, cell.group).name
        this.#keys.set(cell, { column, cells: copy.cellsOf(column), derived: undefined })
      } else if (cell.kind === 'derived') {
        const column = at(schema.groupColumns, cell.derivation.group).name
        const derived = derive(request, cell.derivation, copy.cellsOf(column))
        this.#keys.set(cell, { column, cells: derived.cells, derived: derived.codes })
      }
    }
    this.#places = [...this.#keys.values()].reduce((product, key) => product * Math.max(1, key.cells.length), 1)
    const groups = copy.stretches.reduce((sum, { rows }) => sum + rows, 0)
    if (this.#places > PLACES_MAX || this.#places > Math.max(PLACES_FREE, groups / GROUPS_PER_PLACE_MIN)) {
      throw new UnfitForFold('the keys make too many combinations')
    }
    this.#counts = new Float64Array(this.#places)
    this.#cells = cells.map((cell) => this.#reader(cell, schema))
    for (const { column, totals } of this.#totals.values()) {
      if (totals instanceof SumTotals || totals instanceof LimbTotals) this.#checkReach(column)
    }
  }

  /** A row for each combination of keys that is there, in an array of its own. */
  *rows(): Generator<Cell[]> {
    this.#fold()
    for (let place = 0; place < this.#places; place++) {
      if (this.#counts[place] !== 0) yield this.#cells.map((read) => read(place))
    }
  }

  #fold(): void {
    if (this.#isFolded) return
    this.#isFolded = true
    for (const stretch of this.#copy.stretches) {
      const places = this.#placesOf(stretch)
      countRows(this.#counts, places, stretch.rows)
      for (const { column, totals } of this.#totals.values()) {
        totals.add(columnOf(stretch, column), places, stretch.rows)
      }
    }
  }

  #reader(cell: FoldCell, schema: LeafSchema): (place: number) => Cell {
    switch (cell.kind) {
      case 'unused':
        return () => null
      case 'key':
      case 'derived':
        return this.#keyReader(cell)
      case 'groups':
        return (place) => BigInt(this.#counts[place]!)
      case 'state': {
        const { storage } = at(at(schema.partials, cell.partial).columns, cell.column)
        const stateAt = this.#stateOf(cell.partial, schema)
        return (place) => toCell(stateAt(place)[cell.column] ?? null, storage)
      }
      default: {
        const storage = cell.kind === 'count' ? 'INTEGER' : formOf(schema, cell.column).storage
        const totals = this.#totalsOf(cell.kind, cell.column, 'number')
        return (place) => toCell(totals.valueAt(place), storage)
      }
    }
  }

  #keyReader(cell: FoldCell): (place: number) => Cell {
    const keys = [...this.#keys.keys()]
    const { cells } = this.#keyOf(cell)
    const behind = keys.slice(keys.indexOf(cell) + 1)
    const step = behind.reduce((product, key) => product * this.#keyOf(key).cells.length, 1)
    return (place) => cells[Math.floor(place / step) % cells.length] as Cell
  }

  #keyOf(cell: FoldCell): Key {
    const key = this.#keys.get(cell)
    assert(key !== undefined, 'a key is known')
    return key
  }

  /** Merged states; the columns of one are asked for one after another. */
  #stateOf(partial: number, schema: LeafSchema): (place: number) => readonly StateValue[] {
    const known = this.#states.get(partial)
    if (known !== undefined) return known
    const { aggregate, columns } = at(schema.partials, partial)
    const { columnFold } = aggregate
    assert(columnFold !== undefined, 'a partial that is asked for can be folded by columns')
    const totals = columns.map(({ name }, index) => {
      const kind = at(columnFold.kinds, index)
      if (kind === 'none') return NULL_TOTALS
      return kind === 'limb' ? this.#totalsOf('sum', name, 'limb') : this.#totalsOf(kind, name, 'number')
    })
    let lastPlace = -1
    let state: readonly StateValue[] = []
    const stateAt = (place: number): readonly StateValue[] => {
      if (place === lastPlace) return state
      lastPlace = place
      return (state = columnFold.toState(totals.map((one) => one.valueAt(place))))
    }
    this.#states.set(partial, stateAt)
    return stateAt
  }

  #totalsOf(kind: 'sum' | 'count' | 'least' | 'greatest', column: string, form: 'number' | 'limb'): Totals {
    const name = `${kind} ${column}`
    const known = this.#totals.get(name)
    if (known !== undefined) return known.totals
    const totals = createTotals(kind, form, this.#places, this.#wide)
    this.#totals.set(name, { column, totals })
    return totals
  }

  /** Whether even the sum of all sizes is a safe integer. */
  #checkReach(name: string): void {
    let reach = 0
    for (const stretch of this.#copy.stretches) {
      const column = columnOf(stretch, name)
      if (column.form === 'number') reach += column.numbers.reach * stretch.rows
      if (column.form === 'limb') reach += Math.max(column.high.reach, column.low.reach) * stretch.rows
    }
    if (reach > Number.MAX_SAFE_INTEGER) throw new UnfitForFold('a total may be beyond 2^53')
  }

  /** Good until the next call. */
  #placesOf(stretch: Stretch): Int32Array {
    const places = this.#rowPlaces.zeros(stretch.rows)
    for (const { column: name, cells, derived } of this.#keys.values()) {
      const column = columnOf(stretch, name)
      assert(column.form === 'code', 'a key has codes')
      const codes = this.#wide.of(column.codes)
      if (derived === undefined) addKey(places, codes, cells.length, stretch.rows)
      else addDerivedKey(places, codes, derived, cells.length, stretch.rows)
    }
    return places
  }
}

function columnOf(stretch: Stretch, name: string): NonNullable<ReturnType<Stretch['columns']['get']>> {
  const column = stretch.columns.get(name)
  assert(column !== undefined, `the copy has no column ${name}`)
  return column
}

function createTotals(
  kind: 'sum' | 'count' | 'least' | 'greatest',
  form: 'number' | 'limb',
  places: number,
  wide: WideIntegers,
): Totals {
  if (kind === 'sum') return form === 'limb' ? new LimbTotals(places, wide) : new SumTotals(places, wide)
  if (kind === 'count') return new CountTotals(places)
  return new ExtremeTotals(places, kind === 'greatest' ? 1 : -1)
}

function addKey(places: Int32Array, codes: Int32Array, count: number, rows: number): void {
  for (let row = 0; row < rows; row++) places[row] = places[row]! * count + codes[row]!
}

function addDerivedKey(places: Int32Array, codes: Int32Array, derived: Int32Array, count: number, rows: number): void {
  for (let row = 0; row < rows; row++) places[row] = places[row]! * count + derived[codes[row]!]!
}

/** SQLite gets a bigint as INTEGER, a number as REAL. */
function toCell(value: StateValue, storage: ColumnStorage): Cell {
  return typeof value === 'number' && storage === 'INTEGER' ? BigInt(value) : value
}
