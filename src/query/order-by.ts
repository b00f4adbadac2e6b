/** Owns ORDER BY, LIMIT and OFFSET. */
import { RollupdError } from '../core/errors.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import type { Expression } from '../sql/expression.ts'
import { bareName } from '../sql/name-parts.ts'
import { byOrdinal } from '../sql/output-ordinal.ts'
import type { Node, SelectStmt, SortBy } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import { printDirection, readDirection } from '../sql/sort-direction.ts'
import { unsupported } from '../sql/unsupported.ts'
import { type CompileContext } from './compile-context.ts'

/** Clauses whose expressions may be outputs, by name or number. */
export type SortingClause = 'ORDER BY' | 'DISTINCT ON'

/** What a sort key is: an output, or an expression of its own. */
export interface SortKey {
  readonly output: number | undefined
  readonly expression: Expression | undefined
  /** ` ASC NULLS LAST` */
  readonly direction: string
  readonly position: number
}

/** `analyser`: expressions over the input, or undefined where only outputs may be named (set operations). */
export function compileSortKeys(
  nodes: readonly Node[],
  outputNames: readonly string[],
  context: CompileContext,
  analyser: Analyser | undefined,
  clause: SortingClause = 'ORDER BY',
): SortKey[] {
  return nodes.flatMap((node) =>
    'SortBy' in node ? [toSortKey(node.SortBy, outputNames, context, analyser, clause)] : [],
  )
}

function toSortKey(
  sort: SortBy,
  names: readonly string[],
  context: CompileContext,
  analyser: Analyser | undefined,
  clause: SortingClause,
): SortKey {
  const { node } = sort
  const position = context.positionOf(node === undefined ? undefined : locationOf(node))
  if (node === undefined || sort.useOp !== undefined)
    throw unsupported('ORDER BY ... USING is not supported', position, 'Write ASC or DESC.')
  const direction = printDirection(readDirection(sort))
  const indexes = names.map((_, index) => index)
  if ('A_Const' in node)
    return {
      output: byOrdinal(node.A_Const, clause, indexes, position),
      expression: undefined,
      direction,
      position,
    }
  const name = bareName(node)
  const output = name === undefined ? -1 : names.indexOf(name)
  if (output >= 0) return { output, expression: undefined, direction, position }
  if (analyser === undefined) {
    throw unsupported(
      'ORDER BY of a set operation takes names and numbers of outputs',
      position,
      'Wrap it: SELECT * FROM (...) AS u ORDER BY ...',
    )
  }
  return { output: undefined, expression: analyser.analyseSettled(node), direction, position }
}

/** Which of the sorted rows are answered; undefined: no bound. */
export interface RowLimit {
  readonly count: string | undefined
  readonly offset: string | undefined
  /** Further rows that sort as the last one. */
  readonly withTies: boolean
}

export function compileLimit(select: SelectStmt, context: CompileContext, analyser: Analyser): RowLimit {
  const count = rowCount(select.limitCount, 'LIMIT', context, analyser)
  return {
    count,
    offset: rowCount(select.limitOffset, 'OFFSET', context, analyser),
    withTies: select.limitOption === 'LIMIT_OPTION_WITH_TIES' && count !== undefined,
  }
}

/** A number or a parameter; NULL and ALL: none. */
function rowCount(
  node: Node | undefined,
  clause: string,
  context: CompileContext,
  analyser: Analyser,
): string | undefined {
  if (node === undefined) return undefined
  const position = context.positionOf(locationOf(node))
  const expression = context.printer.fold(analyser.analyse(node))
  if (expression.kind === 'literal' && expression.value === null) return undefined
  const isWhole = expression.type === 'bigint' || expression.type === 'unknown'
  const text = expression.kind === 'literal' && isWhole ? expression.value : undefined
  if (typeof text === 'string' && /^\d+$/.test(text)) return text
  throw new RollupdError('sql_invalid', `${clause} takes a whole number from 0 or a parameter`, {
    position,
    hint: clause === 'LIMIT' ? 'Leave LIMIT out for all rows.' : 'Leave OFFSET out to begin with the first row.',
  })
}

export function isSortedByOutput(key: SortKey): key is SortKey & { readonly output: number } {
  return key.output !== undefined
}
