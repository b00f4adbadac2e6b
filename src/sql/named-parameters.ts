/** Owns `:name`, which the grammar doesn't know: it becomes `$n`, found over the scanner's tokens so that texts, comments and casts stay. */
import type { Replacement } from './statement-text.ts'
import type { Token } from './token.ts'

export interface NamedParameters {
  /** names[n - 1] is the name of $n. */
  readonly names: readonly string[]
  readonly replacements: readonly Replacement[]
}

/**
 * A colon directly before an identifier, outside brackets (there it is a slice) and not after a value. The same name is the same
 * number; names keep their case.
 */
export function findNamedParameters(tokens: readonly Token[]): NamedParameters {
  const names: string[] = []
  const replacements: Replacement[] = []
  let bracketDepth = 0
  for (const [index, token] of tokens.entries()) {
    if (token.text === '[') bracketDepth += 1
    if (token.text === ']') bracketDepth -= 1
    const name = tokens[index + 1]
    if (token.text !== ':' || bracketDepth > 0 || name === undefined) continue
    if (name.start !== token.end || !isPlainName(name) || isValueEnd(tokens[index - 1])) continue
    if (!names.includes(name.text)) names.push(name.text)
    replacements.push({ start: token.start, end: name.end, text: `$${names.indexOf(name.text) + 1}` })
  }
  return { names, replacements }
}

function isPlainName(token: Token): boolean {
  return (token.kind === 'identifier' && !token.text.startsWith('"')) || token.kind === 'keyword'
}

function isValueEnd(token: Token | undefined): boolean {
  if (token === undefined) return false
  return token.kind === 'identifier' || token.kind === 'literal' || token.text === ')' || token.text === ']'
}
