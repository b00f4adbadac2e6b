/**
 * Owns what is read from the counts of values (value-counts.ts): MODE, the most frequent one, APPROX_TOP_K, the most frequent ones, and
 * HISTOGRAM, all of them. They share a state.
 */
import { keyToJsonText } from '../core/key-reader.ts'
import type { Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Aggregate, AggregateDefinition, AggregateParameter } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { setJsonText } from './entry-list-aggregate.ts'
import { readKeyValue, UNREADABLE } from './key-value.ts'
import { COUNTS_BOUNDS, COUNTS_ROW_BOUNDS, mergeValueCounts, readValueCounts } from './value-counts.ts'
import { ValueCountsAccumulator } from './value-counts-accumulator.ts'
import { copyBytes } from '../core/copy-bytes.ts'

/** The aggregate whose state the others read too. */
const OWNER = 'approx_top_k'

/** A value and how often it came. */
interface Frequency {
  /** A view that ends with it. */
  readonly key: Uint8Array
  readonly count: number
}

type Answer = (values: Frequency[], r: Registers, out: number, parameter: AggregateParameter) => void

function create(name: string, type: ScalarType, answer: Answer): Aggregate {
  const bounds = `${COUNTS_BOUNDS.valuesMax} different values in a rollup's group, ${COUNTS_ROW_BOUNDS.valuesMax} in a query over rows`
  const warning = `${name} is exact up to ${bounds}; a group of the answer has more, its counts are estimates`
  return {
    type,
    ...blobStateParts((left, right) => mergeValueCounts(left, right), false),
    stateDescription: 'counts of values',
    canFail: false,
    createAccumulator: (input) => new ValueCountsAccumulator(input),
    finalize: ([state], r, out, parameter) => {
      if (!(state instanceof Uint8Array)) return r.setNull(out)
      const { isExact, values } = readValueCounts(state)
      if (!isExact) r.warning = warning
      const frequencies: Frequency[] = []
      for (; !values.isDone; values.next()) {
        frequencies.push({ key: state.subarray(values.start, values.start + values.length), count: values.count })
      }
      answer(frequencies, r, out, parameter)
    },
  }
}

/** The most frequent value; of several the first, or with DESC the last, in the order of values. */
function mostFrequent(type: ScalarType): Answer {
  return (values, r, out, direction) => {
    let best = values[0]!
    for (const one of values) {
      if (one.count > best.count || (one.count === best.count && direction === 'desc')) best = one
    }
    readKeyValue(copyBytes(best.key, 0, best.key.length), 0, type, r, out)
  }
}

function toJson(values: readonly Frequency[]): string {
  return `[${values.map(({ key, count }) => `{"value":${keyToJsonText(key, 0)},"count":${count}}`).join(',')}]`
}

const topOf: Answer = (values, r, out, count) => {
  const sorted = values.toSorted((a, b) => b.count - a.count)
  setJsonText(r, out, toJson(sorted.slice(0, Number(count))))
}

const allOf: Answer = (values, r, out) => setJsonText(r, out, toJson(values))

function resolveWith(answer: (type: ScalarType) => Aggregate): AggregateDefinition['resolve'] {
  return ([type, ...more]) => {
    if (type === undefined || more.length > 0 || UNREADABLE.has(type)) return undefined
    return answer(type)
  }
}

const BOUND = `Exact up to ${COUNTS_BOUNDS.valuesMax} different values in a rollup's group`

export const APPROX_TOP_K: AggregateDefinition = {
  name: OWNER,
  parameter: 'count',
  signature: 'approx_top_k(value, k)',
  doc: {
    summary: `The k most frequent values, the most frequent first, NULL left out, as a JSON array of {"value", "count"}. ${BOUND}; beyond, with a warning, counts may be too large and depend on the order of the records. NULL of no values.`,
    example: 'APPROX_TOP_K(page, 10)',
  },
  resolve: resolveWith(() => create(OWNER, 'any', topOf)),
}

export const HISTOGRAM: AggregateDefinition = {
  name: 'histogram',
  stateOwner: () => OWNER,
  bucketed: true,
  signature: 'histogram(value) or histogram(number, width)',
  doc: {
    summary: `How often each value came, NULL left out, as a JSON array of {"value", "count"} in the order of values. ${BOUND}; beyond, with a warning, it has the frequent ones, as approx_top_k. With a width, how many numbers each bucket of that width has, by where it begins (number_bucket). NULL of no values.`,
    example: 'HISTOGRAM(latency_ms, 50)',
  },
  resolve: resolveWith(() => create('histogram', 'any', allOf)),
}

export const MODE: AggregateDefinition = {
  name: 'mode',
  stateOwner: () => OWNER,
  parameter: 'direction',
  withinGroup: true,
  signature: 'mode() WITHIN GROUP (ORDER BY value)',
  doc: {
    summary: `The most frequent value, NULL left out; of several the first in the order asked for. ${BOUND}; beyond, with a warning, an estimate as approx_top_k's. NULL of no values.`,
    example: 'MODE() WITHIN GROUP (ORDER BY status)',
  },
  resolve: resolveWith((type) => create('mode', type, mostFrequent(type))),
}
