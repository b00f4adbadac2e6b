/**
 * Owns the user functions of a query connection: entries of the function table, finalizers, aggregates over rows and merges of
 * states, registered when a statement first needs them. They never throw, because SQLite also evaluates what the answer doesn't need: errors are cells.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { Aggregate } from '../aggregates/aggregate.ts'
import type { OrderKey } from '../aggregates/order-key.ts'
import { readErrorCell } from '../core/key-bytes.ts'
import { Registers, TAG } from '../core/registers.ts'
import type { Cell, ScalarType } from '../core/scalar-type.ts'
import type { Expression, Literal } from '../sql/expression.ts'
import type { Evaluate, FunctionEntry } from '../sql/function-entry.ts'
import { loadLiteral } from '../sql/literal-value.ts'
import { isErrorCell, needsBigIntegers, toLoader, toStorer } from './cell-codec.ts'
import { ANY_TRUE, CELL_FUNCTIONS, ONLY_VALUE, truthValue, type AggregateParts } from './cell-functions.ts'
import { LETTERS_MAX, toFunctionName } from './function-name.ts'
import { RESULT_REGISTER, type GuardSite, type QuerySession } from './query-session.ts'
import { measureAggregate, parameterOf, toStates, type Measured } from './measure-merge.ts'
import { registerSeries } from './series-table.ts'
import { registerJsonParts } from './json-parts-table.ts'
import { PACK_ROWS, registerPackedRows, ROW_PACKER } from './lateral-relation.ts'
import { FoldedTables } from './folded-table.ts'
import { FRAME_VALUE, RangeFrames } from './range-frame.ts'
import { RowAggregate, type RowGroup } from './row-aggregate.ts'
import { GrowingFold, SlidingFold, toWindowAggregate, type FrameKind, type WindowFold } from './window-fold.ts'

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
  readonly frames = new RangeFrames()
  readonly folded: FoldedTables
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
    this.folded = new FoldedTables(connection)
    this.#registerFixed()
    this.#register(FRAME_VALUE, true, (rows, key, frame) => this.frames.valueOf(rows, key, frame))
    for (const register of [registerSeries, registerJsonParts]) register(connection)
  }

  /** Before each statement is compiled: what belongs to the last one is forgotten. */
  startQuery(): void {
    this.#sites.length = 0
    this.frames.clear()
    this.folded.set([])
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
    const name = toFunctionName(entry.id, types)
    const special = entry.specialize?.(args)
    if (special !== undefined || types.length > LETTERS_MAX) {
      return this.#specialize(name, entry, special ?? entry.evaluate, args, type)
    }
    this.#once(name, types, () => this.#toScalar(this.#registersFor(types), entry.evaluate, entry.strict, types, type))
    return { name, passed: types.map((_, index) => index) }
  }

  /** Finalizes state cells; behind them it gets the call's parameter. */
  finalizer(aggregateName: string, aggregate: Aggregate, argTypes: readonly ScalarType[]): string {
    const name = toFunctionName(`finalize_${aggregateName}`, argTypes)
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
    const name = toFunctionName(`${mayRepeat ? 'merge_once' : 'merge'}_${aggregateName}`, argTypes)
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
    const keys = order.map(({ register, descending, nullsFirst }) => `_${register}${+descending}${+nullsFirst}`)
    const name = toFunctionName(aggregateName, argTypes) + keys.join('')
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

  /** An aggregate over the frames of a window. */
  windowAggregate(
    aggregateName: string,
    aggregate: Aggregate,
    argTypes: readonly ScalarType[],
    kind: FrameKind,
  ): string {
    const name = toFunctionName(`${kind}_${aggregateName}`, argTypes)
    if (!this.#isNew(name)) return name
    const shared = toWindowAggregate(aggregate, argTypes, this.#session)
    if (kind === 'ranging') this.#registerAggregate(name, true, this.frames.collector(shared))
    else
      this.#registerAggregate<WindowFold>(name, needsBigIntegers(argTypes), {
        start: () => (kind === 'sliding' ? new SlidingFold(shared) : new GrowingFold(shared)),
        step: (fold, ...cells) => fold.enter(cells),
        inverse: (fold) => fold.leave(),
        result: (fold) => fold.value(),
      })
    return name
  }

  /** The table that unpacks rows of so many columns. */
  packedRows(columnCount: number): string {
    const name = `packed_rows_${columnCount}`
    if (this.#isNew(name)) registerPackedRows(this.#connection, name, columnCount)
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
    const name = toFunctionName(prefix, [from])
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
    // an error among the others comes first, as it does where all are evaluated
    if (strict && literals.some((literal) => literal?.value === null))
      return (...cells) => cells.find(isErrorCell) ?? null
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
    for (const { name, safeIntegers, body } of CELL_FUNCTIONS) this.#register(name, safeIntegers, body)
    this.#register('truth_value', true, (cell = null) => truthValue(cell, session))
    this.#registerAggregate('only_value', true, ONLY_VALUE)
    this.#registerAggregate('any_true', true, ANY_TRUE)
    this.#registerAggregate(PACK_ROWS, true, ROW_PACKER)
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
