/** Owns finding a part of valid JSON text and reading it into a register; nothing is built for what isn't wanted. */
import { countElements } from './json-elements.ts'
import { skipSpace, skipString, skipValue, textOfString } from './json-text.ts'
import { JSON_DIGITS_MAX, loadJsonNumber } from './json-number.ts'
import type { Registers } from './registers.ts'

/** Where the value of the object's key begins, -1 where there is none; of equal keys the last counts. `at` is the open brace. */
export function findKey(bytes: Uint8Array, at: number, key: Uint8Array): number {
  let found = -1
  let next = skipSpace(bytes, at + 1)
  while (bytes[next] !== 0x7d && bytes[next] !== undefined) {
    const keyEnd = skipString(bytes, next)
    // behind the key: white space, a colon, white space
    const valueAt = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    if (isKey(bytes, next, keyEnd, key)) found = valueAt
    next = skipSpace(bytes, skipValue(bytes, valueAt))
    if (bytes[next] === 0x2c) next = skipSpace(bytes, next + 1)
  }
  return found
}

function isKey(bytes: Uint8Array, at: number, end: number, key: Uint8Array): boolean {
  let escaped = false
  let same = end - at - 2 === key.length
  for (let index = at + 1; index < end - 1; index++) {
    if (bytes[index] === 0x5c) escaped = true
    if (same && bytes[index] !== key[index - at - 1]) same = false
  }
  if (!escaped) return same
  const text = textOfString(bytes, at, end)
  return text !== undefined && Buffer.compare(text, key) === 0
}

/** Where the array's element begins, -1 where there is none; a negative index counts from the end. `at` is the open bracket. */
export function findElement(bytes: Uint8Array, at: number, index: number): number {
  const wanted = index < 0 ? countElements(bytes, at) + index : index
  let next = skipSpace(bytes, at + 1)
  for (let position = 0; bytes[next] !== 0x5d && bytes[next] !== undefined; position++) {
    if (position === wanted) return next
    next = skipSpace(bytes, skipValue(bytes, next))
    if (bytes[next] === 0x2c) next = skipSpace(bytes, next + 1)
  }
  return -1
}

/** Reads the value at `at` into a register, as a field of a record is read; ERROR where it can't be a value of ours. */
export function readJsonInto(bytes: Uint8Array, at: number, r: Registers, out: number): void {
  const end = skipValue(bytes, at)
  switch (bytes[at]) {
    case 0x22: {
      const text = textOfString(bytes, at, end)
      if (text !== undefined) r.setText(out, text, 0, text.length)
      else r.setError(out, 'invalid_text', 'the text holds invalid UTF-8, a lone surrogate or \\u0000')
      return
    }
    case 0x7b:
    case 0x5b:
      r.setJson(out, bytes, at, end)
      return
    case 0x6e:
      r.setNull(out)
      return
    case 0x74:
    case 0x66:
      r.setBoolean(out, bytes[at] === 0x74)
      return
    default:
      if (end - at > JSON_DIGITS_MAX + (bytes[at] === 0x2d ? 1 : 0)) {
        r.setError(out, 'number_out_of_range', `the number has more than ${JSON_DIGITS_MAX} digits`)
      } else if (!loadJsonNumber(bytes, at, end, r, out)) {
        r.setError(out, 'number_out_of_range', 'the number is out of range of double precision')
      }
  }
}
