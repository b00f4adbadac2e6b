/** Owns walking over the parts of arrays and objects in valid JSON text: where each begins, nothing built. */
import { skipSpace, skipString, skipValue } from './json-text.ts'

const COMMA = 0x2c
const ARRAY_CLOSE = 0x5d
const OBJECT_CLOSE = 0x7d

/** Where the first element or member of the array or object at `open` begins; -1: it is empty. */
export function firstPart(bytes: Uint8Array, open: number): number {
  const at = skipSpace(bytes, open + 1)
  return bytes[at] === ARRAY_CLOSE || bytes[at] === OBJECT_CLOSE ? -1 : at
}

/** Where the next one begins, behind a value that ends at `end`; -1: there is none. */
export function nextPart(bytes: Uint8Array, end: number): number {
  const at = skipSpace(bytes, end)
  return bytes[at] === COMMA ? skipSpace(bytes, at + 1) : -1
}

/** The element behind the one at `at`; -1: there is none. */
export function nextElement(bytes: Uint8Array, at: number): number {
  return nextPart(bytes, skipValue(bytes, at))
}

/** Where the value of the member whose key opens at `at` begins. */
export function memberValue(bytes: Uint8Array, at: number): number {
  // behind the key: white space, a colon, white space
  return skipSpace(bytes, skipSpace(bytes, skipString(bytes, at)) + 1)
}

/** How many elements the array at `open` has. */
export function countElements(bytes: Uint8Array, open: number): number {
  let count = 0
  for (let at = firstPart(bytes, open); at >= 0; at = nextElement(bytes, at)) count++
  return count
}
