/** Owns the choice of an aggregate for a call, the same in rollups and in queries: its name, its forms, its argument types. */
import { aggregateNames, findAggregate, resolveAggregate } from '../aggregates/aggregate-table.ts'
import type { Aggregate } from '../aggregates/aggregate.ts'
import { RollupdError } from '../core/errors.ts'
import type { Expression } from '../sql/expression.ts'
import type { FuncCall } from '../sql/parse-statement.ts'
import { isLaterAggregate } from '../sql/refused-functions.ts'
import { unsupported } from '../sql/unsupported.ts'
import { literalValues } from './partial-aggregate.ts'

/** Whether the name is an aggregate's, of ours or of PostgreSQL's that comes later. */
export function isAggregateName(name: string): boolean {
  return findAggregate(name) !== undefined || isLaterAggregate(name)
}

/** Errors: sql_unsupported for an aggregate that comes later and for a form that none has yet. Caller keeps: isAggregateName. */
export function checkAggregateCall(name: string, node: FuncCall, position: number): void {
  if (findAggregate(name) === undefined) {
    const hint = `The aggregates are ${aggregateNames().join(', ')}.`
    throw unsupported(`the aggregate ${name} is not supported yet`, position, hint)
  }
  if (node.agg_within_group === true) throw unsupported('WITHIN GROUP is not supported yet', position)
  if (node.agg_order !== undefined) throw unsupported('ORDER BY inside an aggregate is not supported yet', position)
  if (node.func_variadic === true) throw unsupported('VARIADIC is not supported', position)
}

/** The aggregate of that name for these arguments, in its form for DISTINCT or in its own. Errors: sql_type_mismatch. */
export function chooseAggregate(
  name: string,
  node: FuncCall,
  args: readonly Expression[],
  position: number,
  distinct = false,
): Aggregate {
  const isStar = node.agg_star === true
  const types = args.map(({ type }) => type)
  const aggregate = isStar || args.length > 0 ? resolveAggregate(name, types, literalValues(args), distinct) : undefined
  if (aggregate !== undefined) return aggregate
  const found = isStar ? '*' : args.length === 0 ? 'no arguments' : types.join(' and ')
  throw new RollupdError('sql_type_mismatch', `the aggregate ${name} does not take ${found}`, {
    position: args[0]?.position ?? position,
    hint: `It takes ${findAggregate(name, distinct)?.signature}.`,
  })
}
