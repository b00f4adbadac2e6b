/** Owns the naive evaluator's functions of parts, joins and characters, over lists of code points. */
import { createHash } from 'node:crypto'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { lax, numberOf, strict, textOf, toText, wholeOf, wrongKind, type NaiveFunction } from './naive-call.ts'
import { Decimal, Json, RowError, type Value } from './value.ts'

/** A text that a function makes has at most so many bytes. */
const BYTES_MAX = 16 * 1024 * 1024

function join(left: Value, right: Value, types: readonly ScalarType[]): string {
  for (const side of [left, right]) if (side instanceof Json) throw wrongKind()
  if (typeof left !== 'string' && typeof right !== 'string') throw wrongKind()
  return toText(left, types[0]) + toText(right, types[1])
}

/** All but the last so many where the count is negative. */
function leftOf(text: string, count: number): string {
  const characters = [...text]
  return characters.slice(0, count < 0 ? Math.max(characters.length + count, 0) : count).join('')
}

function reversed(text: string): string {
  return [...text].toReversed().join('')
}

function checkSize(bytes: number): void {
  if (bytes > BYTES_MAX) throw new RowError('invalid_argument')
}

function pad(text: string, length: number, fill: string, before: boolean): string {
  const characters = [...text]
  const filling = [...fill]
  if (length <= characters.length || filling.length === 0) return characters.slice(0, Math.max(length, 0)).join('')
  // so many bytes at least
  checkSize(length)
  const added = Array.from({ length: length - characters.length }, (_, index) => filling[index % filling.length]).join(
    '',
  )
  checkSize(Buffer.byteLength(added) + Buffer.byteLength(text))
  return before ? added + text : text + added
}

function padOf(before: boolean): NaiveFunction {
  return strict(([text, length, fill]) => {
    const [subject, filling] = [textOf(text), fill === undefined ? ' ' : textOf(fill)]
    return pad(subject, wholeOf(length), filling, before)
  })
}

function splitPart(text: string, separator: string, place: number): string {
  if (place === 0) throw new RowError('invalid_argument')
  const parts = separator === '' ? [text] : text.split(separator)
  return parts[place > 0 ? place - 1 : parts.length + place] ?? ''
}

function joined(values: readonly Value[], separator: string, types: readonly ScalarType[]): string {
  const texts = values.flatMap((value, index) => (value === null ? [] : [pieceOf(value, types[index])]))
  const text = texts.join(separator)
  checkSize(Buffer.byteLength(text))
  return text
}

export function pieceOf(value: Value, type: ScalarType | undefined): string {
  return typeof value === 'boolean' ? (value ? 't' : 'f') : toText(value, type)
}

function translate(text: string, from: string, to: string): string {
  const [wanted, by] = [[...from], [...to]]
  return [...text]
    .map((character) => {
      const place = wanted.indexOf(character)
      return place < 0 ? character : (by[place] ?? '')
    })
    .join('')
}

function initcap(text: string): string {
  let inWord = false
  return [...text.split(/([^\p{Alphabetic}\p{M}\p{N}])/u)]
    .map((part) => {
      inWord = part !== ''
      const [first = '', ...rest] = part
      return inWord ? first.toUpperCase() + rest.join('').toLowerCase() : part
    })
    .join('')
}

function characterOf(code: number): string {
  if (code <= 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new RowError('invalid_argument')
  return String.fromCodePoint(code)
}

function bitsOf(value: Value | undefined, base: number): string {
  const number = numberOf(value)
  if (number instanceof Decimal || (typeof number === 'number' && !Number.isInteger(number)))
    throw new RowError('invalid_argument')
  const integer = BigInt(number)
  if (integer < -(2n ** 63n) || integer >= 2n ** 63n) throw new RowError('integer_out_of_range')
  return (integer < 0n ? integer + 2n ** 64n : integer).toString(base)
}

const startsWith = strict(([text, prefix]) => textOf(text).startsWith(textOf(prefix)))
const bytesOf = (text: Value | undefined): bigint => BigInt(Buffer.byteLength(textOf(text)))

function hashOf(name: string): NaiveFunction {
  return strict(([text]) => createHash(name).update(textOf(text), 'utf8').digest('hex'))
}

/** Bit by bit. */
function crc32(text: string): bigint {
  let sum = 0xffffffff
  for (const byte of Buffer.from(text, 'utf8')) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ ((sum & 1) === 1 ? 0xedb88320 : 0)
  }
  return BigInt((sum ^ 0xffffffff) >>> 0)
}

export const NAIVE_STRINGS: Readonly<Record<string, NaiveFunction>> = {
  concatenate: strict(([left = null, right = null], _, types) => join(left, right, types)),
  concat: lax((values, _, types) => joined(values, '', types)),
  concat_ws: lax(([separator = null, ...values], _, [, ...types]) =>
    separator === null ? null : joined(values, textOf(separator), types),
  ),
  left: strict(([text, count]) => {
    const subject = textOf(text)
    return leftOf(subject, wholeOf(count))
  }),
  right: strict(([text, count]) => {
    const subject = textOf(text)
    return reversed(leftOf(reversed(subject), wholeOf(count)))
  }),
  lpad: padOf(true),
  rpad: padOf(false),
  repeat: strict(([text, count]) => {
    const subject = textOf(text)
    const times = Math.max(wholeOf(count), 0)
    if (subject !== '') checkSize(Buffer.byteLength(subject) * times)
    return subject === '' ? '' : subject.repeat(times)
  }),
  reverse: strict(([text]) => reversed(textOf(text))),
  md5: strict(([text]) => createHash('md5').update(textOf(text), 'utf8').digest('hex')),
  sha224: hashOf('sha224'),
  sha384: hashOf('sha384'),
  sha512: hashOf('sha512'),
  crc32: strict(([text]) => crc32(textOf(text))),
  sha256: strict(([text]) => createHash('sha256').update(textOf(text), 'utf8').digest('hex')),
  split_part: strict(([text, separator, place]) => {
    const [subject, between] = [textOf(text), textOf(separator)]
    return splitPart(subject, between, wholeOf(place))
  }),
  strpos: strict(([text, part]) => {
    const subject = textOf(text)
    const at = subject.indexOf(textOf(part))
    return at < 0 ? 0n : BigInt([...subject.slice(0, at)].length + 1)
  }),
  starts_with: startsWith,
  has_prefix: startsWith,
  ascii: strict(([text]) => BigInt(textOf(text).codePointAt(0) ?? 0)),
  chr: strict(([code]) => characterOf(wholeOf(code))),
  translate: strict(([text, from, to]) => translate(textOf(text), textOf(from), textOf(to))),
  initcap: strict(([text]) => initcap(textOf(text))),
  octet_length: strict(([text]) => bytesOf(text)),
  bit_length: strict(([text]) => bytesOf(text) * 8n),
  to_hex: strict(([value]) => bitsOf(value, 16)),
  to_oct: strict(([value]) => bitsOf(value, 8)),
  to_bin: strict(([value]) => bitsOf(value, 2)),
}
