/**
 * Owns the JavaScript that evaluates expressions over registers. Equal subexpressions have one register and are evaluated
 * once a record; a part that only some records need is evaluated behind its condition. The text holds numbers and names of
 * ours alone: literals, paths and functions come in as values.
 *
 * Names in the text: elements and elementKind (of the element that is unnested), source (a group of another rollup), r, tag, num (the registers), kind (what the reader found), fields, meta, v (the values), fail.
 */
import { assert, at, unreachable } from '../core/assert.ts'
import { TAG, type Registers } from '../core/registers.ts'
import { JSON_KIND, type JsonPath } from '../core/json-field.ts'
import {
  childrenOf,
  type Call,
  type Case,
  type Coalesce,
  type Expression,
  type Field,
  type In,
  type Literal,
  type Logic,
  type Meta,
  type Try,
} from '../sql/expression.ts'
import { PLACED_ARGUMENTS, type Evaluate } from '../sql/function-entry.ts'
import { CAST_TO_NUMERIC_IDS } from '../sql/functions/cast-to-numeric.ts'
import { functionById } from '../sql/function-table.ts'
import { loadLiteral } from '../sql/literal-value.ts'
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
  readonly fields: JsonPath[] = []
  /** Of an element of the array that is unnested. */
  readonly elementFields: JsonPath[] = []
  /** What the text calls v[0], v[1], ... */
  readonly values: unknown[] = []
  registerCount = 0
  /** Whether the record's metadata are read. */
  usesMetadata = false
  readonly #failing: Failing
  readonly #literals: { readonly register: number; readonly literal: Literal }[] = []
  readonly #registers = new Map<string, number>()
  readonly #fieldIndexes = new Map<string, number>()
  /** How often a subexpression occurs: one that occurs once needs no note of having been evaluated. */
  readonly #occurrences = new Map<string, number>()
  /** Evaluated for certain where the text stands now. */
  #known = new Set<string>()
  /** Evaluated behind some condition further up; the flag of its register says whether it was. */
  readonly #maybe = new Set<string>()
  readonly #flags: string[] = []
  #lines: string[] = []
  #depth = 0
  #labels = 0
  /** The block that a failure leaves; undefined outside of every try. */
  #tryLabel: string | undefined
  /** Index of the message's beginning, for fail(). */
  #context = 0

  constructor(failing: Failing, expressions: readonly Expression[]) {
    this.#failing = failing
    for (const expression of expressions) this.#count(expression)
  }

  #count(expression: Expression): void {
    const key = expressionKey(expression)
    this.#occurrences.set(key, (this.#occurrences.get(key) ?? 0) + 1)
    for (const child of childrenOf(expression)) this.#count(child)
  }

  /** Failures of what is emitted next are told with this context. */
  setContext(context: number): void {
    this.#context = context
  }

  line(text: string): void {
    this.#lines.push(text)
  }

  /** What `body` emits is behind the condition. */
  behind(condition: string, body: () => void): void {
    this.line(`if (${condition}) {`)
    this.#scope(body)
    this.line('}')
  }

  #scope(body: () => void): void {
    const known = this.#known
    this.#known = new Set(known)
    this.#depth += 1
    body()
    this.#depth -= 1
    this.#known = known
  }

  /** All that was emitted, the declarations it needs first. */
  get text(): string {
    const flags = this.#flags.length === 0 ? '' : `let ${this.#flags.map((flag) => `${flag} = false`).join(', ')}\n`
    return flags + this.#lines.join('\n')
  }

  loadLiterals(r: Registers): void {
    for (const { register, literal } of this.#literals) loadLiteral(r, register, literal)
  }

  /** The value's name in the text. */
  value(value: unknown): string {
    this.values.push(value)
    return `v[${this.values.length - 1}]`
  }

  /** Emits the evaluation; returns the register that has the value then. It is never an ERROR. */
  emit(expression: Expression): number {
    const key = expressionKey(expression)
    const out = this.#registerOf(key, expression)
    if (expression.kind === 'literal' || this.#known.has(key)) return out
    const flag = `done${out}`
    if (this.#maybe.has(key)) {
      this.line(`if (!${flag}) {`)
      this.#scope(() => {
        this.#emitBody(expression, out)
        // only now: what has failed behind a try fails again elsewhere
        this.line(`${flag} = true`)
      })
      this.line('}')
    } else {
      this.#emitBody(expression, out)
      if (this.#depth > 0 && at([this.#occurrences.get(key) ?? 1], 0) > 1) {
        this.#maybe.add(key)
        this.#flags.push(flag)
        this.line(`${flag} = true`)
      }
    }
    this.#known.add(key)
    return out
  }

  #registerOf(key: string, expression: Expression): number {
    const known = this.#registers.get(key)
    if (known !== undefined) return known
    const register = this.#newRegister()
    this.#registers.set(key, register)
    if (expression.kind === 'literal') this.#literals.push({ register, literal: expression })
    return register
  }

  #newRegister(): number {
    return this.registerCount++
  }

  #newLabel(): string {
    return `end${this.#labels++}`
  }

  #emitBody(expression: Expression, out: number): void {
    switch (expression.kind) {
      case 'field':
        this.line(`${loaderOf(expression)}.load(${this.#fieldIndex(expression)}, ${out})`)
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
        return this.line(`source.load(r, ${expression.index}, ${out})`)
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

  /** The index of a field of the record that no expression need read. */
  indexOf(path: JsonPath): number {
    return this.#fieldIndex({ kind: 'field', path, type: 'any', position: 0 })
  }

  #fieldIndex(field: Field): number {
    const key = JSON.stringify([field.element !== undefined, field.path])
    const known = this.#fieldIndexes.get(key)
    if (known !== undefined) return known
    const fields = field.element === undefined ? this.fields : this.elementFields
    const index = fields.push(field.path) - 1
    this.#fieldIndexes.set(key, index)
    return index
  }

  #emitErrorCheck(out: number): void {
    this.line(`if (tag[${out}] === ${TAG.ERROR}) ${this.#reactionTo(out)}`)
  }

  /** Under on_error null nothing is left for a try. */
  #reactionTo(failed: number): string {
    const toNull = `tag[${failed}] = ${TAG.NULL}`
    if (this.#failing === 'note' && this.#tryLabel === undefined)
      return `{ source.note(r.ref[${failed}], ${this.#context}); ${toNull} }`
    if (this.#failing !== 'fail') return toNull
    return this.#tryLabel === undefined ? `return fail(${failed}, ${this.#context})` : `break ${this.#tryLabel}`
  }

  #emitMeta(meta: Meta, out: number): void {
    this.usesMetadata = true
    const header = this.value(new TextEncoder().encode(meta.header ?? ''))
    this.line(`meta.load(${JSON.stringify(meta.name)}, ${header}, r, ${out})`)
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
    if (isVariadic) slots.push(this.value(registers))
    const text =
      call.function === CAST_TO_TIME && call.args[0]?.kind === 'field'
        ? `${this.value(new RecentMinutes(evaluate))}.read(r, ${out}, ${slots[0]})`
        : `${this.value(evaluate)}(r, ${out}, ${slots.join(', ')})`
    const nullable = call.args.flatMap((argument, index) => (isNonNull(argument) ? [] : [at(registers, index)]))
    if (entry.strict && nullable.length > 0) {
      this.line(`if (${nullable.map((register) => `tag[${register}] === ${TAG.NULL}`).join(' || ')})`)
      this.line(`tag[${out}] = ${TAG.NULL}; else ${text}`)
    } else this.line(text)
    if (entry.canFail(call.args.map(({ type }) => type))) this.#emitErrorCheck(out)
  }

  /** A field with all its digits: its own register, since other uses read the double. */
  #emitExact(field: Field): number {
    const out = this.#newRegister()
    this.line(`${loaderOf(field)}.loadExact(${this.#fieldIndex(field)}, ${out})`)
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
      const kind = `${expression.element === undefined ? 'kind' : 'elementKind'}[${this.#fieldIndex(expression)}]`
      this.behind(`${kind} > ${JSON_KIND.TRUE}`, () => {
        this.line(`if (tag[${this.emit(expression)}] !== ${TAG.NULL}) r.kindMismatch = true`)
      })
      return { isTrue: `${kind} === ${JSON_KIND.TRUE}`, isFalse: `${kind} === ${JSON_KIND.FALSE}` }
    }
    const register = this.emit(expression)
    const isBoolean = `tag[${register}] === ${TAG.BOOLEAN}`
    if (expression.type !== 'boolean') this.line(`if (tag[${register}] > ${TAG.BOOLEAN}) r.kindMismatch = true`)
    return { isTrue: `(${isBoolean} && num[${register}] === 1)`, isFalse: `(${isBoolean} && num[${register}] === 0)` }
  }

  /** The value that decides ends the evaluation; else null if one side was null. */
  #emitLogic({ kind, args }: Logic, out: number): void {
    const label = this.#newLabel()
    const unknown = `unknown${out}`
    const decisive = kind === 'or'
    this.line(`${label}: { let ${unknown} = false`)
    // The first argument is always evaluated, the others are behind it.
    const emitArgument = (argument: Expression): void => {
      const { isTrue, isFalse } = this.#emitTruth(argument)
      this.line(`if (${decisive ? isTrue : isFalse}) { r.setBoolean(${out}, ${decisive}); break ${label} }`)
      this.line(`if (!(${decisive ? isFalse : isTrue})) ${unknown} = true`)
    }
    emitArgument(at(args, 0))
    this.#scope(() => {
      for (const argument of args.slice(1)) emitArgument(argument)
    })
    this.line(`if (${unknown}) tag[${out}] = ${TAG.NULL}; else r.setBoolean(${out}, ${!decisive}) }`)
  }

  #emitCase({ whens, otherwise }: Case, out: number): void {
    const label = this.#newLabel()
    this.line(`${label}: {`)
    this.#scope(() => {
      for (const { when, then } of whens) {
        const condition = this.emitCondition(when)
        this.behind(condition, () => {
          this.line(`r.copy(${out}, ${this.emit(then)}); break ${label}`)
        })
      }
      this.line(`r.copy(${out}, ${this.emit(otherwise)}) }`)
    })
  }

  #emitCoalesce({ args }: Coalesce, out: number): void {
    const label = this.#newLabel()
    this.line(`${label}: {`)
    this.#scope(() => {
      for (const argument of args) {
        const register = this.emit(argument)
        this.line(`if (tag[${register}] !== ${TAG.NULL}) { r.copy(${out}, ${register}); break ${label} }`)
      }
      this.line(`tag[${out}] = ${TAG.NULL} }`)
    })
  }

  /** NULL until the argument has a value: where it fails, the block is left. */
  #emitTry({ argument }: Try, out: number): void {
    const label = this.#newLabel()
    this.line(`tag[${out}] = ${TAG.NULL}`)
    this.line(`${label}: {`)
    const outer = this.#tryLabel
    this.#tryLabel = label
    this.#scope(() => this.line(`r.copy(${out}, ${this.emit(argument)}) }`))
    this.#tryLabel = outer
  }

  /** True where one is equal; else null where one comparison is null; else false. */
  #emitIn(node: In, out: number): void {
    const argument = this.emit(node.argument)
    if (node.list.every((item) => item.kind === 'literal')) return this.#emitInLiterals(node, argument, out)
    const label = this.#newLabel()
    const unknown = `unknown${out}`
    this.line(`${label}: { let ${unknown} = false`)
    this.#scope(() => {
      for (const item of node.list) {
        const equal = this.emit(toEqual(node, item))
        this.line(`if (tag[${equal}] === ${TAG.NULL}) ${unknown} = true`)
        this.line(`else if (num[${equal}] === 1) { r.setBoolean(${out}, true); break ${label} }`)
      }
      this.line(`if (${unknown}) tag[${out}] = ${TAG.NULL}; else r.setBoolean(${out}, false) }`)
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
    const find = this.value(findInList(items, this.#newRegister()))
    this.line(`${find}(r, ${out}, ${argument})`)
    if (node.list.some((item) => entry.canFail([node.argument.type, item.type]))) this.#emitErrorCheck(out)
  }
}

function isNonNull(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.value !== null
}

function toEqual(node: In, item: Expression): Call {
  return { kind: 'call', function: EQUAL, args: [node.argument, item], type: 'boolean', position: node.position }
}

function findInList(
  items: readonly { readonly register: number; readonly evaluate: Evaluate }[],
  scratch: number,
): (r: Registers, out: number, argument: number) => void {
  return (r, out, argument) => {
    let unknown = r.tag[argument] === TAG.NULL
    for (let index = 0; index < items.length && r.tag[argument] !== TAG.NULL; index++) {
      const { register, evaluate } = items[index]!
      if (r.tag[register] === TAG.NULL) {
        unknown = true
        continue
      }
      evaluate(r, scratch, argument, register, 0, 0)
      const tag = r.tag[scratch]
      if (tag === TAG.ERROR) return r.copy(out, scratch)
      if (tag === TAG.NULL) unknown = true
      else if (r.num[scratch] === 1) return r.setBoolean(out, true)
    }
    if (unknown) r.setNull(out)
    else r.setBoolean(out, false)
  }
}

function loaderOf({ element }: Field): string {
  return element === undefined ? 'fields' : 'elements'
}
