/** Owns which aggregate keeps the state of a partial. */
import { resolveAggregate } from '../aggregates/aggregate-table.ts'
import type { Aggregate } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'
import type { PartialColumn } from './plan.ts'

/** The aggregate of a partial. Errors: BrokenInvariant for one that no plan of this version has. */
export function aggregateOf({ aggregate: name, argTypes, distinct, call }: PartialColumn): Aggregate {
  const aggregate = resolveAggregate(name, argTypes, distinct)
  assert(aggregate !== undefined, `no aggregate serves ${call}`)
  return aggregate
}

/** A word for the partial's aggregate that its form with DISTINCT doesn't share: part of the names of SQLite functions. */
export function aggregateWord({ aggregate, distinct }: PartialColumn): string {
  return distinct ? `${aggregate}_distinct` : aggregate
}
