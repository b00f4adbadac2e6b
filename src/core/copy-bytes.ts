/** Owns copies of bytes that outlive their buffer, or are changed. */

/**
 * A copy of bytes [start, end). Not `bytes.slice`, which of a Buffer is a view: it would keep a whole fetched buffer in memory, and who writes
 * into it writes into the record.
 */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end))
}
