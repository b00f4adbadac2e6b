/** Owns cells as text of an answer: JSON with all digits, or a field of CSV. */
import { intervalCellToText } from '../core/interval-cell.ts'
import { KEY_TAG } from '../core/key-bytes.ts'
import { doubleToJsonText, keyToJsonText } from '../core/key-reader.ts'
import type { Cell, ScalarType } from '../core/scalar-type.ts'
import { formatDate, formatLocalTimestamp, formatTimestamp } from '../core/timestamp-format.ts'

/** The cell of a column of that type; not an error cell. */
export function toJsonText(cell: Cell, type: ScalarType): string {
  if (cell === null) return 'null'
  if (typeof cell === 'object') {
    return type === 'interval' ? JSON.stringify(intervalCellToText(cell)) : keyToJsonText(cell, 0)
  }
  switch (type) {
    case 'boolean':
      return Number(cell) === 0 ? 'false' : 'true'
    case 'bigint':
      return BigInt(cell).toString()
    case 'timestamptz':
      return `"${formatTimestamp(BigInt(cell))}"`
    case 'timestamp':
      return `"${formatLocalTimestamp(BigInt(cell))}"`
    case 'date':
      return `"${formatDate(Number(cell))}"`
    case 'double precision':
      return doubleToJsonText(Number(cell))
    default:
      return JSON.stringify(String(cell))
  }
}

/** What a JSON number must be made of for a reader with doubles to get it exactly: an integer within 2^53. */
const SAFE_DIGITS_MAX = 15

/** As toJsonText, but integers beyond 2^53 and decimals that aren't doubles' own texts are strings. */
export function toJsonTextWithStrings(cell: Cell, type: ScalarType): string {
  const text = toJsonText(cell, type)
  if (!isNumberText(text) || type === 'double precision') return text
  if (text.length <= SAFE_DIGITS_MAX && !text.includes('.') && !text.includes('e')) return text
  return isExactDouble(cell, text) ? text : `"${text}"`
}

function isNumberText(text: string): boolean {
  const first = text.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || first === 0x2d
}

/** Whether the number is a safe integer, or a double that was shown in its shortest form. */
function isExactDouble(cell: Cell, text: string): boolean {
  const value = Number(text)
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && String(value) === text
  return typeof cell === 'object' && cell !== null && cell[0] === KEY_TAG.NUMBER && String(value) === text
}

const CSV_SPECIAL = /[",\r\n]/
/** PostgreSQL's CSV: NULL is an empty field, the empty text is quoted. */
const CSV_EMPTY_TEXT = '""'

/** A field of CSV (RFC 4180): texts as they are, everything else as its JSON text. */
export function toCsvField(jsonText: string): string {
  if (jsonText === 'null') return ''
  const text = jsonText.startsWith('"') ? (JSON.parse(jsonText) as string) : jsonText
  if (text === '') return CSV_EMPTY_TEXT
  return CSV_SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
