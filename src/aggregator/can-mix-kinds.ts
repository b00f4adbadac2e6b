/** Owns which expressions can meet two kinds of values where one is wanted, and become NULL (Registers.kindMismatch). */
import { childrenOf, type Expression } from '../sql/expression.ts'
import { functionById } from '../sql/function-table.ts'
import { isJsonType } from '../sql/functions/json-value.ts'

/** Errs to true: then the evaluation costs a few assignments more where plans share it. */
export function canMixKinds(expression: Expression): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
    case 'case':
    case 'in':
      return true
    case 'call': {
      const form = functionById(expression.function)?.form
      const isCast = form === 'cast' || form === 'try_cast'
      if (!isCast && expression.args.some(({ type }) => isJsonType(type))) return true
      break
    }
    default:
  }
  return childrenOf(expression).some(canMixKinds)
}
