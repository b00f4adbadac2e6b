/** Owns finding and taking parts of a text: left, right, split_part, strpos, starts_with. Positions count characters (code points). */
import type { Registers } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, failsBeyond } from './argument.ts'
import {
  areTexts,
  countCharacters,
  findText,
  isTextType,
  isWholeType,
  previousCharacter,
  resolveTexts,
  skipCharacters,
  TEXT_BYTES_MAX,
  tooLong,
  wholeNumber,
} from './text-argument.ts'

/** Where the last `count` characters begin. */
function skipBack(bytes: Uint8Array, start: number, end: number, count: number): number {
  let at = end
  for (let left = count; left > 0 && at > start; left--) at = previousCharacter(bytes, at)
  return at
}

const left: Evaluate = (r, out, a, b) => {
  if (!areTexts(r, out, 'left', a)) return
  const count = wholeNumber(r, out, 'left', b)
  if (Number.isNaN(count)) return
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  const end = r.end[a] as number
  r.setText(
    out,
    bytes,
    start,
    count < 0 ? skipBack(bytes, start, end, -count) : skipCharacters(bytes, start, end, count),
  )
}

const right: Evaluate = (r, out, a, b) => {
  if (!areTexts(r, out, 'right', a)) return
  const count = wholeNumber(r, out, 'right', b)
  if (Number.isNaN(count)) return
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  const end = r.end[a] as number
  r.setText(out, bytes, count < 0 ? skipCharacters(bytes, start, end, -count) : skipBack(bytes, start, end, count), end)
}

function sideEntry(name: 'left' | 'right', evaluate: Evaluate, where: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([text, count, further]) =>
      isTextType(text) && isWholeType(count) && further === undefined ? 'text' : undefined,
    signature: `${name}(text, count bigint)`,
    strict: true,
    canFail: failsBeyond('text', 'bigint'),
    evaluate,
    doc: {
      summary: `So many characters from the ${where}; all but so many at the other end where the count is negative.`,
      example: `${name}(city, 3)`,
    },
  }
}

/** Writes the n-th part, from 1, between separators; n may count from the end by the number of parts. */
const splitPart: Evaluate = (r, out, a, b, c) => {
  if (!areTexts(r, out, 'split_part', a, b)) return
  const wanted = wholeNumber(r, out, 'split_part', c)
  if (Number.isNaN(wanted)) return
  if (wanted === 0) {
    r.setError(out, 'invalid_argument', 'split_part: parts count from 1, or from -1 at the end')
    return
  }
  const size = (r.end[b] as number) - (r.num[b] as number)
  const start = r.num[a] as number
  const place = size === 0 ? (wanted === -1 ? 1 : wanted) : wanted > 0 ? wanted : countParts(r, a, b, size) + wanted + 1
  setPart(r, out, a, b, size, place, start)
}

function countParts(r: Registers, a: number, b: number, size: number): number {
  let parts = 1
  for (let at = findText(r, a, b, r.num[a] as number); at >= 0; at = findText(r, a, b, at + size)) parts++
  return parts
}

/** `place` counts from 1; below 1 and beyond the last part the text is empty. */
function setPart(r: Registers, out: number, a: number, b: number, size: number, place: number, begin: number): void {
  const bytes = r.ref[a] as Uint8Array
  const end = r.end[a] as number
  let start = begin
  let separator = size === 0 ? -1 : findText(r, a, b, start)
  let number = 1
  for (; number < place && separator >= 0; number++) {
    start = separator + size
    separator = findText(r, a, b, start)
  }
  if (number === place) r.setText(out, bytes, start, separator < 0 ? end : separator)
  else r.setText(out, bytes, end, end)
}

const strpos: Evaluate = (r, out, a, b) => {
  if (!areTexts(r, out, 'strpos', a, b)) return
  const start = r.num[a] as number
  const at = findText(r, a, b, start)
  r.setInteger(out, at < 0 ? 0 : countCharacters(r.ref[a] as Uint8Array, start, at) + 1)
}

