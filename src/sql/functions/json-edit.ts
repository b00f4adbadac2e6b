/** Owns JSON values made of JSON values: ||, -, jsonb_strip_nulls. Parts are copied as they are written. */
import { readJsonInto } from '../../core/json-path.ts'
import { skipValue } from '../../core/json-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { isArray } from '../../core/value-kind.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isOneOf, isText, textOf, wrongKind } from './argument.ts'
import { countElements, firstPart, memberValue, nextElement, nextPart } from '../../core/json-elements.ts'
import { isString, sliceText, textWithout } from './json-change.ts'
import { beginOf, isJsonType, jsonTextOf, setJsonText, toCanonicalJson } from './json-value.ts'
import { wholeNumber } from './text-argument.ts'

const OBJECT_OPEN = 0x7b

/** What stands between the brackets; a value that is no array is the only element. */
function innerText(r: Registers, index: number): string {
  if (r.tag[index] !== TAG.JSON) return jsonTextOf(r, index)
  return textOf(r, index).trim().slice(1, -1).trim()
}

/** Two objects: the members of both, the right one's first in rank. Else arrays, a value alone being an array of it. */
const join: Evaluate = (r, out, a, b) => {
  const bothObjects = [a, b].every((index) => r.tag[index] === TAG.JSON && !isArray(r, index))
  const asElement = (index: number): string =>
    !bothObjects && r.tag[index] === TAG.JSON && !isArray(r, index) ? jsonTextOf(r, index) : innerText(r, index)
  const parts = [asElement(a), asElement(b)].filter((part) => part !== '').join(',')
  setJsonText(r, out, bothObjects ? `{${parts}}` : `[${parts}]`)
}

function without(r: Registers, out: number, a: number, drops: Parameters<typeof textWithout>[2]): void {
  setJsonText(r, out, textWithout(r.ref[a] as Uint8Array, beginOf(r, a), drops))
}

function removeTexts(r: Registers, out: number, a: number, texts: readonly Uint8Array[]): void {
  without(r, out, a, (bytes, at) => texts.some((text) => isString(bytes, at, text)))
}

const NAME = 'the operator -'

const remove: Evaluate = (r, out, a, b) => {
  if (r.tag[a] !== TAG.JSON) wrongKind(r, out, NAME, a)
  else if (isText(r, b)) removeTexts(r, out, a, [r.bytesOf(b)])
  else if (r.tag[b] === TAG.JSON && isArray(r, b)) removeListed(r, out, a, b)
  else removeElement(r, out, a, b)
}

function removeListed(r: Registers, out: number, a: number, b: number): void {
  const bytes = r.ref[b] as Uint8Array
  const texts: Uint8Array[] = []
  for (let at = firstPart(bytes, beginOf(r, b)); at >= 0; at = nextElement(bytes, at)) {
    readJsonInto(bytes, at, r, out)
    if (r.tag[out] === TAG.ERROR) return
    if (r.tag[out] === TAG.NULL) continue
    if (!isText(r, out)) {
      r.setError(out, 'wrong_kind', `${NAME} takes texts in its array`)
      return
    }
    texts.push(r.bytesOf(out))
  }
  removeTexts(r, out, a, texts)
}

/** By index from 0, from -1 at the end. */
function removeElement(r: Registers, out: number, a: number, b: number): void {
  const wanted = wholeNumber(r, out, NAME, b)
  if (Number.isNaN(wanted)) return
  if (!isArray(r, a)) {
    wrongKind(r, out, 'removing an element', a)
    return
  }
  const place = wanted < 0 ? countElements(r.ref[a] as Uint8Array, beginOf(r, a)) + wanted : wanted
  without(r, out, a, (_, __, index) => index === place)
}

/** Of canonical text, where every key stands once: the last of equal ones counts. */
const stripNulls: Evaluate = (r, out, a, b, c, d) => {
  const inArrays = b >= 0
  if (inArrays && r.tag[b] !== TAG.BOOLEAN) wrongKind(r, out, 'jsonb_strip_nulls', b)
  else if (r.tag[a] !== TAG.JSON) r.copy(out, a)
  else {
    toCanonicalJson(r, out, a, -1, c, d)
    if (r.tag[out] !== TAG.ERROR) setJsonText(r, out, strippedText(r.bytesOf(out), 0, inArrays && r.num[b] === 1))
  }
}

function strippedText(bytes: Uint8Array, open: number, inArrays: boolean): string {
  const isObject = bytes[open] === OBJECT_OPEN
  const parts: string[] = []
  for (let at = firstPart(bytes, open); at >= 0;) {
    const value = isObject ? memberValue(bytes, at) : at
    const first = bytes[value]
    const end = skipValue(bytes, value)
    const isNull = first === 0x6e
    if (!isNull || (!isObject && !inArrays)) {
      const isContainer = first === OBJECT_OPEN || first === 0x5b
      parts.push(
        sliceText(bytes, at, value) +
          (isContainer ? strippedText(bytes, value, inArrays) : sliceText(bytes, value, end)),
      )
    }
    at = nextPart(bytes, end)
  }
  return isObject ? `{${parts.join(',')}}` : `[${parts.join(',')}]`
}

export const JSON_EDIT_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'join_json',
    name: '||',
    form: 'operator',
    resolve: (args) => (args.length === 2 && args.includes('jsonb') && args.every(isJsonType) ? 'jsonb' : undefined),
    signature: 'jsonb || jsonb',
    strict: true,
    canFail: always,
    evaluate: join,
    doc: {
      summary:
        "Two objects as one, the right one's members before the left one's; else one array of both, a single value being an element.",
      example: `device::jsonb || '{"seen": true}'`,
    },
  },
  {
    id: 'remove_from_json',
    name: '-',
    form: 'operator',
    resolve: ([value, part, further]) => {
      if (further !== undefined || part === undefined) return undefined
      const takes =
        value === 'jsonb'
          ? isOneOf(part, 'text', 'bigint', 'jsonb', 'any')
          : value === 'any' && isOneOf(part, 'text', 'jsonb')
      return takes ? 'jsonb' : undefined
    },
    signature: 'jsonb - key text, index bigint or keys array',
    strict: true,
    canFail: always,
    evaluate: remove,
    doc: {
      summary:
        'An object without the key, or an array without the elements that are this text; an array without the element at an index; without all of several keys.',
      example: "device - 'os'",
    },
  },
  {
    id: 'jsonb_strip_nulls',
    name: 'jsonb_strip_nulls',
    form: 'function',
    resolve: ([type, inArrays, further]) =>
      isJsonType(type) && isOneOf(inArrays ?? 'boolean', 'boolean', 'any') && further === undefined
        ? 'jsonb'
        : undefined,
    signature: 'jsonb_strip_nulls(value [, in_arrays boolean])',
    strict: true,
    canFail: always,
    evaluate: stripNulls,
    doc: {
      summary:
        'Without the members that are null, at every depth; nulls in arrays stay, unless the second argument is true.',
      example: 'jsonb_strip_nulls(device)',
    },
  },
]
