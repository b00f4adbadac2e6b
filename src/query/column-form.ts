/** Owns how each column of the leaf is copied: as the statement may fold it. */
import { assert, at } from '../core/assert.ts'
import type { LeafSchema } from '../leaf/leaf-schema.ts'
import type { ColumnToCopy } from './copied-column.ts'
import type { FoldRequest } from './fold-request.ts'

/** Errors: BrokenInvariant for a column that has none; the compiler asks for others only. */
export function formOf(schema: LeafSchema, name: string): ColumnToCopy {
  const group = schema.groupColumns.find((column) => column.name === name)
  if (group !== undefined) return { ...group, form: 'code' }
  for (const { aggregate, columns } of schema.partials) {
    const index = columns.findIndex((column) => column.name === name)
    if (index < 0) continue
    const kind = aggregate.columnFold?.kinds[index] ?? (index === aggregate.finishedColumn ? 'sum' : undefined)
    assert(kind !== undefined, `${name} has a form in a copy`)
    return { ...at(columns, index), form: kind === 'limb' || kind === 'none' ? kind : 'number' }
  }
  assert(false, `${schema.table} has a column ${name}`)
}

/** The columns that a fold reads, each once. */
export function columnsOfFold({ rollup: { schema }, cells }: FoldRequest): ColumnToCopy[] {
  const names = cells.flatMap((cell) => {
    switch (cell.kind) {
      case 'unused':
      case 'groups':
        return []
      case 'key':
        return [at(schema.groupColumns, cell.group).name]
      case 'derived':
        return [at(schema.groupColumns, cell.derivation.group).name]
      case 'state':
        return at(schema.partials, cell.partial).columns.map(({ name }) => name)
      default:
        return [cell.column]
    }
  })
  return [...new Set(names)].map((name) => formOf(schema, name))
}
