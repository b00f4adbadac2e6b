/** Owns functions of single characters and bytes: ascii, chr, translate, initcap, octet_length, bit_length. */
import { copyBytes } from '../../core/copy-bytes.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { failsBeyond, setString, textOf } from './argument.ts'
import { nextCharacter } from './like-pattern.ts'
import { areTexts, isWholeType, resolveTexts, textEntry, wholeNumber } from './text-argument.ts'

const CODE_POINT_MAX = 0x10ffff
const SURROGATE_MIN = 0xd800
const SURROGATE_MAX = 0xdfff

const ascii: Evaluate = (r, out, a) => {
  if (!areTexts(r, out, 'ascii', a)) return
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  if (start === r.end[a]) r.setInteger(out, 0)
  else r.setInteger(out, codePoint(bytes, start))
}

/** The character of valid UTF-8 at `at`. */
function codePoint(bytes: Uint8Array, at: number): number {
  const size = nextCharacter(bytes, at) - at
  const first = bytes[at] as number
  // 0xxxxxxx, 110xxxxx, 1110xxxx, 11110xxx, then 10xxxxxx each
  let code = size === 1 ? first : first & (0x7f >> size)
  for (let index = 1; index < size; index++) code = code * 64 + ((bytes[at + index] as number) & 0x3f)
  return code
}

const chr: Evaluate = (r, out, a) => {
  const code = wholeNumber(r, out, 'chr', a)
  if (Number.isNaN(code)) return
  const isCharacter = code > 0 && code <= CODE_POINT_MAX && (code < SURROGATE_MIN || code > SURROGATE_MAX)
  if (isCharacter) setString(r, out, String.fromCodePoint(code))
  else r.setError(out, 'invalid_argument', `chr: ${code} is not the number of a character`)
}

/** For each character the one at the same place of `to`; those beyond its end are left out. */
const translate: Evaluate = (r, out, a, b, c) => {
  if (!areTexts(r, out, 'translate', a, b, c)) return
  const from = [...textOf(r, b)]
  const to = [...textOf(r, c)]
  let result = ''
  for (const character of textOf(r, a)) {
    const place = from.indexOf(character)
    result += place < 0 ? character : (to[place] ?? '')
  }
  setString(r, out, result)
}

/** Letters, their marks, and digits make words. */
const WORDS = /[\p{Alphabetic}\p{M}\p{N}]+/gu

const initcap: Evaluate = (r, out, a) => {
  if (!areTexts(r, out, 'initcap', a)) return
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  const end = r.end[a] as number
  for (let index = start; index < end; index++) {
    if ((bytes[index] as number) >= 0x80) {
      setString(r, out, initcapText(textOf(r, a)))
      return
    }
  }
  const converted = copyBytes(bytes, start, end)
  let inWord = false
  for (let index = 0; index < converted.length; index++) {
    const byte = converted[index] as number
    const isLower = byte >= 0x61 && byte <= 0x7a
    const isUpper = byte >= 0x41 && byte <= 0x5a
    if (isLower && !inWord) converted[index] = byte - 0x20
    else if (isUpper && inWord) converted[index] = byte + 0x20
    inWord = isLower || isUpper || (byte >= 0x30 && byte <= 0x39)
  }
  r.setText(out, converted, 0, converted.length)
}

function initcapText(text: string): string {
  return text.replace(WORDS, (word) => {
    const first = String.fromCodePoint(word.codePointAt(0) ?? 0)
    return first.toUpperCase() + word.slice(first.length).toLowerCase()
  })
}

function sizeEntry(name: string, factor: number, what: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([1], 'bigint'),
    signature: `${name}(text)`,
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: (r, out, a) => {
      if (areTexts(r, out, name, a)) r.setInteger(out, ((r.end[a] as number) - (r.num[a] as number)) * factor)
    },
    doc: { summary: `How many ${what} the text has in UTF-8.`, example: `${name}(body)` },
  }
}

export const CHARACTER_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'ascii',
    name: 'ascii',
    form: 'function',
    resolve: resolveTexts([1], 'bigint'),
    signature: 'ascii(text)',
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: ascii,
    doc: {
      summary: "The number of the text's first character in Unicode; 0 of an empty text.",
      example: 'ascii(code)',
    },
  },
  {
    id: 'chr',
    name: 'chr',
    form: 'function',
    resolve: ([code, further]) => (isWholeType(code) && further === undefined ? 'text' : undefined),
    signature: 'chr(bigint)',
    strict: true,
    canFail: () => true,
    evaluate: chr,
    doc: { summary: 'The character of that number in Unicode.', example: 'chr(64 + column_number::bigint)' },
  },
  {
    id: 'translate',
    name: 'translate',
    form: 'function',
    resolve: resolveTexts([3], 'text'),
    signature: 'translate(text, from text, to text)',
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: translate,
    doc: {
      summary:
        'The text with each character of `from` replaced by the one at its place in `to`, or left out where there is none.',
      example: "translate(phone, '()- ', '')",
    },
  },
  textEntry('initcap', initcap, {
    summary: 'Each word with a capital first, the rest in lower case; words are of letters and digits.',
    example: 'initcap(city)',
  }),
  sizeEntry('octet_length', 1, 'bytes'),
  sizeEntry('bit_length', 8, 'bits'),
]
