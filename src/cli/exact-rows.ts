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
  // numbers become their source text, marked so that they are not taken for strings
  const parsed = JSON.parse(text, function (_key, value: unknown, context?: ReviverContext) {
    return typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value
  }) as {
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

class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): unknown {
    return Number(this.text)
  }
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return NULL_CELL
  if (value instanceof ExactNumber) return value.text
  return typeof value === 'string' ? value : JSON.stringify(value)
}
