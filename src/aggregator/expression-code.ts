/**
 * Owns the JavaScript that evaluates expressions over registers. Equal subexpressions have one register and are evaluated
 * once a record; a part that only some records need is evaluated behind its condition. The text holds numbers and names of
 * ours alone: literals, paths and functions come in as values.
 *
 * Names in the text: elements and elementKind (of the element that is unnested), source (a group of another rollup), r, tag, num (the registers), kind (what the reader found), fields, meta, v (the values), failWith.
 */
import { assert, at, unreachable } from '../core/assert.ts'
import { TAG } from '../core/registers.ts'
import { JSON_KIND } from '../core/json-field.ts'
import { isExactNumber, type ScalarType } from '../core/scalar-type.ts'
import {
  type Call,
  type Case,
  type Coalesce,
  type Expression,
  type Field,
  type In,
  type Logic,
  type Meta,
  type Try,
} from '../sql/expression.ts'
import { PLACED_ARGUMENTS } from '../sql/function-entry.ts'
import { CAST_TO_NUMERIC_IDS } from '../sql/functions/cast-to-numeric.ts'
import { functionById } from '../sql/function-table.ts'
import type { CodeNames } from './code-names.ts'
import { CodeText } from './code-text.ts'
import type { FoldExits } from './fold-exits.ts'
import { canMixKinds } from './can-mix-kinds.ts'
import { findInList } from './find-in-list.ts'
import { RecentMinutes } from './recent-minutes.ts'
import { expressionKey } from '../sql/expression-key.ts'

/** The register of an argument that wasn't given, as the table's functions want it. */
const NO_ARGUMENT = -1
/** The comparison that IN stands for (expression.ts). */
const EQUAL = 'equal'
/** The cast whose argument is mostly a text that shares its minute with the one before. */
const CAST_TO_TIME = 'cast_to_timestamptz'

/** JavaScript expressions over what was emitted before: whether a condition is true, and whether it is false. */
interface Truth {
  readonly isTrue: string
  readonly isFalse: string
}

/** What a call that fails is: the record's failure, NULL (on_error null), or NULL with a note of it where a source's groups are read. */
export type Failing = 'fail' | 'null' | 'note'

export class ExpressionCode {
  readonly names: CodeNames
  readonly body: CodeText
  readonly #failing: Failing
  #exits: FoldExits | undefined
  /** The block that a failure leaves; undefined outside of every try. */
  #tryLabel: string | undefined
  /** CodeText.notingDepth where that block begins. */
  #tryDepth = 0
  /** Index of the message's beginning. */
  #context = 0

  constructor(names: CodeNames, failing: Failing, isOfSeveralPlans: boolean) {
    this.names = names
    this.#failing = failing
    this.body = new CodeText(isOfSeveralPlans)
  }

  /** What is emitted next is the plan's with these exits. */
  enterPlan(exits: FoldExits): void {
    this.#exits = exits
  }

  /** Failures of what is emitted next are told with this context. */
  setContext(context: number): void {
    this.#context = context
  }

  /** Emits the evaluation; returns the register that has the value then. It is never an ERROR. */
  emit(expression: Expression): number {
    const key = expressionKey(expression)
    const out = this.names.registerOf(key, expression)
    if (expression.kind === 'literal') return out
    this.body.once(key, out, () => this.#emitBody(expression, out), canMixKinds(expression) ? out : undefined)
    return out
  }

  #emitBody(expression: Expression, out: number): void {
    switch (expression.kind) {
      case 'field':
        this.body.line(`${loaderOf(expression)}.load(${this.names.fieldIndex(expression)}, ${out})`)
        return this.#emitErrorCheck(out)
      case 'meta':
        return this.#emitMeta(expression, out)
      case 'call':
        return this.#emitCall(expression, out)
      case 'and':
      case 'or':
        return this.#emitLogic(expression, out)
      case 'case':
        return this.#emitCase(expression, out)
      case 'coalesce':
        return this.#emitCoalesce(expression, out)
      case 'try':
        return this.#emitTry(expression, out)
      case 'in':
        return this.#emitIn(expression, out)
      case 'group':
        return this.body.line(`source.load(r, ${expression.index}, ${out})`)
      case 'literal':
      case 'aggregate':
      case 'grouping':
      case 'partial':
      case 'fragment':
        return assert(false, `an ingest half has no ${expression.kind}`)
      default:
        return unreachable(expression)
    }
  }

