/** Owns the naive evaluator's JSON: casts to and from jsonb, what is asked of JSON values, and JSON made of values. Written from PostgreSQL's pages. */
import { readPath } from './naive-text.ts'
import type { ScalarType } from '../../src/core/scalar-type.ts'
import {
  lax,
  numberOf,
  strict,
  textOf,
  toText,
  wholeOf,
  wrongKind,
  type NaiveFunction,
  type Notes,
} from './naive-call.ts'
import { compareValues } from './naive-compare.ts'
import {
  Day,
  fieldValue,
  isNumber,
  Json,
  Local,
  RowError,
  showJson,
  showNumber,
  showOther,
  showTime,
  Span,
  Time,
  type JsonNode,
  type Value,
} from './value.ts'

/** JSON text with its numbers as they are written. */
function parseNode(text: string): JsonNode {
  const revive = (_: string, value: unknown, context: { source: string }): unknown => {
    if (typeof value === 'number') return { number: context.source }
    if (typeof value === 'string') return { text: value }
    if (Array.isArray(value)) return { elements: value as unknown[] }
    const isObject = typeof value === 'object' && value !== null
    return isObject ? { members: Object.entries(value) } : value
  }
  const parse = JSON.parse as (text: string, reviver: typeof revive) => JsonNode
  return parse(text, revive)
}

export function readJson(text: string): Value {
  let node: JsonNode
  try {
    node = parseNode(text)
    // what no key can hold is no jsonb
    showJson(node)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RowError) throw new RowError('invalid_cast')
    throw error
  }
  return fieldValue(node)
}

function timeText(value: Value): string | undefined {
  if (value instanceof Time) return showTime(value)
  return value instanceof Local || value instanceof Day || value instanceof Span ? showOther(value) : undefined
}

export function toNode(value: Value): JsonNode {
  if (value === null || typeof value === 'boolean') return value
  if (value instanceof Json) return value.node
  const time = timeText(value)
  if (time !== undefined) return { text: time }
  if (typeof value === 'string') return { text: value }
  const number = numberOf(value)
  if (typeof number === 'bigint' || (typeof number === 'number' && Number.isInteger(number)))
    return { number: BigInt(number).toString() }
  return typeof number === 'number' && !Number.isFinite(number)
    ? { text: String(number) }
    : { number: showNumber(number) }
}

/** As a jsonb holds it. */
export function toJsonb(value: Value): Value {
  const time = timeText(value)
  if (time !== undefined) return time
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

/** A jsonb as text: its JSON. Only a double that stands alone is shown as one: inside an array it is the decimal that was written. */
export function showCanonical(value: Value): string {
  const isFraction = typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value)
  return isFraction ? showNumber(value) : showJson(toNode(value))
}

function elementsOf(value: Value): readonly JsonNode[] {
  if (value instanceof Json && 'elements' in value.node) return value.node.elements
  throw wrongKind()
}

function membersOf(node: JsonNode): Map<string, JsonNode> | undefined {
  return typeof node === 'object' && node !== null && 'members' in node ? new Map(node.members) : undefined
}

function arrayOf(node: JsonNode): readonly JsonNode[] | undefined {
  return typeof node === 'object' && node !== null && 'elements' in node ? node.elements : undefined
}

function textIn(node: JsonNode): string | undefined {
  return typeof node === 'object' && node !== null && 'text' in node ? node.text : undefined
}

function hasKey(value: Value, key: string): boolean {
  if (typeof value === 'string') return value === key
  if (!(value instanceof Json)) return false
  const members = membersOf(value.node)
  if (members !== undefined) return members.has(key)
  return elementsOf(value).some((element) => {
    const text = textIn(element)
    return text === key
  })
}

/** A text as it is written for an array, or a JSON array; NULLs are no keys. */
function keysOf(value: Value): string[] {
  if (typeof value === 'string') return readPath(value)
  return elementsOf(value).flatMap((element) => {
    const part = fieldValue(element)
    if (part === null) return []
    return [textOf(part)]
  })
}

function contains(left: JsonNode, right: JsonNode): boolean {
  const [members, wantedMembers] = [membersOf(left), membersOf(right)]
  const [elements, wantedElements] = [arrayOf(left), arrayOf(right)]
  if (members !== undefined && wantedMembers !== undefined) {
    return [...wantedMembers].every(([key, value]) => {
      const own = members.get(key)
      return own !== undefined && contains(own, value)
    })
  }
  if (elements !== undefined && wantedElements !== undefined) {
    return wantedElements.every((wanted) => elements.some((element) => contains(element, wanted)))
  }
  return showJson(left) === showJson(right)
}

function containsValue(left: Value, right: Value): boolean {
  const [container, wanted] = [toNode(left), toNode(right)]
  showJson(container)
  showJson(wanted)
  const elements = arrayOf(container)
  const isScalar = membersOf(wanted) === undefined && arrayOf(wanted) === undefined
  if (elements !== undefined && isScalar) return elements.some((element) => showJson(element) === showJson(wanted))
  return contains(container, wanted)
}

function remove(value: Value, part: Value): Value {
  if (!(value instanceof Json)) throw wrongKind()
  const { node } = value
  const texts = typeof part === 'string' ? [part] : part instanceof Json ? keysOf(part) : undefined
  if (texts !== undefined) {
    if ('members' in node) return new Json({ members: node.members.filter(([key]) => !texts.includes(key)) })
    return new Json({ elements: node.elements.filter((element) => !texts.includes(textIn(element) ?? '\u0000')) })
  }
  const place = wholeOf(part)
  const elements = elementsOf(value)
  const wanted = place < 0 ? elements.length + place : place
  return new Json({ elements: elements.filter((_, index) => index !== wanted) })
}

