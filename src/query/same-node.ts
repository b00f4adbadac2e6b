/** Owns equality of syntax: the same expression wherever it stands in the statement. */
import type { ColumnRef, Node } from '../sql/parse-statement.ts'

/** `sameColumn` says whether two names, however qualified, are one column. */
export function isSameNode(
  left: Node,
  right: Node,
  sameColumn: (left: ColumnRef, right: ColumnRef) => boolean,
): boolean {
  return isSame(left, right, sameColumn)
}

function isSame(left: unknown, right: unknown, sameColumn: (left: ColumnRef, right: ColumnRef) => boolean): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  if ('ColumnRef' in left && 'ColumnRef' in right)
    return sameColumn(left.ColumnRef as ColumnRef, right.ColumnRef as ColumnRef)
  const names = (node: object): string[] => Object.keys(node).filter((key) => !isPlace(key))
  const keys = names(left)
  return (
    keys.length === names(right).length &&
    keys.every((key) =>
      isSame((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], sameColumn),
    )
  )
}

/** location, rexpr_list_start, ...: where, not what. */
function isPlace(key: string): boolean {
  return key.endsWith('location') || key.startsWith('rexpr_list_') || key.startsWith('list_')
}
