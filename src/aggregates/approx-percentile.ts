/** Owns APPROX_PERCENTILE: the value below which a part of the values lies, about (quantile-sketch.ts). */
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { QuantileAccumulator } from './quantile-accumulator.ts'
import { countValues, mergeSketches, valueAt } from './quantile-sketch.ts'

const APPROX_PERCENTILE_AGGREGATE: Aggregate = {
  type: 'double precision',
  ...blobStateParts(mergeSketches, false),
  stateDescription: 'approx_percentile: sketch of the distribution',
  canFail: false,
  createAccumulator: () => new QuantileAccumulator('approx_percentile'),
  finalize: ([state], r, out, fraction) => {
    if (!(state instanceof Uint8Array)) return r.setNull(out)
    // as percentile_disc: the first value with at least that part of all up to it
    const rank = Math.max(Math.ceil(Number(fraction) * countValues(state)) - 1, 0)
    r.setDouble(out, valueAt(state, rank))
  },
}

export const APPROX_PERCENTILE: AggregateDefinition = {
  name: 'approx_percentile',
  parameter: 'fraction',
  signature: 'approx_percentile(number, fraction)',
  doc: {
    summary:
      "The value up to which that part of the values lies, from 0 to 1, as PERCENTILE_DISC's with an error below 0.8 % of it; the least and the greatest value are exact. The same for any order of the records; several fractions of one argument share a state, and an array of them, ARRAY[0.5, 0.9], gives an array. Values that span more than 64 powers of two, on one side of 0 or both, may lose those nearest to 0, which count as 0. NULL of no values.",
    example: 'APPROX_PERCENTILE(latency_ms, 0.95)',
  },
  resolve([type, ...more]) {
    if (more.length > 0) return undefined
    switch (type) {
      case 'bigint':
      case 'double precision':
      case 'numeric':
      case 'number':
      case 'any':
        return APPROX_PERCENTILE_AGGREGATE
      default:
        return undefined
    }
  },
}
