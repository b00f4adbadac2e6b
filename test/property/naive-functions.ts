/** Owns what each function, operator and cast of the table gives, by its id: the naive evaluator's half of every comparison. */
import type { ScalarType } from '../../src/core/scalar-type.ts'
import {
  compute,
  decimalOfText,
  computeDoubles,
  floorOf,
  int64,
  negate,
  roundHalfAway,
  roundOf,
  roundTo,
  roundHalfEven,
  toDouble,
  type Operator,
} from './naive-numbers.ts'
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
import { NAIVE_JSON_SET, pathOf, placeOf, type Path } from './naive-json-set.ts'
import { NAIVE_JSON, readJson, showCanonical, toJsonb } from './naive-json.ts'
import { compareTyped } from './naive-compare.ts'
import { extractOfSpan } from './naive-interval-fields.ts'
import { readSpanText } from './naive-interval-text.ts'
import { isTimeValue, NAIVE_INTERVALS } from './naive-intervals.ts'
import { NAIVE_FORMATS } from './naive-formats.ts'
import { NAIVE_MATH } from './naive-math.ts'
import { NAIVE_REGEXPS } from './naive-regexp.ts'
import { NAIVE_TEMPLATES } from './naive-templates.ts'
import { NAIVE_URLS } from './naive-urls.ts'
import { NAIVE_STRINGS } from './naive-strings.ts'
import {
  matchesLike,
  readBigint,
  readBoolean,
  readDay,
  readDouble,
  readLocal,
  readNumeric,
  readTime,
  substring,
  trim,
} from './naive-text.ts'
import { extract, timeOfCount, timeOfSeconds, unitOf, withoutZone } from './naive-times.ts'
import { dateTruncIn, timeBucketIn } from './naive-zones.ts'
import {
  compareNumbers,
  Day,
  Decimal,
  fieldValue,
  Json,
  Local,
  microsOf,
  RowError,
  Span,
  Time,
  type JsonNode,
  type NumberValue,
  type Value,
} from './value.ts'

function comparison(holds: (order: number) => boolean): NaiveFunction {
  return strict(([left = null, right = null], notes, types) => {
    const order = compareTyped(left, right, types)
    if (order !== undefined) return holds(order)
    notes.kindMismatch = true
    return null
  })
}

function isDistinct([left = null, right = null]: readonly Value[], types: readonly ScalarType[]): boolean {
  if (left === null || right === null) return left !== right
  return compareTyped(left, right, types) !== 0
}

/** Of a condition: true, false, or null for NULL and any other kind. */
export function truthOf(value: Value, notes: Notes): boolean | null {
  if (typeof value === 'boolean' || value === null) return value
  notes.kindMismatch = true
  return null
}

function truthTest(wanted: boolean | null, holds: boolean): NaiveFunction {
  return lax(([value = null], notes) => (truthOf(value, notes) === wanted) === holds)
}

function arithmetic(operator: Operator, wide = false): NaiveFunction {
  return strict(([left, right]) => compute(operator, numberOf(left), numberOf(right), wide))
}

/** Two declared integers: cut toward zero. */
function divideIntegers(left: NumberValue, right: NumberValue): bigint {
  if (right === 0n) throw new RowError('division_by_zero')
  return int64((left as bigint) / (right as bigint))
}

function toBigint(value: Value): Value {
  if (typeof value === 'string') return readBigint(value)
  const number = numberOf(value)
  if (typeof number === 'bigint') return int64(number)
  if (number instanceof Decimal) return int64(roundHalfAway(number.unscaled, 10n ** BigInt(number.scale)))
  const rounded = roundHalfEven(number)
  if (!Number.isFinite(rounded)) throw new RowError('integer_out_of_range')
  return int64(BigInt(rounded))
}

