/**
 * Owns the text of one plan in a fold: its evaluation in the order of law 9 (compile-ingest.ts), and the update of its states. What other
 * plans of the function have evaluated, encoded or looked up for the record is taken from them.
 */
import type { OrderKey } from '../aggregates/order-key.ts'
import { at } from '../core/assert.ts'
import { valueColumnsOf, type GroupColumn, type IngestHalf, type PartialColumn } from '../planner/plan.ts'
import type { Expression } from '../sql/expression.ts'
import type { ExpressionCode } from './expression-code.ts'
import { FOLDED } from './fold-outcome.ts'
import type { FoldExits } from './fold-exits.ts'

/** Where in the statement of a plan a record can fail: how messages begin, and the 1-based character or 0. */
export interface FoldContext {
  readonly plan: number
  readonly text: string
  readonly position: number
}

export interface PlanCodeOptions {
  /** Its number in the set. */
  readonly plan: number
  /** With literals for what is constant. */
  readonly half: IngestHalf
  readonly code: ExpressionCode
  readonly exits: FoldExits
  /** Numbers of the table of its groups, and of its first accumulator. */
  readonly table: number
  readonly firstAccumulator: number
  /** Of each grouping value the number of its ValueIds; empty: groups of the table are found by their keys. */
  readonly values: readonly number[]
  readonly failingIsNull: boolean
  readonly isRegrouping: boolean
  /** Of all plans: the text names a context by its index. */
  readonly contexts: FoldContext[]
}

export class PlanCode {
  readonly groupRegisters: number[] = []
  /** Of the array that is unnested. */
  arrayField = -1
  arrayContext = -1
  /** ORDER BY of each partial. */
  readonly orders: OrderKey[][] = []
  readonly #options: PlanCodeOptions
  readonly #code: ExpressionCode
  readonly #half: IngestHalf
  readonly #columns: readonly GroupColumn[]

  constructor(options: PlanCodeOptions) {
    this.#options = options
    this.#code = options.code
    this.#half = options.half
    this.#columns = valueColumnsOf(options.half)
  }

  emit(): void {
    const { exits } = this.#options
    const { unnest, partials } = this.#half
    this.#code.enterPlan(exits)
    if (unnest !== undefined) {
      this.arrayField = this.#code.names.indexOf(unnest.path)
      this.arrayContext = this.#enter(`UNNEST(${unnest.path.join('.')})`, 0)
    }
    this.#emitWhere()
    this.#emitKey()
    const conditions = partials.map((partial, index) => this.#emitFilter(partial, index))
    const registers = partials.map((partial, index) => this.#emitArguments(partial, conditions[index]))
    for (const [index, partial] of partials.entries()) {
      this.#emitCheck(partial, index, conditions[index], registers[index] ?? [])
    }
    if (unnest !== undefined) this.#code.body.line(`if (onlyCheck) return ${FOLDED}`)
    this.#emitUpdates(conditions, registers)
    this.#code.body.line(exits.folded)
  }

  #enter(text: string, position: number): number {
    const { contexts, plan } = this.#options
    contexts.push({ plan, text, position })
    this.#code.setContext(contexts.length - 1)
    return contexts.length - 1
  }

  #emitWhere(): void {
    const { where } = this.#half
    if (where === null) return
    this.#enter('WHERE', where.position)
    this.#code.body.line(`if (!(${this.#code.emitCondition(where)})) ${this.#options.exits.filtered}`)
  }

  /** A value that no key can hold (text inside an object that is none) fails the record, or is null. */
  #emitKey(): void {
    const code = this.#code
    for (const [index, { expression, output }] of this.#columns.entries()) {
      this.#enter(`GROUP BY ${output ?? index + 1}`, expression.position)
      this.groupRegisters.push(code.emit(expression))
    }
    const { table, values } = this.#options
    if (values.length > 0) {
      for (const [index, column] of this.#columns.entries()) this.#emitId(column, index, at(values, index))
      return
    }
    const isSet = this.#half.groupingSets !== undefined
    code.body.once(keyOf(table), `Key${table}`, () => {
      code.body.line(isSet ? `key${table}.reset()` : `key${table}.reset(); key${table}.appendGroupingSet(0)`)
      for (const [index, column] of this.#columns.entries()) {
        this.#emitAppend(column, index)
        if (isSet) code.body.line(`sets${table}.ends[${index}] = key${table}.length`)
      }
    })
  }

