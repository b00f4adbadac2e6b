/** Owns APPROX_DISTINCT: how many different values, exact up to some hundred, then within about 1 % (hyperloglog.ts). */
import type { Aggregate, AggregateDefinition, StateValue } from './aggregate.ts'
import { DistinctAccumulator } from './distinct-accumulator.ts'
import { countDistinct, mergeSketches } from './hyperloglog.ts'

function merge(left: StateValue, right: StateValue): StateValue {
  if (left === null) return right
  if (right === null) return left
  return mergeSketches(left as Uint8Array, right as Uint8Array)
}

const APPROX_DISTINCT_AGGREGATE: Aggregate = {
  type: 'bigint',
  columns: [{ suffix: '', storage: 'BLOB' }],
  stateDescription: 'approx_distinct: set of hashes, or sketch',
  canFail: false,
  createAccumulator: () => new DistinctAccumulator(),
  identity: () => [null],
  merge: ([left], [right]) => [merge(left ?? null, right ?? null)],
  // Only where there is nothing to join; all else goes through merge.
  mergeSql: (stored, added) => [`coalesce(${stored(0)}, ${added(0)})`],
  mergeGuard: (stored, added) => `(${stored(0)} IS NULL OR ${added(0)} IS NULL OR ${stored(0)} = ${added(0)})`,
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
