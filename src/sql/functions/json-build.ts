/** Owns making JSON of values: to_jsonb, jsonb_build_array, jsonb_build_object. */
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isText, isUndeclared, variadic, wrongKind } from './argument.ts'
import { toText, toUndeclaredText } from './casts.ts'
import { jsonTextOf, setJsonText, toJsonValue } from './json-value.ts'

const isValueType = (type: ScalarType): boolean => type !== 'unknown'
const isKeyType = (type: ScalarType): boolean => isValueType(type) && type !== 'jsonb'

function buildArray(r: Registers, out: number, args: readonly number[]): void {
  let text = '['
  for (let place = 0; place < args.length; place++) {
    if (place > 0) text += ','
    text += jsonTextOf(r, args[place] as number)
  }
  setJsonText(r, out, `${text}]`)
}

function buildObject(r: Registers, out: number, args: readonly number[], toOwnTexts?: readonly Evaluate[]): void {
  let text = '{'
  for (let place = 0; place < args.length; place += 2) {
    const key = args[place] as number
    if (r.tag[key] === TAG.NULL) {
      r.setError(out, 'invalid_argument', 'jsonb_build_object: a key is null')
      return
    }
    if (r.tag[key] === TAG.JSON) {
      wrongKind(r, out, 'a key of jsonb_build_object', key)
      return
    }
    if (place > 0) text += ','
    text += `${keyTextOf(r, out, key, toOwnTexts?.[place] ?? toText)}:${jsonTextOf(r, args[place + 1] as number)}`
  }
  setJsonText(r, out, `${text}}`)
}

/** Any scalar is a key by its text; `out` is used on the way. */
function keyTextOf(r: Registers, out: number, key: number, toOwnText: Evaluate): string {
  if (isText(r, key)) return jsonTextOf(r, key)
  toOwnText(r, out, key, -1, -1, -1)
  return jsonTextOf(r, out)
}

export const JSON_BUILD_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'to_jsonb',
    name: 'to_jsonb',
    form: 'function',
    resolve: ([type, further]) =>
      type !== undefined && isValueType(type) && further === undefined ? 'jsonb' : undefined,
    signature: 'to_jsonb(value)',
    strict: true,
    canFail: (args) => args.includes('any'),
    evaluate: toJsonValue,
    doc: {
      summary: 'The value as jsonb: a text becomes a JSON text, where a cast would read it.',
      example: 'to_jsonb(country)',
    },
  },
  {
    id: 'jsonb_build_array',
    name: 'jsonb_build_array',
    form: 'function',
    resolve: (args) => (args.every(isValueType) ? 'jsonb' : undefined),
    signature: 'jsonb_build_array([value, ...])',
    variadic: true,
    strict: false,
    canFail: always,
    evaluate: variadic(buildArray),
    doc: { summary: 'An array of the values. Also `ARRAY[a, b]`.', example: 'jsonb_build_array(country, city)' },
  },
  {
    id: 'jsonb_build_object',
    name: 'jsonb_build_object',
    form: 'function',
    resolve: (args) =>
      args.length % 2 === 0 && args.every((type, index) => (index % 2 === 0 ? isKeyType(type) : isValueType(type)))
        ? 'jsonb'
        : undefined,
    signature: 'jsonb_build_object([key, value, ...])',
    variadic: true,
    strict: false,
    canFail: always,
    evaluate: variadic((r, out, args) => buildObject(r, out, args)),
    specialize: (args) => {
      if (!args.some(({ type }) => isUndeclared(type))) return undefined
      const texts = args.map(({ type }) => (isUndeclared(type) ? toUndeclaredText : toText))
      return variadic((r, out, registers) => buildObject(r, out, registers, texts))
    },
    doc: {
      summary: 'An object of keys and values in turn; of equal keys the last counts.',
      example: "jsonb_build_object('country', country, 'city', city)",
    },
  },
]
