/** Owns COUNT(DISTINCT x): how many different values, exact up to a bound (distinct-set.ts). */
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { DistinctSetAccumulator } from './distinct-set-accumulator.ts'
import { countMembers, DISTINCT_MAX, mergeSets } from './distinct-set.ts'

const COUNT_DISTINCT_AGGREGATE: Aggregate = {
  type: 'bigint',
  ...blobStateParts(mergeSets, true),
  stateDescription: 'count distinct: exact set',
  canFail: true,
  createAccumulator: () => new DistinctSetAccumulator(),
  finalize: ([state], r, out) => {
    const count = state instanceof Uint8Array ? countMembers(state) : 0
    if (count !== undefined) return r.setInteger(out, count)
    const message = `count(DISTINCT ...) over more than ${DISTINCT_MAX} different values; approx_distinct counts any number`
    r.setError(out, 'too_many_values', message)
  },
}

export const COUNT_DISTINCT: AggregateDefinition = {
  name: 'count',
  form: 'distinct',
  signature: 'count(DISTINCT value)',
  doc: {
    summary: `How many different values, NULL left out. Exact up to ${DISTINCT_MAX} in a group; beyond, an error when it is read.`,
    example: 'COUNT(DISTINCT user_id)',
  },
  resolve: (argTypes) => (argTypes.length === 1 ? COUNT_DISTINCT_AGGREGATE : undefined),
}
