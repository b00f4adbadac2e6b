/** Owns texts made from others by repeating and reordering: lpad, rpad, repeat, reverse. */
import type { Registers } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always } from './argument.ts'
import {
  areTexts,
  countCharacters,
  isTextType,
  isWholeType,
  previousCharacter,
  skipCharacters,
  TEXT_BYTES_MAX,
  textEntry,
  tooLong,
  wholeNumber,
} from './text-argument.ts'

const SPACE = Uint8Array.of(0x20)

/** Fills `bytes` [from, to) with the fill's bytes, again and again. */
function fillWith(bytes: Uint8Array, from: number, to: number, fill: Uint8Array): void {
  if (from >= to) return
  bytes.set(fill.subarray(0, Math.min(fill.length, to - from)), from)
  // what is there already is copied, twice as much each time
  for (let done = fill.length; from + done < to; done *= 2)
    bytes.copyWithin(from + done, from, Math.min(from + done, to - done))
}

function pad(r: Registers, out: number, name: string, a: number, b: number, c: number, before: boolean): void {
  if (!areTexts(r, out, name, a, c)) return
  const wanted = wholeNumber(r, out, name, b)
  if (Number.isNaN(wanted)) return
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  const end = r.end[a] as number
  const fill = c < 0 ? SPACE : r.bytesOf(c)
  const missing = wanted - countCharacters(bytes, start, end)
  if (missing <= 0 || fill.length === 0) {
    r.setText(out, bytes, start, skipCharacters(bytes, start, end, wanted))
    return
  }
  const fillCharacters = countCharacters(fill, 0, fill.length)
  const rest = skipCharacters(fill, 0, fill.length, missing % fillCharacters)
  const added = Math.floor(missing / fillCharacters) * fill.length + rest
  if (added + end - start > TEXT_BYTES_MAX) {
    tooLong(r, out)
    return
  }
  const result = new Uint8Array(added + end - start)
  fillWith(result, before ? 0 : end - start, before ? added : result.length, fill)
  result.set(bytes.subarray(start, end), before ? added : 0)
  r.setText(out, result, 0, result.length)
}

function padEntry(name: 'lpad' | 'rpad', before: boolean): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([text, length, fill, further]: readonly ScalarType[]) =>
      isTextType(text) && isWholeType(length) && (fill === undefined || isTextType(fill)) && further === undefined
        ? 'text'
        : undefined,
    signature: `${name}(text, length bigint [, fill text])`,
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b, c) => pad(r, out, name, a, b, c, before),
    doc: {
      summary: `The text with that many characters: filled ${before ? 'before its begin' : 'behind its end'} with spaces or the fill, or cut at the end.`,
      example: `${name}(code, 5, '0')`,
    },
  }
}

const repeat: Evaluate = (r, out, a, b) => {
  if (!areTexts(r, out, 'repeat', a)) return
  const count = wholeNumber(r, out, 'repeat', b)
  if (Number.isNaN(count)) return
  const text = r.bytesOf(a)
  const size = count <= 0 || text.length === 0 ? 0 : text.length * count
  if (size > TEXT_BYTES_MAX) {
    tooLong(r, out)
    return
  }
  const bytes = new Uint8Array(size)
  fillWith(bytes, 0, size, text)
  r.setText(out, bytes, 0, size)
}

const reverse: Evaluate = (r, out, a) => {
  if (!areTexts(r, out, 'reverse', a)) return
  const bytes = r.ref[a] as Uint8Array
  const start = r.num[a] as number
  const reversed = new Uint8Array((r.end[a] as number) - start)
  let at = 0
  for (let end = r.end[a] as number; end > start;) {
    const from = previousCharacter(bytes, end)
    for (let index = from; index < end; index++) reversed[at++] = bytes[index] as number
    end = from
  }
  r.setText(out, reversed, 0, reversed.length)
}

export const TEXT_FILL_FUNCTIONS: readonly FunctionEntry[] = [
  padEntry('lpad', true),
  padEntry('rpad', false),
  {
    id: 'repeat',
    name: 'repeat',
    form: 'function',
    resolve: ([text, count, further]) =>
      isTextType(text) && isWholeType(count) && further === undefined ? 'text' : undefined,
    signature: 'repeat(text, count bigint)',
    strict: true,
    canFail: always,
    evaluate: repeat,
    doc: { summary: 'The text so many times; at most 16 MiB.', example: "repeat('*', stars::bigint)" },
  },
  textEntry('reverse', reverse, { summary: 'The characters in reverse order.', example: 'reverse(host)' }),
]