  #emitErrorCheck(out: number): void {
    this.body.line(`if (tag[${out}] === ${TAG.ERROR}) ${this.#reactionTo(out)}`)
  }

  /** Under on_error null nothing is left for a try. */
  #reactionTo(failed: number): string {
    const toNull = `tag[${failed}] = ${TAG.NULL}`
    if (this.#failing === 'note' && this.#tryLabel === undefined)
      return `{ source.note(r.ref[${failed}], ${this.#context}); ${toNull} }`
    if (this.#failing !== 'fail') return toNull
    if (this.#tryLabel !== undefined) return `{ ${this.body.leaveNoting(this.#tryDepth)}break ${this.#tryLabel} }`
    assert(this.#exits !== undefined, 'an expression is emitted for a plan')
    return this.#exits.fail(`r.ref[${failed}]`, this.#context)
  }

  #emitMeta(meta: Meta, out: number): void {
    this.names.usesMetadata = true
    const header = this.names.value(new TextEncoder().encode(meta.header ?? ''))
    this.body.line(`meta.load(${JSON.stringify(meta.name)}, ${header}, r, ${out})`)
    const canFail = meta.name === 'key' || meta.name === 'header' || meta.name === 'timestamp'
    if (canFail) this.#emitErrorCheck(out)
  }

  #emitCall(call: Call, out: number): void {
    const entry = functionById(call.function)
    assert(entry !== undefined, `no function ${call.function}`)
    const isVariadic = entry.variadic === true
    assert(isVariadic || call.args.length <= PLACED_ARGUMENTS, `${call.function} has too many arguments`)
    const isExact = CAST_TO_NUMERIC_IDS.includes(call.function)
    const registers = call.args.map((argument) =>
      isExact && argument.kind === 'field' ? this.#emitExact(argument) : this.emit(argument),
    )
    const evaluate = entry.specialize?.(call.args) ?? entry.evaluate
    const slots: (number | string)[] = Array.from(
      { length: PLACED_ARGUMENTS },
      (_, index) => registers[index] ?? NO_ARGUMENT,
    )
    if (isVariadic) slots.push(this.names.value(registers))
    const text =
      call.function === CAST_TO_TIME && call.args[0]?.kind === 'field'
        ? `${this.names.value(new RecentMinutes(evaluate))}.read(r, ${out}, ${slots[0]})`
        : `${this.names.value(evaluate)}(r, ${out}, ${slots.join(', ')})`
    const nullable = call.args.flatMap((argument, index) => (isNonNull(argument) ? [] : [at(registers, index)]))
    if (entry.strict && nullable.length > 0) {
      this.body.line(`if (${nullable.map((register) => `tag[${register}] === ${TAG.NULL}`).join(' || ')})`)
      this.body.line(`tag[${out}] = ${TAG.NULL}; else ${text}`)
    } else this.body.line(text)
    if (call.type === 'any' && call.args.some(({ type }) => isExactNumber(type)))
      this.body.line(`r.toUndeclared(${out})`)
    if (entry.canFail(call.args.map(({ type }) => type))) this.#emitErrorCheck(out)
  }

  /** A field with all its digits: its own register, since other uses read the double. */
  #emitExact(field: Field): number {
    const out = this.names.newRegister()
    this.body.line(`${loaderOf(field)}.loadExact(${this.names.fieldIndex(field)}, ${out})`)
    this.#emitErrorCheck(out)
    return out
  }

  /** Emits a condition of WHERE, FILTER and WHEN; the returned text is whether it is true. */
  emitCondition(expression: Expression): string {
    return this.#emitTruth(expression).isTrue
  }

  /** A value that is neither boolean nor null is a mismatch of kinds, and neither true nor false. */
  #emitTruth(expression: Expression): Truth {
    if (expression.kind === 'field') {
      // Straight from the reader: the commonest condition needs no register. Another kind is loaded, since it may be no value at all.
      const kind = `${expression.element === undefined ? 'kind' : 'elementKind'}[${this.names.fieldIndex(expression)}]`
      this.body.behind(`${kind} > ${JSON_KIND.TRUE}`, () => {
        this.body.line(`if (tag[${this.emit(expression)}] !== ${TAG.NULL}) r.kindMismatch = true`)
      })
      return { isTrue: `${kind} === ${JSON_KIND.TRUE}`, isFalse: `${kind} === ${JSON_KIND.FALSE}` }
    }
    const register = this.emit(expression)
    const isBoolean = `tag[${register}] === ${TAG.BOOLEAN}`
    if (expression.type !== 'boolean') this.body.line(`if (tag[${register}] > ${TAG.BOOLEAN}) r.kindMismatch = true`)
    return { isTrue: `(${isBoolean} && num[${register}] === 1)`, isFalse: `(${isBoolean} && num[${register}] === 0)` }
  }

  /** The value that decides ends the evaluation; else null if one side was null. */
  #emitLogic({ kind, args }: Logic, out: number): void {
    const label = this.names.newLabel()
    const unknown = `unknown${out}`
    const decisive = kind === 'or'
    this.body.line(`${label}: { let ${unknown} = false`)
    // The first argument is always evaluated, the others are behind it.
    const emitArgument = (argument: Expression): void => {
      const { isTrue, isFalse } = this.#emitTruth(argument)
      this.body.line(`if (${decisive ? isTrue : isFalse}) { r.setBoolean(${out}, ${decisive}); break ${label} }`)
      this.body.line(`if (!(${decisive ? isFalse : isTrue})) ${unknown} = true`)
    }
    emitArgument(at(args, 0))
    this.body.scope(() => {
      for (const argument of args.slice(1)) emitArgument(argument)
    })
    this.body.line(`if (${unknown}) tag[${out}] = ${TAG.NULL}; else r.setBoolean(${out}, ${!decisive}) }`)
  }

  /** The text that gives `out` the value of an alternative. */
  #copyOf(alternative: Expression, type: ScalarType, out: number): string {
    const copy = `r.copy(${out}, ${this.emit(alternative)})`
    return type === 'any' && isExactNumber(alternative.type) ? `${copy}; r.toUndeclared(${out})` : copy
  }

  #emitCase({ whens, otherwise, type }: Case, out: number): void {
    const label = this.names.newLabel()
    this.body.line(`${label}: {`)
    this.body.scope(() => {
      for (const { when, then } of whens) {
        const condition = this.emitCondition(when)
        this.body.behind(condition, () => {
          this.body.line(`${this.#copyOf(then, type, out)}; break ${label}`)
        })
      }
      this.body.line(`${this.#copyOf(otherwise, type, out)} }`)
    })
  }

  #emitCoalesce({ args, type }: Coalesce, out: number): void {
    const label = this.names.newLabel()
    this.body.line(`${label}: {`)
    this.body.scope(() => {
      for (const argument of args) {
        const register = this.emit(argument)
        this.body.line(`if (tag[${register}] !== ${TAG.NULL}) { ${this.#copyOf(argument, type, out)}; break ${label} }`)
      }
      this.body.line(`tag[${out}] = ${TAG.NULL} }`)
    })
  }

  /** NULL until the argument has a value: where it fails, the block is left. */
  #emitTry({ argument }: Try, out: number): void {
    const label = this.names.newLabel()
    this.body.line(`tag[${out}] = ${TAG.NULL}`)
    this.body.line(`${label}: {`)
    const outer = { label: this.#tryLabel, depth: this.#tryDepth }
    this.#tryLabel = label
    this.#tryDepth = this.body.notingDepth
    this.body.scope(() => this.body.line(`r.copy(${out}, ${this.emit(argument)}) }`))
    this.#tryLabel = outer.label
    this.#tryDepth = outer.depth
  }

  /** True where one is equal; else null where one comparison is null; else false. */
  #emitIn(node: In, out: number): void {
    const argument = this.emit(node.argument)
    if (node.list.every((item) => item.kind === 'literal')) return this.#emitInLiterals(node, argument, out)
    const label = this.names.newLabel()
    const unknown = `unknown${out}`
    this.body.line(`${label}: { let ${unknown} = false`)
    this.body.scope(() => {
      for (const item of node.list) {
        const equal = this.emit(toEqual(node, item))
        this.body.line(`if (tag[${equal}] === ${TAG.NULL}) ${unknown} = true`)
        this.body.line(`else if (num[${equal}] === 1) { r.setBoolean(${out}, true); break ${label} }`)
      }
      this.body.line(`if (${unknown}) tag[${out}] = ${TAG.NULL}; else r.setBoolean(${out}, false) }`)
    })
  }

  /** A loop, since a list may be long and the text of a function that the engine optimizes may not. */
  #emitInLiterals(node: In, argument: number, out: number): void {
    const entry = functionById(EQUAL)
    assert(entry !== undefined, 'the function table has equality')
    const items = node.list.map((item) => ({
      register: this.emit(item),
      evaluate: entry.specialize?.([node.argument, item]) ?? entry.evaluate,
    }))
    const find = this.names.value(findInList(items, this.names.newRegister()))
    this.body.line(`${find}(r, ${out}, ${argument})`)
    if (node.list.some((item) => entry.canFail([node.argument.type, item.type]))) this.#emitErrorCheck(out)
  }
}

function isNonNull(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.value !== null
}

function toEqual(node: In, item: Expression): Call {
  return { kind: 'call', function: EQUAL, args: [node.argument, item], type: 'boolean', position: node.position }
}

function loaderOf({ element }: Field): string {
  return element === undefined ? 'fields' : 'elements'
}
