/** Owns which aggregate keeps the state of a partial. */
import { resolveAggregate } from '../aggregates/aggregate-table.ts'
import type { Aggregate } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'
import type { PartialValue } from '../sql/expression.ts'
import type { PartialColumn } from './plan.ts'

/** The aggregate of a partial. Errors: BrokenInvariant for one that no plan of this version has. */
export function aggregateOf({ aggregate: name, argTypes, distinct, call }: PartialColumn): Aggregate {
  const aggregate = resolveAggregate(name, argTypes, distinct)
  assert(aggregate !== undefined, `no aggregate serves ${call}`)
  return aggregate
}

/** The aggregate that reads the partial's state for a value of the wrap half. */
export function finalizerOf(partial: PartialColumn, { finalizer }: Pick<PartialValue, 'finalizer'>): Aggregate {
  return aggregateOf(finalizer === undefined ? partial : { ...partial, aggregate: finalizer })
}

/** A word for the partial's aggregate that its form with DISTINCT doesn't share: part of the names of SQLite functions. */
export function aggregateWord({ aggregate, distinct }: PartialColumn, finalizer = aggregate): string {
  return distinct ? `${finalizer}_distinct` : finalizer
}
