/**
 * Owns the parts of URLs. Lenient: any text has parts as RFC 3986 cuts it (appendix B), nothing is checked or made lower case, and what isn't
 * there is NULL. Parts are slices of the text; only what has escapes is copied.
 */
import { isValidUtf8, readHexDigit } from '../../core/json-string.ts'
import type { Registers } from '../../core/registers.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { failsBeyond } from './argument.ts'
import { areTexts, resolveTexts, TEXT_BYTES_MAX, textEntry, tooLong } from './text-argument.ts'

const HASH = 0x23
const PERCENT = 0x25
const AMPERSAND = 0x26
const PLUS = 0x2b
const SLASH = 0x2f
const COLON = 0x3a
const EQUALS = 0x3d
const QUESTION = 0x3f
const AT = 0x40
const BRACKET_OPEN = 0x5b
const BRACKET_CLOSE = 0x5d
const PORT_MAX = 65_535
const HEX_DIGITS = Buffer.from('0123456789ABCDEF')

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** Where the colon behind the scheme stands; -1: there is no scheme. */
function schemeEnd(bytes: Uint8Array, start: number, end: number): number {
  if (start >= end || !isLetter(bytes[start] as number)) return -1
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === COLON) return at
    // + - .
    if (!isLetter(byte) && !isDigit(byte) && byte !== PLUS && byte !== 0x2d && byte !== 0x2e) return -1
  }
  return -1
}

function behindScheme(bytes: Uint8Array, start: number, end: number): number {
  const colon = schemeEnd(bytes, start, end)
  return colon < 0 ? start : colon + 1
}

/** Where the authority behind `//` begins; -1: there is none. */
function authorityStart(bytes: Uint8Array, start: number, end: number): number {
  const at = behindScheme(bytes, start, end)
  return at + 1 < end && bytes[at] === SLASH && bytes[at + 1] === SLASH ? at + 2 : -1
}

/** Where the first of / ? # stands from `at` on, or the end. */
function partEnd(bytes: Uint8Array, at: number, end: number, withPath: boolean): number {
  let next = at
  while (next < end) {
    const byte = bytes[next]
    if (byte === QUESTION || byte === HASH || (withPath && byte === SLASH)) break
    next++
  }
  return next
}

function indexOf(bytes: Uint8Array, byte: number, start: number, end: number): number {
  for (let at = start; at < end; at++) if (bytes[at] === byte) return at
  return -1
}

/** Where the host begins: behind user and password. */
function hostStart(bytes: Uint8Array, start: number, end: number): number {
  for (let at = end - 1; at >= start; at--) if (bytes[at] === AT) return at + 1
  return start
}

/** Where the host ends: before its port; an address in brackets has colons of its own. */
function hostEnd(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] === BRACKET_OPEN) {
    const close = indexOf(bytes, BRACKET_CLOSE, start, end)
    if (close >= 0) return close + 1
  }
  const colon = indexOf(bytes, COLON, start, end)
  return colon < 0 ? end : colon
}

function setPart(r: Registers, out: number, bytes: Uint8Array, start: number, end: number): void {
  if (start < 0) r.setNull(out)
  else r.setText(out, bytes, start, end)
}

type Part = (r: Registers, out: number, bytes: Uint8Array, start: number, end: number) => void

const scheme: Part = (r, out, bytes, start, end) => {
  const colon = schemeEnd(bytes, start, end)
  setPart(r, out, bytes, colon < 0 ? -1 : start, colon)
}

const host: Part = (r, out, bytes, start, end) => {
  const authority = authorityStart(bytes, start, end)
  if (authority < 0) return r.setNull(out)
  const last = partEnd(bytes, authority, end, true)
  const first = hostStart(bytes, authority, last)
  const behind = hostEnd(bytes, first, last)
  setPart(r, out, bytes, first === behind ? -1 : first, behind)
}

const port: Part = (r, out, bytes, start, end) => {
  const authority = authorityStart(bytes, start, end)
  if (authority < 0) return r.setNull(out)
  const last = partEnd(bytes, authority, end, true)
  let at = hostEnd(bytes, hostStart(bytes, authority, last), last)
  if (at >= last || bytes[at] !== COLON || at + 1 === last) return r.setNull(out)
  let number = 0
  for (at++; at < last; at++) {
    if (!isDigit(bytes[at] as number) || number > PORT_MAX) return r.setNull(out)
    number = number * 10 + (bytes[at] as number) - 0x30
  }
  if (number > PORT_MAX) r.setNull(out)
  else r.setInteger(out, number)
}

const path: Part = (r, out, bytes, start, end) => {
  const authority = authorityStart(bytes, start, end)
  const first = authority < 0 ? behindScheme(bytes, start, end) : partEnd(bytes, authority, end, true)
  r.setText(out, bytes, first, partEnd(bytes, first, end, false))
}

/** Where the query begins, behind its question mark; -1: there is none. */
function queryStart(bytes: Uint8Array, start: number, end: number): number {
  const mark = partEnd(bytes, start, end, false)
  return mark < end && bytes[mark] === QUESTION ? mark + 1 : -1
}

function queryEnd(bytes: Uint8Array, start: number, end: number): number {
  const hash = indexOf(bytes, HASH, start, end)
  return hash < 0 ? end : hash
}

const query: Part = (r, out, bytes, start, end) => {
  const first = queryStart(bytes, start, end)
  setPart(r, out, bytes, first, first < 0 ? -1 : queryEnd(bytes, first, end))
}