function startsWith(r: Registers, out: number, name: string, a: number, b: number): void {
  if (!areTexts(r, out, name, a, b)) return
  const bytes = r.ref[a] as Uint8Array
  const prefix = r.ref[b] as Uint8Array
  const start = r.num[a] as number
  const begin = r.num[b] as number
  const size = (r.end[b] as number) - begin
  let same = 0
  if ((r.end[a] as number) - start >= size) while (same < size && bytes[start + same] === prefix[begin + same]) same++
  r.setBoolean(out, same === size && (r.end[a] as number) - start >= size)
}

const PREFIX = {
  summary: 'Whether the text begins with the other.',
  strict: true,
  canFail: failsBeyond('text'),
} as const

/** PostgreSQL's: what is before the position, the new text, and what is behind so many characters from there on. */
const overlay: Evaluate = (r, out, a, b, c, d) => {
  if (!areTexts(r, out, 'overlay', a, b)) return
  const from = wholeNumber(r, out, 'overlay', c)
  if (Number.isNaN(from)) return
  const placed = r.bytesOf(b)
  const count = d < 0 ? countCharacters(placed, 0, placed.length) : wholeNumber(r, out, 'overlay', d)
  if (Number.isNaN(count)) return
  if (from <= 0) {
    r.setError(out, 'invalid_argument', 'overlay: positions count from 1')
    return
  }
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  const end = r.end[a] as number
  const head = bytes.subarray(start, skipCharacters(bytes, start, end, from - 1))
  const tail = bytes.subarray(skipCharacters(bytes, start, end, from + count - 1), end)
  const size = head.length + placed.length + tail.length
  if (size > TEXT_BYTES_MAX) tooLong(r, out)
  else r.setText(out, Buffer.concat([head, placed, tail], size), 0, size)
}

export const TEXT_PART_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'overlay',
    name: 'overlay',
    form: 'function',
    resolve: ([text, placed, from, count, further]) =>
      isTextType(text) &&
      isTextType(placed) &&
      isWholeType(from) &&
      (count === undefined || isWholeType(count)) &&
      further === undefined
        ? 'text'
        : undefined,
    signature: 'overlay(text, new text, from bigint [, count bigint])',
    strict: true,
    canFail: always,
    evaluate: overlay,
    doc: {
      summary:
        'The text with another one at a position, from 1, in place of so many characters, or of as many as it has. Also `overlay(text PLACING new FROM 2 FOR 3)`.',
      example: "overlay(phone, '***', 4)",
    },
  },
  sideEntry('left', left, 'begin'),
  sideEntry('right', right, 'end'),
  {
    id: 'split_part',
    name: 'split_part',
    form: 'function',
    resolve: ([text, separator, place, further]: readonly ScalarType[]) =>
      isTextType(text) && isTextType(separator) && isWholeType(place) && further === undefined ? 'text' : undefined,
    signature: 'split_part(text, separator text, n bigint)',
    strict: true,
    canFail: always,
    evaluate: splitPart,
    doc: {
      summary: 'The n-th part between separators, counted from 1, or from -1 at the end; empty where there are fewer.',
      example: "split_part(path, '/', 2)",
    },
  },
  {
    id: 'strpos',
    name: 'strpos',
    form: 'function',
    resolve: resolveTexts([2], 'bigint'),
    signature: 'strpos(text, part text)',
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: strpos,
    doc: {
      summary: 'Where the part begins, in characters from 1; 0 where it is not there. Also `position(part IN text)`.',
      example: "strpos(email, '@')",
    },
  },
  {
    id: 'starts_with',
    name: 'starts_with',
    form: 'function',
    resolve: resolveTexts([2], 'boolean'),
    signature: 'starts_with(text, prefix text)',
    strict: PREFIX.strict,
    canFail: PREFIX.canFail,
    evaluate: (r, out, a, b) => startsWith(r, out, 'starts_with', a, b),
    doc: { summary: PREFIX.summary, example: "starts_with(path, '/api/')" },
  },
  {
    id: 'has_prefix',
    name: '^@',
    form: 'operator',
    resolve: resolveTexts([2], 'boolean'),
    signature: 'text ^@ prefix text',
    strict: PREFIX.strict,
    canFail: PREFIX.canFail,
    evaluate: (r, out, a, b) => startsWith(r, out, 'the operator ^@', a, b),
    print: ([text, prefix]) => `${text} ^@ ${prefix}`,
    doc: { summary: PREFIX.summary, example: "path ^@ '/api/'" },
  },
]
