/** A visitor that keeps what it was given, as values that a test can compare. */
import type { RecordVisitor } from '../../src/records/record-visitor.ts'
import type { DecodeResult, RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import type { AbortedTransaction } from '../../src/records/aborted-transaction.ts'
import { sumConserved, zeroCounts, type Counts } from '../../src/core/shard.ts'

export interface SeenRecord {
  readonly offset: number
  readonly timestampMs: number
  readonly key: string | null
  readonly value: string
  readonly headersStart: number
  readonly headerCount: number
  readonly bytes: Uint8Array
}

export class RecordingVisitor implements RecordVisitor {
  readonly records: SeenRecord[] = []
  #bytes: Uint8Array = new Uint8Array()

  beginBatch(bytes: Uint8Array): void {
    this.#bytes = bytes
  }

  record(
    offset: number,
    timestampMs: number,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
    headersStart: number,
    headerCount: number,
  ): void {
    const bytes = this.#bytes
    const toText = (start: number, end: number) => Buffer.from(bytes.subarray(start, end)).toString()
    const key = keyStart === -1 ? null : toText(keyStart, keyEnd)
    const value = toText(valueStart, valueEnd)
    this.records.push({ offset, timestampMs, key, value, headersStart, headerCount, bytes })
  }
}

export interface Decoded {
  readonly result: DecodeResult
  readonly counts: Counts
  readonly records: readonly SeenRecord[]
  readonly values: readonly string[]
}

/** Decodes and checks what holds for any bytes: the counts are exactly the offsets passed (law 6). */
export function decodeAll(
  decoder: RecordBatchDecoder,
  bytes: Uint8Array,
  from = 0,
  aborted: readonly AbortedTransaction[] = [],
): Decoded {
  const visitor = new RecordingVisitor()
  const counts = zeroCounts()
  const result = decoder.decode({ bytes, aborted }, from, visitor, counts)
  const sum = visitor.records.length + sumConserved(counts)
  if (sum !== result.next - from) throw new Error(`counted ${sum} of ${result.next - from} offsets`)
  if (result.stop !== undefined && (result.stop.offset !== result.next || result.stop.next <= result.next)) {
    throw new Error(`a stop at ${result.stop.offset} that goes on at ${result.stop.next}, next ${result.next}`)
  }
  return { result, counts, records: visitor.records, values: visitor.records.map((record) => record.value) }
}
