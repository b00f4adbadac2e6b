/**
 * Owns the text of the function that evaluates a record and folds it, without making an object: compile-ingest.ts says in which order, and
 * gives it what it names.
 */
import type { OrderKey } from '../aggregates/order-key.ts'
import { valueColumnsOf, type GroupColumn, type IngestHalf, type PartialColumn } from '../planner/plan.ts'
import type { Expression } from '../sql/expression.ts'
import { ConstantFolder } from '../sql/fold-constants.ts'
import { ExpressionCode } from './expression-code.ts'
import { FILTERED, FOLDED } from './fold-outcome.ts'

/** Writes the text of the function. */
export class FoldGenerator {
  readonly code: ExpressionCode
  /** Beginnings of messages and where in the statement they mean, by the number that the text gives. */
  readonly contexts: { readonly text: string; readonly position: number }[] = []
  readonly groupRegisters: number[] = []
  /** Of the array that is unnested. */
  arrayField = -1
  arrayContext = -1
  /** ORDER BY of each partial. */
  readonly orders: OrderKey[][] = []
  readonly #half: IngestHalf
  readonly #columns: readonly GroupColumn[]
  readonly #failingIsNull: boolean
  readonly #isRegrouping: boolean

  constructor(written: IngestHalf, failingIsNull: boolean, isRegrouping: boolean) {
    const half = foldHalf(written)
    this.#isRegrouping = isRegrouping
    this.#half = half
    this.#columns = valueColumnsOf(half)
    this.#failingIsNull = failingIsNull
    const expressions: Expression[] = half.where === null ? [] : [half.where]
    for (const { expression } of this.#columns) expressions.push(expression)
    for (const { filter, args, order = [] } of half.partials) {
      expressions.push(...(filter === null ? [] : [filter]), ...args, ...order.map(({ expression }) => expression))
    }
    this.code = new ExpressionCode(isRegrouping ? 'note' : failingIsNull ? 'null' : 'fail', expressions)
  }

  generate(): string {
    const { unnest } = this.#half
    if (unnest !== undefined) {
      this.arrayField = this.code.names.indexOf(unnest.path)
      this.arrayContext = this.#enter(`UNNEST(${unnest.path.join('.')})`, 0)
    }
    this.#emitWhere()
    this.#emitKey()
    const conditions = this.#half.partials.map((partial, index) => this.#emitFilter(partial, index))
    const registers = this.#half.partials.map((partial, index) => this.#emitArguments(partial, conditions[index]))
    this.#half.partials.forEach((partial, index) => {
      this.#emitCheck(partial, index, conditions[index], registers[index] ?? [])
    })
    if (unnest !== undefined) this.code.body.line(`if (onlyCheck) return ${FOLDED}`)
    this.#emitUpdates(conditions, registers)
    const accumulators = this.#half.partials.map((_, index) => `const a${index} = a[${index}]`)
    return [
      "'use strict'",
      'const { tag, num } = r',
      'const { kind } = fields.reader',
      'const { kind: elementKind } = elements.reader',
      'const fail = (register, context) => failWith(r.ref[register], context)',
      ...this.code.names.values.map((_, index) => `const v${index} = v[${index}]`),
      ...accumulators,
      `function row(onlyCheck) {\n${this.code.body.text.replaceAll(/\bv\[(\d+)\]/g, 'v$1')}\n}`,
      unnest === undefined ? 'return row' : 'return function fold() { return rows.fold(row) }',
    ].join('\n')
  }

  #enter(text: string, position: number): number {
    this.contexts.push({ text, position })
    this.code.setContext(this.contexts.length - 1)
    return this.contexts.length - 1
  }

  #emitWhere(): void {
    const { where } = this.#half
    if (where === null) return
    this.#enter('WHERE', where.position)
    this.code.body.line(`if (!(${this.code.emitCondition(where)})) return ${FILTERED}`)
  }

  /** A value that no key can hold (text inside an object that is none) fails the record, or is null. */
  #emitKey(): void {
    const { code } = this
    for (const [index, { expression, output }] of this.#columns.entries()) {
      this.#enter(`GROUP BY ${output ?? index + 1}`, expression.position)
      this.groupRegisters.push(code.emit(expression))
    }
    const isSet = this.#half.groupingSets !== undefined
    code.body.line(isSet ? 'key.reset()' : 'key.reset(); key.appendGroupingSet(0)')
    for (const [index, column] of this.#columns.entries()) {
      this.#emitAppend(column, index)
      if (isSet) code.body.line(`sets.ends[${index}] = key.length`)
    }
  }

  #emitAppend({ type, output, expression }: GroupColumn, index: number): void {
    const { code } = this
    const register = this.groupRegisters[index] ?? 0
    const append = `key.appendRegister(r, ${register})`
    if (type !== 'any' && type !== 'jsonb') return code.body.line(append)
    const context = this.#enter(`GROUP BY ${output ?? index + 1}`, expression.position)
    // the register stays: an aggregate may read the same field
    const reaction = this.#failingIsNull ? 'key.appendNull()' : `return failWith(e${register}, ${context})`
    code.body.line(`const e${register} = ${append}; if (e${register} !== null) ${reaction}`)
  }

  /** The name of the partial's condition in the text; undefined where it takes every record. */
  #emitFilter({ filter, call }: PartialColumn, index: number): string | undefined {
    if (filter === null) return undefined
    this.#enter(call, filter.position)
    this.code.body.line(`let c${index} = ${this.code.emitCondition(filter)}`)
    return `c${index}`
  }

  #emitArguments({ args, order = [], call }: PartialColumn, condition: string | undefined): number[] {
    const registers: number[] = []
    const keys: OrderKey[] = []
    this.orders.push(keys)
    const emit = (): void => {
      this.#enter(call, args[0]?.position ?? 0)
      for (const argument of args) registers.push(this.code.emit(argument))
      for (const { expression, descending, nullsFirst } of order) {
        keys.push({ register: this.code.emit(expression), descending, nullsFirst })
      }
    }
    if (condition === undefined) emit()
    else this.code.body.behind(condition, emit)
    return registers
  }

  #emitCheck(
    { call, args }: PartialColumn,
    index: number,
    condition: string | undefined,
    registers: readonly number[],
  ): void {
    if (registers.length === 0) return
    const context = this.#enter(call, args[0]?.position ?? 0)
    const check = `a${index}.check(r, ${argumentText(registers)})`
    // Under on_error null a value that the aggregate doesn't take is skipped as a NULL is.
    const name = `x${index}`
    if (this.#failingIsNull) this.code.body.line(`const ${name} = ${guarded(condition, `${check} === null`, 'false')}`)
    else {
      this.code.body.line(`const ${name} = ${guarded(condition, check, 'null')}`)
      this.code.body.line(`if (${name} !== null) return failWith(${name}, ${context})`)
    }
  }

  #emitUpdates(conditions: readonly (string | undefined)[], registers: readonly (readonly number[])[]): void {
    const { code } = this
    const isSet = this.#half.groupingSets !== undefined
    if (isSet) {
      code.body.line('for (let set = 0; set < sets.count; set++) {')
      code.body.line('sets.write(set, key)')
    }
    const key = isSet ? 'sets.key' : 'key'
    code.body.line('const known = groupKeys.count')
    code.body.line(`const group = groupKeys.find(${key}.bytes, ${key}.length)`)
    code.body.line(
      isSet
        ? 'if (group === known) { if (sets.hasTime(set)) states.open(group, r); else states.openTimeless(group) }'
        : 'if (group === known) states.open(group, r)',
    )
    code.body.line(this.#isRegrouping ? 'states.addRecords(group, source.records)' : 'states.addRecord(group)')
    for (const [index, argumentRegisters] of registers.entries()) {
      const update = `a${index}.update(group, r, ${argumentText(argumentRegisters)})`
      const checked = this.#failingIsNull && argumentRegisters.length > 0
      const condition = checked ? `x${index}` : conditions[index]
      code.body.line(condition === undefined ? update : `if (${condition}) ${update}`)
    }
    if (isSet) code.body.line('}')
    code.body.line(`return ${FOLDED}`)
  }
}

/** With literals for what is the same for all records. */
function foldHalf(half: IngestHalf): IngestHalf {
  const folder = new ConstantFolder()
  const fold = (expression: Expression): Expression => folder.fold(expression)
  return {
    ...half,
    where: half.where === null ? null : fold(half.where),
    groupBy: half.groupBy.map((column) => ({ ...column, expression: fold(column.expression) })),
    partials: half.partials.map(({ order, ...partial }) => ({
      ...partial,
      args: partial.args.map(fold),
      filter: partial.filter === null ? null : fold(partial.filter),
      ...(order === undefined ? {} : { order: order.map((key) => ({ ...key, expression: fold(key.expression) })) }),
    })),
  }
}

function argumentText(registers: readonly number[]): string {
  return `${registers[0] ?? -1}, ${registers[1] ?? -1}`
}

function guarded(condition: string | undefined, text: string, otherwise: string): string {
  return condition === undefined ? text : `${condition} ? ${text} : ${otherwise}`
}
