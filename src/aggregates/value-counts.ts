/**
 * Owns the state of how often each value of a group came: exactly up to COUNTS_BOUNDS, the same for any order and split. Beyond, it is a
 * summary of the frequent ones (space-saving): a count is never too small, and too large by `floor` at most, which no value that was left out
 * exceeds. Then, and only then, it depends on the order. Source: Agarwal et al., Mergeable Summaries (PODS 2012).
 *
 * Bytes: version | 0: exact, 1: a summary | floor (state-bytes.ts) | the values with their counts (counted-values.ts)
 */
import { assert } from '../core/assert.ts'
import { CountedReader, CountedWriter, mergeCounted } from './counted-values.ts'
import { pushCount, readCount } from './state-bytes.ts'

const BYTES_VERSION = 1
const FORM = { exact: 0, summary: 1 } as const

export interface CountsBounds {
  readonly valuesMax: number
  /** Of their keys. */
  readonly bytesMax: number
}

/** Of a group that is stored. */
export const COUNTS_BOUNDS: CountsBounds = { valuesMax: 1000, bytesMax: 1 << 18 }
/** Of a group of an answer. */
export const COUNTS_ROW_BOUNDS: CountsBounds = { valuesMax: 100_000, bytesMax: 1 << 24 }

export interface ValueCounts {
  readonly isExact: boolean
  readonly floor: number
  readonly values: CountedReader
}

export function readValueCounts(state: Uint8Array): ValueCounts {
  assert(state[0] === BYTES_VERSION, `counts of values have version ${state[0]}`)
  const reader = { bytes: state, at: 2 }
  const floor = readCount(reader)
  return { isExact: state[1] === FORM.exact, floor, values: new CountedReader(state, reader.at) }
}

/** Starts a state. */
export function startValueCounts(isExact: boolean, floor: number): CountedWriter {
  const head = [BYTES_VERSION, isExact ? FORM.exact : FORM.summary]
  pushCount(head, floor)
  return new CountedWriter(Uint8Array.from(head))
}

/** The state of both together. */
export function mergeValueCounts(left: Uint8Array, right: Uint8Array, bounds = COUNTS_BOUNDS): Uint8Array {
  const [l, r] = [readValueCounts(left), readValueCounts(right)]
  const floor = l.floor + r.floor
  const merged = startValueCounts(l.isExact && r.isExact, floor)
  mergeCounted(l.values, r.values, merged, { left: l.floor, right: r.floor })
  return withinBounds(merged, floor, bounds)
}

/** What was written, without the least frequent values where it is too much. */
export function withinBounds(written: CountedWriter, floor: number, bounds: CountsBounds): Uint8Array {
  const state = written.finish()
  if (written.distinct <= bounds.valuesMax && written.keyBytes <= bounds.bytesMax) return state
  return keepFrequent(state, floor, bounds)
}

interface Counted {
  readonly start: number
  readonly length: number
  readonly count: number
}

function keepFrequent(state: Uint8Array, floor: number, { valuesMax, bytesMax }: CountsBounds): Uint8Array {
  const all: Counted[] = []
  for (const { values } = readValueCounts(state); !values.isDone; values.next()) {
    all.push({ start: values.start, length: values.length, count: values.count })
  }
  // of equally frequent values the first is kept: the list is in the order of keys
  const frequent = all.toSorted((a, b) => b.count - a.count)
  let bytes = 0
  let kept = 0
  while (kept < valuesMax && kept < frequent.length && bytes + frequent[kept]!.length <= bytesMax) {
    bytes += frequent[kept++]!.length
  }
  const leftOut = frequent[kept]?.count ?? 0
  const summary = startValueCounts(false, Math.max(floor, leftOut))
  for (const { start, length, count } of frequent.slice(0, kept).toSorted((a, b) => a.start - b.start)) {
    summary.add(state, start, length, count)
  }
  return summary.finish()
}
