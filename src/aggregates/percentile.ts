/**
 * Owns PERCENTILE_CONT, PERCENTILE_DISC and MEDIAN: what stands at a part of the values in their order (quantile-values.ts). They share a state.
 * Places are exact, from the fraction as it was written; a value between two others is exact until it is rounded once to a double.
 */
import { copyBytes } from '../core/copy-bytes.ts'
import { decimalOfDouble, decimalOfInteger, normalizeDecimal, powerOfTen, type Decimal } from '../core/decimal.ts'
import { TAG, type Registers } from '../core/registers.ts'
import { NUMBER_TYPES, type ScalarType } from '../core/scalar-type.ts'
import { kindName } from '../core/value-kind.ts'
import type { Aggregate, AggregateDefinition, AggregateParameter } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { roundQuotient } from './exact-total.ts'
import { readKeyValue, UNREADABLE } from './key-value.ts'
import { readQuantile, toQuantileParameter, type Quantile } from './quantile-parameter.ts'
import { countValues, valueAt } from './quantile-sketch.ts'
import {
  doubleOf,
  mergeQuantiles,
  QUANTILE_FORM,
  QUANTILE_ROW_VALUES_MAX,
  QUANTILE_VALUES_MAX,
  quantileForm,
  readQuantileValues,
  sketchOf,
} from './quantile-values.ts'
import { QuantileValuesAccumulator } from './quantile-values-accumulator.ts'

/** Of the values, the two at a place and behind it, and how far the place is between them: part / 10^scale. */
interface Place {
  readonly low: number
  readonly part: bigint
  readonly scale: number
}

/** PERCENTILE_CONT's: fraction * (count - 1) from the first value on. */
function continuousPlace(count: number, { fraction, descending }: Quantile): Place {
  const one = powerOfTen(fraction.scale)
  const all = BigInt(count - 1)
  const at = descending ? (one - fraction.unscaled) * all : fraction.unscaled * all
  return { low: Number(at / one), part: at % one, scale: fraction.scale }
}

/** PERCENTILE_DISC's: the first value with at least that part of all up to it. */
function discretePlace(count: number, { fraction, descending }: Quantile): number {
  const one = powerOfTen(fraction.scale)
  const rank = Number((fraction.unscaled * BigInt(count) + one - 1n) / one)
  const place = Math.max(rank, 1) - 1
  return descending ? count - 1 - place : place
}

/** Puts the value with so many before it into the register. */
function readAt(state: Uint8Array, place: number, type: ScalarType, r: Registers, out: number): void {
  let before = 0
  for (const values = readQuantileValues(state); !values.isDone; values.next()) {
    before += values.count
    if (before <= place) continue
    return readKeyValue(copyBytes(state, values.start, values.start + values.length), 0, type, r, out)
  }
}

function countOf(state: Uint8Array): number {
  let count = 0
  for (const values = readQuantileValues(state); !values.isDone; values.next()) count += values.count
  return count
}

function exactOf(r: Registers, index: number): Decimal {
  switch (r.tag[index]) {
    case TAG.NUMERIC:
      return r.ref[index] as Decimal
    case TAG.DOUBLE:
      return decimalOfDouble(r.num[index]!)
    default:
      return decimalOfInteger(r.bigIntegerOf(index))
  }
}

/** The double nearest to low + (high - low) * part / 10^scale. */
function between(low: Decimal, high: Decimal, part: bigint, scale: number): number {
  const common = Math.max(low.scale, high.scale)
  const [a, b] = [low, high].map((value) => value.unscaled * powerOfTen(common - value.scale)) as [bigint, bigint]
  const one = powerOfTen(scale)
  return roundQuotient(a * one + (b - a) * part, one * powerOfTen(common))
}

function finalizeContinuous(state: Uint8Array, quantile: Quantile, r: Registers, out: number): void {
  const { low, part, scale } = continuousPlace(countOf(state), quantile)
  readAt(state, low, 'number', r, out)
  const first = doubleOf(r, out)!
  if (part === 0n) return r.setDouble(out, first)
  const exact = Number.isFinite(first) ? exactOf(r, out) : undefined
  readAt(state, low + 1, 'number', r, out)
  const second = doubleOf(r, out)!
  // as PostgreSQL's doubles do, from the one that its order has first: from 0 to Infinity there is Infinity, from Infinity to 0 NaN
  if (exact === undefined || !Number.isFinite(second)) {
    const [from, to] = quantile.descending ? [second, first] : [first, second]
    return r.setDouble(out, from + (to - from) * 0.5)
  }
  r.setDouble(out, between(exact, exactOf(r, out), part, scale))
}

/** Of an undeclared argument: two kinds have no order that says something. Of the sorted values the first and the last tell. */
function mixedKinds(state: Uint8Array, count: number, r: Registers, out: number): string | undefined {
  const [first, last] = [0, count - 1].map((place) => {
    readAt(state, place, 'any', r, out)
    return kindName(r, out)
  })
  return first === last ? undefined : `percentile_disc over values of kinds ${first} and ${last}`
}

