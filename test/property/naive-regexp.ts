/** Owns the naive evaluator's regular expressions, by the language's own engine: for patterns that mean the same in both. */
import { strict, textOf, type NaiveFunction } from './naive-call.ts'
import { Json, type Value } from './value.ts'

function compile(pattern: Value | undefined, flags: string): RegExp {
  return new RegExp(textOf(pattern), `gsu${flags}`)
}

function tested(flags: string, wanted: boolean): NaiveFunction {
  return strict(([text, pattern, given]) => {
    const subject = textOf(text)
    return compile(pattern, given === undefined ? flags : textOf(given)).test(subject) === wanted
  })
}

/** An empty match counts only inside the text, and not directly behind another. */
function partsOf(subject: string, pattern: RegExp): { text: string }[] {
  const parts: { text: string }[] = []
  let from = 0
  let behind = 0
  for (const match of subject.matchAll(pattern)) {
    const end = match.index + match[0].length
    if (match.index < subject.length && end > behind) {
      parts.push({ text: subject.slice(from, match.index) })
      from = end
    }
    behind = end
  }
  return [...parts, { text: subject.slice(from) }]
}

export const NAIVE_REGEXPS: Readonly<Record<string, NaiveFunction>> = {
  regexp_matching: tested('', true),
  regexp_matching_any_case: tested('i', true),
  regexp_not_matching: tested('', false),
  regexp_not_matching_any_case: tested('i', false),
  regexp_like: tested('', true),
  regexp_count: strict(([text, pattern]) => BigInt([...textOf(text).matchAll(compile(pattern, ''))].length)),
  regexp_substr: strict(([text, pattern]) => compile(pattern, '').exec(textOf(text))?.[0] ?? null),
  regexp_match: strict(([text, pattern, flags]) => {
    const match = compile(pattern, flags === undefined ? '' : textOf(flags)).exec(textOf(text))
    if (match === null) return null
    const groups = match.length > 1 ? match.slice(1) : [match[0]]
    return new Json({ elements: groups.map((group) => (group === undefined ? null : { text: group })) })
  }),
  regexp_split_to_array: strict(([text, pattern, flags]) => {
    const subject = textOf(text)
    return new Json({ elements: partsOf(subject, compile(pattern, flags === undefined ? '' : textOf(flags))) })
  }),
  regexp_replace: strict(([text, pattern, replacement]) => {
    const [subject, by] = [textOf(text), textOf(replacement)]
    const match = compile(pattern, '').exec(subject)
    if (match === null) return subject
    const pieces = by.split(/(\\[1-9&\\])/).map((piece, index) => {
      if (index % 2 === 0) return piece
      return piece === '\\\\' ? '\\' : (match[piece === '\\&' ? 0 : Number(piece.slice(1))] ?? '')
    })
    return subject.slice(0, match.index) + pieces.join('') + subject.slice(match.index + match[0].length)
  }),
}
