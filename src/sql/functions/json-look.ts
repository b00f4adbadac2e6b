/** Owns what is asked of a JSON value: its kind, its number of elements, whether it has a key. */
import { RollupdError } from '../../core/errors.ts'
import { findKey, readJsonInto } from '../../core/json-path.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import { isArray } from '../../core/value-kind.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumber, isOneOf, isText, quote, setString, textOf, wrongKind } from './argument.ts'
import { countElements, firstPart, nextElement } from '../../core/json-elements.ts'
import { beginOf, isJsonType } from './json-value.ts'
import { parseTextArray } from './text-array.ts'
import { wholeNumber } from './text-argument.ts'

const typeOf: Evaluate = (r, out, a) => {
  if (r.tag[a] === TAG.JSON) setString(r, out, isArray(r, a) ? 'array' : 'object')
  else if (r.tag[a] === TAG.BOOLEAN) setString(r, out, 'boolean')
  else setString(r, out, isNumber(r, a) ? 'number' : 'string')
}

/** Writes an error and gives false where the register holds no array. */
function isArrayOf(r: Registers, out: number, name: string, a: number): boolean {
  if (r.tag[a] === TAG.JSON && isArray(r, a)) return true
  wrongKind(r, out, name, a)
  return false
}

function lengthEntry(name: string, example: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: ([type, further]) => (isJsonType(type) && further === undefined ? 'bigint' : undefined),
    signature: `${name}(array)`,
    strict: true,
    canFail: always,
    evaluate: (r, out, a) => {
      if (isArrayOf(r, out, name, a)) r.setInteger(out, countElements(r.ref[a] as Uint8Array, beginOf(r, a)))
    },
    doc: { summary: 'How many elements the array has.', example },
  }
}

const ONE_DIMENSION = 'a JSON array has one dimension'

/** PostgreSQL's array_length of an empty array is NULL. */
const arrayLength: Evaluate = (r, out, a, b) => {
  const dimension = wholeNumber(r, out, 'array_length', b)
  if (Number.isNaN(dimension) || !isArrayOf(r, out, 'array_length', a)) return
  const count = countElements(r.ref[a] as Uint8Array, beginOf(r, a))
  if (dimension !== 1) r.setError(out, 'invalid_argument', `array_length: ${ONE_DIMENSION}`)
  else if (count === 0) r.setNull(out)
  else r.setInteger(out, count)
}

const ARRAY_LENGTH: FunctionEntry = {
  id: 'array_length',
  name: 'array_length',
  form: 'function',
  resolve: ([value, dimension, further]) =>
    isJsonType(value) && dimension === 'bigint' && further === undefined ? 'bigint' : undefined,
  signature: 'array_length(array, 1)',
  strict: true,
  canFail: always,
  evaluate: arrayLength,
  specialize: ([, dimension]) => {
    if (dimension?.kind !== 'literal' || dimension.value === null || Number(dimension.value) === 1) return undefined
    throw new RollupdError('sql_invalid', `array_length: ${ONE_DIMENSION}`, {
      position: dimension.position,
      hint: 'Write array_length(x, 1).',
    })
  },
  doc: { summary: 'How many elements the array has; null where it has none.', example: 'array_length(tags, 1)' },
}

/** Whether an object has the key, an array the text among its elements, or the value is the text. */
function hasKey(r: Registers, out: number, a: number, key: Uint8Array): boolean {
  if (isText(r, a)) return Buffer.compare(r.bytesOf(a), key) === 0
  if (r.tag[a] !== TAG.JSON) return false
  const bytes = r.ref[a] as Uint8Array
  const open = beginOf(r, a)
  if (!isArray(r, a)) return findKey(bytes, open, key) >= 0
  for (let at = firstPart(bytes, open); at >= 0; at = nextElement(bytes, at)) {
    if (bytes[at] !== 0x22) continue
    readJsonInto(bytes, at, r, out)
    if (isText(r, out) && Buffer.compare(r.bytesOf(out), key) === 0) return true
  }
  return false
}

const has: Evaluate = (r, out, a, b) => {
  if (isText(r, b)) r.setBoolean(out, hasKey(r, out, a, r.bytesOf(b)))
  else wrongKind(r, out, 'the operator ?', b)
}

