/**
 * Owns the naive evaluation of one expression: a walk over the tree with plain values. Errors are thrown, so left to right and
 * stopping early are the language's own.
 */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import { compareValues } from './naive-compare.ts'
import type { Notes } from './naive-call.ts'
import { followFields, NAIVE_FUNCTIONS, truthOf } from './naive-functions.ts'
import { readJson } from './naive-json.ts'
import { toDouble } from './naive-numbers.ts'
import { readSpan } from './naive-times.ts'
import { readSpanText, SPANS } from './naive-interval-text.ts'
import { canonical } from './naive-intervals.ts'
import { readDay, readLocal, readTime } from './naive-text.ts'
import type { CaseNode, FieldNode, LiteralNode, MetaNode, Node } from './syntax.ts'
import {
  compareNumbers,
  Decimal,
  Json,
  nearestDouble,
  normalize,
  RowError,
  Span,
  Time,
  throughKey,
  type JsonNode,
  type JsonObject,
  type Value,
} from './value.ts'

/** A record as the properties make it. */
export interface SourceRecord {
  readonly partition: number
  readonly offset: number
  /** -1: none */
  readonly timestampMs: number
  readonly key: string | null
  /** Undefined: `text` is no object in JSON. */
  readonly value: JsonObject | undefined
  /** The value's bytes. */
  readonly text: string
  /** Of a value that is no object: the dead letter's code. */
  readonly brokenCode?: string
}

export interface Surroundings {
  readonly notes: Notes
  /** What fields, metadata, grouping values and aggregates are here. */
  readonly leaf: (node: Node) => Value
  /** on_error null: a call that fails is NULL. */
  readonly failingIsNull: boolean
  /**
   * At read time values of no native type pass from call to call as key bytes: a number is an integer wherever it is whole
   * (docs/adr/0004), and arrays and objects are canonical.
   */
  readonly throughKeys: boolean
}

const KEY_TYPES: ReadonlySet<ScalarType> = new Set(['any', 'number', 'numeric', 'jsonb'])

/** What is left of a value that went through a key. */
export function fromKey(value: Value, type: ScalarType): Value {
  if (!KEY_TYPES.has(type)) return value
  if (value instanceof Span) return canonical(value)
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (value instanceof Json) return new Json(throughKey(value.node) as JsonObject)
  if (!(value instanceof Decimal)) return value
  const decimal = normalize(value)
  if (decimal.scale === 0) return decimal.unscaled
  const double = nearestDouble(decimal)
  // a declared numeric stays one; elsewhere a number that is exactly a double is one
  return type !== 'numeric' && compareNumbers(double, decimal) === 0 ? double : decimal
}

/** Errors: RowError. */
export function evaluate(node: Node, at: Surroundings): Value {
  const value = at.failingIsNull ? nullWhereItFails(node, at) : evaluateNode(node, at)
  if (isUneven(value)) at.notes.unevenNumber = true
  if (typeof value === 'number' && countDigits(String(value)) > EVEN_DIGITS) at.notes.longDouble = true
  return at.throughKeys ? fromKey(value, node.type) : value
}

const LARGE = 2 ** 53
/** Every decimal of so many is the shortest of a double. */
const EVEN_DIGITS = 15

/** With more places a double is shown with an exponent, or is none. */
const SMALL_PLACES = 6

/** Of a number's text, without its exponent. */
function countDigits(text: string): number {
  return text.replace(/e.*|[-.]/g, '').length
}

/** Beyond 2^53, where whole numbers are exact, or an error, and doubles round; or exact with more digits than a double has. */
function isUneven(value: Value): boolean {
  if (typeof value === 'bigint' || typeof value === 'number') return value >= LARGE || value <= -LARGE
  if (value instanceof Decimal) {
    const { unscaled, scale } = normalize(value)
    return countDigits(unscaled.toString()) > EVEN_DIGITS || scale > SMALL_PLACES
  }
  return value instanceof Json && holdsUneven(value.node)
}

