/** Owns the warning about names where texts were meant: `status = "paid"` compares two fields, and is true of no record. */
import type { Expression } from '../sql/expression.ts'
import { childrenOf } from '../sql/expression.ts'
import { quoteText } from '../sql/identifier.ts'

const QUOTED_NAME = /^"((?:[^"]|"")*)"/
const COMPARISONS = new Set(['equal', 'not_equal', 'less', 'less_or_equal', 'greater', 'greater_or_equal'])
const PATTERNS = new Set(['like', 'not_like', 'ilike', 'not_ilike'])

/** One warning for each name in double quotes that something else than such a name is compared with. */
export function quotedNameWarnings(sql: string, expressions: readonly Expression[]): string[] {
  const characters = Array.from(sql)
  const warnings = new Set<string>()
  const quotedName = (expression: Expression): string | undefined => {
    if (expression.kind !== 'field' || expression.path.length !== 1 || expression.position === 0) return undefined
    return QUOTED_NAME.exec(characters.slice(expression.position - 1).join(''))?.[1]
  }
  const visit = (expression: Expression): void => {
    const [left, ...right] = comparedBy(expression)
    if (left !== undefined && quotedName(left) === undefined) {
      for (const name of right.map(quotedName)) {
        if (name === undefined) continue
        const text = name.replaceAll('""', '"')
        warnings.add(`"${name}" in double quotes is a field; as a text it is ${quoteText(text)}`)
      }
    }
    childrenOf(expression).forEach(visit)
  }
  expressions.forEach(visit)
  return [...warnings]
}

function comparedBy(expression: Expression): readonly Expression[] {
  if (expression.kind === 'in') return childrenOf(expression)
  if (expression.kind !== 'call') return []
  return COMPARISONS.has(expression.function) || PATTERNS.has(expression.function) ? expression.args : []
}
