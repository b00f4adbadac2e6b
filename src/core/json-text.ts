/**
 * Owns moving through valid JSON text as bytes, for values that were validated when their record was read. It finds where
 * things are; what they mean is for the caller.
 */

import { isUtf8 } from 'node:buffer'

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
  const raw = bytes.subarray(at + 1, end - 1)
  const escaped = raw.includes(BACKSLASH)
  if (!escaped) return isText(raw) ? raw : undefined
  if (!isText(raw)) return undefined
  const text = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString('utf8')) as string
  if (!text.isWellFormed() || text.includes('\0')) return undefined
  return Buffer.from(text, 'utf8')
}

function isText(bytes: Uint8Array): boolean {
  let ascii = true
  for (const byte of bytes) {
    if (byte === 0) return false
    if (byte >= 0x80) ascii = false
  }
  return ascii || isUtf8(bytes)
}
