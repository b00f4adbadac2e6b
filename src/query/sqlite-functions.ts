/**
 * Owns the user functions of a query connection: entries of the function table, finalizers, aggregates over rows and merges of
 * states, registered when a statement first needs them. Their names carry the static argument types (`lower$t`), so a call
 * knows how to load its cells. They never throw: an error among the arguments is passed on, a new one is an error cell, because
 * SQLite also evaluates rows and sides that the answer doesn't need.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { Aggregate } from '../aggregates/aggregate.ts'
import type { OrderKey } from '../aggregates/order-key.ts'
import { errorCell, KEY_TAG, readErrorCell } from '../core/key-bytes.ts'
import { Registers, TAG } from '../core/registers.ts'
import type { Cell, ScalarType } from '../core/scalar-type.ts'
import type { Expression, Literal } from '../sql/expression.ts'
import type { Evaluate, FunctionEntry } from '../sql/function-entry.ts'
import { loadLiteral } from '../sql/literal-value.ts'
import { isErrorCell, needsBigIntegers, toLoader, toStorer } from './cell-codec.ts'
import { RESULT_REGISTER, type GuardSite, type QuerySession } from './query-session.ts'
import { measureAggregate, parameterOf, toStates, type Measured } from './measure-merge.ts'
import { registerSeries } from './series-table.ts'
import { RowAggregate, type RowGroup } from './row-aggregate.ts'
import { GrowingFold, SlidingFold, toWindowAggregate, type WindowFold } from './window-fold.ts'

const TYPE_LETTERS: Readonly<Record<ScalarType, string>> = {
  boolean: 'b',
  bigint: 'i',
  'double precision': 'd',
  numeric: 'n',
  number: 'm',
  text: 't',
  timestamptz: 'z',
  timestamp: 's',
  date: 'e',
  interval: 'v',
  jsonb: 'j',
  any: 'a',
  unknown: 'u',
}

/** Types of a call that its name in SQLite shows; a name has at most 255 bytes. */
const LETTERS_MAX = 100

/** A SQLite aggregate; `step` may change the state in place. */
interface AggregateParts<T> {
  readonly start: () => T
  readonly step: (state: T, ...cells: Cell[]) => T | void
  /** Takes back the oldest step; present: the aggregate may stand before OVER. */
  readonly inverse?: (state: T) => void
  readonly result: (state: T) => Cell
}

/** A guard that knows how to show the grouping values which note_group gets. */
export interface GroupGuardSite extends GuardSite {
  readonly describe: (cells: readonly Cell[]) => string
}

/** A call in SQLite: the function's name and which of the arguments it gets; the others are constants inside. */
export interface RegisteredCall {
  readonly name: string
  readonly passed: readonly number[]
}

export class SqliteFunctions {
  readonly #connection: BetterSqlite3.Database
  readonly #session: QuerySession
  readonly #names = new Set<string>()
  readonly #rowAggregates: RowAggregate[] = []
  readonly #sites: GroupGuardSite[] = []
  /** Calls with constants inside, by what makes them equal; their names are used again by the next query, so they can't pile up. */
  readonly #specialized = new Map<string, RegisteredCall>()

  constructor(connection: BetterSqlite3.Database, session: QuerySession) {
    this.#connection = connection
    this.#session = session
    this.#registerFixed()
    registerSeries(connection)
  }

