/** Owns structural equality of expressions: the same meaning wherever it stands in the statement. */
import type { Expression } from './expression.ts'

/** A text that two expressions share exactly when they differ in positions at most. */
export function expressionKey(expression: Expression): string {
  return JSON.stringify(expression, (key: string, value: unknown) => (key === 'position' ? undefined : value))
}
