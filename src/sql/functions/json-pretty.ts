/** Owns jsonb_pretty: JSON over several lines, as PostgreSQL lays it out. */
import { firstPart, memberValue, nextPart } from '../../core/json-elements.ts'
import { skipValue } from '../../core/json-text.ts'
import { TAG } from '../../core/registers.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, setString } from './argument.ts'
import { sliceText } from './json-change.ts'
import { isJsonType, toCanonicalJson } from './json-value.ts'
import { TEXT_BYTES_MAX, tooLong } from './text-argument.ts'

const INDENT = '    '
const OBJECT_OPEN = 0x7b
const ARRAY_OPEN = 0x5b

const pretty: Evaluate = (r, out, a, b, c, d) => {
  toCanonicalJson(r, out, a, b, c, d)
  if (r.tag[out] === TAG.ERROR) return
  const text = prettyText(r.bytesOf(out), 0, '')
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) tooLong(r, out)
  else setString(r, out, text)
}

/** Of compact text. An empty array or object takes two lines, too. */
function prettyText(bytes: Uint8Array, at: number, indent: string): string {
  const isObject = bytes[at] === OBJECT_OPEN
  if (!isObject && bytes[at] !== ARRAY_OPEN) return sliceText(bytes, at, skipValue(bytes, at))
  const inner = indent + INDENT
  const lines: string[] = []
  for (let part = firstPart(bytes, at); part >= 0;) {
    const value = isObject ? memberValue(bytes, part) : part
    const key = isObject ? `${sliceText(bytes, part, value)} ` : ''
    lines.push(`${inner}${key}${prettyText(bytes, value, inner)}`)
    part = nextPart(bytes, skipValue(bytes, value))
  }
  const [open, close] = isObject ? '{}' : '[]'
  return `${open}\n${lines.map((line, index) => `${line}${index < lines.length - 1 ? ',' : ''}\n`).join('')}${indent}${close}`
}

export const JSON_PRETTY: FunctionEntry = {
  id: 'jsonb_pretty',
  name: 'jsonb_pretty',
  form: 'function',
  resolve: ([type, further]) => (isJsonType(type) && further === undefined ? 'text' : undefined),
  signature: 'jsonb_pretty(value)',
  strict: true,
  canFail: always,
  evaluate: pretty,
  doc: { summary: 'The JSON text over several lines, indented.', example: 'jsonb_pretty(device)' },
}
