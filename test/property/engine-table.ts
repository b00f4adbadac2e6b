/** Owns the statements that make a table of typed rows in another engine. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { quoteText } from './print-syntax.ts'

export interface EngineColumn {
  readonly name: string
  readonly type: ScalarType
}

/** Cells are texts, in the order of the columns. A table of that name is replaced. */
export function toTableStatements(
  name: string,
  columns: readonly EngineColumn[],
  rows: readonly (readonly (string | null)[])[],
): string[] {
  const definitions = columns.map(
    (column) => `${column.name} ${column.type}${column.type === 'text' ? ' COLLATE "pg_c_utf8"' : ''}`,
  )
  const values = rows.map((row) => `(${row.map((cell) => (cell === null ? 'NULL' : quoteText(cell))).join(', ')})`)
  return [
    `DROP TABLE IF EXISTS ${name}`,
    `CREATE TABLE ${name} (${definitions.join(', ')})`,
    ...(values.length === 0 ? [] : [`INSERT INTO ${name} VALUES ${values.join(', ')}`]),
  ]
}