function holdsUneven(node: JsonNode): boolean {
  if (node === null || typeof node === 'boolean' || 'text' in node) return false
  if ('number' in node) return Math.abs(Number(node.number)) >= LARGE || node.number.length > EVEN_DIGITS
  return ('elements' in node ? node.elements : node.members.map(([, member]) => member)).some(holdsUneven)
}

function nullWhereItFails(node: Node, at: Surroundings): Value {
  try {
    return evaluateNode(node, at)
  } catch (error) {
    if (error instanceof RowError) return null
    throw error
  }
}

function evaluateNode(node: Node, at: Surroundings): Value {
  switch (node.kind) {
    case 'literal':
      return literalValue(node)
    case 'call': {
      const field = asPath(node)
      if (field !== undefined) return at.leaf(field)
      const isExact = /^(try_)?cast_to_numeric$/.test(node.id)
      const args = node.args.map((arg) => (isExact ? evaluateExact(arg, at) : evaluate(arg, at)))
      const known = NAIVE_FUNCTIONS[node.id]
      if (known === undefined) throw new Error(`the naive evaluator has no ${node.id}`)
      if (known.strict && args.includes(null)) return null
      const value = known.compute(
        args,
        at.notes,
        node.args.map(({ type }) => type),
      )
      return ALTERNATIVES.has(node.id) ? unified(value, node.type) : value
    }
    case 'and':
    case 'or':
      return evaluateLogic(node.args, node.kind === 'or', at)
    case 'case':
      return evaluateCase(node, at)
    case 'coalesce':
      for (const arg of node.args) {
        const value = evaluate(arg, at)
        if (value !== null) return unified(value, node.type)
      }
      return null
    case 'try':
      return evaluateTry(node.argument, at)
    case 'in': {
      const found = evaluateIn(node.argument, node.list, at)
      return node.negated && found !== null ? !found : found
    }
    case 'between':
      return evaluateBetween(node, at)
    default:
      return at.leaf(node)
  }
}

/** A field of a record with all its digits. */
function evaluateExact(node: Node, at: Surroundings): Value {
  const field = at.throughKeys ? undefined : asPath(node)
  return evaluate(field === undefined ? node : { ...field, exact: true }, at)
}

/** `field->'key'` and `field->0` are paths: what they pass on the way is looked into, not read. */
function asPath(node: Node): FieldNode | undefined {
  if (node.kind === 'field') return node
  if (node.kind !== 'call' || node.id !== 'member') return undefined
  const [base, step] = node.args
  const start = base === undefined ? undefined : asPath(base)
  if (start === undefined || step?.kind !== 'literal' || step.value === null) return undefined
  if (step.type === 'text') return { ...start, path: [...start.path, String(step.value)] }
  const index = Number(step.value)
  return index >= 0 && Number.isSafeInteger(index) ? { ...start, path: [...start.path, index] } : undefined
}

export function literalValue({ type, value }: LiteralNode): Value {
  if (value === null || typeof value === 'boolean') return value
  switch (type) {
    case 'bigint':
    case 'numeric':
      return BigInt(value)
    case 'timestamptz':
      return readTime(String(value))
    case 'timestamp':
      return readLocal(String(value))
    case 'date':
      return readDay(String(value))
    case 'interval':
      return SPANS.includes(String(value)) ? readSpanText(String(value)) : readSpan(String(value))
    case 'jsonb':
      return readJson(String(value))
    default:
      return value
  }
}

const ALTERNATIVES: ReadonlySet<string> = new Set(['greatest', 'least'])

/** Alternatives of CASE, COALESCE and the like: integers beside doubles are doubles, numerics among undeclared values what a record's number is. */
function unified(value: Value, type: ScalarType): Value {
  if (type === 'any' && value instanceof Decimal) return fromKey(value, type)
  return type === 'double precision' && (typeof value === 'bigint' || value instanceof Decimal)
    ? toDouble(value)
    : value
}

/** Under on_error null there is nothing left to catch. */
function evaluateTry(argument: Node, at: Surroundings): Value {
  return at.failingIsNull ? evaluate(argument, at) : nullWhereItFails(argument, at)
}

