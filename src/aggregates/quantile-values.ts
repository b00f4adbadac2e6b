/**
 * Owns the state of the values of a group in their order, for MEDIAN and percentiles: each different value with its count, exactly, up to
 * QUANTILE_VALUES_MAX of them. Beyond, numbers are a sketch (quantile-sketch.ts), and of values that are none only that is kept. All three
 * are functions of the values alone, whatever their order or split (law 5).
 *
 * Bytes: version | 0: values, 1: a sketch, 2: too many | the values with their counts (counted-values.ts), or the sketch
 */
import { assert } from '../core/assert.ts'
import { decimalToDouble, type Decimal } from '../core/decimal.ts'
import { readKeyInto } from '../core/key-reader.ts'
import { Registers, TAG } from '../core/registers.ts'
import { CountedReader, CountedWriter, mergeCounted } from './counted-values.ts'
import { bucketOf, encodeSketch, mergeSketches } from './quantile-sketch.ts'

const BYTES_VERSION = 1
const HEAD_BYTES = 2
export const QUANTILE_FORM = { values: 0, sketch: 1, tooMany: 2 } as const
/** Different values of a stored group that are kept exactly: up to 16 KB of numbers. */
export const QUANTILE_VALUES_MAX = 512
/** Of a group of an answer. */
export const QUANTILE_ROW_VALUES_MAX = 100_000

export function quantileForm(state: Uint8Array): number {
  assert(state[0] === BYTES_VERSION, `values in order have version ${state[0]}`)
  return state[1]!
}

export function startQuantileValues(): CountedWriter {
  return new CountedWriter(Uint8Array.of(BYTES_VERSION, QUANTILE_FORM.values))
}

/** Caller keeps: the form is `values`. */
export function readQuantileValues(state: Uint8Array): CountedReader {
  return new CountedReader(state, HEAD_BYTES)
}

/** Caller keeps: the form is `sketch`. */
export function sketchOf(state: Uint8Array): Uint8Array {
  return state.subarray(HEAD_BYTES)
}

export function toSketchState(sketch: Uint8Array): Uint8Array {
  const state = new Uint8Array(HEAD_BYTES + sketch.length)
  state.set([BYTES_VERSION, QUANTILE_FORM.sketch])
  state.set(sketch, HEAD_BYTES)
  return state
}

export function tooManyState(): Uint8Array {
  return Uint8Array.of(BYTES_VERSION, QUANTILE_FORM.tooMany)
}

/** The state of both together. */
export function mergeQuantiles(left: Uint8Array, right: Uint8Array): Uint8Array {
  const [l, r] = [quantileForm(left), quantileForm(right)]
  if (l === QUANTILE_FORM.tooMany || r === QUANTILE_FORM.tooMany) return tooManyState()
  if (l === QUANTILE_FORM.values && r === QUANTILE_FORM.values) {
    const merged = startQuantileValues()
    mergeCounted(readQuantileValues(left), readQuantileValues(right), merged)
    return merged.distinct <= QUANTILE_VALUES_MAX ? merged.finish() : beyondExact(merged.finish())
  }
  const sketches = [left, right].map((state) =>
    quantileForm(state) === QUANTILE_FORM.sketch ? state : beyondExact(state),
  )
  const [a, b] = sketches as [Uint8Array, Uint8Array]
  if (quantileForm(a) !== QUANTILE_FORM.sketch || quantileForm(b) !== QUANTILE_FORM.sketch) return tooManyState()
  return toSketchState(mergeSketches(sketchOf(a), sketchOf(b)))
}

/** What is kept of values when there are too many. */
export function beyondExact(state: Uint8Array): Uint8Array {
  const r = new Registers(1)
  const counts = new Map<number, number>()
  let [least, greatest] = [Infinity, -Infinity]
  for (const values = readQuantileValues(state); !values.isDone; values.next()) {
    readKeyInto(values.bytes, values.start, r, 0)
    const value = doubleOf(r, 0)
    if (value === undefined) return tooManyState()
    const bucket = bucketOf(value)
    counts.set(bucket, (counts.get(bucket) ?? 0) + values.count)
    if (value < least) least = value
    if (value > greatest) greatest = value
  }
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  const numbers = Int32Array.from(sorted, ([bucket]) => bucket)
  const buckets = { numbers, counts: Float64Array.from(sorted, ([, count]) => count), length: numbers.length }
  return toSketchState(encodeSketch(least, greatest, buckets))
}

/** The double nearest to a number; undefined for what is none. */
export function doubleOf(r: Registers, index: number): number | undefined {
  switch (r.tag[index]) {
    case TAG.INTEGER:
    case TAG.DOUBLE:
      return r.num[index]
    case TAG.BIG_INTEGER:
      return Number(r.ref[index])
    case TAG.NUMERIC:
      return decimalToDouble(r.ref[index] as Decimal)
    default:
      return undefined
  }
}