  /** Before each statement is compiled: what belongs to the last one is forgotten. */
  startQuery(): void {
    this.#sites.length = 0
    this.#specialized.clear()
    for (const rows of this.#rowAggregates) rows.startAgain()
  }

  /** Number of a place where errors end: first argument after the cell of `guard`. */
  addSite(site: GroupGuardSite): number {
    return this.#sites.push(site) - 1
  }

  /** The function of a call of the function table. Errors: what the entry's specialize refuses. */
  call(entry: FunctionEntry, args: readonly Expression[], type: ScalarType): RegisteredCall {
    const types = args.map((arg) => arg.type)
    const letters = types.map((argType) => TYPE_LETTERS[argType]).join('')
    const name = `${entry.id}$${letters}`
    const special = entry.specialize?.(args)
    // the letters of a long list are no name for SQLite
    if (special !== undefined || types.length > LETTERS_MAX) {
      return this.#specialize(name, entry, special ?? entry.evaluate, args, type)
    }
    this.#once(name, types, () => this.#toScalar(this.#registersFor(types), entry.evaluate, entry.strict, types, type))
    return { name, passed: types.map((_, index) => index) }
  }

  /** Finalizes state cells; behind them it gets the call's parameter. */
  finalizer(aggregateName: string, aggregate: Aggregate, argTypes: readonly ScalarType[]): string {
    const name = `finalize_${aggregateName}$${argTypes.map((type) => TYPE_LETTERS[type]).join('')}`
    const session = this.#session
    const { registers } = session
    const store = toStorer(aggregate.type)
    this.#once(name, ['bigint'], () => (...cells) => {
      const states = toStates(cells.slice(0, aggregate.columns.length))
      aggregate.finalize(states, registers, RESULT_REGISTER, parameterOf(aggregate, cells))
      session.takeWarning()
      return store(registers, RESULT_REGISTER)
    })
    return name
  }

  /** Merges the states of rows and finalizes; gets what a finalizer gets, `mayRepeat`: and before it the group's identity. */
  merger(aggregateName: string, aggregate: Aggregate, argTypes: readonly ScalarType[], mayRepeat: boolean): string {
    const types = argTypes.map((type) => TYPE_LETTERS[type]).join('')
    const name = `${mayRepeat ? 'merge_once' : 'merge'}_${aggregateName}$${types}`
    if (this.#isNew(name))
      this.#registerAggregate<Measured>(name, true, measureAggregate(aggregate, this.#session, mayRepeat))
    return name
  }

  /** An aggregate over rows; `order` as RowAggregate has it. */
  aggregate(
    aggregateName: string,
    aggregate: Aggregate,
    argTypes: readonly ScalarType[],
    order: readonly OrderKey[] = [],
  ): string {
    const types = argTypes.map((type) => TYPE_LETTERS[type]).join('')
    const keys = order.map(({ register, descending, nullsFirst }) => `_${register}${+descending}${+nullsFirst}`)
    const name = `${aggregateName}$${types}${keys.join('')}`
    if (this.#isNew(name)) {
      const rows = new RowAggregate(aggregate, argTypes, this.#session, order)
      this.#rowAggregates.push(rows)
      this.#registerAggregate<RowGroup>(name, needsBigIntegers(argTypes), {
        start: () => rows.start(),
        step: (group, ...cells) => rows.step(group, cells),
        result: (group) => rows.result(group),
      })
    }
    return name
  }

  /** An aggregate over the frames of a window; `isSliding`: rows leave them. */
  windowAggregate(
    aggregateName: string,
    aggregate: Aggregate,
    argTypes: readonly ScalarType[],
    isSliding: boolean,
  ): string {
    const types = argTypes.map((type) => TYPE_LETTERS[type]).join('')
    const name = `${isSliding ? 'sliding' : 'growing'}_${aggregateName}$${types}`
    if (this.#isNew(name)) {
      const shared = toWindowAggregate(aggregate, argTypes, this.#session)
      this.#registerAggregate<WindowFold>(name, needsBigIntegers(argTypes), {
        start: () => (isSliding ? new SlidingFold(shared) : new GrowingFold(shared)),
        step: (fold, ...cells) => fold.enter(cells),
        inverse: (fold) => fold.leave(),
        result: (fold) => fold.value(),
      })
    }
    return name
  }

  /** Turns a native cell into key bytes. */
  toKey(type: ScalarType): string {
    return this.#conversion('key', type, 'any')
  }

  /** Turns an integer cell that may be an error into a double. */
  toDouble(type: ScalarType): string {
    return this.#conversion('double', type, 'double precision')
  }

  #conversion(prefix: string, from: ScalarType, to: ScalarType): string {
    const name = `${prefix}$${TYPE_LETTERS[from]}`
    const identity: Evaluate = (r, out, a) => r.copy(out, a)
    this.#once(name, [from], () => this.#toScalar(this.#session.registers, identity, true, [from], to))
    return name
  }

  #specialize(
    base: string,
    entry: FunctionEntry,
    evaluate: Evaluate,
    args: readonly Expression[],
    type: ScalarType,
  ): RegisteredCall {
    const literals = args.map((arg) => (arg.kind === 'literal' ? arg : undefined))
    const key = base + JSON.stringify(literals.map((literal) => (literal === undefined ? null : [literal.value])))
    const known = this.#specialized.get(key)
    if (known !== undefined) return known
    const name = `${entry.id}$$${this.#specialized.size}`
    const passed = literals.flatMap((literal, index) => (literal === undefined ? [index] : []))
    const types = args.map((arg) => arg.type)
    const body = this.#toSpecialScalar(evaluate, entry.strict, types, type, literals, passed)
    this.#register(name, needsBigIntegers(types), body)
    const call = { name, passed }
    this.#specialized.set(key, call)
    return call
  }

  /** The session's, where they are enough. */
  #registersFor(types: readonly ScalarType[]): Registers {
    return types.length <= RESULT_REGISTER ? this.#session.registers : new Registers(types.length + 1)
  }

  /** Constants sit in registers of the function's own. */
  #toSpecialScalar(
    evaluate: Evaluate,
    strict: boolean,
    types: readonly ScalarType[],
    type: ScalarType,
    literals: readonly (Literal | undefined)[],
    passed: readonly number[],
  ): (...cells: Cell[]) => Cell {
    const registers = new Registers(Math.max(RESULT_REGISTER, types.length) + 1)
    literals.forEach((literal, index) => {
      if (literal !== undefined) loadLiteral(registers, index, literal)
    })
    if (strict && literals.some((literal) => literal?.value === null)) return () => null
    return this.#toScalar(registers, evaluate, strict, types, type, passed)
  }

  #toScalar(
    r: Registers,
    evaluate: Evaluate,
    strict: boolean,
    types: readonly ScalarType[],
    type: ScalarType,
    passed: readonly number[] = types.map((_, index) => index),
  ): (...cells: Cell[]) => Cell {
    const session = this.#session
    const { arena } = session
    const loaders = passed.map((index) => toLoader(types[index] as ScalarType))
    const store = toStorer(type)
    const result = Math.max(RESULT_REGISTER, types.length)
    const all = types.map((_, index) => index)
    const [a = -1, b = -1, c = -1, d = -1] = all
    return (...cells) => {
      arena.used = 0
      let hasNull = false
      for (let index = 0; index < cells.length; index++) {
        const cell = cells[index] as Cell
        if (isErrorCell(cell)) return cell
        const register = passed[index] as number
        loaders[index]?.(r, register, cell, arena)
        hasNull ||= r.tag[register] === TAG.NULL
      }
      if (strict && hasNull) return null
      evaluate(r, result, a, b, c, d, all)
      if (r !== session.registers && r.kindMismatch) {
        r.kindMismatch = false
        session.kindMismatches += 1
      }
      session.countMismatch()
      return store(r, result)
    }
  }

  #registerFixed(): void {
    const session = this.#session
    this.#register(
      'guard',
      true,
      (cell, site) => {
        if (cell === undefined || !isErrorCell(cell)) return cell ?? null
        const error = readErrorCell(cell)
        if (error !== undefined) session.note(this.#sites[Number(site)] as GuardSite, error)
        return null
      },
      false,
    )
    this.#register(
      'note_group',
      true,
      (site, ...cells) => {
        session.noteGroup((this.#sites[Number(site)] as GroupGuardSite).describe, cells)
        return null
      },
      false,
    )
    this.#register('and_values', false, andValues)
    this.#register('or_values', false, orValues)
    this.#register('case_values', true, caseValues)
    this.#register('try_value', true, (cell = null) => (isErrorCell(cell) ? null : cell))
    this.#register('not_true', false, (cell) => (cell === null || Number(cell) === 0 ? 1n : 0n))
    this.#register('one_grouping_set', true, oneGroupingSet)
    this.#register('truth_value', true, (cell) => {
      if (typeof cell !== 'object' || cell === null || isErrorCell(cell)) return cell ?? null
      if (cell[0] === KEY_TAG.TRUE) return 1n
      if (cell[0] === KEY_TAG.FALSE) return 0n
      if (cell[0] !== KEY_TAG.NULL) session.kindMismatches += 1
      return null
    })
    this.#registerAggregate('only_value', true, ONLY_VALUE)
    this.#registerAggregate('any_true', true, ANY_TRUE)
  }

  #once(name: string, types: readonly ScalarType[], make: () => (...cells: Cell[]) => Cell): void {
    if (this.#isNew(name)) this.#register(name, needsBigIntegers(types), make())
  }

  #isNew(name: string): boolean {
    if (this.#names.has(name)) return false
    this.#names.add(name)
    return true
  }

  #registerAggregate<T>(name: string, safeIntegers: boolean, parts: AggregateParts<T>): void {
    // the typings know aggregates whose rows are of the state's type only
    const options = { ...parts, varargs: true, safeIntegers, deterministic: true } as unknown
    this.#connection.aggregate(name, options as Parameters<BetterSqlite3.Database['aggregate']>[1])
  }

  #register(name: string, safeIntegers: boolean, body: (...cells: Cell[]) => Cell, deterministic = true): void {
    this.#connection.function(
      name,
      { varargs: true, safeIntegers, deterministic },
      body as (...cells: unknown[]) => unknown,
    )
  }
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

