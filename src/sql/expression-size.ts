/** Owns how large an expression is when it is written out. BETWEEN and CASE with an operand use a part twice, so nested ones grow fast. */
import { childrenOf, type Expression } from './expression.ts'

/** Nodes, shared ones counted wherever they are used. A statement of the allowed length has fewer unless it nests such forms. */
export const EXPRESSION_NODES_MAX = 50_000

/** Counts each distinct node once and remembers it. */
export class ExpressionSizes {
  readonly #sizes = new WeakMap<Expression, number>()

  sizeOf(expression: Expression): number {
    const known = this.#sizes.get(expression)
    if (known !== undefined) return known
    let size = 1
    for (const child of childrenOf(expression)) size += this.sizeOf(child)
    this.#sizes.set(expression, size)
    return size
  }
}