function toNumeric(value: Value): Value {
  if (typeof value === 'string') return readNumeric(value)
  const number = numberOf(value)
  if (typeof number !== 'number') return number
  if (!Number.isFinite(number)) throw new RowError('number_out_of_range')
  const decimal = decimalOfText(String(number))
  return decimal.scale === 0 ? decimal.unscaled : decimal
}

function toBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return readBoolean(value)
  if (typeof value === 'bigint') return value !== 0n
  if (typeof value === 'number' && Number.isInteger(value)) return value !== 0
  throw wrongKind()
}

/** A text is read by the type's own reader; of points in time the zone is UTC. */
function castTime(read: (text: string) => Value, convert: (micros: bigint) => Value): (value: Value) => Value {
  return (value) => (isTimeValue(value) ? convert(microsOf(value)) : read(textOf(value)))
}

function toSpan(value: Value): Span {
  return value instanceof Span ? value : readSpanText(textOf(value))
}

const CASTS: Readonly<Record<string, (value: Value, type: ScalarType | undefined) => Value>> = {
  bigint: toBigint,
  double: (value) => (typeof value === 'string' ? readDouble(value) : toDouble(numberOf(value))),
  numeric: toNumeric,
  text: toText,
  boolean: toBoolean,
  timestamptz: castTime(readTime, (micros) => new Time(micros)),
  timestamp: castTime(readLocal, (micros) => new Local(micros)),
  date: castTime(readDay, (micros) => withoutZone(new Time(micros))),
  interval: toSpan,
}

function jsonNumber(cast: (value: Value) => Value): (value: Value) => Value {
  return (value) => cast(numberOf(value))
}

function jsonBoolean(value: Value): Value {
  if (typeof value === 'boolean') return value
  throw wrongKind()
}

const JSON_CASTS: typeof CASTS = {
  jsonb: (value) => (typeof value === 'string' ? readJson(value) : toJsonb(value)),
  bigint_of_jsonb: jsonNumber(toBigint),
  double_of_jsonb: jsonNumber((value) => toDouble(numberOf(value))),
  numeric_of_jsonb: jsonNumber(toNumeric),
  boolean_of_jsonb: jsonBoolean,
  text_of_jsonb: showCanonical,
}

function castEntries(): Record<string, NaiveFunction> {
  const entries: Record<string, NaiveFunction> = {}
  for (const [name, cast] of Object.entries({ ...CASTS, ...JSON_CASTS })) {
    entries[`cast_to_${name}`] = strict(([value = null], _, [type]) => cast(value, type))
    entries[`try_cast_to_${name}`] = strict(([value = null], _, [type]) => {
      try {
        return cast(value, type)
      } catch (error) {
        if (error instanceof RowError) return null
        throw error
      }
    })
  }
  return entries
}

/** The part of a value that a text names in an object, a number in an array. */
function member(value: Value, given: Value): Value {
  const key = typeof given === 'number' && Number.isInteger(given) ? BigInt(given) : given
  if (typeof key !== 'string' && typeof key !== 'bigint') throw wrongKind()
  if (!(value instanceof Json)) return null
  const found = findPart(value.node, key)
  return found === undefined ? null : fieldValue(found)
}

function findPart(node: JsonNode, key: string | bigint): JsonNode | undefined {
  if (node === null || typeof node !== 'object') return undefined
  if ('members' in node) return typeof key === 'string' ? new Map(node.members).get(key) : undefined
  if (!('elements' in node) || typeof key === 'string') return undefined
  const index = key < 0n ? key + BigInt(node.elements.length) : key
  return index < 0n || index >= BigInt(node.elements.length) ? undefined : node.elements[Number(index)]
}

/** A path of a field: keys, and indexes of arrays. */
export function followFields(node: JsonNode | undefined, path: readonly (string | number)[], exact?: boolean): Value {
  let found = node
  for (const step of path) {
    if (found !== undefined) found = findPart(found, typeof step === 'number' ? BigInt(step) : step)
  }
  return found === undefined ? null : fieldValue(found, exact)
}

