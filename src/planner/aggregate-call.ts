/** Owns aggregate calls of a rollup statement: where they may stand, which forms exist, and their result types. */
import { RollupdError } from '../core/errors.ts'
import type { AggregateCall, Expression } from '../sql/expression.ts'
import type { FuncCall } from '../sql/parse-statement.ts'
import { isLaterAggregate } from '../sql/refused-functions.ts'
import type { CallSite, Scope } from '../sql/scope.ts'
import type { AggregateCatalog } from './aggregate-catalog.ts'

/** Undefined for what is no aggregate. `inner` is the scope of arguments and FILTER. */
export function analyseAggregate(site: CallSite, catalog: AggregateCatalog, inner: Scope): AggregateCall | undefined {
  const { name, node, position, analyser } = site
  const definition = catalog.findAggregate(name)
  if (definition === undefined) {
    if (!isLaterAggregate(name)) return undefined
    throw unsupported(
      `the aggregate ${name} is not supported yet`,
      position,
      `The aggregates are ${catalog.aggregateNames().join(', ')}.`,
    )
  }
  refuseForms(name, node, position)
  const argumentAnalyser = analyser.within(inner)
  const args = (node.args ?? []).map((arg) => argumentAnalyser.analyseSettled(arg))
  const filter = node.agg_filter === undefined ? null : argumentAnalyser.analyseCondition(node.agg_filter, 'FILTER')
  const aggregate =
    args.length === 0 && node.agg_star !== true
      ? undefined
      : catalog.resolveAggregate(
          name,
          args.map(({ type }) => type),
          args.map(literalOf),
        )
  if (aggregate === undefined) {
    const found =
      node.agg_star === true ? '*' : args.length === 0 ? 'no arguments' : args.map(({ type }) => type).join(' and ')
    throw new RollupdError('sql_type_mismatch', `the aggregate ${name} does not take ${found}`, {
      position: args[0]?.position ?? position,
      hint: `It takes ${definition.signature}.`,
    })
  }
  return { kind: 'aggregate', name, args, filter, distinct: false, type: aggregate.type, position }
}

/** Refuses an aggregate where none may stand; undefined for what is no aggregate. */
export function refuseAggregate(site: CallSite, catalog: AggregateCatalog, where: string, hint: string): undefined {
  if (catalog.findAggregate(site.name) === undefined && !isLaterAggregate(site.name)) return undefined
  throw new RollupdError('sql_invalid', `aggregates are not allowed in ${where}`, { position: site.position, hint })
}

function refuseForms(name: string, node: FuncCall, position: number): void {
  if (node.over !== undefined) {
    throw unsupported('window functions are not allowed in a rollup', position, 'Use them in a query over the rollup.')
  }
  if (node.agg_distinct === true) {
    throw unsupported(
      `${name}(DISTINCT ...) is not supported yet`,
      position,
      'APPROX_DISTINCT(x) counts distinct values.',
    )
  }
  if (node.agg_within_group === true) throw unsupported('WITHIN GROUP is not supported yet', position, undefined)
  if (node.agg_order !== undefined)
    throw unsupported('ORDER BY inside an aggregate is not supported yet', position, undefined)
  if (node.func_variadic === true) throw unsupported('VARIADIC is not supported', position, undefined)
}

function literalOf(expression: Expression): unknown {
  return expression.kind === 'literal' ? expression.value : undefined
}

function unsupported(message: string, position: number, hint: string | undefined): RollupdError {
  return new RollupdError('sql_unsupported', message, { position, hint })
}
