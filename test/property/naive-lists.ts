/** Owns what the aggregates give that list the values of a group, by their definitions: the inputs in their order, then what is kept of them. */
import { compareInOrder } from './naive-compare.ts'
import type { AggregateNode } from './syntax.ts'
import { canonical } from './naive-intervals.ts'
import {
  Day,
  Json,
  keyOf,
  Local,
  RowError,
  showOther,
  showTime,
  showValue,
  Span,
  throughKey,
  Time,
  type JsonNode,
  type Value,
} from './value.ts'

/** What a call gets of one record. */
export interface Input {
  readonly args: readonly Value[]
  /** The keys of ORDER BY. */
  readonly order: readonly Value[]
  /** Timestamp, partition and offset. */
  readonly place: readonly number[]
}

/** A stored list ends with the value that passes it; of a map the keys count. */
const LIST_BYTES_MAX = 1 << 18
/** A longer value of a map is an error. */
const MAP_VALUE_BYTES_MAX = 1 << 14

const LISTS = /^(first|last|any_value|string_agg|array_agg|jsonb?_agg|map_agg|jsonb?_object_agg)$/
const MAPS = /^(map|jsonb?_object)_agg$/

export function isList(name: string): boolean {
  return LISTS.test(name)
}

/** Errors: RowError for what is no text, no key of an object, or has no key bytes. */
export function checkList(name: string, args: readonly Value[], order: readonly Value[]): void {
  const [first = null] = args
  if (name === 'string_agg' && first !== null && typeof first !== 'string') throw new RowError('wrong_kind')
  if (MAPS.test(name) && first === null) throw new RowError('invalid_argument')
  for (const value of [...args, ...order]) keyOf(value)
  const [, ...values] = args
  if (MAPS.test(name) && sizeOf([...values, ...order]) > MAP_VALUE_BYTES_MAX) throw new RowError('invalid_argument')
}

/** Bytes of the keys, about: only texts of many get near a bound. */
function sizeOf(values: readonly Value[]): number {
  return values.reduce<number>((sum, value) => sum + Buffer.byteLength(keyOf(value)), 0)
}

/** Those up to the one that passes the bound. */
function withinBound<Item>(items: readonly Item[], size: (item: Item) => number): Item[] {
  let bytes = 0
  return items.filter((item) => {
    const isKept = bytes <= LIST_BYTES_MAX
    bytes += size(item)
    return isKept
  })
}

export function finalizeList(
  { name, distinct, order = [], parameter }: AggregateNode,
  inputs: readonly Input[],
): Value {
  const sorted = inputs.toSorted((left, right) => {
    for (const [index, { descending, nullsFirst }] of order.entries()) {
      const difference = compareKeys(left.order[index] ?? null, right.order[index] ?? null, descending, nullsFirst)
      if (difference !== 0) return difference
    }
    return comparePlaces(left.place, right.place)
  })
  const values = sorted.map(({ args: [first = null] }) => first)
  if (values.length === 0) return null
  if (name === 'first') return values[0] ?? null
  if (name === 'last') return values.at(-1) ?? null
  if (name === 'any_value') return values.toSorted(compareInOrder)[0] ?? null
  if (MAPS.test(name)) return mapOf(sorted)
  const listed = distinct
    ? withinBound(differentOf(values, order.length > 0), (value) => sizeOf([value]))
    : withinBound(sorted, ({ args, order: keys }) => sizeOf([...args, ...keys])).map(
        ({ args: [first = null] }) => first,
      )
  if (name === 'string_agg') return (listed as string[]).join(String(parameter))
  return new Json({ elements: listed.map(toJson) })
}

function compareKeys(left: Value, right: Value, descending: boolean, nullsFirst: boolean): number {
  if (left === null || right === null) return (Number(left === null) - Number(right === null)) * (nullsFirst ? -1 : 1)
  return compareInOrder(left, right) * (descending ? -1 : 1)
}

function comparePlaces(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((value, index) => value !== right[index])
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
}

/** Each once, in their order: the one asked for, else that of values. */
function differentOf(values: readonly Value[], isOrdered: boolean): Value[] {
  const different = [...new Map(values.toReversed().map((value) => [keyOf(value), value])).values()].toReversed()
  return isOrdered ? different : different.toSorted(compareInOrder)
}

/** The last value of each key, of the first keys. */
function mapOf(inputs: readonly Input[]): Value {
  const members = new Map<string, JsonNode>()
  for (const {
    args: [key = null, value = null],
  } of inputs)
    members.set(key as string, toJson(value))
  const inOrder = [...members].toSorted(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
  return new Json({ members: withinBound(inOrder, ([key]) => sizeOf([key])) })
}

export function toJson(value: Value): JsonNode {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return { text: value }
  if (value instanceof Time) return { text: showTime(value) }
  if (value instanceof Local || value instanceof Day) return { text: showOther(value) }
  if (value instanceof Span) return { text: showOther(canonical(value) as Span) }
  if (value instanceof Json) return throughKey(value.node)
  if (typeof value === 'number' && !Number.isFinite(value)) return { text: String(value) }
  return { number: showValue(value) }
}
