/** Owns ORDER BY and LIMIT where only outputs can be sorted by: behind set operations and VALUES. */
import type { SelectStmt } from '../sql/parse-statement.ts'
import type { CompileContext, Surroundings } from './compile-context.ts'
import { EMPTY_NAMESPACE } from './namespace.ts'
import { compileLimit, compileSortKeys, isSortedByOutput } from './order-by.ts'
import { QueryScope } from './query-scope.ts'
import { limitText, rankedText } from './ranked-rows.ts'
import type { PlanColumn } from './select-plan.ts'

export interface OutputTail {
  readonly isSingleRow: boolean
  /** Neither ORDER BY nor LIMIT. */
  readonly isEmpty: boolean
  /** The rows of a text whose columns are c0, c1, ... */
  behind(rows: string): string
}

export const NO_TAIL: OutputTail = { isSingleRow: false, isEmpty: true, behind: (rows) => rows }

export function outputTail(
  select: SelectStmt,
  columns: readonly PlanColumn[],
  surroundings: Surroundings,
  context: CompileContext,
): OutputTail {
  const names = columns.map(({ name }) => name)
  const keys = compileSortKeys(select.sortClause ?? [], names, context, undefined).filter(isSortedByOutput)
  const scope = new QueryScope('LIMIT', { context, namespace: EMPTY_NAMESPACE, surroundings })
  const limit = compileLimit(select, context, context.analyser(scope))
  if (limit.withTies) {
    const sorts = keys.map(({ output }, index) => `c${output} AS s${index}`)
    return {
      isSingleRow: false,
      isEmpty: false,
      behind: (rows) =>
        rankedText({
          rows: `SELECT *, ${sorts.join(', ')} FROM (${rows})`,
          columns: columns.map((_, index) => `c${index}`),
          keyCount: 0,
          directions: keys.map(({ direction }) => direction),
          limit,
        }),
    }
  }
  const order = keys.map(({ output, direction }) => `${output + 1}${direction}`)
  const tail = `${order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`}${limitText(limit)}`
  return {
    isSingleRow: limit.count === '0' || limit.count === '1',
    isEmpty: tail === '',
    behind: (rows) => rows + tail,
  }
}
