/** Owns ORDER BY inside an aggregate call, the same in rollups and in queries. */
import { RollupdError } from '../core/errors.ts'
import { locationOf } from '../sql/analyse-expression.ts'
import { expressionKey } from '../sql/expression-key.ts'
import type { AggregateOrder, Expression } from '../sql/expression.ts'
import type { FuncCall } from '../sql/parse-statement.ts'
import type { Analyser } from '../sql/scope.ts'
import { readDirection } from '../sql/sort-direction.ts'
import { unsupported } from '../sql/unsupported.ts'

/** The keys of the call, empty where it has none. Errors: sql_unsupported, those of the keys. */
export function analyseAggregateOrder(node: FuncCall, analyser: Analyser): AggregateOrder[] {
  return (node.agg_order ?? []).flatMap((item) => {
    if (!('SortBy' in item) || item.SortBy.node === undefined) return []
    const position = analyser.positionOf(locationOf(item.SortBy.node))
    if (item.SortBy.useOp !== undefined)
      throw unsupported('ORDER BY ... USING is not supported', position, 'Write ASC or DESC.')
    return [{ expression: analyser.analyseSettled(item.SortBy.node), ...readDirection(item.SortBy) }]
  })
}

/** PostgreSQL's rule: of values that are one, no other key says which comes first. */
export function checkDistinctOrder(order: readonly AggregateOrder[], args: readonly Expression[]): void {
  const keys = args.map(expressionKey)
  const stranger = order.find(({ expression }) => !keys.includes(expressionKey(expression)))
  if (stranger === undefined) return
  throw new RollupdError('sql_invalid', 'ORDER BY of an aggregate with DISTINCT takes its argument only', {
    position: stranger.expression.position,
    hint: 'Order by the argument, or leave DISTINCT out.',
  })
}
