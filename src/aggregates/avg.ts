/** Owns AVG: the double nearest to the exact quotient of SUM's total and the number of values. */
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { ExactSumAccumulator } from './exact-sum-accumulator.ts'
import { createIntervalSum } from './interval-sum.ts'
import { exactSumParts, INTEGER_SUM, NUMBER_SUM, finalizeAverage, type ExactSumLayout } from './exact-sum-state.ts'

function createAverage(layout: ExactSumLayout, canFail: boolean): Aggregate {
  return {
    type: 'double precision',
    ...exactSumParts(layout),
    stateDescription: layout === INTEGER_SUM ? 'avg: count, exact integer' : 'avg: count, exact fixed point',
    canFail,
    createAccumulator: () => new ExactSumAccumulator('avg', layout),
    finalize: (state, r, out) => finalizeAverage(layout, state, r, out),
  }
}

export const AVG: AggregateDefinition = {
  name: 'avg',
  signature: 'avg(number) or avg(interval)',
  doc: {
    summary:
      'The double nearest to the exact total divided by the number of values; intervals give an interval. NULL of no values.',
    example: 'AVG(latency_ms)',
  },
  resolve([type, ...more]) {
    if (more.length > 0) return undefined
    switch (type) {
      case 'bigint':
        return createAverage(INTEGER_SUM, false)
      case 'double precision':
        return createAverage(NUMBER_SUM, false)
      // Decimals and undeclared integers may be beyond double's range; the average of doubles never is.
      case 'numeric':
      case 'number':
      case 'any':
        return createAverage(NUMBER_SUM, true)
      case 'interval':
        return createIntervalSum('avg')
      default:
        return undefined
    }
  },
}
