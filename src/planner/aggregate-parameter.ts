/** Owns the arguments of aggregates that are written out and decide how the state is read: a fraction, a separator. */
import type { AggregateDefinition, AggregateParameter } from '../aggregates/aggregate.ts'
import { unreachable } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import { NUMBER_TYPES } from '../core/scalar-type.ts'
import type { Expression } from '../sql/expression.ts'

/** Errors: sql_invalid for one that isn't written out, or is another. */
export function readParameter({ name, parameter }: AggregateDefinition, argument: Expression): AggregateParameter {
  switch (parameter) {
    case 'fraction':
      return readFraction(name, argument)
    case 'separator':
      return readSeparator(name, argument)
    case undefined:
      return Number.NaN
    default:
      return unreachable(parameter)
  }
}

/** A number as it is written: -0.5 is the negation of one. */
function readFraction(name: string, argument: Expression): number {
  const isNumber = argument.kind === 'literal' && NUMBER_TYPES.has(argument.type) && argument.value !== null
  const fraction = isNumber ? Number(argument.value) : Number.NaN
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
