/** Owns the hint of a syntax error: above all for fields that have the name of a reserved word. */
import type { Token } from './token.ts'

/** Reserved words that stand where a clause begins or goes on, so that a syntax error next to them says nothing of a field. */
const CLAUSE_WORDS: ReadonlySet<string> = new Set(
  `select from where having and or not as case when then else in is distinct null true false like ilike cast on join with
  union all any some`.split(/\s+/),
)
/** Reserved words that begin a clause of two words. */
const HALF_CLAUSES: Readonly<Record<string, string>> = { group: 'GROUP BY', order: 'ORDER BY' }

/** The hint for a syntax error at a byte of the parsed text; undefined where there is nothing better to say. */
export function syntaxHint(tokens: readonly Token[], byte: number): string | undefined {
  const index = tokens.findIndex((token) => token.end > byte)
  const found = index < 0 ? undefined : tokens[index]
  const before = index < 0 ? tokens.at(-1) : tokens[index - 1]
  // The word that breaks the grammar is the one at the error, or the one before it that the grammar took for something else.
  const word = [found, before].find((token) => token !== undefined && mayBeField(token))
  if (word !== undefined) return reservedWordHint(word.text)
  if (found?.text === ':') return 'A parameter is a colon directly before its name, as in :country.'
  if (found?.text === ';') return 'Send one SELECT statement.'
  return undefined
}

function mayBeField(token: Token): boolean {
  return token.kind === 'keyword' && token.reserved && !CLAUSE_WORDS.has(token.text.toLowerCase())
}

/** What to write where a field has the name of a reserved word. */
export function reservedWordHint(word: string): string {
  const name = word.toLowerCase()
  const clause = HALF_CLAUSES[name]
  const otherwise = clause === undefined ? '' : ` Otherwise write ${clause}.`
  return `"${name}" is a reserved word. If it is a field, write "${name}" in double quotes or _input.${name}.${otherwise}`
}
