/** Owns literals as SQL text that the grammar and the analyser read back as the same literal. */
import { BrokenInvariant } from '../core/assert.ts'
import { formatTimestamp } from '../core/timestamp-text.ts'
import type { Literal } from './expression.ts'
import { quoteText } from './identifier.ts'
import { formatInterval } from './interval-literal.ts'

export function printLiteral(literal: Literal): string {
  const { value, type } = literal
  if (value === null) return type === 'any' || type === 'unknown' || type === 'text' ? 'NULL' : `NULL::${type}`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'object') return `INTERVAL ${quoteText(formatInterval(value))}`
  if (type === 'double precision') return printDouble(value)
  if (type === 'bigint' || type === 'numeric') return String(value)
  if (type === 'timestamptz') return `${quoteText(formatTimestamp(BigInt(value)))}::timestamptz`
  if (typeof value === 'string') return printText(value)
  throw new BrokenInvariant(`a literal of type ${type} holds ${String(value)}`)
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