const fragment: Part = (r, out, bytes, start, end) => {
  const hash = indexOf(bytes, HASH, start, end)
  setPart(r, out, bytes, hash < 0 ? -1 : hash + 1, end)
}

/** Writes the text with its escapes read; as it is where that would be no UTF-8, or hold a NUL. A percent sign without two digits is itself. */
function decode(r: Registers, out: number, bytes: Uint8Array, start: number, end: number, plusIsSpace: boolean): void {
  const hasEscape = indexOf(bytes, PERCENT, start, end) >= 0
  if (!hasEscape && !(plusIsSpace && indexOf(bytes, PLUS, start, end) >= 0)) return r.setText(out, bytes, start, end)
  const decoded = new Uint8Array(end - start)
  let size = 0
  for (let at = start; at < end; at++) {
    const byte = escapedByte(bytes, at, end)
    if (byte >= 0) at += 2
    decoded[size++] = byte >= 0 ? byte : plusIsSpace && bytes[at] === PLUS ? 0x20 : (bytes[at] as number)
  }
  if (indexOf(decoded, 0, 0, size) >= 0 || !isValidUtf8(decoded, 0, size)) r.setText(out, bytes, start, end)
  else r.setText(out, decoded, 0, size)
}

/** The byte of an escape at `at`; -1: there is none. */
function escapedByte(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== PERCENT || at + 2 >= end) return -1
  const high = readHexDigit(bytes[at + 1] as number)
  const low = readHexDigit(bytes[at + 2] as number)
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** The first parameter of the name, which may be written with escapes. */
const parameter: Evaluate = (r, out, a, b) => {
  if (!areTexts(r, out, 'url_parameter', a, b)) return
  const bytes = r.ref[a] as Uint8Array
  const start = queryStart(bytes, r.num[a] as number, r.end[a] as number)
  if (start < 0) return r.setNull(out)
  const end = queryEnd(bytes, start, r.end[a] as number)
  const name = r.bytesOf(b)
  for (let at = start; at <= end;) {
    const found = indexOf(bytes, AMPERSAND, at, end)
    const last = found < 0 ? end : found
    const equals = indexOf(bytes, EQUALS, at, last)
    decode(r, out, bytes, at, equals < 0 ? last : equals, true)
    if (last > at && Buffer.compare(r.bytesOf(out), name) === 0) {
      return decode(r, out, bytes, equals < 0 ? last : equals + 1, last, true)
    }
    at = last + 1
  }
  r.setNull(out)
}

/** Letters, digits and - . _ ~ stand for themselves. */
function isUnreserved(byte: number): boolean {
  return isLetter(byte) || isDigit(byte) || byte === 0x2d || byte === 0x2e || byte === 0x5f || byte === 0x7e
}

const encode: Evaluate = (r, out, a) => {
  if (!areTexts(r, out, 'url_encode', a)) return
  const bytes = r.ref[a] as Uint8Array
  const [start, end] = [r.num[a] as number, r.end[a] as number]
  let size = 0
  for (let at = start; at < end; at++) size += isUnreserved(bytes[at] as number) ? 1 : 3
  if (size > TEXT_BYTES_MAX) return tooLong(r, out)
  if (size === end - start) return r.copy(out, a)
  const encoded = new Uint8Array(size)
  let to = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (isUnreserved(byte)) encoded[to++] = byte
    else {
      encoded[to++] = PERCENT
      encoded[to++] = HEX_DIGITS[byte >> 4] as number
      encoded[to++] = HEX_DIGITS[byte & 15] as number
    }
  }
  r.setText(out, encoded, 0, size)
}

function entry(name: string, type: 'text' | 'bigint', part: Part, summary: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([1], type),
    signature: `${name}(url text)`,
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: (r, out, a) => {
      if (areTexts(r, out, name, a)) part(r, out, r.ref[a] as Uint8Array, r.num[a] as number, r.end[a] as number)
    },
    doc: { summary, example: `${name}(page)` },
  }
}

export const URL_FUNCTIONS: readonly FunctionEntry[] = [
  entry('url_scheme', 'text', scheme, 'What stands before the first colon, `https`; null where there is none.'),
  entry('url_host', 'text', host, 'The host without user and port; null where no `//` leads to one.'),
  entry('url_port', 'bigint', port, 'The port that is written; null where there is none.'),
  entry('url_path', 'text', path, 'What stands behind the host, before `?` and `#`; may be empty.'),
  entry('url_query', 'text', query, 'What stands between `?` and `#`, as it is written; null without `?`.'),
  entry('url_fragment', 'text', fragment, 'What stands behind `#`; null without it.'),
  {
    id: 'url_parameter',
    name: 'url_parameter',
    form: 'function',
    resolve: resolveTexts([2], 'text'),
    signature: 'url_parameter(url text, name text)',
    strict: true,
    canFail: failsBeyond('text'),
    evaluate: parameter,
    doc: {
      summary:
        'The value of the first parameter of that name in the query, its escapes read and + as a space; null where there is none.',
      example: "url_parameter(page, 'utm_source')",
    },
  },
  {
    ...entry('url_decode', 'text', (r, out, bytes, start, end) => decode(r, out, bytes, start, end, false), ''),
    signature: 'url_decode(text)',
    doc: {
      summary: 'The text with its %XX read; as it is where that would be no UTF-8.',
      example: 'url_decode(url_path(page))',
    },
  },
  {
    ...textEntry('url_encode', encode, {
      summary: 'The text with %XX for all but ASCII letters, digits and - . _ ~.',
      example: 'url_encode(city)',
    }),
    // it may be longer than a text may be
    canFail: () => true,
  },
]
