/** Owns functions of text: case, parts, length, trimming, replacing and joining. Positions count characters (code points). */
import { copyBytes } from '../../core/copy-bytes.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { failsBeyond, isOneOf, isText, isUndeclared, setString, textOf, wrongKind } from './argument.ts'
import { toText, toUndeclaredText } from './casts.ts'
import { nextCharacter } from './like-pattern.ts'

/** A joined or replaced text beyond so many bytes is refused: a record's value isn't longer either. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024

const isTextType = (type: ScalarType | undefined): boolean => isOneOf(type, 'text', 'any')

function resolveTexts(counts: readonly number[], type: ScalarType): FunctionEntry['resolve'] {
  return (args) => (counts.includes(args.length) && args.every(isTextType) ? type : undefined)
}

/** Writes an error and gives false where a register isn't text; -1 is an argument that wasn't given. */
function areTexts(r: Registers, out: number, name: string, a: number, b = -1, c = -1): boolean {
  const wrong = !isText(r, a) ? a : b >= 0 && !isText(r, b) ? b : c >= 0 && !isText(r, c) ? c : -1
  if (wrong >= 0) wrongKind(r, out, name, wrong)
  return wrong < 0
}

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
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([1], 'text'),
    signature: `${name}(text)`,
    strict: true,
    canFail: failsBeyond('text'),
    evaluate,
    doc: { summary: `The text in ${name} case, by Unicode's full mappings.`, example: `${name}(country)` },
  }
}

/** Whether an ASCII byte is one of the 26 letters from `first`. */
function isCased(byte: number, first: number): boolean {
  return byte >= first && byte < first + 26
}

const length: Evaluate = (r, out, a) => {
  if (!areTexts(r, out, 'length', a)) return
  const bytes = r.ref[a] as Uint8Array
  let count = 0
  // continuation bytes are 10xxxxxx
  for (let index = r.num[a] as number; index < (r.end[a] as number); index++) {
    if (((bytes[index] as number) & 0xc0) !== 0x80) count++
  }
  r.setInteger(out, count)
}

/** A whole number argument; NaN, with the error written, where it is none. Numbers beyond the safe range are far beyond any text. */
function wholeNumber(r: Registers, out: number, name: string, index: number): number {
  const tag = r.tag[index]
  if (tag === TAG.INTEGER || (tag === TAG.DOUBLE && Number.isInteger(r.num[index]))) return r.num[index] as number
  if (tag === TAG.BIG_INTEGER) return Number(r.ref[index])
  if (tag === TAG.DOUBLE || tag === TAG.NUMERIC) r.setError(out, 'invalid_argument', `${name} takes whole numbers only`)
  else wrongKind(r, out, name, index)
  return NaN
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

function skipCharacters(bytes: Uint8Array, start: number, end: number, count: number): number {
  let at = start
  for (let left = count; left > 0 && at < end; left--) at = nextCharacter(bytes, at)
  return at
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
    let last = at - 1
    // continuation bytes are 10xxxxxx
    while (((bytes[last] as number) & 0xc0) === 0x80) last--
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

function tooLong(r: Registers, out: number): void {
  r.setError(out, 'invalid_argument', `the text would be longer than ${TEXT_BYTES_MAX} bytes`)
}

/** One side is text; the other is text, or a number, boolean or time as its text, which the last two give. */
function concatenate(r: Registers, out: number, a: number, b: number, leftText: Evaluate, rightText: Evaluate): void {
  const wrong = r.tag[a] === TAG.JSON || r.tag[a] === TAG.INTERVAL ? a : isText(r, a) || isText(r, b) ? -1 : b
  const other = r.tag[b] === TAG.JSON || r.tag[b] === TAG.INTERVAL ? b : wrong
  if (other >= 0) {
    wrongKind(r, out, 'the operator ||', other)
    return
  }
  const left = bytesOfText(r, out, a, leftText)
  const right = bytesOfText(r, out, b, rightText)
  const size = left.length + right.length
  if (size > TEXT_BYTES_MAX) {
    tooLong(r, out)
    return
  }
  const bytes = new Uint8Array(size)
  bytes.set(left)
  bytes.set(right, left.length)
  r.setText(out, bytes, 0, size)
}

/** The register's value as text; `out` is used on the way. */
function bytesOfText(r: Registers, out: number, index: number, toOwnText: Evaluate): Uint8Array {
  if (isText(r, index)) return r.bytesOf(index)
  toOwnText(r, out, index, -1, -1, -1)
  return r.bytesOf(out)
}

const JOINABLE: readonly ScalarType[] = [
  'text',
  'any',
  'bigint',
  'double precision',
  'numeric',
  'number',
  'boolean',
  'timestamptz',
]

function resolveJoin(args: readonly ScalarType[]): ScalarType | undefined {
  return args.length === 2 && args.some(isTextType) && args.every((type) => JOINABLE.includes(type))
    ? 'text'
    : undefined
}

function resolveSubstring([text, from, count, further]: readonly ScalarType[]): ScalarType | undefined {
  const whole = (type: ScalarType | undefined): boolean => isOneOf(type, 'bigint', 'any', 'number')
  const takesCount = count === undefined || whole(count)
  return isTextType(text) && whole(from) && takesCount && further === undefined ? 'text' : undefined
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
  {
    id: 'concatenate',
    name: '||',
    form: 'operator',
    resolve: resolveJoin,
    signature: 'text || value',
    strict: true,
    canFail: () => true,
    evaluate: (r, out, a, b) => concatenate(r, out, a, b, toText, toText),
    specialize: (args) => {
      if (!args.some(({ type }) => isUndeclared(type))) return undefined
      const [left = toText, right = toText] = args.map(({ type }) => (isUndeclared(type) ? toUndeclaredText : toText))
      return (r, out, a, b) => concatenate(r, out, a, b, left, right)
    },
    print: ([left, right]) => `${left} || ${right}`,
    doc: {
      summary: 'Two texts joined; a number, boolean or time beside a text is taken as its text.',
      example: "country || '-' || city",
    },
  },
]
