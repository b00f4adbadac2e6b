/** Owns what the functions of text share: which types and kinds they take, characters in UTF-8, whole numbers, the longest text. */
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { failsBeyond, isOneOf, isText, wrongKind } from './argument.ts'
import { nextCharacter } from './like-pattern.ts'

/** A text beyond so many bytes is refused where a function would make it: a record's value isn't longer either. */
export const TEXT_BYTES_MAX = 16 * 1024 * 1024

export const isTextType = (type: ScalarType | undefined): boolean => isOneOf(type, 'text', 'any')
export const isWholeType = (type: ScalarType | undefined): boolean => isOneOf(type, 'bigint', 'any', 'number')

/** For `resolve`: so many texts. */
export function resolveTexts(counts: readonly number[], type: ScalarType): FunctionEntry['resolve'] {
  return (args) => (counts.includes(args.length) && args.every(isTextType) ? type : undefined)
}

/** A function of one text that gives a text. */
export function textEntry(name: string, evaluate: Evaluate, doc: FunctionEntry['doc']): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([1], 'text'),
    signature: `${name}(text)`,
    strict: true,
    canFail: failsBeyond('text'),
    evaluate,
    doc,
  }
}

/** Writes an error and gives false where a register isn't text; -1 is an argument that wasn't given. */
export function areTexts(r: Registers, out: number, name: string, a: number, b = -1, c = -1): boolean {
  const wrong = !isText(r, a) ? a : b >= 0 && !isText(r, b) ? b : c >= 0 && !isText(r, c) ? c : -1
  if (wrong >= 0) wrongKind(r, out, name, wrong)
  return wrong < 0
}

/** A whole number argument; NaN, with the error written, where it is none. Numbers beyond the safe range are far beyond any text. */
export function wholeNumber(r: Registers, out: number, name: string, index: number): number {
  const tag = r.tag[index]
  if (tag === TAG.INTEGER || (tag === TAG.DOUBLE && Number.isInteger(r.num[index]))) return r.num[index] as number
  if (tag === TAG.BIG_INTEGER) return Number(r.ref[index])
  if (tag === TAG.DOUBLE || tag === TAG.NUMERIC) r.setError(out, 'invalid_argument', `${name} takes whole numbers only`)
  else wrongKind(r, out, name, index)
  return NaN
}

/** Where the character after so many others begins, or the end. */
export function skipCharacters(bytes: Uint8Array, start: number, end: number, count: number): number {
  let at = start
  for (let left = count; left > 0 && at < end; left--) at = nextCharacter(bytes, at)
  return at
}

/** Where the last character before `end` begins. */
export function previousCharacter(bytes: Uint8Array, end: number): number {
  let at = end - 1
  // continuation bytes are 10xxxxxx
  while (((bytes[at] as number) & 0xc0) === 0x80) at--
  return at
}

/** How many characters [start, end) has. */
export function countCharacters(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  // continuation bytes are 10xxxxxx
  for (let index = start; index < end; index++) if (((bytes[index] as number) & 0xc0) !== 0x80) count++
  return count
}

/** Where the bytes of one register's text stand in another's, from `from` on; -1: nowhere. UTF-8 needs no look at characters. */
export function findText(r: Registers, text: number, wanted: number, from: number): number {
  const bytes = r.ref[text] as Uint8Array
  const pattern = r.ref[wanted] as Uint8Array
  const begin = r.num[wanted] as number
  const size = (r.end[wanted] as number) - begin
  const last = (r.end[text] as number) - size
  for (let at = from; at <= last; at++) {
    let same = 0
    while (same < size && bytes[at + same] === pattern[begin + same]) same++
    if (same === size) return at
  }
  return -1
}

export function tooLong(r: Registers, out: number): void {
  r.setError(out, 'invalid_argument', `the text would be longer than ${TEXT_BYTES_MAX} bytes`)
}
