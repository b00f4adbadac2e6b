/** Owns APPROX_DISTINCT: how many different values, exact up to some hundred, then within about 1 % (hyperloglog.ts). */
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { DistinctAccumulator } from './distinct-accumulator.ts'
import { countDistinct, mergeSketches } from './hyperloglog.ts'

const APPROX_DISTINCT_AGGREGATE: Aggregate = {
  type: 'bigint',
  ...blobStateParts(mergeSketches, true),
  stateDescription: 'approx_distinct: set of hashes, or sketch',
  canFail: false,
  createAccumulator: () => new DistinctAccumulator(),
  finalize: ([state], r, out) => r.setInteger(out, state instanceof Uint8Array ? countDistinct(state) : 0),
}

export const APPROX_DISTINCT: AggregateDefinition = {
  name: 'approx_distinct',
  signature: 'approx_distinct(value)',
  doc: {
    summary:
      'How many different values, NULL left out. Exact up to 512; beyond, a sketch with a standard error of 0.8 %, the same for any order of the records.',
    example: 'APPROX_DISTINCT(user_id)',
  },
  resolve: (argTypes) => (argTypes.length === 1 ? APPROX_DISTINCT_AGGREGATE : undefined),
}
