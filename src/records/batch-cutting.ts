/** Owns how records to be written are cut into batches: of bounded size, never within a record. */
import { RollupdError } from '../core/errors.ts'
import type { EncodableRecord, RecordHeader } from './record-batch-encoder.ts'

/** Below Kafka's default `max.message.bytes` of 1,048,588; a larger record is a batch of its own. */
export const BATCH_BYTES_MAX = 900_000
/** What a record takes besides key, value and headers: seven varints, most of one byte, five at most. */
const RECORD_OVERHEAD_BYTES = 20
const HEADER_OVERHEAD_BYTES = 10

interface UncutRecord {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers: readonly RecordHeader[]
  /** Milliseconds since 1970. Absent: now. */
  readonly timestampMs?: number
}

function measure(record: UncutRecord): number {
  let bytes = RECORD_OVERHEAD_BYTES + (record.key?.length ?? 0) + (record.value?.length ?? 0)
  // A header's name has at most three bytes for each UTF-16 unit.
  for (const { name, value } of record.headers) bytes += HEADER_OVERHEAD_BYTES + name.length * 3 + (value?.length ?? 0)
  return bytes
}

/** Batches of at most about BATCH_BYTES_MAX in the order given; `nowMs` is the time of records that have none. */
export function cutIntoBatches(records: readonly UncutRecord[], nowMs: number): EncodableRecord[][] {
  const batches: EncodableRecord[][] = []
  let batch: EncodableRecord[] = []
  let batchBytes = 0
  for (const record of records) {
    const bytes = measure(record)
    if (batch.length > 0 && batchBytes + bytes > BATCH_BYTES_MAX) {
      batches.push(batch)
      batch = []
      batchBytes = 0
    }
    batch.push({
      key: record.key,
      value: record.value,
      headers: record.headers,
      timestampMs: record.timestampMs ?? nowMs,
    })
    batchBytes += bytes
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/** Errors: bad_parameter (a time that is none). */
export function checkNewRecords(records: readonly UncutRecord[]): void {
  for (const { timestampMs } of records) {
    if (timestampMs === undefined || (Number.isSafeInteger(timestampMs) && timestampMs >= 0)) continue
    throw new RollupdError('bad_parameter', `a record's time can't be ${timestampMs} ms`, {
      hint: 'Times are milliseconds since 1970, not before.',
    })
  }
}
