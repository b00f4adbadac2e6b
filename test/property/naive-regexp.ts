/** Owns the naive evaluator's regular expressions, by the language's own engine: for patterns that mean the same in both. */
import { strict, textOf, type NaiveFunction } from './naive-call.ts'
import type { Value } from './value.ts'

function compile(pattern: Value | undefined, flags: string): RegExp {
  return new RegExp(textOf(pattern), `gsu${flags}`)
}

function tested(flags: string, wanted: boolean): NaiveFunction {
  return strict(([text, pattern, given]) => {
    const subject = textOf(text)
    return compile(pattern, given === undefined ? flags : textOf(given)).test(subject) === wanted
  })
}

export const NAIVE_REGEXPS: Readonly<Record<string, NaiveFunction>> = {
  regexp_matching: tested('', true),
  regexp_matching_any_case: tested('i', true),
  regexp_not_matching: tested('', false),
  regexp_not_matching_any_case: tested('i', false),
  regexp_like: tested('', true),
  regexp_count: strict(([text, pattern]) => BigInt([...textOf(text).matchAll(compile(pattern, ''))].length)),
  regexp_substr: strict(([text, pattern]) => compile(pattern, '').exec(textOf(text))?.[0] ?? null),
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
