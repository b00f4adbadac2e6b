/** Owns what MEDIAN, percentiles, MODE, APPROX_TOP_K and HISTOGRAM give, by their definitions over the list of all values. */
import { compareInOrder } from './naive-compare.ts'
import { numberOf } from './naive-call.ts'
import { toJson } from './naive-lists.ts'
import { numberBucket } from './naive-math.ts'
import type { AggregateNode } from './syntax.ts'
import {
  Json,
  keyOf,
  kindOf,
  nearestDouble,
  RowError,
  toDecimal,
  type Decimal,
  type NumberValue,
  type Value,
} from './value.ts'

export function isOrderStatistic(name: string): boolean {
  return name === 'median' || name.startsWith('percentile_')
}

export function isFrequency(name: string): boolean {
  return name === 'mode' || name === 'histogram' || name === 'approx_top_k'
}

export function orderStatistic(
  { name, type, argument, parameter = 0.5, within }: AggregateNode,
  values: readonly Value[],
): Value {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => compareInOrder(a, b) * (within === 'desc' ? -1 : 1))
  // as it is written: 0.1 is a tenth
  const [digits, places] = fractionOf(Number(parameter))
  if (name === 'percentile_disc') {
    if (argument?.type === 'any' && new Set(values.map(kindOf)).size > 1) throw new RowError('mixed_kinds')
    let rank = 1
    while (BigInt(rank) * places < digits * BigInt(values.length)) rank++
    return sorted[rank - 1] ?? null
  }
  if (type !== 'double precision') throw new Error(`${name} gives ${type}`)
  const place = digits * BigInt(values.length - 1)
  const low = Number(place / places)
  const [first, second] = [sorted[low], sorted[low + 1]] as NumberValue[]
  const rest = place % places
  if (rest === 0n) return toDouble(first as NumberValue)
  return between(first as NumberValue, second as NumberValue, rest, places)
}

/** The fraction as digits over a power of ten. */
function fractionOf(fraction: number): [digits: bigint, places: bigint] {
  const [whole = '', part = ''] = String(fraction).split('.')
  return [BigInt(whole + part), 10n ** BigInt(part.length)]
}

function toDouble(value: NumberValue): number {
  return typeof value === 'number' ? value : nearestDouble(toDecimal(value))
}

function between(first: NumberValue, second: NumberValue, rest: bigint, places: bigint): number {
  const [a, b] = [toDouble(first), toDouble(second)]
  if (!Number.isFinite(a) || !Number.isFinite(b)) return a + (b - a) / 2
  const [x, y] = [toDecimal(first), toDecimal(second)] as [Decimal, Decimal]
  const scale = Math.max(x.scale, y.scale)
  const [left, right] = [x, y].map((one) => one.unscaled * 10n ** BigInt(scale - one.scale)) as [bigint, bigint]
  const unscaled = left * places + (right - left) * rest
  return Number(`${unscaled}e-${scale + String(places).length - 1}`) + 0
}

/** What an aggregate takes of a value: a histogram of some width the number's bucket. Errors: RowError for what is no number, or none with buckets. */
export function takenOf({ name, parameter }: AggregateNode, value: Value): Value {
  if (name !== 'histogram' || parameter === undefined || value === null) return value
  return numberBucket(numberOf(value), Number(parameter))
}

export function frequencies(node: AggregateNode, given: readonly Value[]): Value {
  const { name, parameter, within } = node
  if (given.length === 0) return null
  const counts = [...Map.groupBy(given, keyOf).values()]
    .map((equal) => ({ value: equal[0] ?? null, count: equal.length }))
    .toSorted((a, b) => compareInOrder(a.value, b.value))
  if (name === 'mode') {
    const most = Math.max(...counts.map(({ count }) => count))
    const modes = counts.filter(({ count }) => count === most)
    return modes.at(within === 'desc' ? -1 : 0)?.value ?? null
  }
  const listed =
    name === 'histogram' ? counts : counts.toSorted((a, b) => b.count - a.count).slice(0, Number(parameter))
  const elements = listed.map(({ value, count }) => ({
    members: [['value', toJson(value)] as const, ['count', { number: String(count) }] as const],
  }))
  return new Json({ elements })
}
