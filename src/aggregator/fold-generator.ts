/**
 * Owns the text of the function that evaluates a record and folds it into the groups of one plan or several, without making an object:
 * compile-ingest.ts says in which order, and gives it what it names. One plan's text returns the outcome. Each of several plans has a block, which
 * a record leaves when its outcome for that plan is known; functions of a few plans follow each other over the same fields and registers.
 */
import { at } from '../core/assert.ts'
import type { OnError } from '../core/policy.ts'
import { type GroupColumn, valueColumnsOf, type IngestHalf } from '../planner/plan.ts'
import { childrenOf, type Expression } from '../sql/expression.ts'
import { expressionKey } from '../sql/expression-key.ts'
import { ConstantFolder } from '../sql/fold-constants.ts'
import { canMixKinds } from './can-mix-kinds.ts'
import { CodeNames } from './code-names.ts'
import { ExpressionCode, type Failing } from './expression-code.ts'
import { EXITS_ALONE, exitsOfPlan, type FoldExits } from './fold-exits.ts'
import { expressionsOf, groupOf, idOf, keyOf, PlanCode, type FoldContext } from './plan-code.ts'

/**
 * Expressions and partials of one function's plans: the engine optimises a function as a whole, and for one that is too long it takes
 * its time or gives up.
 */
const FUNCTION_PARTS_MAX = 300

export interface GeneratorPlan {
  readonly half: IngestHalf
  readonly onError: OnError
}

interface Member {
  readonly plan: number
  readonly half: IngestHalf
  readonly failing: Failing
  readonly table: number
  readonly firstAccumulator: number
}

export class FoldGenerator {
  readonly names = new CodeNames()
  /** What the text's numbers of contexts mean. */
  readonly contexts: FoldContext[] = []
  /** Of each plan. */
  readonly plans: PlanCode[] = []
  /** Of each plan, the table of its groups; plans with equal grouping expressions have one. */
  readonly tables: readonly number[]
  /** Of each table, the numbers of its grouping values; empty where its groups are found by their keys. */
  readonly values: readonly (readonly number[])[]
  readonly #members: readonly Member[]
  readonly #isRegrouping: boolean

  constructor(plans: readonly GeneratorPlan[], isRegrouping: boolean) {
    this.#isRegrouping = isRegrouping
    const halves = plans.map(({ half }) => foldHalf(half))
    this.tables = numberTables(halves)
    this.values = numberValues(halves, this.tables)
    let accumulators = 0
    this.#members = halves.map((half, plan) => {
      const firstAccumulator = accumulators
      accumulators += half.partials.length
      const onError = at(plans, plan).onError
      const failing = isRegrouping ? 'note' : onError === 'null' ? 'null' : 'fail'
      return { plan, half, failing, table: at(this.tables, plan), firstAccumulator }
    })
  }

  generate(): string {
    const [alone] = this.#members
    const functions =
      alone !== undefined && this.#members.length === 1
        ? [`function row(onlyCheck) {\n${this.#emitAlone(alone)}\n}`, this.#returnAlone(alone.half)]
        : this.#emitFunctions()
    const all = this.#members.map((_, plan) => plan)
    const tables = [...new Set(this.tables)]
    const accumulators = this.#members.reduce((sum, { half }) => sum + half.partials.length, 0)
    return [
      "'use strict'",
      'const { tag, num } = r',
      'const { kind } = fields.reader',
      'const { kind: elementKind } = elements.reader',
      ...this.names.values.map((_, index) => `const v${index} = v[${index}]`),
      ...Array.from({ length: accumulators }, (_, index) => `const a${index} = a[${index}]`),
      ...tables.map((table) => `const key${table} = keys[${table}], table${table} = tables[${table}]`),
      ...tables.map((table) => `const groups${table} = table${table}.keys, sets${table} = sets[${table}]`),
      ...all.map((plan) => `const states${plan} = states[${plan}]`),
      ...tables.map((table) => `const pairs${table} = pairs[${table}]`),
      ...new Set(this.values.flat().map((value) => `const values${value} = values[${value}]`)),
      ...functions,
    ].join('\n')
  }

  #returnAlone({ unnest }: IngestHalf): string {
    return unnest === undefined ? 'return row' : 'return function fold() { return rows.fold(row) }'
  }

  #emitAlone(member: Member): string {
    const code = this.#createCode([member], false)
    this.#emitPlan(member, code, EXITS_ALONE)
    return textOf(code)
  }

  #emitFunctions(): string[] {
    const parts = splitMembers(this.#members)
    const functions = parts.map((members, part) => {
      const code = this.#createCode(members, true)
      for (const member of members) this.#emitBlock(member, code)
      return `function fold${part}() {\n${textOf(code)}\n}`
    })
    const calls = parts.map((_, part) => `fold${part}()`)
    return [...functions, calls.length === 1 ? 'return fold0' : `return function fold() { ${calls.join('; ')} }`]
  }

  #createCode(members: readonly Member[], isOfSeveralPlans: boolean): ExpressionCode {
    const code = new ExpressionCode(this.names, members[0]?.failing ?? 'fail', isOfSeveralPlans)
    for (const { half, table } of members) {
      for (const expression of expressionsOf(half)) code.body.expect(expression)
      code.body.expectKey(keyOf(table))
      for (const value of at(this.values, table)) code.body.expectKey(idOf(value))
      code.body.expectKey(groupOf(table))
    }
    return code
  }

  #emitBlock(member: Member, code: ExpressionCode): void {
    const { plan, half } = member
    const canMismatch = conditionsOf(half).length > 0 || expressionsOf(half).some(canMixKinds)
    code.body.line(`plan${plan}: {${canMismatch ? ' r.kindMismatch = false' : ''}`)
    code.body.scope(() => this.#emitPlan(member, code, exitsOfPlan(plan, canMismatch)))
    code.body.line('}')
  }

  #emitPlan({ failing, ...member }: Member, code: ExpressionCode, exits: FoldExits): void {
    const plan = new PlanCode({
      ...member,
      code,
      exits,
      values: at(this.values, member.table),
      failingIsNull: failing !== 'fail',
      isRegrouping: this.#isRegrouping,
      contexts: this.contexts,
    })
    plan.emit()
    this.plans[member.plan] = plan
  }
}

