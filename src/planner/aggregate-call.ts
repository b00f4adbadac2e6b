/** Owns aggregate calls of a rollup statement: where they may stand, which forms exist, and their result types. */
import { findAggregate } from '../aggregates/aggregate-table.ts'
import { RollupdError } from '../core/errors.ts'
import type { AggregateCall } from '../sql/expression.ts'
import type { CallSite, Scope } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import { checkAggregateCall, chooseAggregate, isAggregateName } from './choose-aggregate.ts'

/** Undefined for what is no aggregate. `inner` is the scope of arguments and FILTER. */
export function analyseAggregate(site: CallSite, inner: Scope): AggregateCall | undefined {
  const { name, node, position } = site
  if (!isAggregateName(name)) return undefined
  checkAggregateCall(name, node, position)
  if (node.over !== undefined) {
    throw unsupported('window functions are not allowed in a rollup', position, 'Use them in a query over the rollup.')
  }
  const form = findAggregate(name, node.agg_distinct === true)?.form
  if (node.agg_distinct === true && form === undefined) {
    const hint = 'APPROX_DISTINCT(x) and COUNT(DISTINCT x) count distinct values.'
    throw unsupported(`${name}(DISTINCT ...) is not supported yet`, position, hint)
  }
  const analyser = site.analyser.within(inner)
  const distinct = node.agg_distinct === true && form === 'distinct'
  const { aggregate, args, order, parameter } = chooseAggregate(name, node, analyser, position, distinct)
  const filter = node.agg_filter === undefined ? null : analyser.analyseCondition(node.agg_filter, 'FILTER')
  return {
    kind: 'aggregate',
    name,
    args,
    filter,
    distinct,
    ...(order.length === 0 ? {} : { order }),
    ...(parameter === undefined ? {} : { parameter }),
    type: aggregate.type,
    position,
  }
}

/** Refuses an aggregate where none may stand; undefined for what is no aggregate. */
export function refuseAggregate(site: CallSite, where: string, hint: string): undefined {
  if (!isAggregateName(site.name)) return undefined
  throw new RollupdError('sql_invalid', `aggregates are not allowed in ${where}`, { position: site.position, hint })
}
