/**
 * Owns JSON values with one part changed: put at a path, inserted there, removed from there. All else is copied as it is written, and of a key that
 * stands twice the last one counts. Source: PostgreSQL, "JSON Functions and Operators"; where a path ends early nothing changes.
 */
import { countElements, firstPart, memberValue, nextPart } from '../../core/json-elements.ts'
import { findElement, findKey } from '../../core/json-path.ts'
import { skipString, skipValue, textOfString } from '../../core/json-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { wrongKind } from './argument.ts'
import type { JsonPath, PathStep } from './json-path-argument.ts'
import { beginOf, setJsonText } from './json-value.ts'

export type Change = 'replace' | 'put' | 'insert_before' | 'insert_after' | 'remove'

const OBJECT_OPEN = 0x7b
const ARRAY_OPEN = 0x5b

export function sliceText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}

/** The array or object at `open` without the members and elements for which `drops` holds; it is told where one begins, and its index. */
export function textWithout(
  bytes: Uint8Array,
  open: number,
  drops: (bytes: Uint8Array, at: number, index: number) => boolean,
): string {
  const isObject = bytes[open] === OBJECT_OPEN
  let text = isObject ? '{' : '['
  let index = 0
  for (let at = firstPart(bytes, open); at >= 0; index++) {
    const end = skipValue(bytes, isObject ? memberValue(bytes, at) : at)
    if (!drops(bytes, at, index)) text += (text.length > 1 ? ',' : '') + sliceText(bytes, at, end)
    at = nextPart(bytes, end)
  }
  return text + (isObject ? '}' : ']')
}

/** Whether a string of this text stands at `at`: a key or an element. */
export function isString(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (bytes[at] !== 0x22) return false
  const text = textOfString(bytes, at, skipString(bytes, at))
  return text !== undefined && Buffer.compare(text, wanted) === 0
}

/** Register a with the change at the path; `value` is JSON text. Errors: for a scalar, and for a step that can't be taken. */
export function changeAt(
  r: Registers,
  out: number,
  a: number,
  { path, change, name, value }: { path: JsonPath; change: Change; name: string; value: string },
): void {
  if (r.tag[a] !== TAG.JSON) {
    wrongKind(r, out, name, a)
    return
  }
  const bytes = r.ref[a] as Uint8Array
  const root = beginOf(r, a)
  // an empty value takes nothing, before the path is looked at
  const isIdle = (change === 'replace' || change === 'remove') && firstPart(bytes, root) < 0
  const depth = isIdle ? 0 : path.length
  let at = root
  for (let level = 0; level < depth; level++) {
    const isArray = bytes[at] === ARRAY_OPEN
    const step = path[level] ?? null
    const wrong = wrongStep(step, isArray)
    if (wrong !== undefined || step === null) {
      r.setError(out, 'invalid_argument', `${name}: step ${level + 1} of the path is ${wrong}`)
      return
    }
    if (!isArray && bytes[at] !== OBJECT_OPEN) break
    if (level === depth - 1) {
      const part = isArray
        ? changedElement(bytes, at, step, change, value)
        : changedMember(bytes, at, step, change, value)
      if (part === KEY_IS_THERE)
        r.setError(out, 'invalid_argument', `${name}: the key ${quoted(step)} is there already`)
      else if (part === undefined) break
      else
        setJsonText(
          r,
          out,
          sliceText(bytes, root, part.start) + part.text + sliceText(bytes, part.end, skipValue(bytes, root)),
        )
      return
    }
    at = isArray ? findElement(bytes, at, step.index) : findKey(bytes, at, step.key)
    if (at < 0) break
  }
  r.copy(out, a)
}

/** The bytes [start, end) become this text. */
interface Part {
  readonly start: number
  readonly end: number
  readonly text: string
}

const KEY_IS_THERE = 'key is there'

function quoted(step: PathStep): string {
  return JSON.stringify(step.text)
}

function wrongStep(step: PathStep | null, isArray: boolean): string | undefined {
  if (step === null) return 'null'
  return isArray && Number.isNaN(step.index) ? `no integer, but ${quoted(step)}` : undefined
}

/** Undefined: nothing changes. */
function changedMember(
  bytes: Uint8Array,
  open: number,
  step: PathStep,
  change: Change,
  value: string,
): Part | undefined | typeof KEY_IS_THERE {
  const at = findKey(bytes, open, step.key)
  if (at < 0)
    return change === 'replace' || change === 'remove' ? undefined : appended(bytes, open, `${quoted(step)}:${value}`)
  if (change === 'remove') return without(bytes, open, (_, key) => isString(bytes, key, step.key))
  if (change !== 'replace' && change !== 'put') return KEY_IS_THERE
  return { start: at, end: skipValue(bytes, at), text: value }
}

/** A place beyond either end is that end; undefined: nothing changes. */
function changedElement(
  bytes: Uint8Array,
  open: number,
  { index }: PathStep,
  change: Change,
  value: string,
): Part | undefined {
  const count = countElements(bytes, open)
  const place = index < 0 ? count + index : index
  const adds = change !== 'replace' && change !== 'remove'
  if (place >= count) return adds ? appended(bytes, open, value) : undefined
  if (place < 0) return adds ? prepended(bytes, open, value) : undefined
  if (change === 'remove') return without(bytes, open, (_, __, one) => one === place)
  const start = findElement(bytes, open, place)
  const end = skipValue(bytes, start)
  const own = sliceText(bytes, start, end)
  const text = change === 'insert_before' ? `${value},${own}` : change === 'insert_after' ? `${own},${value}` : value
  return { start, end, text }
}

function without(bytes: Uint8Array, open: number, drops: Parameters<typeof textWithout>[2]): Part {
  return { start: open, end: skipValue(bytes, open), text: textWithout(bytes, open, drops) }
}

function appended(bytes: Uint8Array, open: number, text: string): Part {
  const close = skipValue(bytes, open) - 1
  return { start: close, end: close, text: firstPart(bytes, open) < 0 ? text : `,${text}` }
}

function prepended(bytes: Uint8Array, open: number, text: string): Part {
  return { start: open + 1, end: open + 1, text: firstPart(bytes, open) < 0 ? text : `${text},` }
}
