/** Owns the naive evaluator's texts that are placed, quoted, encoded and formatted, character by character. */
import { readBigint } from './naive-text.ts'
import { RESERVED_WORDS } from '../../src/sql/identifier.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { lax, strict, textOf, wholeOf, type NaiveFunction } from './naive-call.ts'
import { pieceOf } from './naive-strings.ts'
import { RowError, type Value } from './value.ts'

const refuse = (): RowError => new RowError('invalid_argument')

function overlay(text: string, placed: string, from: number, count: number): string {
  if (from <= 0) throw refuse()
  const characters = [...text]
  return characters.slice(0, from - 1).join('') + placed + characters.slice(Math.max(from + count - 1, 0)).join('')
}

function quoteLiteral(text: string): string {
  const inner = [...text].map((character) =>
    character === "'" || character === '\\' ? character.repeat(2) : character,
  )
  return `${text.includes('\\') ? 'E' : ''}'${inner.join('')}'`
}

/** Of the texts that are generated only reserved words are words. */
function quoteName(text: string): string {
  const isPlain = text !== '' && [...text].every((one, index) => /[a-z_]/.test(one) || (index > 0 && /[0-9]/.test(one)))
  return isPlain && !RESERVED_WORDS.has(text)
    ? text
    : `"${[...text].map((one) => (one === '"' ? '""' : one)).join('')}"`
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** By the bits. */
function encode(text: string, format: string): string {
  const bytes = [...new TextEncoder().encode(text)]
  if (format === 'hex') return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = (bits.match(/.{1,6}/g) ?? []).map((six) => DIGITS[Number.parseInt(six.padEnd(6, '0'), 2)])
  while (digits.length % 4 !== 0) digits.push('=')
  return (digits.join('').match(/.{1,76}/g) ?? []).join('\n')
}

function decode(text: string, format: string): string {
  const written = [...text].filter((one) => !' \t\n\r'.includes(one))
  const used =
    format === 'hex' ? written : written.slice(0, written.length - (/=*$/.exec(written.join(''))?.[0].length ?? 0))
  const size = format === 'hex' ? 4 : 6
  const values = used.map((one) =>
    format === 'hex' ? '0123456789abcdef'.indexOf(one.toLowerCase()) : DIGITS.indexOf(one),
  )
  const isWhole =
    format === 'hex' ? written.length % 2 === 0 : written.length % 4 === 0 && written.length - used.length < 3
  // no space inside a pair of digits
  const isBroken = format === 'hex' && text.split(/[ \t\n\r]+/).some((part) => part.length % 2 !== 0)
  if (values.includes(-1) || !isWhole || isBroken) throw refuse()
  const bits = values.map((value) => value.toString(2).padStart(size, '0')).join('')
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  const read = Buffer.from(bytes).toString('utf8')
  if (bytes.includes(0) || Buffer.compare(Buffer.from(read), Buffer.from(bytes)) !== 0)
    throw new RowError('invalid_text')
  return read
}

function formatName(value: Value | undefined): string {
  const word = textOf(value).toLowerCase()
  if (word !== 'base64' && word !== 'hex') throw refuse()
  return word
}

/** A text is read as an integer. */
function widthOf(value: Value): number {
  if (value === null) return 0
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return Number(value)
  if (typeof value !== 'string') throw refuse()
  try {
    return Number(readBigint(value))
  } catch {
    throw refuse()
  }
}

/** The template's parts by hand: position, minus signs, width, type. */
function expand(template: string, values: readonly Value[], types: readonly ScalarType[]): string {
  let [at, next, result] = [0, 0, '']
  const digits = (): string => {
    const start = at
    while (/[0-9]/.test(template[at] ?? '')) at++
    return template.slice(start, at)
  }
  const position = (): number | undefined => {
    const start = at
    const number = digits()
    if (number !== '' && template[at] === '$') {
      at++
      if (Number(number) === 0) throw refuse()
      return Number(number) - 1
    }
    at = start
    return undefined
  }
  const take = (wanted: number | undefined): number => {
    const index = wanted ?? next
    next = index + 1
    if (index >= values.length) throw refuse()
    return index
  }
  while (at < template.length) {
    const character = template[at++] as string
    if (character !== '%') {
      result += character
      continue
    }
    if (template[at] === '%') {
      result += '%'
      at++
      continue
    }
    const place = position()
    let isLeft = false
    for (; template[at] === '-'; at++) isLeft = true
    let width = 0
    let widthPlace: number | undefined
    const isGiven = template[at] === '*'
    if (isGiven) {
      at++
      widthPlace = position()
    } else width = Number(digits())
    const type = template[at++] ?? ''
    if (!'sIL'.includes(type) || type === '') throw refuse()
    if (isGiven) {
      width = widthOf(values[take(widthPlace)] ?? null)
    }
    if (Math.abs(width) >= 2 ** 31) throw refuse()
    const index = take(place)
    const value = values[index] ?? null
    if (value === null && type === 'I') throw refuse()
    const text = value === null ? (type === 'L' ? 'NULL' : '') : pieceOf(value, types[index])
    const shown = value === null || type === 's' ? text : type === 'I' ? quoteName(text) : quoteLiteral(text)
    const missing = Math.abs(width) - [...shown].length
    if (missing > 16 * 1024 * 1024) throw refuse()
    const fill = ' '.repeat(Math.max(missing, 0))
    result += isLeft || width < 0 ? shown + fill : fill + shown
  }
  return result
}

export const NAIVE_FORMATS: Readonly<Record<string, NaiveFunction>> = {
  overlay: strict(([text, placed, from, count]) => {
    const [subject, piece] = [textOf(text), textOf(placed)]
    const start = wholeOf(from)
    return overlay(subject, piece, start, count === undefined ? [...piece].length : wholeOf(count))
  }),
  quote_literal: strict(([text]) => quoteLiteral(textOf(text))),
  quote_nullable: lax(([text = null]) => (text === null ? 'NULL' : quoteLiteral(textOf(text)))),
  quote_ident: strict(([text]) => quoteName(textOf(text))),
  encode: strict(([text, name]) => {
    const subject = textOf(text)
    return encode(subject, formatName(name))
  }),
  decode: strict(([text, name]) => {
    const subject = textOf(text)
    return decode(subject, formatName(name))
  }),
  format: lax(([template = null, ...values], _, [, ...types]) =>
    template === null ? null : expand(textOf(template), values, types),
  ),
}
