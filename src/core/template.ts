/**
 * Owns what the templates of times and of numbers share: patterns, found from left to right, and between them single characters, some of them
 * in double quotes, where a backslash takes the next one as it is. Source: PostgreSQL's page on data type formatting functions.
 */

/** A template is one text in a statement, and may come with a record. */
export const TEMPLATE_LENGTH_MAX = 1_000

/** One piece of a template: a pattern, or a character. */
export type TemplatePart<P> =
  | { readonly pattern: P; readonly prefix: string; readonly suffix: string; readonly character: undefined }
  | { readonly pattern: undefined; readonly character: string; readonly isQuoted: boolean }

export interface TemplateGrammar<P> {
  /** Those that begin alike stand in the order in which they are tried: the longest first. */
  readonly patterns: readonly (readonly [name: string, pattern: P])[]
  /** What may stand before a pattern, or behind it; sticky. A prefix before no pattern is left out. */
  readonly prefix?: RegExp
  readonly suffix?: RegExp
}

/** A grammar's patterns in the order in which they are tried. */
export function longestFirst<P>(patterns: readonly (readonly [string, P])[]): readonly (readonly [string, P])[] {
  return patterns.toSorted(([a], [b]) => b.length - a.length)
}

export function parseTemplate<P>(text: string, { patterns, prefix, suffix }: TemplateGrammar<P>): TemplatePart<P>[] {
  const parts: TemplatePart<P>[] = []
  let at = 0
  while (at < text.length) {
    const before = matchAt(prefix, text, at)
    at += before.length
    const found = patterns.find(([name]) => text.startsWith(name, at))
    if (found !== undefined) {
      at += found[0].length
      const behind = matchAt(suffix, text, at)
      at += behind.length
      parts.push({ pattern: found[1], prefix: before, suffix: behind, character: undefined })
    } else if (text[at] === '"') at = readQuoted(text, at + 1, parts)
    else if (at < text.length) {
      // outside of quotes a backslash is one, but for a quote behind it
      if (text.startsWith('\\"', at)) at++
      at = readCharacter(text, at, parts, false)
    }
  }
  return parts
}

function matchAt(expression: RegExp | undefined, text: string, at: number): string {
  if (expression === undefined) return ''
  expression.lastIndex = at
  return expression.exec(text)?.[0] ?? ''
}

function readQuoted<P>(text: string, from: number, parts: TemplatePart<P>[]): number {
  let at = from
  while (at < text.length) {
    if (text[at] === '"') return at + 1
    if (text[at] === '\\' && at + 1 < text.length) at++
    at = readCharacter(text, at, parts, true)
  }
  return at
}

function readCharacter<P>(text: string, at: number, parts: TemplatePart<P>[], isQuoted: boolean): number {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  parts.push({ pattern: undefined, character, isQuoted })
  return at + character.length
}

/** The ending of an ordinal number, by its last digits. */
export function ordinalEnding(number: string, inCapitals: boolean): string {
  const isTeen = number.at(-2) === '1'
  const ending = isTeen ? 'th' : ({ '1': 'st', '2': 'nd', '3': 'rd' }[number.at(-1) ?? ''] ?? 'th')
  return inCapitals ? ending.toUpperCase() : ending
}
