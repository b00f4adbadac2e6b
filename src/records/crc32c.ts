/** Owns the checksum of record batches: CRC-32C (Castagnoli). The only importer of @node-rs/crc32. */
import { crc32c as computeNative } from '@node-rs/crc32'

/** CRC-32C of bytes[start, end) as an unsigned 32-bit number. Cost: about 0.1 ns a byte and 0.2 us a call. */
export function computeCrc32c(bytes: Uint8Array, start: number, end: number): number {
  return computeNative(bytes.subarray(start, end))
}
