/** Owns the choice of an aggregate for a call, the same in rollups and in queries: its name, its forms, its argument types. */
import { aggregateNames, findAggregate, resolveAggregate } from '../aggregates/aggregate-table.ts'
import type { Aggregate, AggregateDefinition, AggregateParameter } from '../aggregates/aggregate.ts'
import { RollupdError } from '../core/errors.ts'
import { NUMBER_TYPES } from '../core/scalar-type.ts'
import type { AggregateOrder, Expression } from '../sql/expression.ts'
import { NUMBER_BUCKET } from '../sql/functions/number-bucket.ts'
import type { FuncCall } from '../sql/parse-statement.ts'
import { isLaterAggregate } from '../sql/refused-functions.ts'
import { resolveCall } from '../sql/resolve-call.ts'
import type { Analyser } from '../sql/scope.ts'
import { unsupported } from '../sql/unsupported.ts'
import { isWrittenParameter, readParameter, readWidth } from './aggregate-parameter.ts'
import { analyseAggregateOrder, checkDistinctOrder } from './aggregate-order.ts'

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
  if (node.func_variadic === true) throw unsupported('VARIADIC is not supported', position)
}

/** What a call means. */
export interface ChosenAggregate {
  readonly aggregate: Aggregate
  /** The arguments that are evaluated. */
  readonly args: readonly Expression[]
  /** ORDER BY inside the call; empty where the value doesn't depend on it. */
  readonly order: readonly AggregateOrder[]
  /** For finalize. */
  readonly parameter: AggregateParameter | undefined
}

/**
 * The aggregate of that name for the call's arguments, in its form for DISTINCT or in its own. `analyser`: of the rows or records that
 * are aggregated. Errors: sql_type_mismatch; sql_invalid for a parameter that is none; those of the arguments.
 */
export function chooseAggregate(
  name: string,
  node: FuncCall,
  analyser: Analyser,
  position: number,
  distinct = false,
): ChosenAggregate {
  const definition = findAggregate(name, distinct)
  const call = definition === undefined ? undefined : readCall(definition, node, analyser, position)
  const args = castArguments(call?.values ?? [], definition)
  const isCall = call !== undefined && (node.agg_star === true || args.length > 0)
  const isComplete = definition !== undefined && isWrittenParameter(definition) === (call?.parameter !== undefined)
  const types = args.map(({ type }) => type)
  const aggregate = isCall && isComplete ? resolveAggregate(name, types, distinct) : undefined
  if (definition === undefined || call === undefined || aggregate === undefined) {
    throw doesNotTake(name, node, call?.written ?? [], position, definition)
  }
  const { order, parameter } = call
  if (node.agg_distinct === true) checkDistinctOrder(order, args)
  return {
    aggregate,
    args,
    order: definition.ordered === true ? order : [],
    parameter: readParameter(definition, parameter, order[0]?.descending === true),
  }
}

/** The parts of a call. */
interface WrittenCall {
  /** Arguments in the order in which they are written, for messages. */
  readonly written: readonly Expression[]
  /** What is aggregated. */
  readonly values: readonly Expression[]
  readonly parameter: Expression | undefined
  readonly order: readonly AggregateOrder[]
}

function readCall(definition: AggregateDefinition, node: FuncCall, analyser: Analyser, position: number): WrittenCall {
  const { name, signature, withinGroup } = definition
  const isWithin = node.agg_within_group === true
  if (isWithin !== (withinGroup === true)) {
    const message = `the aggregate ${name} ${isWithin ? 'takes no' : 'needs'} WITHIN GROUP`
    throw new RollupdError('sql_invalid', message, { position, hint: `It is ${signature}.` })
  }
  const written = (node.args ?? []).map((arg) => analyser.analyseSettled(arg))
  const order = analyseAggregateOrder(node, analyser)
  if (isWithin) {
    const [parameter, ...more] = written
    const values = [...more, ...order.map(({ expression }) => expression)]
    return { written: [...written, ...order.map(({ expression }) => expression)], values, parameter, order }
  }
  const [value, width, ...more] = written
  if (definition.bucketed === true && value !== undefined && width !== undefined && more.length === 0) {
    return { written, values: bucketOf(name, value, width), parameter: undefined, order }
  }
  const parameter = isWrittenParameter(definition) ? written[1] : undefined
  return { written, values: parameter === undefined ? written : written.toSpliced(1, 1), parameter, order }
}

/** A text is no number because it is written as one: it is left to be refused. */
function bucketOf(name: string, value: Expression, width: Expression): readonly Expression[] {
  if (value.type !== 'any' && !NUMBER_TYPES.has(value.type)) return [value, width]
  const args = [value, readWidth(name, width)]
  return [resolveCall({ form: 'function', name: NUMBER_BUCKET.name, args, position: value.position })]
}

function castArguments(args: readonly Expression[], definition: AggregateDefinition | undefined): Expression[] {
  return args.map((arg, index) => {
    const type = definition?.casts?.[index]
    if (type === undefined || type === arg.type) return arg
    return resolveCall({ form: 'cast', name: type, args: [arg], position: arg.position })
  })
}

function doesNotTake(
  name: string,
  node: FuncCall,
  args: readonly Expression[],
  position: number,
  definition: AggregateDefinition | undefined,
): RollupdError {
  const types = args.map(({ type }) => type).join(' and ')
  const found = node.agg_star === true ? '*' : args.length === 0 ? 'no arguments' : types
  return new RollupdError('sql_type_mismatch', `the aggregate ${name} does not take ${found}`, {
    position: args[0]?.position ?? position,
    hint:
      node.agg_distinct === true && args.length > 1 && name === 'count'
        ? 'Write COUNT(DISTINCT jsonb_build_array(a, b)).'
        : `It takes ${definition?.signature}.`,
  })
}
