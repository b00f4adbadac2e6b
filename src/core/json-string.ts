/** Owns the text of JSON strings: escapes to UTF-8, and whether bytes are UTF-8 at all. */

/** Results of unescapeString() that are no length: why the string is no text. */
export const UNESCAPE_ERROR = {
  /** \u0000: PostgreSQL's text can't hold it, so ours doesn't. */
  NUL: -1,
  /** Half of a surrogate pair. */
  LONE_SURROGATE: -2,
  /** No JSON escape; a slice from JsonFieldReader has none such. */
  MALFORMED: -3,
} as const

const BACKSLASH = 0x5c

/**
 * Writes the text of the string content bytes[start, end) as UTF-8 to into[at...], which needs end - start bytes of room.
 * Returns the bytes written, or a code of UNESCAPE_ERROR. Bytes beyond ASCII are copied unchecked: see isValidUtf8().
 */
export function unescapeString(bytes: Uint8Array, start: number, end: number, into: Uint8Array, at: number): number {
  let to = at
  for (let from = start; from < end;) {
    const byte = bytes[from]!
    if (byte !== BACKSLASH) {
      into[to++] = byte
      from++
      continue
    }
    if (from + 1 >= end) return UNESCAPE_ERROR.MALFORMED
    const escape = bytes[from + 1]!
    if (escape !== 0x75) {
      const plain = readShortEscape(escape)
      if (plain < 0) return UNESCAPE_ERROR.MALFORMED
      into[to++] = plain
      from += 2
      continue
    }
    let code = readUnicodeEscape(bytes, from, end)
    from += 6
    if (code <= 0) return code === 0 ? UNESCAPE_ERROR.NUL : UNESCAPE_ERROR.MALFORMED
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = code < 0xdc00 ? readUnicodeEscape(bytes, from, end) : -1
      if (low < 0xdc00 || low > 0xdfff) return UNESCAPE_ERROR.LONE_SURROGATE
      from += 6
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
    }
    to = writeUtf8(into, to, code)
  }
  return to - at
}

function readShortEscape(escape: number): number {
  switch (escape) {
    case 0x22:
    case 0x2f:
    case BACKSLASH:
      return escape
    case 0x62:
      return 0x08
    case 0x66:
      return 0x0c
    case 0x6e:
      return 0x0a
    case 0x72:
      return 0x0d
    case 0x74:
      return 0x09
    default:
      return -1
  }
}

/** The number of \uXXXX at a position, or -1. */
function readUnicodeEscape(bytes: Uint8Array, at: number, end: number): number {
  if (at + 6 > end || bytes[at] !== BACKSLASH || bytes[at + 1] !== 0x75) return -1
  let code = 0
  for (let index = at + 2; index < at + 6; index++) {
    const digit = readHexDigit(bytes[index]!)
    if (digit < 0) return -1
    code = code * 16 + digit
  }
  return code
}

/** The value of a hexadecimal digit, or -1. */
export function readHexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

function writeUtf8(into: Uint8Array, at: number, code: number): number {
  let to = at
  if (code < 0x80) {
    into[to++] = code
  } else if (code < 0x800) {
    into[to++] = 0xc0 | (code >> 6)
    into[to++] = 0x80 | (code & 0x3f)
  } else if (code < 0x10000) {
    into[to++] = 0xe0 | (code >> 12)
    into[to++] = 0x80 | ((code >> 6) & 0x3f)
    into[to++] = 0x80 | (code & 0x3f)
  } else {
    into[to++] = 0xf0 | (code >> 18)
    into[to++] = 0x80 | ((code >> 12) & 0x3f)
    into[to++] = 0x80 | ((code >> 6) & 0x3f)
    into[to++] = 0x80 | (code & 0x3f)
  }
  return to
}

/** Whether the text of the string content bytes[start, end), which has escapes, is the UTF-8 text `name`. */
export function isEscapedEqual(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  // an escape shrinks: at least to a third
  if (end - start < name.length) return false
  const text = new Uint8Array(end - start)
  const length = unescapeString(bytes, start, end, text, 0)
  if (length !== name.length) return false
  for (let index = 0; index < length; index++) if (text[index] !== name[index]) return false
  return true
}

/**
 * Whether bytes[start, end) are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
 * Source: Unicode 15, table 3-7.
 */
export function isValidUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end;) {
    const lead = bytes[at]!
    if (lead < 0x80) {
      at++
      continue
    }
    const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    if (lead < 0xc2 || lead > 0xf4 || at + length > end) return false
    const second = bytes[at + 1]!
    const secondMin = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
    const secondMax = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
    if (second < secondMin || second > secondMax) return false
    if (length > 2 && (bytes[at + 2]! & 0xc0) !== 0x80) return false
    if (length > 3 && (bytes[at + 3]! & 0xc0) !== 0x80) return false
    at += length
  }
  return true
}
