/** Owns how PostgreSQL and DuckDB are asked for the aggregates that list values in the order of the records. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { isOrderStatistic } from './naive-order-statistics.ts'
import { printOrder, quoteText } from './print-syntax.ts'
import { argumentsOf, type AggregateNode, type Node, type OrderItem } from './syntax.ts'

/** The events' column of the record's offset. */
export const RECORD_COLUMN = 'o'

const LISTS = /^(first|last|string_agg|array_agg|jsonb?_agg)$/
const MAPS = /^(map|jsonb?_object)_agg$/

/** JSON shows times otherwise there, and doubles with fewer digits. */
const SHOWN_OTHERWISE = new Set<ScalarType>(['timestamptz', 'double precision'])

export function allowsList(name: string, args: readonly ScalarType[]): boolean {
  return LISTS.test(name) && (!name.endsWith('_agg') || !args.some((type) => SHOWN_OTHERWISE.has(type)))
}

export function allowsMap(name: string, args: readonly ScalarType[]): boolean {
  return MAPS.test(name) && !args.some((type) => SHOWN_OTHERWISE.has(type))
}

export function isOrderedList(name: string): boolean {
  return LISTS.test(name)
}

export function isListOrMap(name: string): boolean {
  return LISTS.test(name) || MAPS.test(name)
}

/** Keys of a list: those written, then the records' order; backwards for the last record. */
function listOrder({ order = [], distinct }: AggregateNode, backwards = false): readonly OrderItem[] {
  const place: OrderItem = {
    node: { kind: 'field', type: 'any', path: [RECORD_COLUMN] },
    descending: false,
    nullsFirst: false,
  }
  const keys = distinct ? order : [...order, place]
  return keys.map((key) => (backwards ? { ...key, descending: !key.descending, nullsFirst: !key.nullsFirst } : key))
}

/** What is inside the brackets of a list. */
function listArguments(node: AggregateNode, print: (node: Node) => string, backwards = false): string {
  const args = [
    ...argumentsOf(node).map(print),
    ...(typeof node.parameter === 'string' ? [quoteText(node.parameter)] : []),
  ]
  const sorted = node.distinct && (node.order ?? []).length === 0
  const order = sorted ? [{ node: argumentsOf(node)[0] as Node, descending: false, nullsFirst: false }] : undefined
  return `${node.distinct ? 'DISTINCT ' : ''}${args.join(', ')}${printOrder(order ?? listOrder(node, backwards), print)}`
}

function filterText({ filter }: AggregateNode, print: (node: Node) => string): string {
  return filter === null ? '' : ` FILTER (WHERE ${print(filter)})`
}

export function printPostgresList(node: AggregateNode, print: (node: Node) => string): string {
  const filter = filterText(node, print)
  const { name } = node
  if (name === 'first' || name === 'last')
    return `(array_agg(${listArguments(node, print, name === 'last')})${filter})[1]`
  const own = name === 'string_agg' ? name : MAPS.test(name) ? 'jsonb_object_agg' : 'jsonb_agg'
  return `${own}(${listArguments(node, print)})${filter}`
}

export function printDuckList(node: AggregateNode, print: (node: Node) => string): string {
  const filter = filterText(node, print)
  const { name } = node
  if (!name.endsWith('_agg') || name === 'string_agg') return `${name}(${listArguments(node, print)})${filter}`
  return `to_json(list(${listArguments(node, print)})${filter})`
}

export function isStatistic(name: string): boolean {
  return name === 'mode' || isOrderStatistic(name)
}

/** Of what no engine rounds: percentiles of doubles, and values as they are. */
export function allowsStatistic(name: string, [type]: readonly ScalarType[]): boolean {
  return name === 'percentile_disc' || (isOrderStatistic(name) && type === 'double precision')
}

/** DuckDB takes the place 0 from the end for the first. */
export function printDuckStatistic(node: AggregateNode, print: (node: Node) => string): string {
  const isFirst = node.within === 'desc' && node.parameter === 0
  return printStatistic(isFirst ? { ...node, within: 'asc', parameter: 1 } : node, print)
}

export function printStatistic(node: AggregateNode, print: (node: Node) => string): string {
  const [argument = ''] = argumentsOf(node).map(print)
  const own = node.name === 'median' ? 'percentile_cont' : node.name
  const fraction = node.name === 'median' ? '0.5' : (node.parameter ?? '')
  return `${own}(${fraction}) WITHIN GROUP (ORDER BY ${argument} ${node.within ?? 'asc'})${filterText(node, print)}`
}
