/** Owns the naive evaluator's order of values: of one kind, by value; arrays and objects as jsonb has them. */
import {
  compareNumbers,
  compareText,
  Day,
  Decimal,
  isNumber,
  Json,
  kindOf,
  Local,
  microsOf,
  showJson,
  Span,
  spanOf,
  Time,
  type TimeValue,
  type JsonNode,
  type NumberValue,
  type Value,
} from './value.ts'

/** undefined: two kinds. Errors: what stands inside arrays and objects and has no key. */
export function compareValues(left: Value, right: Value): number | undefined {
  if (kindOf(left) !== kindOf(right)) return undefined
  if (isNumber(left)) return compareNumbers(left, right as NumberValue)
  if (typeof left === 'string') return compareText(left, right as string)
  if (left instanceof Time)
    return Number(left.micros - (right as Time).micros > 0n) - Number(left.micros < (right as Time).micros)
  if (left instanceof Json) return compareJson(left.node, (right as Json).node)
  if (left instanceof Local || left instanceof Day) return orderOf(microsOf(left), microsOf(right as TimeValue))
  if (left instanceof Span) return orderOf(spanOf(left), spanOf(right as Span))
  return Number(left) - Number(right)
}

const orderOf = (left: bigint, right: bigint): number => Number(left > right) - Number(left < right)
const TIME_TYPES: readonly (string | undefined)[] = ['timestamptz', 'timestamp', 'date']

/** As compareValues, of values with declared types: of points in time each is comparable with each. */
export function compareTyped(left: Value, right: Value, [a, b]: readonly string[]): number | undefined {
  const areMixed = a !== b && TIME_TYPES.includes(a) && TIME_TYPES.includes(b)
  return areMixed ? orderOf(microsOf(left as TimeValue), microsOf(right as TimeValue)) : compareValues(left, right)
}

const KIND_ORDER = ['text', 'number', 'boolean', 'array', 'object', 'time', 'timestamp', 'date', 'interval', 'null']

/** The order of keys: of kinds first. */
export function compareInOrder(left: Value, right: Value): number {
  return compareValues(left, right) ?? KIND_ORDER.indexOf(kindOf(left)) - KIND_ORDER.indexOf(kindOf(right))
}

const RANKS = ['null', 'text', 'number', 'boolean', 'array', 'object']

/** jsonb's order, except that an empty array ranks as any other array: text < number < boolean < array < object, and null first inside. */
function compareJson(left: JsonNode, right: JsonNode): number {
  // what has no key is an error, on the left side first
  showJson(left)
  showJson(right)
  return compareNodes(left, right)
}

function compareNodes(left: JsonNode, right: JsonNode): number {
  const difference = RANKS.indexOf(nodeKind(left)) - RANKS.indexOf(nodeKind(right))
  if (difference !== 0 || left === null || right === null) return difference
  if (typeof left === 'boolean') return Number(left) - Number(right)
  if ('text' in left) return compareText(left.text, (right as { text: string }).text)
  if ('number' in left) return compareNumbers(exactNumber(left), exactNumber(right as { number: string }))
  if ('elements' in left) return compareLists(left.elements, (right as typeof left).elements)
  return compareLists(flatten(left), flatten(right as typeof left))
}

function nodeKind(node: JsonNode): string {
  if (node === null) return 'null'
  if (typeof node === 'boolean') return 'boolean'
  if ('text' in node) return 'text'
  return 'number' in node ? 'number' : 'elements' in node ? 'array' : 'object'
}

function exactNumber({ number }: { readonly number: string }): Decimal {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const scale = fraction.length - Number(power)
  const unscaled = BigInt(sign + whole + fraction)
  return scale < 0 ? new Decimal(unscaled * 10n ** BigInt(-scale), 0) : new Decimal(unscaled, scale)
}

/** Keys and values in the order of keys. */
function flatten({ members }: { readonly members: readonly (readonly [string, JsonNode])[] }): JsonNode[] {
  return [...new Map(members)]
    .toSorted(([a], [b]) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b))
    .flatMap(([key, value]): JsonNode[] => [{ text: key }, value])
}

/** By their lengths first. */
function compareLists(left: readonly JsonNode[], right: readonly JsonNode[]): number {
  if (left.length !== right.length) return left.length - right.length
  for (const [index, item] of left.entries()) {
    const order = compareNodes(item, right[index] as JsonNode)
    if (order !== 0) return order
  }
  return 0
}