/** What MEASURE has merged, if it was of groups of one set: the least and the greatest are the same. */
function oneGroupingSet(least: Cell = null, greatest: Cell = null, merged: Cell = null): Cell {
  if (least === null || Buffer.compare(least as Uint8Array, greatest as Uint8Array) === 0) return merged
  const message = 'MEASURE merges groups of several grouping sets, which hold the same records: filter on GROUPING'
  return errorCell('mixed_grouping_sets', message)
}

/** The value of a scalar subquery: PostgreSQL refuses a second row, SQLite would take the first. */
const ONLY_VALUE: AggregateParts<{ rows: number; cell: Cell }> = {
  start: () => ({ rows: 0, cell: null }),
  step: (state, cell) => {
    state.rows += 1
    state.cell = cell ?? null
  },
  result: ({ rows, cell }) =>
    rows > 1 ? errorCell('invalid_argument', 'a subquery used as a value gave more than one row') : cell,
}

/** x IN (SELECT ...) over the comparisons: true where any is, else the error, else NULL where any is, else false. */
const ANY_TRUE: AggregateParts<{ result: Cell }> = {
  start: () => ({ result: 0n }),
  step: (state, cell = null) => {
    if (state.result === 1n) return
    if (cell !== null && !isErrorCell(cell)) {
      if (Number(cell) !== 0) state.result = 1n
    } else if (!isErrorCell(state.result)) state.result = cell
  },
  result: ({ result }) => result,
}