/** Texts all: in an array one that is a whole number is an index. */
function followPath(value: Value, path: Path): Value {
  if (!(value instanceof Json)) return path.length === 0 ? value : null
  let found: JsonNode | undefined = value.node
  for (const step of path) {
    if (found === undefined || step === null) return null
    const isArray = typeof found === 'object' && found !== null && 'elements' in found
    const place = placeOf(step)
    if (isArray && place === undefined) return null
    found = findPart(found, isArray ? BigInt(place ?? 0) : step)
  }
  return found === undefined ? null : fieldValue(found)
}

function asText(value: Value): Value {
  return value === null ? null : toText(value, 'any')
}

function like(folds: boolean, wanted: boolean): NaiveFunction {
  return strict(([text, pattern]) => {
    const wantedPattern = textOf(pattern)
    // a pattern that ends with its escape is refused before the text is looked at
    matchesLike('', wantedPattern, folds)
    return matchesLike(textOf(text), wantedPattern, folds) === wanted
  })
}

const substringOf = strict(([text, from, count]) => {
  const [subject, start] = [textOf(text), wholeOf(from)]
  const length = count === undefined ? Infinity : wholeOf(count)
  if (length < 0) throw new RowError('invalid_argument')
  return substring(subject, start, length)
})

function trimOf(head: boolean, tail: boolean): NaiveFunction {
  return strict(([text, set]) => trim(textOf(text), set === undefined ? ' ' : textOf(set), head, tail))
}

const lengthOf = strict(([text]) => BigInt([...textOf(text)].length))
const ceilOf = strict(([value]) => {
  const number = numberOf(value)
  return typeof number === 'bigint' ? number : negateAny(floorOf(negateAny(number)))
})

/** Declared numerics have no int64's bounds. */
function opposite(value: NumberValue, type: ScalarType | undefined): NumberValue {
  return type === 'numeric' ? negateAny(value) : negate(value)
}

function negateAny(value: NumberValue): NumberValue {
  return typeof value === 'bigint' ? -value : negate(value)
}

function extractOf(name: 'extract' | 'date_part'): NaiveFunction {
  return strict(([field, subject]) => {
    const word = textOf(field)
    if (subject instanceof Span) return extractOfSpan(unitOf(word), subject)
    if (!isTimeValue(subject)) throw wrongKind()
    return extract(word, subject, name === 'date_part' || !(subject instanceof Day))
  })
}

