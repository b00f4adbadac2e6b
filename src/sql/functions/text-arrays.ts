/** Owns texts as arrays and back: string_to_array and array_to_string. An array is a JSON array. */
import { firstPart, nextElement } from '../../core/json-elements.ts'
import { readJsonInto } from '../../core/json-path.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { isArray } from '../../core/value-kind.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isText, setString, textOf, wrongKind } from './argument.ts'
import { toUndeclaredText } from './casts.ts'
import { beginOf, isJsonType, setJsonText } from './json-value.ts'
import { areTexts, isTextType, TEXT_BYTES_MAX, tooLong } from './text-argument.ts'

/** An argument that wasn't given, or is NULL. */
function isMissing(r: Registers, index: number): boolean {
  return index < 0 || r.tag[index] === TAG.NULL
}

/** A NULL separator parts every character, an empty one nothing. */
const split: Evaluate = (r, out, a, b, c) => {
  if (isMissing(r, a)) return r.setNull(out)
  const [separator, nullText] = [isMissing(r, b) ? -1 : b, isMissing(r, c) ? -1 : c]
  if (!areTexts(r, out, 'string_to_array', a, separator, nullText)) return
  const text = textOf(r, a)
  const by = separator < 0 ? undefined : textOf(r, separator)
  const parts = text === '' ? [] : by === undefined ? Array.from(text) : by === '' ? [text] : text.split(by)
  const asNull = nullText < 0 ? undefined : textOf(r, nullText)
  setJsonText(r, out, JSON.stringify(parts.map((part) => (part === asNull ? null : part))))
}

const join: Evaluate = (r, out, a, b, c) => {
  if (isMissing(r, a) || isMissing(r, b)) return r.setNull(out)
  const nullText = isMissing(r, c) ? -1 : c
  if (!areTexts(r, out, 'array_to_string', b, nullText)) return
  if (r.tag[a] !== TAG.JSON || !isArray(r, a)) return wrongKind(r, out, 'array_to_string', a)
  const bytes = r.ref[a] as Uint8Array
  const parts: string[] = []
  let size = 0
  for (let at = firstPart(bytes, beginOf(r, a)); at >= 0; at = nextElement(bytes, at)) {
    readJsonInto(bytes, at, r, out)
    if (r.tag[out] === TAG.NULL) {
      if (nullText >= 0) parts.push(textOf(r, nullText))
      continue
    }
    if (r.tag[out] !== TAG.ERROR) toUndeclaredText(r, out, out, -1, -1, -1)
    if (!isText(r, out)) return
    size += (r.end[out] as number) - (r.num[out] as number)
    if (size > TEXT_BYTES_MAX) return tooLong(r, out)
    parts.push(textOf(r, out))
  }
  const text = parts.join(textOf(r, b))
  if (text.length > TEXT_BYTES_MAX) tooLong(r, out)
  else setString(r, out, text)
}

export const TEXT_ARRAY_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'string_to_array',
    name: 'string_to_array',
    form: 'function',
    resolve: (args) => (args.length >= 2 && args.length <= 3 && args.every(isTextType) ? 'jsonb' : undefined),
    signature: 'string_to_array(text, separator text [, null text])',
    strict: false,
    canFail: always,
    evaluate: split,
    doc: {
      summary:
        'The parts between separators as an array, those that are the third text as null; a null separator parts every character.',
      example: "string_to_array(path, '/')",
    },
  },
  {
    id: 'array_to_string',
    name: 'array_to_string',
    form: 'function',
    resolve: ([array, ...texts]) =>
      isJsonType(array) && texts.length >= 1 && texts.length <= 2 && texts.every(isTextType) ? 'text' : undefined,
    signature: 'array_to_string(array, separator text [, null text])',
    strict: false,
    canFail: always,
    evaluate: join,
    doc: {
      summary: 'The elements as one text, the separator between them; nulls are left out, or are the third text.',
      example: "array_to_string(tags, ', ')",
    },
  },
]
