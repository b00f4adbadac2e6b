/** Owns which aggregate keeps the state of a partial. */
import { resolveAggregate } from '../aggregates/aggregate-table.ts'
import type { Aggregate } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'
import type { Expression } from '../sql/expression.ts'
import type { PartialColumn } from './plan.ts'

/** The aggregate of a partial. Errors: BrokenInvariant for one that no plan of this version has. */
export function aggregateOf({ aggregate: name, args, argTypes, call }: PartialColumn): Aggregate {
  const aggregate = resolveAggregate(name, argTypes, literalValues(args))
  assert(aggregate !== undefined, `no aggregate serves ${call}`)
  return aggregate
}

/** The values of literal arguments, as AggregateDefinition.resolve wants them; undefined for the others. */
export function literalValues(args: readonly Expression[]): readonly unknown[] {
  return args.map((argument) => (argument.kind === 'literal' ? argument.value : undefined))
}
