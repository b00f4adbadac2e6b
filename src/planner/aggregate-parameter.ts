/** Owns what a call gives to finalize beside the state: a fraction, a separator, a number of values, a direction, all written out. */
import type { AggregateDefinition, AggregateParameter } from '../aggregates/aggregate.ts'
import { toQuantileParameter } from '../aggregates/quantile-parameter.ts'
import { unreachable } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { NUMBER_TYPES } from '../core/scalar-type.ts'
import type { Expression } from '../sql/expression.ts'

/** Greatest k of APPROX_TOP_K: as many values as a state keeps. */
const COUNT_MAX = 1000

/** Whether the definition's parameter is an argument of the call. */
export function isWrittenParameter({ parameter }: AggregateDefinition): boolean {
  return parameter !== undefined && parameter !== 'direction'
}

/** `argument`: where one is written; `descending`: WITHIN GROUP's. Errors: sql_invalid for one that isn't written out, or is another. */
export function readParameter(
  { name, parameter }: AggregateDefinition,
  argument: Expression | undefined,
  descending: boolean,
): AggregateParameter | undefined {
  if (parameter === undefined) return undefined
  if (parameter === 'direction') return descending ? 'desc' : 'asc'
  if (argument === undefined) return undefined
  switch (parameter) {
    case 'fraction':
      return readFraction(name, argument)
    case 'quantile':
      return toQuantileParameter(String(readFraction(name, argument)), descending)
    case 'separator':
      return readSeparator(name, argument)
    case 'count':
      return readCount(name, argument)
    default:
      return unreachable(parameter)
  }
}

function numberOf(argument: Expression): number {
  const isNumber = argument.kind === 'literal' && NUMBER_TYPES.has(argument.type) && argument.value !== null
  return isNumber ? Number(argument.value) : Number.NaN
}

/** A number as it is written: -0.5 is the negation of one. */
function readFraction(name: string, argument: Expression): number {
  const fraction = numberOf(argument)
  if (fraction >= 0 && fraction <= 1) return fraction
  throw new RollupdError('sql_invalid', `the fraction of ${name} must be a number from 0 to 1, written out`, {
    position: argument.position,
    hint: 'The 95th percentile has the fraction 0.95.',
  })
}

function readSeparator(name: string, argument: Expression): string {
  if (argument.kind === 'literal' && argument.type === 'text' && typeof argument.value === 'string') {
    return argument.value
  }
  throw new RollupdError('sql_invalid', `the separator of ${name} must be a text, written out`, {
    position: argument.position,
    hint: `A comma between the texts is ${name.toUpperCase()}(x, ',').`,
  })
}

function readCount(name: string, argument: Expression): number {
  const count = numberOf(argument)
  if (Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count
  throw new RollupdError('sql_invalid', `the k of ${name} must be an integer from 1 to ${COUNT_MAX}, written out`, {
    position: argument.position,
    hint: `The ten most frequent values are ${name.toUpperCase()}(x, 10).`,
  })
}

/** Errors: sql_invalid for a width that is no number above 0, written out. */
export function readWidth(name: string, argument: Expression): Expression {
  const width = numberOf(argument)
  if (width > 0 && Number.isFinite(width)) return argument
  throw new RollupdError('sql_invalid', `the width of ${name} must be a number greater than 0, written out`, {
    position: argument.position,
    hint: `Buckets of ten are ${name.toUpperCase()}(x, 10), from 0 to 10, from 10 to 20 and so on.`,
  })
}

/** Any parameter of a state that is shown without a call of its own. */
export function anyParameter(parameter: AggregateDefinition['parameter']): AggregateParameter {
  switch (parameter) {
    case 'fraction':
      return 0.5
    case 'quantile':
      return toQuantileParameter('0.5', false)
    case 'separator':
      return ', '
    case 'count':
      return 10
    case 'direction':
      return 'asc'
    case undefined:
      return Number.NaN
    default:
      return unreachable(parameter)
  }
}
