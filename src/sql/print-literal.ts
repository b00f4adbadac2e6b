/** Owns literals as SQL text that the grammar and the analyser read back as the same literal. */
import { assert, BrokenInvariant } from '../core/assert.ts'
import { describeInterval, parseInterval } from '../core/interval-text.ts'
import { formatDate, formatLocalTimestamp, formatTimestamp } from '../core/timestamp-format.ts'
import type { Literal } from './expression.ts'
import { quoteText } from './identifier.ts'

export function printLiteral(literal: Literal): string {
  const { value, type } = literal
  if (value === null) return type === 'any' || type === 'unknown' || type === 'text' ? 'NULL' : `NULL::${type}`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (type === 'double precision') return printDouble(value)
  if (type === 'bigint' || type === 'numeric') return String(value)
  if (type === 'timestamptz') return `${quoteText(formatTimestamp(BigInt(value)))}::timestamptz`
  if (type === 'timestamp') return `${quoteText(formatLocalTimestamp(BigInt(value)))}::timestamp`
  if (type === 'date') return `${quoteText(formatDate(Number(value)))}::date`
  if (type === 'interval') return `INTERVAL ${quoteText(intervalWords(String(value)))}`
  if (type === 'jsonb' && typeof value === 'string') return `${printText(value)}::jsonb`
  if (typeof value === 'string') return printText(value)
  throw new BrokenInvariant(`a literal of type ${type} holds ${String(value)}`)
}

function intervalWords(text: string): string {
  const interval = parseInterval(text)
  assert(interval !== undefined, `"${text}" is no interval literal`)
  return describeInterval(interval)
}

/** With a point or exponent, so that it is read back as a double. */
function printDouble(value: number | string): string {
  if (typeof value === 'string') return `${quoteText(value)}::double precision`
  const digits = String(value)
  return /[.e]/.test(digits) ? digits : `${digits}.0`
}

function printText(value: string): string {
  // Control characters are refused in statements; the escape form carries them.
  // oxlint-disable-next-line no-control-regex
  if (!/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value)) return quoteText(value)
  const escaped = value
    .replaceAll('\\', '\\\\')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, (character) => {
      return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
    })
  return `E${quoteText(escaped)}`
}
