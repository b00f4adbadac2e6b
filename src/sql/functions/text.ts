/** Owns functions of text: case, substrings, length, trimming and replacing. Positions count characters (code points). */
import { copyBytes } from '../../core/copy-bytes.ts'
import type { Registers } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { failsBeyond, setString, textOf } from './argument.ts'
import { nextCharacter } from './like-pattern.ts'
import {
  areTexts,
  countCharacters,
  isTextType,
  isWholeType,
  previousCharacter,
  resolveTexts,
  skipCharacters,
  TEXT_BYTES_MAX,
  textEntry,
  tooLong,
  wholeNumber,
} from './text-argument.ts'

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if ((bytes[index] as number) >= 0x80) return false
  return true
}

function caseEntry(
  name: 'lower' | 'upper',
  first: number,
  shift: number,
  convert: (text: string) => string,
): FunctionEntry {
  const evaluate: Evaluate = (r, out, a) => {
    if (!areTexts(r, out, name, a)) return
    const bytes = r.ref[a] as Uint8Array
    const start = r.num[a] as number
    const end = r.end[a] as number
    if (!isAscii(bytes, start, end)) {
      setString(r, out, convert(textOf(r, a)))
      return
    }
    let index = start
    while (index < end && !isCased(bytes[index] as number, first)) index++
    if (index === end) {
      r.copy(out, a)
      return
    }
    const converted = copyBytes(bytes, start, end)
    for (index -= start; index < converted.length; index++) {
      if (isCased(converted[index] as number, first)) converted[index] = (converted[index] as number) + shift
    }
    r.setText(out, converted, 0, converted.length)
  }
  return textEntry(name, evaluate, {
    summary: `The text in ${name} case, by Unicode's full mappings.`,
    example: `${name}(country)`,
  })
}

/** Whether an ASCII byte is one of the 26 letters from `first`. */
function isCased(byte: number, first: number): boolean {
  return byte >= first && byte < first + 26
}

const length: Evaluate = (r, out, a) => {
  if (!areTexts(r, out, 'length', a)) return
  r.setInteger(out, countCharacters(r.ref[a] as Uint8Array, r.num[a] as number, r.end[a] as number))
}

/** PostgreSQL's: characters from..from+count-1, of which those before the first are counted but not there. */
const substring: Evaluate = (r, out, a, b, c) => {
  if (!areTexts(r, out, 'substring', a)) return
  const from = wholeNumber(r, out, 'substring', b)
  if (Number.isNaN(from)) return
  const count = c < 0 ? Infinity : wholeNumber(r, out, 'substring', c)
  if (Number.isNaN(count)) return
  if (count < 0) {
    r.setError(out, 'invalid_argument', 'substring: the length is negative')
    return
  }
  const bytes = r.ref[a] as Uint8Array
  const end = r.end[a] as number
  const start = skipCharacters(bytes, r.num[a] as number, end, from - 1)
  const left = from + count - Math.max(from, 1)
  r.setText(out, bytes, start, left <= 0 ? start : skipCharacters(bytes, start, end, left))
}

const SPACE = Uint8Array.of(0x20)

function trim(r: Registers, out: number, name: string, a: number, b: number, head: boolean, tail: boolean): void {
  if (!areTexts(r, out, name, a, b)) return
  const bytes = r.ref[a] as Uint8Array
  const set = b < 0 ? SPACE : r.bytesOf(b)
  const end = r.end[a] as number
  const start = head ? trimmedStart(bytes, r.num[a] as number, end, set) : (r.num[a] as number)
  r.setText(out, bytes, start, tail ? trimmedEnd(bytes, start, end, set) : end)
}

function trimmedStart(bytes: Uint8Array, start: number, end: number, set: Uint8Array): number {
  let at = start
  while (at < end) {
    const next = nextCharacter(bytes, at)
    if (!holdsCharacter(set, bytes, at, next)) break
    at = next
  }
  return at
}

function trimmedEnd(bytes: Uint8Array, start: number, end: number, set: Uint8Array): number {
  let at = end
  while (at > start) {
    const last = previousCharacter(bytes, at)
    if (!holdsCharacter(set, bytes, last, at)) break
    at = last
  }
  return at
}

/** Whether the character [from, to) of `bytes` is one of the set's. */
function holdsCharacter(set: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  let at = 0
  while (at < set.length) {
    const next = nextCharacter(set, at)
    let same = next - at === to - from
    for (let index = 0; same && index < to - from; index++) same = set[at + index] === bytes[from + index]
    if (same) return true
    at = next
  }
  return false
}

function trimEntry(name: string, head: boolean, tail: boolean): FunctionEntry {
  const where = head && tail ? 'both ends' : head ? 'the begin' : 'the end'
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([1, 2], 'text'),
    signature: `${name}(text [, characters text])`,
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: (r, out, a, b) => trim(r, out, name, a, b, head, tail),
    doc: {
      summary: `The text without these characters (a space, unless given) at ${where}.`,
      example: `${name}(city)`,
    },
  }
}

const replace: Evaluate = (r, out, a, b, c) => {
  if (!areTexts(r, out, 'replace', a, b, c)) return
  if (r.num[b] === r.end[b]) {
    r.copy(out, a)
    return
  }
  const pieces = textOf(r, a).split(textOf(r, b))
  const added = (pieces.length - 1) * ((r.end[c] as number) - (r.num[c] as number))
  if ((r.end[a] as number) - (r.num[a] as number) + added > TEXT_BYTES_MAX) tooLong(r, out)
  else setString(r, out, pieces.join(textOf(r, c)))
}

function resolveSubstring([text, from, count, further]: readonly ScalarType[]): ScalarType | undefined {
  const takesCount = count === undefined || isWholeType(count)
  return isTextType(text) && isWholeType(from) && takesCount && further === undefined ? 'text' : undefined
}

function lengthEntry(name: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([1], 'bigint'),
    signature: `${name}(text)`,
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: length,
    doc: { summary: 'How many characters the text has.', example: `${name}(city)` },
  }
}

function substringEntry(name: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveSubstring,
    signature: `${name}(text, from bigint [, count bigint])`,
    strict: true,
    // a negative count
    canFail: (args) => args.length > 2 || args.some((type) => type !== 'text' && type !== 'bigint'),
    evaluate: substring,
    doc: {
      summary: 'The characters from a position on, counted from 1, as many as given.',
      example: `${name}(path, 1, 8)`,
    },
  }
}

export const TEXT_FUNCTIONS: readonly FunctionEntry[] = [
  caseEntry('lower', 0x41, 0x20, (text) => text.toLowerCase()),
  caseEntry('upper', 0x61, -0x20, (text) => text.toUpperCase()),
  lengthEntry('length'),
  lengthEntry('char_length'),
  lengthEntry('character_length'),
  substringEntry('substring'),
  substringEntry('substr'),
  trimEntry('trim', true, true),
  trimEntry('btrim', true, true),
  trimEntry('ltrim', true, false),
  trimEntry('rtrim', false, true),
  {
    id: 'replace',
    name: 'replace',
    form: 'function',
    resolve: resolveTexts([3], 'text'),
    signature: 'replace(text, from text, to text)',
    strict: true,
    canFail: () => true,
    evaluate: replace,
    doc: {
      summary: 'The text with every occurrence of one text replaced by another.',
      example: "replace(path, '//', '/')",
    },
  },
]
