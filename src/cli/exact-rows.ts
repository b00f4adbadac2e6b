/** Owns the reading of an answer's rows for show: cells as the text that stands in the answer, so that numbers keep all digits. */
import { NULL_CELL } from './text-table.ts'

export interface ShownResult {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly warnings: readonly string[]
  readonly truncated: boolean
}

interface ReviverContext {
  readonly source?: string
}

/** `text` is the JSON of a Result. */
export function readResult(text: string): ShownResult {
  const parsed = parseExactly(text) as {
    columns: { name: string }[]
    rows: Record<string, unknown>[]
    warnings?: string[]
    truncated: boolean
  }
  const columns = parsed.columns.map(({ name }) => name)
  return {
    columns,
    rows: parsed.rows.map((row) => columns.map((column) => toCell(row[column]))),
    warnings: parsed.warnings ?? [],
    truncated: parsed.truncated,
  }
}

/** JSON whose numbers are shown by toCell with all their digits. */
export function parseExactly(text: string): unknown {
  // numbers become their source text, marked so that they are not taken for strings
  return JSON.parse(text, (_key, value: unknown, context?: ReviverContext) =>
    typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value,
  )
}

class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): unknown {
    return Number(this.text)
  }
}

/** A value of parseExactly as a cell of a table. */
export function toCell(value: unknown): string {
  if (value === null || value === undefined) return NULL_CELL
  if (value instanceof ExactNumber) return value.text
  return typeof value === 'string' ? value : JSON.stringify(value)
}
