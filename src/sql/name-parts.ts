/** Owns names as the grammar gives them: a list of nodes, one for each part. */
import type { ColumnRef, Node } from './parse-statement.ts'

/** The parts in their order; a star is left out. */
export function nameParts(nodes: readonly Node[] | undefined): string[] {
  return (nodes ?? []).flatMap((node) => ('String' in node ? [node.String.sval ?? ''] : []))
}

/** The last part, without the schema that the grammar adds; empty where there is no name. */
export function lastNamePart(nodes: readonly Node[] | undefined): string {
  return nameParts(nodes).at(-1) ?? ''
}

/** A column's name as its parts; a star is left out. */
export function pathOf(ref: ColumnRef): string[] {
  return nameParts(ref.fields)
}

/** The name of a column written alone, without a table and without steps; undefined for anything else. */
export function bareName(node: Node): string | undefined {
  if (!('ColumnRef' in node)) return undefined
  const fields = node.ColumnRef.fields ?? []
  return fields.length === 1 ? pathOf(node.ColumnRef)[0] : undefined
}