/** Three-valued; the value that decides ends it. */
function evaluateLogic(args: readonly Node[], decisive: boolean, at: Surroundings): boolean | null {
  let result: boolean | null = !decisive
  for (const arg of args) {
    const truth = truthOf(evaluate(arg, at), at.notes)
    if (truth === decisive) return decisive
    if (truth === null) result = null
  }
  return result
}

function evaluateCase({ operand, whens, otherwise, type }: CaseNode, at: Surroundings): Value {
  for (const { when, result } of whens) {
    const holds = operand === null ? truthOf(evaluate(when, at), at.notes) : isEqual(operand, when, at)
    if (holds === true) return unified(evaluate(result, at), type)
  }
  return otherwise === null ? null : unified(evaluate(otherwise, at), type)
}

function isEqual(left: Node, right: Node, at: Surroundings): boolean | null {
  return comparing(
    at,
    () => [evaluate(left, at), evaluate(right, at)],
    (order) => order === 0,
  )
}

/** A comparison is a call: under on_error null what it can't compare is NULL. */
function comparing(
  at: Surroundings,
  sides: () => readonly [Value, Value],
  holds: (order: number) => boolean,
): boolean | null {
  const [a, b] = sides()
  if (a === null || b === null) return null
  let order: number | undefined
  try {
    order = compareValues(a, b)
  } catch (error) {
    if (error instanceof RowError && at.failingIsNull) return null
    throw error
  }
  if (order !== undefined) return holds(order)
  at.notes.kindMismatch = true
  return null
}

function evaluateIn(argument: Node, list: readonly (Node | null)[], at: Surroundings): boolean | null {
  let result: boolean | null = false
  const value = evaluate(argument, at)
  for (const item of list) {
    const equal = comparing(
      at,
      () => [value, item === null ? null : evaluate(item, at)],
      (order) => order === 0,
    )
    if (equal === true) return true
    if (equal === null) result = null
  }
  return result
}

type Between = Extract<Node, { kind: 'between' }>

function evaluateBetween({ argument, low, high, negated, symmetric }: Between, at: Surroundings): boolean | null {
  const compare =
    (bound: Node, holds: (order: number) => boolean): (() => boolean | null) =>
    () =>
      comparing(at, () => [evaluate(argument, at), evaluate(bound, at)], holds)
  const outside = (from: Node, to: Node): (() => boolean | null) =>
    anyOf(
      compare(from, (order) => order < 0),
      compare(to, (order) => order > 0),
    )
  const inside = (from: Node, to: Node): (() => boolean | null) =>
    allOf(
      compare(from, (order) => order >= 0),
      compare(to, (order) => order <= 0),
    )
  if (negated) return (symmetric ? allOf(outside(low, high), outside(high, low)) : outside(low, high))()
  return (symmetric ? anyOf(inside(low, high), inside(high, low)) : inside(low, high))()
}

type Lazy = () => boolean | null

function allOf(left: Lazy, right: Lazy): Lazy {
  return () => {
    const first = left()
    if (first === false) return false
    const second = right()
    return second === false ? false : first === null || second === null ? null : true
  }
}

function anyOf(left: Lazy, right: Lazy): Lazy {
  return () => {
    const first = left()
    if (first === true) return true
    const second = right()
    return second === true ? true : first === null || second === null ? null : false
  }
}

export const TOPIC = 'events'

/** The leaves of a record's expressions. */
export function recordLeaf(record: SourceRecord): (node: Node) => Value {
  return (node) => {
    if (node.kind === 'field') return followFields(record.value, node.path, node.exact)
    if (node.kind === 'meta') return metaValue(node, record)
    throw new Error(`a record has no ${node.kind}`)
  }
}

function metaValue({ name }: MetaNode, { partition, offset, timestampMs, key }: SourceRecord): Value {
  switch (name) {
    case 'topic':
      return TOPIC
    case 'partition':
      return BigInt(partition)
    case 'offset':
      return BigInt(offset)
    case 'key':
      return key
    case 'timestamp':
      return timestampMs === -1 ? null : new Time(BigInt(timestampMs) * 1000n)
  }
}
