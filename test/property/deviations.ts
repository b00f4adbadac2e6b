/**
 * Owns what is known to differ from PostgreSQL where both take a statement: each is a row of docs/SQL.md, and says in which expressions it shows.
 * A run that differs, and whose statement holds such an expression, is counted as skipped.
 */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { someNode, type CallNode, type Node } from './syntax.ts'

export interface Deviation {
  /** The first column of its row in docs/SQL.md. */
  readonly row: string
  readonly shows: (node: Node) => boolean
}

function inCalls(ids: RegExp, holds: (types: readonly ScalarType[], node: CallNode) => boolean): Deviation['shows'] {
  return (node) =>
    node.kind === 'call' &&
    ids.test(node.id) &&
    holds(
      node.args.map(({ type }) => type),
      node,
    )
}

const BESIDE =
  /^(equal|not_equal|less|greater|less_or_equal|greater_or_equal|is_(not_)?distinct_from|nullif|greatest|least)$/

export const DEVIATIONS: readonly Deviation[] = [
  {
    row: 'an exact number beside a double',
    shows: inCalls(BESIDE, (types) => types.includes('double precision') && new Set(types).size > 1),
  },
  {
    row: 'powers, roots, logarithms and `width_bucket` of numerics',
    shows: inCalls(/^width_bucket$/, ([operand]) => operand === 'numeric'),
  },
  {
    row: 'powers, logarithms, angles',
    shows: inCalls(/^(cbrt|degrees|radians|atan|atan2)$/, () => true),
  },
]

/** The row of the first deviation that shows in these expressions. */
export function deviationIn(nodes: readonly Node[]): string | undefined {
  return DEVIATIONS.find(({ shows }) => nodes.some((node) => someNode(node, shows)))?.row
}
