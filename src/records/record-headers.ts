/** Owns the look-up of a record's header by name in the batch's bytes. */

/**
 * Finds the last header of a name (Kafka's rule where a name occurs twice). Writes the value's [start, end) to `out`; start
 * -1: the header's value is null. Returns whether there is one. The decoder has checked the framing; never throws.
 */
export function findHeader(
  bytes: Uint8Array,
  headersStart: number,
  headerCount: number,
  name: Uint8Array,
  out: Int32Array,
): boolean {
  let at = headersStart
  let isFound = false
  for (let index = 0; index < headerCount; index++) {
    const nameLength = readLength(bytes, at)
    at += measureVarint(bytes, at)
    const isMatch = nameLength === name.length && isEqual(bytes, at, name)
    at += nameLength
    const valueLength = readLength(bytes, at)
    at += measureVarint(bytes, at)
    const valueBytes = Math.max(valueLength, 0)
    if (isMatch) {
      isFound = true
      out[0] = valueLength < 0 ? -1 : at
      out[1] = valueLength < 0 ? -1 : at + valueBytes
    }
    at += valueBytes
  }
  return isFound
}

/** Where the headers of a record end. The decoder has checked the framing. */
export function findHeadersEnd(bytes: Uint8Array, headersStart: number, headerCount: number): number {
  let at = headersStart
  // a name and a value each; a value's length of -1 stands for null
  for (let index = 0; index < 2 * headerCount; index++) {
    const length = readLength(bytes, at)
    at += measureVarint(bytes, at) + Math.max(length, 0)
  }
  return at
}

function readLength(bytes: Uint8Array, start: number): number {
  let raw = 0
  for (let at = start, shift = 0; shift < 35; at++, shift += 7) {
    const byte = bytes[at]!
    raw |= (byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  return (raw >>> 1) ^ -(raw & 1)
}

function measureVarint(bytes: Uint8Array, start: number): number {
  let at = start
  while (bytes[at]! >= 0x80) at++
  return at + 1 - start
}

function isEqual(bytes: Uint8Array, start: number, name: Uint8Array): boolean {
  for (let index = 0; index < name.length; index++) if (bytes[start + index] !== name[index]) return false
  return true
}
