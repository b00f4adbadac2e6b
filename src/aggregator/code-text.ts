/**
 * Owns the lines of a fold's text, and what is done already where the text stands: each expression is evaluated once a record, for all plans
 * of the text, one that only some records need behind its condition.
 *
 * A plan counts a mismatch of kinds (registers.ts) that any of its expressions meets, so one that it takes from another plan brings along
 * whether its evaluation met one: m5 beside done5.
 */
import { childrenOf, type Expression } from '../sql/expression.ts'
import { expressionKey } from '../sql/expression-key.ts'

export class CodeText {
  /** How often a subexpression occurs: one that occurs once needs no note of having been evaluated. */
  readonly #occurrences = new Map<string, number>()
  /** Evaluated for certain where the text stands now. */
  #known = new Set<string>()
  /** Evaluated behind some condition further up; the flag of its register says whether it was. */
  readonly #maybe = new Set<string>()
  readonly #declarations = new Set<string>()
  readonly #lines: string[] = []
  /** Which noting of mismatches is open where the text stands: that of an evaluation inside another's. */
  readonly #noting: number[] = []
  readonly #isOfSeveralPlans: boolean
  #depth = 0

  constructor(isOfSeveralPlans: boolean) {
    this.#isOfSeveralPlans = isOfSeveralPlans
  }

  /** Of each expression that will be emitted, before the first one is. */
  expect(expression: Expression): void {
    this.expectKey(expressionKey(expression))
    for (const child of childrenOf(expression)) this.expect(child)
  }

  /** Of what else once() will be asked for. */
  expectKey(key: string): void {
    this.#occurrences.set(key, (this.#occurrences.get(key) ?? 0) + 1)
  }

  /** Stands before all lines. */
  declare(text: string): void {
    this.#declarations.add(text)
  }

  line(text: string): void {
    this.#lines.push(text)
  }

  /** What `body` emits is behind the condition. */
  behind(condition: string, body: () => void): void {
    this.line(`if (${condition}) {`)
    this.scope(body)
    this.line('}')
  }

  /** What `body` emits may be left out by a record. */
  scope(body: () => void): void {
    const known = this.#known
    this.#known = new Set(known)
    this.#depth += 1
    body()
    this.#depth -= 1
    this.#known = known
  }

  /**
   * Emits `body`, which does what the key names, where it isn't done yet. `name` is one for each key: a part of the names of its
   * flags. `notes`: the register of an evaluation that can meet a mismatch of kinds.
   */
  once(key: string, name: string | number, body: () => void, notes?: number): void {
    if (this.#known.has(key)) return
    const flag = `done${name}`
    const noting = this.#isOfSeveralPlans && this.#isShared(key) ? notes : undefined
    if (this.#maybe.has(key)) {
      this.line(`if (!${flag}) {`)
      this.scope(() => {
        this.#note(noting, body)
        // only now: what has failed behind a try, or in another plan, fails again elsewhere
        this.line(`${flag} = true`)
      })
      this.line(noting === undefined ? '}' : `} else if (m${noting}) r.kindMismatch = true`)
    } else if (this.#depth > 0 && this.#isShared(key)) {
      this.#note(noting, body)
      this.#maybe.add(key)
      this.declare(`let ${flag} = false`)
      if (noting !== undefined) this.declare(`let m${noting} = false`)
      this.line(`${flag} = true`)
    } else body()
    this.#known.add(key)
  }

  #isShared(key: string): boolean {
    return (this.#occurrences.get(key) ?? 1) > 1
  }

  /** Emits the evaluation, and whether it met a mismatch, apart from what was met before it. */
  #note(register: number | undefined, body: () => void): void {
    if (register === undefined) return body()
    this.line(`const b${register} = r.kindMismatch; r.kindMismatch = false`)
    this.#noting.push(register)
    body()
    this.#noting.pop()
    this.line(`m${register} = r.kindMismatch; if (b${register}) r.kindMismatch = true`)
  }

  /** How many evaluations are being noted. */
  get notingDepth(): number {
    return this.#noting.length
  }

  /** What must stand before a jump out of the evaluations that are noted since `depth`: what was met before them counts still. */
  leaveNoting(depth: number): string {
    const before = this.#noting.slice(depth).map((register) => `b${register}`)
    return before.length === 0 ? '' : `if (${before.join(' || ')}) r.kindMismatch = true; `
  }

  /** All that was emitted, the declarations it needs first. */
  get text(): string {
    return [...this.#declarations, ...this.#lines].join('\n')
  }
}
