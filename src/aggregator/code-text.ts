/**
 * Owns the lines of a fold's text, and which expressions are evaluated where the text stands: each once a record, one that only some records
 * need behind its condition.
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
  readonly #flags: string[] = []
  readonly #lines: string[] = []
  #depth = 0

  /** Of all expressions that will be emitted. */
  constructor(expressions: readonly Expression[]) {
    for (const expression of expressions) this.#count(expression)
  }

  #count(expression: Expression): void {
    const key = expressionKey(expression)
    this.#occurrences.set(key, (this.#occurrences.get(key) ?? 0) + 1)
    for (const child of childrenOf(expression)) this.#count(child)
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

  /** Emits `body`, which evaluates the expression of that key into register `out`, where it isn't evaluated yet. */
  once(key: string, out: number, body: () => void): void {
    if (this.#known.has(key)) return
    const flag = `done${out}`
    if (this.#maybe.has(key)) {
      this.line(`if (!${flag}) {`)
      this.scope(() => {
        body()
        // only now: what has failed behind a try fails again elsewhere
        this.line(`${flag} = true`)
      })
      this.line('}')
    } else {
      body()
      if (this.#depth > 0 && (this.#occurrences.get(key) ?? 1) > 1) {
        this.#maybe.add(key)
        this.#flags.push(flag)
        this.line(`${flag} = true`)
      }
    }
    this.#known.add(key)
  }

  /** All that was emitted, the declarations it needs first. */
  get text(): string {
    const flags = this.#flags.length === 0 ? '' : `let ${this.#flags.map((flag) => `${flag} = false`).join(', ')}\n`
    return flags + this.#lines.join('\n')
  }
}
