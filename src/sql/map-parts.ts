/** Owns the copy of an expression with other parts (childrenOf) in the places of its own. */
import type { Expression } from './expression.ts'

/** What has no parts, and an aggregate call, is given back as it is. */
export function mapParts(expression: Expression, part: (child: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return { ...expression, args: expression.args.map(part) }
    case 'case':
      return {
        ...expression,
        // oxlint-disable-next-line unicorn/no-thenable -- a branch of CASE, never awaited
        whens: expression.whens.map(({ when, then }) => ({ when: part(when), then: part(then) })),
        otherwise: part(expression.otherwise),
      }
    case 'try':
      return { ...expression, argument: part(expression.argument) }
    case 'in':
      return { ...expression, argument: part(expression.argument), list: expression.list.map(part) }
    default:
      return expression
  }
}