function finalizeDiscrete(state: Uint8Array, quantile: Quantile, type: ScalarType, r: Registers, out: number): void {
  const count = countOf(state)
  const mixed = type === 'any' ? mixedKinds(state, count, r, out) : undefined
  if (mixed !== undefined) r.setError(out, 'mixed_kinds', mixed)
  else readAt(state, discretePlace(count, quantile), type, r, out)
}

/** An estimate, in the form of the type. */
function finalizeSketch(state: Uint8Array, quantile: Quantile, type: ScalarType, r: Registers, out: number): void {
  const sketch = sketchOf(state)
  const value = valueAt(sketch, discretePlace(countValues(sketch), quantile))
  if (type === 'bigint') r.setBigInteger(out, BigInt(Math.round(value)))
  else if (type === 'numeric') r.setDecimal(out, normalizeDecimal(decimalOfDouble(value)))
  else r.setDouble(out, value)
}

const KEPT = `${QUANTILE_VALUES_MAX} different values in a rollup's group, ${QUANTILE_ROW_VALUES_MAX} in a query over rows`
/** Whose state the others read too. */
const OWNER = 'percentile_cont'

function create(
  name: string,
  type: ScalarType,
  argType: ScalarType,
  quantileOf: (p: AggregateParameter) => Quantile,
): Aggregate {
  const isContinuous = name !== 'percentile_disc'
  const warning = `${name} is exact up to ${KEPT}; a group of the answer has more, its value is an estimate as approx_percentile's`
  return {
    type,
    ...blobStateParts(mergeQuantiles, false),
    stateDescription: 'values in order, or a sketch of their distribution',
    canFail: argType !== 'bigint' && argType !== 'double precision',
    createAccumulator: (input) => new QuantileValuesAccumulator(name, isContinuous, input),
    finalize: ([state], r, out, parameter) => {
      if (!(state instanceof Uint8Array)) return r.setNull(out)
      const quantile = quantileOf(parameter)
      const form = quantileForm(state)
      if (form === QUANTILE_FORM.tooMany) {
        return r.setError(
          out,
          'too_many_values',
          `${name} over more than ${QUANTILE_VALUES_MAX} different values that are no numbers`,
        )
      }
      if (form === QUANTILE_FORM.sketch) {
        r.warning = warning
        return finalizeSketch(state, quantile, type, r, out)
      }
      if (isContinuous) finalizeContinuous(state, quantile, r, out)
      else finalizeDiscrete(state, quantile, type, r, out)
    },
  }
}

function isOfNumbers(type: ScalarType | undefined, more: readonly ScalarType[]): type is ScalarType {
  return type !== undefined && more.length === 0 && (type === 'any' || NUMBER_TYPES.has(type))
}

const BOUND = `Exact up to ${QUANTILE_VALUES_MAX} different values in a rollup's group; beyond, with a warning, an estimate as approx_percentile's. NULL of no values.`

export const PERCENTILE_CONT: AggregateDefinition = {
  name: OWNER,
  parameter: 'quantile',
  withinGroup: true,
  signature: 'percentile_cont(fraction) WITHIN GROUP (ORDER BY number)',
  doc: {
    summary: `The value at that part, from 0 to 1, of the numbers in their order, between two of them where it is; NULL left out. An array of parts, ARRAY[0.5, 0.9], gives an array. ${BOUND}`,
    example: 'PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY latency_ms)',
  },
  resolve: ([type, ...more]) =>
    isOfNumbers(type, more) ? create(OWNER, 'double precision', type, readQuantile) : undefined,
}

export const PERCENTILE_DISC: AggregateDefinition = {
  name: 'percentile_disc',
  // only numbers are what the owner takes too
  stateOwner: ([type]) => (type !== 'any' && NUMBER_TYPES.has(type ?? 'any') ? OWNER : 'percentile_disc'),
  parameter: 'quantile',
  withinGroup: true,
  signature: 'percentile_disc(fraction) WITHIN GROUP (ORDER BY value)',
  doc: {
    summary: `The first value with at least that part, from 0 to 1, of all values up to it; NULL left out; of an array of parts an array. Values of several kinds in one group, and more than ${QUANTILE_VALUES_MAX} different ones that are no numbers: an error when it is read. ${BOUND}`,
    example: 'PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY city)',
  },
  resolve: ([type, ...more]) =>
    type === undefined || more.length > 0 || UNREADABLE.has(type)
      ? undefined
      : create('percentile_disc', type, type, readQuantile),
}

const MIDDLE: Quantile = readQuantile(toQuantileParameter('0.5', false))

export const MEDIAN: AggregateDefinition = {
  name: 'median',
  stateOwner: () => OWNER,
  signature: 'median(number)',
  doc: {
    summary: `The number in the middle, or what is halfway between the two there: percentile_cont(0.5). ${BOUND}`,
    example: 'MEDIAN(latency_ms)',
  },
  resolve: ([type, ...more]) =>
    isOfNumbers(type, more) ? create('median', 'double precision', type, () => MIDDLE) : undefined,
}
