/** Owns comparisons and the tests of NULL and truth. Two kinds: NULL, and the register file says that kinds differed. */
import { type Registers, TAG } from '../../core/registers.ts'
import { isTimeType, NUMBER_TYPES, type ScalarType } from '../../core/scalar-type.ts'
import type { Expression } from '../expression.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { never } from './argument.ts'
import { compareTimes, compareValues, FAILED, KINDS_DIFFER } from './compare-values.ts'
import { isJsonType } from './json-value.ts'

/** Cells of these types hold native numbers (or a NaN's bytes, which sort last and equal each other). */
const NATIVE_NUMBERS: readonly ScalarType[] = ['bigint', 'double precision']
/** Cells of these types hold a number's key bytes. */
const BLOB_NUMBERS: readonly ScalarType[] = ['numeric', 'number']
const NATIVE_KINDS: readonly ScalarType[] = ['text', 'boolean', 'timestamptz', 'timestamp', 'date']

/** Whether two static types may be compared: one kind, or one of them undeclared. */
export function isComparable(left: ScalarType | undefined, right: ScalarType | undefined): boolean {
  if (left === undefined || right === undefined) return false
  if (left === right || left === 'any' || right === 'any') return true
  return (NUMBER_TYPES.has(left) && NUMBER_TYPES.has(right)) || (isTimeType(left) && isTimeType(right))
}

/** Whether SQLite's own comparison of two such cells is ours. */
function isNative(types: readonly ScalarType[]): boolean {
  const all = (group: readonly ScalarType[]): boolean => types.every((type) => group.includes(type))
  return all(NATIVE_NUMBERS) || all(BLOB_NUMBERS) || NATIVE_KINDS.some((kind) => all([kind]))
}

/** Declared points in time of two types: as values without a declared type they would be of two kinds. */
export function areMixedTimes([left, right]: readonly Expression[]): boolean {
  return (
    left !== undefined &&
    right !== undefined &&
    left.type !== right.type &&
    isTimeType(left.type) &&
    isTimeType(right.type)
  )
}

/** Cells of these types hold any value's key bytes. */
const areJson = (args: readonly ScalarType[]): boolean => args.every(isJsonType)

function comparison(id: string, name: string, holds: (order: number) => boolean, summary: string): FunctionEntry {
  return {
    id,
    name,
    form: 'operator',
    resolve: ([left, right]) => (isComparable(left, right) ? 'boolean' : undefined),
    signature: `value ${name} value of the same kind`,
    strict: true,
    // arrays and objects are compared by their keys, which can't hold every text
    canFail: areJson,
    evaluate: (r, out, a, b) => {
      const order = compareValues(r, out, a, b)
      if (order === FAILED) return
      if (order === KINDS_DIFFER) {
        r.kindMismatch = true
        r.setNull(out)
      } else r.setBoolean(out, holds(order))
    },
    specialize: (args) =>
      areMixedTimes(args) ? (r, out, a, b) => r.setBoolean(out, holds(compareTimes(r, a, b))) : undefined,
    native: ([left, right], types) => (isNative(types) ? `(${left} ${name} ${right})` : undefined),
    print: ([left, right]) => `${left} ${name} ${right}`,
    doc: { summary, example: `price ${name} 10` },
  }
}

const compareMixed: typeof compareValues = (r, _out, a, b) => compareTimes(r, a, b)

/** Both NULL: not distinct; one NULL or two kinds: distinct. */
function distinct(
  r: Registers,
  out: number,
  a: number,
  b: number,
  wanted: boolean,
  compare: typeof compareValues,
): void {
  const leftNull = r.tag[a] === TAG.NULL
  const rightNull = r.tag[b] === TAG.NULL
  if (leftNull || rightNull) {
    r.setBoolean(out, (leftNull !== rightNull) === wanted)
    return
  }
  const order = compare(r, out, a, b)
  if (order !== FAILED) r.setBoolean(out, (order !== 0) === wanted)
}

function distinction(id: string, name: string, wanted: boolean, native: string, summary: string): FunctionEntry {
  return {
    id,
    name,
    form: 'operator',
    resolve: ([left, right]) => (isComparable(left, right) ? 'boolean' : undefined),
    signature: `value ${name} value of the same kind`,
    strict: false,
    canFail: areJson,
    evaluate: (r, out, a, b) => distinct(r, out, a, b, wanted, compareValues),
    specialize: (args) =>
      areMixedTimes(args) ? (r, out, a, b) => distinct(r, out, a, b, wanted, compareMixed) : undefined,
    // key bytes of two undeclared values are equal exactly when the values are
    native: ([left, right], types) => (isNative(types) || areJson(types) ? `(${left} ${native} ${right})` : undefined),
    print: ([left, right]) => `${left} ${name.toUpperCase()} ${right}`,
    doc: { summary, example: `country ${name.toUpperCase()} 'DE'` },
  }
}

