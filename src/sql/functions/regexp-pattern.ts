/**
 * Owns regular expressions: compiling a pattern for the linear-time engine, what it can't have, and the text of a replacement. Matches are
 * leftmost and longest as PostgreSQL's, unless the pattern holds a lazy quantifier: then the first way that matches counts.
 */
import { RE2JS } from 're2js'

/** A pattern that isn't written out is compiled once for so many different ones; then all are forgotten. */
const PATTERNS_MAX = 64
const LAZY = /[*+?}]\?/
const LOOKAROUND = /\(\?<?[=!]/
const BACKREFERENCE = /\\[1-9]/
const WORD_END = /\\[mM]/

export interface RegexpPattern {
  readonly search: RE2JS
  /** Every match is replaced. */
  readonly global: boolean
}

/** What is wrong with a pattern or its flags. */
export interface RegexpProblem {
  readonly problem: string
  readonly hint: string | undefined
}

/** `flags`: i (either case), c (this case), g (all matches, of regexp_replace). */
export function compileRegexp(pattern: string, flags: string): RegexpPattern | RegexpProblem {
  const unknown = /[^icg]/.exec(flags)?.[0]
  if (unknown !== undefined) return { problem: `unknown flag "${unknown}"`, hint: 'The flags are i, c and g.' }
  // the last of i and c counts
  const folds = flags.lastIndexOf('i') > flags.lastIndexOf('c')
  const options = RE2JS.DOTALL | (folds ? RE2JS.CASE_INSENSITIVE : 0) | (LAZY.test(pattern) ? 0 : RE2JS.LONGEST_MATCH)
  const translated = translate(pattern)
  if (typeof translated !== 'string') return translated
  try {
    return { search: RE2JS.compile(translated, options), global: flags.includes('g') }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { problem: message.replace(/^error parsing regexp: /, '').replaceAll('\n', ' '), hint: hintFor(pattern) }
  }
}

/** PostgreSQL's escapes that the engine knows by another name; undefined: by the same. */
const ESCAPES: Readonly<Record<string, string>> = { y: '\\b', Y: '\\B', Z: '\\z', B: '\\\\' }

/**
 * The pattern in the engine's words. `\b` is a backspace in PostgreSQL and a border in most other dialects: outside of brackets it is
 * refused, since whoever writes it means the border.
 */
function translate(pattern: string): string | RegexpProblem {
  let text = ''
  let inBrackets = false
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string
    if (character !== '\\') {
      // a bracket that opens inside is a class's name or itself
      if (character === '[') inBrackets = true
      else if (character === ']') inBrackets = false
      text += character
      continue
    }
    const escaped = pattern[++at] ?? ''
    if (escaped === 'b' && !inBrackets) {
      return {
        problem: '\\b is a backspace in PostgreSQL',
        hint: 'Write \\y for the border of a word, \\x08 for a backspace.',
      }
    }
    const known = inBrackets ? (escaped === 'b' ? '\\x08' : undefined) : ESCAPES[escaped]
    text += known ?? `\\${escaped}`
  }
  return text
}

function hintFor(pattern: string): string | undefined {
  if (LOOKAROUND.test(pattern)) return 'Lookahead and lookbehind are not supported: matching takes linear time.'
  if (BACKREFERENCE.test(pattern)) return 'Back references are not supported: matching takes linear time.'
  return WORD_END.test(pattern) ? 'Write \\y for the border of a word.' : undefined
}

/** Patterns that records bring, compiled once each. */
export class RegexpCache {
  readonly #patterns = new Map<string, RegexpPattern | RegexpProblem>()

  compile(pattern: string, flags: string): RegexpPattern | RegexpProblem {
    const key = `${flags}/${pattern}`
    const known = this.#patterns.get(key)
    if (known !== undefined) return known
    if (this.#patterns.size >= PATTERNS_MAX) this.#patterns.clear()
    const compiled = compileRegexp(pattern, flags)
    this.#patterns.set(key, compiled)
    return compiled
  }
}

/** \1 to \9 are groups, \& is the match, \\ a backslash; any other backslash is itself. */
export function expandReplacement(replacement: string, groups: readonly (string | undefined)[]): string {
  if (!replacement.includes('\\')) return replacement
  return replacement.replace(/\\([1-9&\\])/g, (_, name: string) =>
    name === '\\' ? '\\' : (groups[name === '&' ? 0 : Number(name)] ?? ''),
  )
}