/** The wanted keys of register b: an array of texts, or PostgreSQL's text of one; undefined where an error was written. */
function keysOf(r: Registers, out: number, b: number, name: string): readonly Uint8Array[] | undefined {
  if (isText(r, b)) {
    const keys = parseTextArray(textOf(r, b))
    if (keys !== undefined) return keys.map((key) => Buffer.from(key, 'utf8'))
    r.setError(out, 'invalid_argument', `${quote(r, b)} is no array of texts`)
    return undefined
  }
  if (r.tag[b] !== TAG.JSON || !isArray(r, b)) {
    wrongKind(r, out, `the operator ${name}`, b)
    return undefined
  }
  const bytes = r.ref[b] as Uint8Array
  const keys: Uint8Array[] = []
  for (let at = firstPart(bytes, beginOf(r, b)); at >= 0; at = nextElement(bytes, at)) {
    readJsonInto(bytes, at, r, out)
    if (r.tag[out] === TAG.ERROR) return undefined
    // a null is no key, as in PostgreSQL
    if (r.tag[out] === TAG.NULL) continue
    if (!isText(r, out)) {
      r.setError(out, 'wrong_kind', `the operator ${name} takes texts in its array`)
      return undefined
    }
    keys.push(r.bytesOf(out))
  }
  return keys
}

function keysEntry(id: string, name: string, wantsAll: boolean, summary: string): FunctionEntry {
  const test = (r: Registers, out: number, a: number, keys: readonly Uint8Array[]): void => {
    const holds = wantsAll ? keys.every((key) => hasKey(r, out, a, key)) : keys.some((key) => hasKey(r, out, a, key))
    r.setBoolean(out, holds)
  }
  return {
    id,
    name,
    form: 'operator',
    resolve: ([value, keys, further]) =>
      isJsonType(value) && (isJsonType(keys) || keys === 'text') && further === undefined ? 'boolean' : undefined,
    signature: `value ${name} keys array`,
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => {
      const keys = keysOf(r, out, b, name)
      if (keys !== undefined) test(r, out, a, keys)
    },
    specialize: ([, keys]) => {
      if (keys?.kind !== 'literal' || keys.type !== 'text' || typeof keys.value !== 'string') return undefined
      const texts = parseTextArray(keys.value)?.map((key) => Buffer.from(key, 'utf8'))
      if (texts !== undefined) return (r, out, a) => test(r, out, a, texts)
      throw new RollupdError('sql_invalid', `"${keys.value}" is no array of texts`, {
        position: keys.position,
        hint: `Write ${name} ARRAY['a', 'b'], or '{a,b}'.`,
      })
    },
    doc: { summary, example: `device ${name} ARRAY['os', 'model']` },
  }
}

const takesKey = ([value, key, further]: readonly ScalarType[]): ScalarType | undefined =>
  isJsonType(value) && isOneOf(key, 'text', 'any') && further === undefined ? 'boolean' : undefined

export const JSON_LOOK_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'jsonb_typeof',
    name: 'jsonb_typeof',
    form: 'function',
    resolve: ([type, further]) => (isJsonType(type) && further === undefined ? 'text' : undefined),
    signature: 'jsonb_typeof(value)',
    strict: true,
    canFail: (args) => args.includes('any'),
    evaluate: typeOf,
    doc: { summary: 'object, array, string, number or boolean.', example: 'jsonb_typeof(device)' },
  },
  lengthEntry('jsonb_array_length', 'jsonb_array_length(tags)'),
  lengthEntry('cardinality', 'cardinality(tags)'),
  ARRAY_LENGTH,
  {
    id: 'has_key',
    name: '?',
    form: 'operator',
    resolve: takesKey,
    signature: 'value ? key text',
    strict: true,
    canFail: always,
    evaluate: has,
    doc: {
      summary: 'Whether an object has the key, or an array the text among its elements.',
      example: "device ? 'os'",
    },
  },
  keysEntry('has_any_key', '?|', false, 'Whether ? holds for any of the keys.'),
  keysEntry('has_all_keys', '?&', true, 'Whether ? holds for all of the keys.'),
]