function join(left: Value, right: Value): Value {
  const [a, b] = [toNode(left), toNode(right)]
  const [members, more] = [membersOf(a), membersOf(b)]
  if (members !== undefined && more !== undefined) return new Json({ members: [...members, ...more] })
  return new Json({ elements: [...(arrayOf(a) ?? [a]), ...(arrayOf(b) ?? [b])] })
}

function stripNulls(node: JsonNode, inArrays: boolean): JsonNode {
  const members = membersOf(node)
  if (members !== undefined) {
    return {
      members: [...members]
        .filter(([, value]) => value !== null)
        .map(([key, value]) => [key, stripNulls(value, inArrays)]),
    }
  }
  const elements = arrayOf(node)
  if (elements === undefined) return node
  const kept = inArrays ? elements.filter((element) => element !== null) : elements
  return { elements: kept.map((element) => stripNulls(element, inArrays)) }
}

function keyText(value: Value, type: ScalarType | undefined): string {
  if (value === null) throw new RowError('invalid_argument')
  if (value instanceof Json) throw wrongKind()
  return toText(value, type)
}

function buildObject(values: readonly Value[], types: readonly ScalarType[]): Value {
  const members: [string, JsonNode][] = []
  for (let index = 0; index < values.length; index += 2) {
    members.push([keyText(values[index] ?? null, types[index]), toNode(values[index + 1] ?? null)])
  }
  return new Json({ members })
}

function withElements(
  value: Value,
  array: Value,
  notes: Notes,
  wanted: boolean,
  holds: (order: number) => boolean,
): Value {
  if (array === null) return null
  let result: boolean | null = !wanted
  for (const node of elementsOf(array)) {
    const element = fieldValue(node)
    const order = value === null || element === null ? null : compareValues(value, element)
    if (order === undefined) notes.kindMismatch = true
    if (order === undefined || order === null) result = null
    else if (holds(order) === wanted) return wanted
  }
  return result
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  equal: (order) => order === 0,
  not_equal: (order) => order !== 0,
  less: (order) => order < 0,
  less_or_equal: (order) => order <= 0,
  greater: (order) => order > 0,
  greater_or_equal: (order) => order >= 0,
}

function arrayComparisons(): Record<string, NaiveFunction> {
  return Object.fromEntries(
    Object.entries(ORDERS).flatMap(([id, holds]) => [
      [`${id}_any`, lax(([value = null, array = null], notes) => withElements(value, array, notes, true, holds))],
      [`${id}_all`, lax(([value = null, array = null], notes) => withElements(value, array, notes, false, holds))],
    ]),
  )
}

const lengthOf = strict(([value = null]) => BigInt(elementsOf(value).length))

export const NAIVE_JSON: Readonly<Record<string, NaiveFunction>> = {
  ...arrayComparisons(),
  jsonb_typeof: strict(([value = null]) => {
    if (value instanceof Json) return 'elements' in value.node ? 'array' : 'object'
    if (typeof value === 'boolean') return 'boolean'
    return isNumber(value) ? 'number' : 'string'
  }),
  jsonb_array_length: lengthOf,
  cardinality: lengthOf,
  array_length: strict(([value = null, dimension]) => {
    const wanted = wholeOf(dimension)
    const count = elementsOf(value).length
    if (wanted !== 1) throw new RowError('invalid_argument')
    return count === 0 ? null : BigInt(count)
  }),
  has_key: strict(([value = null, key]) => hasKey(value, textOf(key))),
  has_any_key: strict(([value = null, keys = null]) => keysOf(keys).some((key) => hasKey(value, key))),
  has_all_keys: strict(([value = null, keys = null]) => keysOf(keys).every((key) => hasKey(value, key))),
  contains: strict(([left = null, right = null]) => containsValue(left, right)),
  contained: strict(([left = null, right = null]) => containsValue(right, left)),
  remove_from_json: strict(([value = null, part = null]) => remove(value, part)),
  join_json: strict(([left = null, right = null]) => join(left, right)),
  jsonb_strip_nulls: strict(([value = null, inArrays = false]) => {
    if (typeof inArrays !== 'boolean') throw wrongKind()
    if (!(value instanceof Json)) return value
    showJson(value.node)
    return new Json(stripNulls(value.node, inArrays) as Json['node'])
  }),
  string_to_array: lax(([text = null, separator = null, nullText = null]) => {
    if (text === null) return null
    const [subject, by, asNull] = [
      textOf(text),
      ...[separator, nullText].map((one) => (one === null ? null : textOf(one))),
    ]
    const parts =
      subject === '' ? [] : by === null || by === undefined ? [...subject] : by === '' ? [subject] : subject.split(by)
    return new Json({ elements: parts.map((part) => (part === asNull ? null : { text: part })) })
  }),
  array_to_string: lax(([array = null, separator = null, nullText = null]) => {
    if (array === null || separator === null) return null
    const [by, asNull] = [textOf(separator), nullText === null ? null : textOf(nullText)]
    const texts = elementsOf(array).map((element) => {
      const value = fieldValue(element)
      return value === null ? asNull : toText(value, 'any')
    })
    return texts.filter((text) => text !== null).join(by)
  }),
  to_jsonb: strict(([value = null]) => toJsonb(value)),
  jsonb_build_array: lax((values) => new Json({ elements: values.map(toNode) })),
  jsonb_build_object: lax((values, _, types) => buildObject(values, types)),
}