function textOf(code: ExpressionCode): string {
  return code.body.text.replaceAll(/\bv\[(\d+)\]/g, 'v$1')
}

/** Plans in functions: those that fail alike, as many as make no function too long. */
function splitMembers(members: readonly Member[]): Member[][] {
  const parts: Member[][] = []
  for (const failing of ['fail', 'null'] as const) {
    let size = Infinity
    const alike = members.filter((one) => one.failing === failing)
    for (const member of alike.toSorted((left, right) => left.table - right.table)) {
      const own =
        member.half.partials.length + expressionsOf(member.half).reduce((sum, one) => sum + countNodes(one), 0)
      size += own
      if (size > FUNCTION_PARTS_MAX) {
        parts.push([])
        size = own
      }
      parts.at(-1)?.push(member)
    }
  }
  return parts
}

function countNodes(expression: Expression): number {
  return childrenOf(expression).reduce((sum, child) => sum + countNodes(child), 1)
}

function conditionsOf({ where, partials }: IngestHalf): Expression[] {
  return [where, ...partials.map(({ filter }) => filter)].filter((condition) => condition !== null)
}

/** One table for plans that group by the same expressions; each plan with grouping sets has its own. */
function numberTables(halves: readonly IngestHalf[]): number[] {
  const known = new Map<string, number>()
  let count = 0
  return halves.map((half) => {
    const key = half.groupingSets === undefined ? valueColumnsOf(half).map(keyOfColumn).join() : `sets ${count}`
    const table = known.get(key) ?? count++
    known.set(key, table)
    return table
  })
}

/**
 * By table. A value has a number where another table groups by it too, and what stands beside it in a table; a table of values that no other
 * has finds its groups by their keys, which is faster for one table.
 */
function numberValues(halves: readonly IngestHalf[], tables: readonly number[]): number[][] {
  const columns: string[][] = []
  for (const [plan, half] of halves.entries()) {
    const keys = half.groupingSets === undefined ? valueColumnsOf(half).map(keyOfColumn) : []
    columns[at(tables, plan)] ??= keys
  }
  const isShared = (column: string): boolean => columns.filter((own) => own.includes(column)).length > 1
  const numbers = new Map<string, number>()
  const numberOf = (column: string): number => {
    const number = numbers.get(column) ?? numbers.size
    numbers.set(column, number)
    return number
  }
  return columns.map((own) => (own.some(isShared) ? own.map(numberOf) : []))
}

function keyOfColumn({ type, expression }: GroupColumn): string {
  return JSON.stringify([type, expressionKey(expression)])
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
