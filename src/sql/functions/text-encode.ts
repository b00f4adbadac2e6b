/** Owns encode and decode: the UTF-8 of a text as base64 or hexadecimal digits, and the text of such. There is no bytea. */
import { isUtf8 } from 'node:buffer'
import type { Registers } from '../../core/registers.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, quote, setString, textOf } from './argument.ts'
import { areTexts, resolveTexts, TEXT_BYTES_MAX, tooLong } from './text-argument.ts'

/** PostgreSQL's lines of base64, as MIME has them. */
const LINE = /(?<=^(?:.{76})+)(?=.)/gsu
const SPACE = /[ \t\n\r]+/g
/** Full groups, then one that is filled up. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const HEX = /^(?:[0-9A-Fa-f]{2}[ \t\n\r]*)*$/

type Format = 'base64' | 'hex'

function formatOf(r: Registers, out: number, name: string, index: number): Format | undefined {
  const word = textOf(r, index).toLowerCase()
  if (word === 'base64' || word === 'hex') return word
  r.setError(out, 'invalid_argument', `${name}: the formats are base64 and hex, not ${quote(r, index)}`)
  return undefined
}

function encode(r: Registers, out: number, a: number, format: Format): void {
  const bytes = r.bytesOf(a)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(format)
  if (text.length > TEXT_BYTES_MAX) tooLong(r, out)
  else setString(r, out, format === 'base64' && text.length > 76 ? text.replaceAll(LINE, '\n') : text)
}

function decode(r: Registers, out: number, a: number, format: Format): void {
  const text = textOf(r, a)
  const trimmed = text.replaceAll(SPACE, '')
  if (format === 'base64' ? !BASE64.test(trimmed) : !HEX.test(text.trimStart())) {
    return r.setError(out, 'invalid_argument', `decode: ${quote(r, a)} is not ${format}`)
  }
  const bytes = Buffer.from(trimmed, format)
  if (isUtf8(bytes) && !bytes.includes(0)) r.setText(out, bytes, 0, bytes.length)
  else r.setError(out, 'invalid_text', `decode: the bytes of ${quote(r, a)} are no text`)
}

function entry(
  name: 'encode' | 'decode',
  apply: (r: Registers, out: number, a: number, format: Format) => void,
  doc: FunctionEntry['doc'],
): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveTexts([2], 'text'),
    signature: `${name}(text, format text)`,
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => {
      if (!areTexts(r, out, name, a, b)) return
      const format = formatOf(r, out, name, b)
      if (format !== undefined) apply(r, out, a, format)
    },
    doc,
  }
}

export const TEXT_ENCODE_FUNCTIONS: readonly FunctionEntry[] = [
  entry('encode', encode, {
    summary: "The text's UTF-8 as base64, in lines of 76 characters, or as hex digits.",
    example: "encode(user_id, 'base64')",
  }),
  entry('decode', decode, {
    summary: 'The text whose UTF-8 is written as base64 or hex; bytes that are no text are an error of the record.',
    example: "decode(payload, 'base64')",
  }),
]