  #emitAppend({ type, output, expression }: GroupColumn, index: number): void {
    const { table, exits, failingIsNull } = this.#options
    const { body } = this.#code
    const register = this.groupRegisters[index] ?? 0
    const append = `key${table}.appendRegister(r, ${register})`
    if (type !== 'any' && type !== 'jsonb') return body.line(append)
    const context = this.#enter(`GROUP BY ${output ?? index + 1}`, expression.position)
    // the register stays: an aggregate may read the same field
    const reaction = failingIsNull ? `key${table}.appendNull()` : exits.fail(`e${index}`, context)
    body.line(`const e${index} = ${append}; if (e${index} !== null) ${reaction}`)
  }

  #emitId({ type, output, expression }: GroupColumn, index: number, value: number): void {
    const { exits, failingIsNull } = this.#options
    const { body } = this.#code
    const id = `id${value}`
    body.once(idOf(value), `Id${value}`, () => {
      body.declare(`let ${id} = 0`)
      body.line(`${id} = values${value}.find(r, ${this.groupRegisters[index] ?? 0})`)
      if (type !== 'any' && type !== 'jsonb') return
      const context = this.#enter(`GROUP BY ${output ?? index + 1}`, expression.position)
      const reaction = failingIsNull
        ? `${id} = values${value}.findNull()`
        : exits.fail(`values${value}.failure`, context)
      body.line(`if (${id} < 0) ${reaction}`)
    })
  }

  /** The name of the partial's condition in the text; undefined where it takes every record. */
  #emitFilter({ filter, call }: PartialColumn, index: number): string | undefined {
    if (filter === null) return undefined
    this.#enter(call, filter.position)
    this.#code.body.line(`let c${index} = ${this.#code.emitCondition(filter)}`)
    return `c${index}`
  }

  #emitArguments({ args, order = [], call }: PartialColumn, condition: string | undefined): number[] {
    const registers: number[] = []
    const keys: OrderKey[] = []
    this.orders.push(keys)
    const emit = (): void => {
      this.#enter(call, args[0]?.position ?? 0)
      for (const argument of args) registers.push(this.#code.emit(argument))
      for (const { expression, descending, nullsFirst } of order) {
        keys.push({ register: this.#code.emit(expression), descending, nullsFirst })
      }
    }
    if (condition === undefined) emit()
    else this.#code.body.behind(condition, emit)
    return registers
  }

  #accumulatorOf(partial: number): string {
    return `a${this.#options.firstAccumulator + partial}`
  }

  #emitCheck(
    { call, args }: PartialColumn,
    index: number,
    condition: string | undefined,
    registers: readonly number[],
  ): void {
    if (registers.length === 0) return
    const { body } = this.#code
    const context = this.#enter(call, args[0]?.position ?? 0)
    const check = `${this.#accumulatorOf(index)}.check(r, ${argumentText(registers)})`
    // Under on_error null a value that the aggregate doesn't take is skipped as a NULL is.
    const name = `x${index}`
    if (this.#options.failingIsNull) body.line(`const ${name} = ${guarded(condition, `${check} === null`, 'false')}`)
    else {
      body.line(`const ${name} = ${guarded(condition, check, 'null')}`)
      body.line(`if (${name} !== null) ${this.#options.exits.fail(name, context)}`)
    }
  }

  #emitUpdates(conditions: readonly (string | undefined)[], registers: readonly (readonly number[])[]): void {
    const { table, plan, isRegrouping, failingIsNull } = this.#options
    const { body } = this.#code
    const isSet = this.#half.groupingSets !== undefined
    const group = `group${table}`
    if (isSet) {
      body.line(`for (let set = 0; set < sets${table}.count; set++) {`)
      body.line(`sets${table}.write(set, key${table})`)
      body.line(`const known = groups${table}.count`)
      body.line(`const ${group} = groups${table}.find(sets${table}.key.bytes, 0, sets${table}.key.length)`)
      body.line(`if (${group} === known) {`)
      body.line(
        `if (sets${table}.hasTime(set)) table${table}.open(${group}, r); else table${table}.openTimeless(${group}) }`,
      )
    } else {
      body.once(groupOf(table), `Group${table}`, () => {
        body.declare(`let ${group} = 0`)
        body.line(`const known = groups${table}.count`)
        if (this.#options.values.length > 0) return this.#emitFindById(group)
        body.line(`${group} = groups${table}.find(key${table}.bytes, 0, key${table}.length)`)
        body.line(`if (${group} === known) table${table}.open(${group}, r)`)
      })
    }
    body.line(`states${plan}.${isRegrouping ? `addRecords(${group}, source.records)` : `addRecord(${group})`}`)
    for (const [index, argumentRegisters] of registers.entries()) {
      const update = `${this.#accumulatorOf(index)}.update(${group}, r, ${argumentText(argumentRegisters)})`
      const checked = failingIsNull && argumentRegisters.length > 0
      const condition = checked ? `x${index}` : conditions[index]
      body.line(condition === undefined ? update : `if (${condition}) ${update}`)
    }
    if (isSet) body.line('}')
  }

  /** A pair's number is its group's: a new group's key is written, and added, when its pair is. */
  #emitFindById(group: string): void {
    const { table, values } = this.#options
    const { body } = this.#code
    const [first = 0, second, ...others] = values
    let found = `pairs${table}[0].find(id${first}, ${second === undefined ? 0 : `id${second}`})`
    for (const [index, other] of others.entries()) found = `pairs${table}[${index + 1}].find(${found}, id${other})`
    body.line(`${group} = ${found}`)
    body.line(`if (${group} === known) {`)
    body.line(`key${table}.reset(); key${table}.appendGroupingSet(0)`)
    for (const value of values) body.line(`values${value}.append(id${value}, key${table})`)
    body.line(`groups${table}.find(key${table}.bytes, 0, key${table}.length)`)
    body.line(`table${table}.open(${group}, r)`)
    body.line('}')
  }
}

/** How many PairIds lead from so many grouping values to a group. */
export function pairsOf(values: number): number {
  return Math.max(1, values - 1)
}

/** What stands in CodeText for the number of a grouping value, for the encoding of a table's key, and for the search of its group. */
export function idOf(value: number): string {
  return `id ${value}`
}

export function keyOf(table: number): string {
  return `key ${table}`
}

export function groupOf(table: number): string {
  return `group ${table}`
}

/** All that a plan emits. */
export function expressionsOf(half: IngestHalf): Expression[] {
  const expressions: Expression[] = half.where === null ? [] : [half.where]
  for (const { expression } of valueColumnsOf(half)) expressions.push(expression)
  for (const { filter, args, order = [] } of half.partials) {
    expressions.push(...(filter === null ? [] : [filter]), ...args, ...order.map(({ expression }) => expression))
  }
  return expressions
}

function argumentText(registers: readonly number[]): string {
  return `${registers[0] ?? -1}, ${registers[1] ?? -1}`
}

function guarded(condition: string | undefined, text: string, otherwise: string): string {
  return condition === undefined ? text : `${condition} ? ${text} : ${otherwise}`
}