export const NAIVE_FUNCTIONS: Readonly<Record<string, NaiveFunction>> = {
  add: arithmetic('+'),
  add_exact: arithmetic('+', true),
  subtract: arithmetic('-'),
  subtract_exact: arithmetic('-', true),
  multiply: arithmetic('*'),
  multiply_exact: arithmetic('*', true),
  remainder: arithmetic('%'),
  remainder_exact: arithmetic('%', true),
  divide: strict(([left, right]) => computeDoubles('/', numberOf(left), numberOf(right))),
  divide_exact: arithmetic('/', true),
  divide_integers: strict(([left, right]) => divideIntegers(numberOf(left), numberOf(right))),
  negate: strict(([value], _, [type]) => opposite(numberOf(value), type)),
  abs: strict(([value], _, [type]) => {
    const number = numberOf(value)
    return compareNumbers(number, 0n) < 0 ? opposite(number, type) : number
  }),
  round: strict(([value]) => roundOf(numberOf(value))),
  round_to: strict(([value, places]) => {
    const [number, given] = [numberOf(value), numberOf(places)]
    const wanted = typeof given === 'number' && Number.isInteger(given) ? BigInt(given) : given
    if (typeof wanted !== 'bigint') throw wrongKind()
    return roundTo(number, wanted)
  }),
  floor: strict(([value]) => floorOf(numberOf(value))),
  ceil: ceilOf,
  ceiling: ceilOf,
  equal: comparison((order) => order === 0),
  not_equal: comparison((order) => order !== 0),
  less: comparison((order) => order < 0),
  less_or_equal: comparison((order) => order <= 0),
  greater: comparison((order) => order > 0),
  greater_or_equal: comparison((order) => order >= 0),
  is_distinct_from: lax((sides, _, types) => isDistinct(sides, types)),
  is_not_distinct_from: lax((sides, _, types) => !isDistinct(sides, types)),
  is_null: lax(([value]) => value === null),
  is_not_null: lax(([value]) => value !== null),
  is_true: truthTest(true, true),
  is_not_true: truthTest(true, false),
  is_false: truthTest(false, true),
  is_not_false: truthTest(false, false),
  is_unknown: truthTest(null, true),
  is_not_unknown: truthTest(null, false),
  not: strict(([value = null], notes) => {
    const truth = truthOf(value, notes)
    return truth === null ? null : !truth
  }),
  nullif: lax(([left = null, right = null], notes, types) => {
    if (left === null || right === null) return left
    const order = compareTyped(left, right, types)
    if (order === undefined) notes.kindMismatch = true
    return order === 0 ? null : left
  }),
  num_nulls: lax((values) => BigInt(values.filter((value) => value === null).length)),
  num_nonnulls: lax((values) => BigInt(values.filter((value) => value !== null).length)),
  ...castEntries(),
  extract: extractOf('extract'),
  date_part: extractOf('date_part'),
  ...NAIVE_INTERVALS,
  date_trunc_zone: strict(([unit, time, zone]) => {
    const [word, name] = [textOf(unit), textOf(zone)]
    if (!isTimeValue(time)) throw wrongKind()
    return dateTruncIn(word, new Time(microsOf(time)), name)
  }),
  time_bucket_zone: strict(([width, time, zone]) => {
    const name = textOf(zone)
    if (!(width instanceof Span) || !isTimeValue(time)) throw wrongKind()
    return timeBucketIn(width, new Time(microsOf(time)), name)
  }),
  to_timestamp: strict(([count]) => timeOfSeconds(numberOf(count))),
  timestamp_millis: strict(([count]) => timeOfCount(numberOf(count), 1_000n)),
  timestamp_micros: strict(([count]) => timeOfCount(numberOf(count), 1n)),
  lower: strict(([text]) => textOf(text).toLowerCase()),
  upper: strict(([text]) => textOf(text).toUpperCase()),
  length: lengthOf,
  char_length: lengthOf,
  character_length: lengthOf,
  substring: substringOf,
  substr: substringOf,
  trim: trimOf(true, true),
  btrim: trimOf(true, true),
  ltrim: trimOf(true, false),
  rtrim: trimOf(false, true),
  replace: strict(([text, from, to]) => {
    const [subject, wanted, by] = [textOf(text), textOf(from), textOf(to)]
    return wanted === '' ? subject : subject.split(wanted).join(by)
  }),
  ...NAIVE_JSON,
  ...NAIVE_JSON_SET,
  jsonb_extract_path: strict(([value = null, ...steps]) => followPath(value, steps.map(textOf))),
  jsonb_extract_path_text: strict(([value = null, ...steps]) => asText(followPath(value, steps.map(textOf)))),
  ...NAIVE_MATH,
  ...NAIVE_REGEXPS,
  ...NAIVE_URLS,
  ...NAIVE_STRINGS,
  ...NAIVE_FORMATS,
  ...NAIVE_TEMPLATES,
  like: like(false, true),
  not_like: like(false, false),
  ilike: like(true, true),
  not_ilike: like(true, false),
  member: strict(([value = null, key = null]) => member(value, key)),
  member_text: strict(([value = null, key = null]) => asText(member(value, key))),
  path: strict(([value = null, path]) => followPath(value, pathOf(path))),
  path_text: strict(([value = null, path]) => asText(followPath(value, pathOf(path)))),
}
