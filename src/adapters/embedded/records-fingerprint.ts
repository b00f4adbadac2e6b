/** Owns the fingerprint of records to be appended: it tells a repeated request from another one under the same idempotency key. */
import { createHash } from 'node:crypto'
import type { NewRecord } from '../../tailer/record-source.ts'

/** SHA-256 over all that a request gave of its records, in their order. */
export function fingerprintRecords(records: readonly NewRecord[]): Uint8Array {
  const hash = createHash('sha256')
  // lengths stand before bytes, so that no two lists of records run together into the same bytes
  for (const { value, key, headers, timestampMs, partition } of records) {
    const named = headers.map((header) => [header.name, header.value?.length ?? null])
    hash.update(JSON.stringify([value?.length ?? null, key?.length ?? null, named, timestampMs, partition]))
    for (const bytes of [value, key, ...headers.map((header) => header.value)]) if (bytes !== null) hash.update(bytes)
  }
  return hash.digest()
}
