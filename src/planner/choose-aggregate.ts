/** Owns the choice of an aggregate for a call, the same in rollups and in queries: its name, its forms, its argument types. */
import { aggregateNames, findAggregate, resolveAggregate } from '../aggregates/aggregate-table.ts'
import type { Aggregate } from '../aggregates/aggregate.ts'
import { RollupdError } from '../core/errors.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Expression } from '../sql/expression.ts'
import type { FuncCall } from '../sql/parse-statement.ts'
import { isLaterAggregate } from '../sql/refused-functions.ts'
import { unsupported } from '../sql/unsupported.ts'

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

/** What a call means. */
export interface ChosenAggregate {
  readonly aggregate: Aggregate
  /** The arguments that are evaluated. */
  readonly args: readonly Expression[]
  /** For finalize. */
  readonly parameter: number | undefined
}

/**
 * The aggregate of that name for these arguments, in its form for DISTINCT or in its own. Errors: sql_type_mismatch; sql_invalid for a
 * parameter that is none.
 */
export function chooseAggregate(
  name: string,
  node: FuncCall,
  args: readonly Expression[],
  position: number,
  distinct = false,
): ChosenAggregate {
  const isStar = node.agg_star === true
  const definition = findAggregate(name, distinct)
  const last = definition?.parameter === undefined ? undefined : args[1]
  const evaluated = last === undefined ? args : args.toSpliced(1, 1)
  const types = evaluated.map(({ type }) => type)
  const hasParameter = definition?.parameter === undefined || last !== undefined
  const aggregate = hasParameter && (isStar || args.length > 0) ? resolveAggregate(name, types, distinct) : undefined
  if (aggregate !== undefined) {
    return { aggregate, args: evaluated, parameter: last === undefined ? undefined : readFraction(name, last) }
  }
  const found = isStar ? '*' : args.length === 0 ? 'no arguments' : args.map(({ type }) => type).join(' and ')
  throw new RollupdError('sql_type_mismatch', `the aggregate ${name} does not take ${found}`, {
    position: args[0]?.position ?? position,
    hint: `It takes ${definition?.signature}.`,
  })
}

/** A number as it is written: -0.5 is the negation of one. */
function readFraction(name: string, argument: Expression): number {
  const isNumber = argument.kind === 'literal' && FRACTION_TYPES.has(argument.type) && argument.value !== null
  const fraction = isNumber ? Number(argument.value) : Number.NaN
  if (fraction >= 0 && fraction <= 1) return fraction
  throw new RollupdError('sql_invalid', `the fraction of ${name} must be a number from 0 to 1, written out`, {
    position: argument.position,
    hint: 'The 95th percentile has the fraction 0.95.',
  })
}

const FRACTION_TYPES: ReadonlySet<ScalarType> = new Set<ScalarType>(['bigint', 'double precision', 'numeric', 'number'])
