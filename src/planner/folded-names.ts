/** Owns the warning about fields whose letters the grammar has folded: `userId` without quotes reads the field `userid`. */
import type { Expression } from '../sql/expression.ts'
import { childrenOf } from '../sql/expression.ts'

const WRITTEN_PATH = /^[\p{L}_][\p{L}\p{N}_$]*(?:\.[\p{L}_][\p{L}\p{N}_$]*)*/u

/** One warning for each such spelling. */
export function foldedNameWarnings(sql: string, expressions: readonly Expression[]): string[] {
  const characters = Array.from(sql)
  const warnings = new Set<string>()
  const visit = (expression: Expression): void => {
    if (expression.kind === 'field' && expression.position > 0) {
      const written = WRITTEN_PATH.exec(characters.slice(expression.position - 1).join(''))?.[0] ?? ''
      if (written !== written.toLowerCase()) {
        const quoted = written.split('.').map((part) => (part === part.toLowerCase() ? part : `"${part}"`))
        warnings.add(
          `${written} without quotes reads the field ${written.toLowerCase()}; for letters as written: ${quoted.join('.')}`,
        )
      }
    }
    childrenOf(expression).forEach(visit)
  }
  expressions.forEach(visit)
  return [...warnings]
}
