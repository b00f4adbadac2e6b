/**
 * Owns moving through valid JSON text as bytes, for values that were validated when their record was read. It finds where
 * things are; what they mean is for the caller.
 */
import { isValidUtf8, unescapeString } from './json-string.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The first byte at or after `at` that isn't white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at
  for (;;) {
    const byte = bytes[next]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return next
    next++
  }
}

/** Where the string that opens at `at` ends: behind its closing quote. */
export function skipString(bytes: Uint8Array, at: number): number {
  let next = at + 1
  for (;;) {
    const byte = bytes[next]
    if (byte === QUOTE || byte === undefined) return next + 1
    next += byte === BACKSLASH ? 2 : 1
  }
}

/** Where the value that begins at `at` ends. */
export function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return skipString(bytes, at)
  if (first !== 0x7b && first !== 0x5b) return skipScalar(bytes, at)
  let depth = 0
  let next = at
  for (;;) {
    const byte = bytes[next]
    if (byte === QUOTE) {
      next = skipString(bytes, next)
      continue
    }
    next++
    if (byte === 0x7b || byte === 0x5b) depth++
    else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return next
    else if (byte === undefined) return next
  }
}

/** Where a number, true, false or null ends. */
function skipScalar(bytes: Uint8Array, at: number): number {
  let next = at
  for (;;) {
    const byte = bytes[next]
    // , ] } white space, or the end
    if (byte === undefined || byte === 0x2c || byte === 0x5d || byte === 0x7d || byte <= 0x20) return next
    next++
  }
}

/**
 * The text of the string whose quotes stand at `at` and `end - 1`, as UTF-8; undefined where it is no valid text: invalid UTF-8, a lone
 * surrogate, or \u0000. Without escapes it is a view of `bytes`.
 */
export function textOfString(bytes: Uint8Array, at: number, end: number): Uint8Array | undefined {
  const start = at + 1
  const last = end - 1
  if (!isValidUtf8(bytes, start, last)) return undefined
  const raw = bytes.subarray(start, last)
  if (!raw.includes(BACKSLASH)) return raw
  const text = new Uint8Array(raw.length)
  const length = unescapeString(bytes, start, last, text, 0)
  return length < 0 ? undefined : text.subarray(0, length)
}