function nullTest(id: string, name: string, wanted: boolean): FunctionEntry {
  return {
    id,
    name,
    form: 'operator',
    resolve: (args) => (args.length === 1 ? 'boolean' : undefined),
    signature: `value ${name}`,
    strict: false,
    canFail: never,
    evaluate: (r, out, a) => r.setBoolean(out, (r.tag[a] === TAG.NULL) === wanted),
    native: ([argument]) => `(${argument} ${name.toUpperCase()})`,
    print: ([argument]) => `${argument} ${name.toUpperCase()}`,
    doc: {
      summary: wanted ? 'Whether the value is null or missing.' : 'Whether there is a value.',
      example: `country ${name.toUpperCase()}`,
    },
  }
}

const UNKNOWN = 2

/** 0, 1 or UNKNOWN; another kind than boolean is unknown, and counted. */
function truthOf(r: Registers, index: number): number {
  if (r.tag[index] === TAG.BOOLEAN) return r.num[index] as number
  if (r.tag[index] !== TAG.NULL) r.kindMismatch = true
  return UNKNOWN
}

const isBooleanOrAny = ([type, further]: readonly ScalarType[]): ScalarType | undefined =>
  further === undefined && (type === 'boolean' || type === 'any') ? 'boolean' : undefined

function truthTest(id: string, name: string, truth: number, wanted: boolean, native: string): FunctionEntry {
  return {
    id,
    name,
    form: 'operator',
    resolve: isBooleanOrAny,
    signature: `boolean ${name}`,
    strict: false,
    canFail: never,
    evaluate: (r, out, a) => r.setBoolean(out, (truthOf(r, a) === truth) === wanted),
    native: ([argument], types) => (types[0] === 'boolean' ? `(${argument} ${native})` : undefined),
    print: ([argument]) => `${argument} ${name.toUpperCase()}`,
    doc: { summary: `Whether the condition ${name}; never null.`, example: `ok ${name.toUpperCase()}` },
  }
}

const evaluateNot: Evaluate = (r, out, a) => {
  const truth = truthOf(r, a)
  if (truth === UNKNOWN) r.setNull(out)
  else r.setBoolean(out, truth === 0)
}

const NOT: FunctionEntry = {
  id: 'not',
  name: 'not',
  form: 'operator',
  resolve: isBooleanOrAny,
  signature: 'not boolean',
  strict: true,
  canFail: never,
  evaluate: evaluateNot,
  native: ([argument], types) => (types[0] === 'boolean' ? `(NOT ${argument})` : undefined),
  print: ([argument]) => `NOT ${argument}`,
  doc: { summary: 'True for false, false for true, null for anything else.', example: 'NOT ok' },
}

export const COMPARISON_FUNCTIONS: readonly FunctionEntry[] = [
  comparison('equal', '=', (order) => order === 0, 'Whether two values of one kind are equal, by exact value.'),
  comparison('not_equal', '<>', (order) => order !== 0, 'Whether two values of one kind differ.'),
  comparison('less', '<', (order) => order < 0, 'Whether the left value is smaller; text by its UTF-8 bytes.'),
  comparison('less_or_equal', '<=', (order) => order <= 0, 'Whether the left value is smaller or equal.'),
  comparison('greater', '>', (order) => order > 0, 'Whether the left value is greater.'),
  comparison('greater_or_equal', '>=', (order) => order >= 0, 'Whether the left value is greater or equal.'),
  distinction(
    'is_distinct_from',
    'is distinct from',
    true,
    'IS NOT',
    'Whether the values differ; null is a value, never null.',
  ),
  distinction(
    'is_not_distinct_from',
    'is not distinct from',
    false,
    'IS',
    'Whether the values are the same; null equals null.',
  ),
  nullTest('is_null', 'is null', true),
  nullTest('is_not_null', 'is not null', false),
  truthTest('is_true', 'is true', 1, true, 'IS TRUE'),
  truthTest('is_not_true', 'is not true', 1, false, 'IS NOT TRUE'),
  truthTest('is_false', 'is false', 0, true, 'IS FALSE'),
  truthTest('is_not_false', 'is not false', 0, false, 'IS NOT FALSE'),
  truthTest('is_unknown', 'is unknown', UNKNOWN, true, 'IS NULL'),
  truthTest('is_not_unknown', 'is not unknown', UNKNOWN, false, 'IS NOT NULL'),
  NOT,
]
