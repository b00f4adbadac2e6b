/** Owns SUM: exact, whatever the order (exact-sum-state.ts). */
import type { ScalarType } from '../core/scalar-type.ts'
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { ExactSumAccumulator } from './exact-sum-accumulator.ts'
import { createIntervalSum } from './interval-sum.ts'
import {
  exactSumParts,
  INTEGER_SUM,
  MIXED_SUM,
  NUMBER_SUM,
  finalizeSum,
  type ExactSumLayout,
} from './exact-sum-state.ts'

function createSum(type: ScalarType, layout: ExactSumLayout, allExact: boolean): Aggregate {
  return {
    type,
    ...exactSumParts(layout),
    stateDescription: layout === INTEGER_SUM ? 'sum: count, exact integer' : 'sum: counts, exact fixed point',
    canFail: !allExact,
    createAccumulator: () => new ExactSumAccumulator('sum', layout),
    finalize: (state, r, out) => finalizeSum(layout, allExact, state, r, out),
  }
}

export const SUM: AggregateDefinition = {
  name: 'sum',
  signature: 'sum(number) or sum(interval)',
  doc: {
    summary:
      'The exact total. Integers give an integer of any size; a double among them gives the double nearest to the exact total; intervals give an interval. NULL of no values.',
    example: 'SUM(bytes)',
  },
  resolve([type, ...more]) {
    if (more.length > 0) return undefined
    switch (type) {
      case 'bigint':
        return createSum('numeric', INTEGER_SUM, true)
      case 'numeric':
        return createSum('numeric', NUMBER_SUM, true)
      case 'double precision':
        return createSum('double precision', NUMBER_SUM, false)
      case 'number':
      case 'any':
        return createSum('number', MIXED_SUM, false)
      case 'interval':
        return createIntervalSum('sum')
      default:
        return undefined
    }
  },
}
