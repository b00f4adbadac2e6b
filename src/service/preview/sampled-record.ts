/** Owns a record of a sample: its place, and its bytes apart from those of the batch that it came in. */
import { copyBytes } from '../../core/copy-bytes.ts'
import { type Shard, toTopicId } from '../../core/shard.ts'
import { findHeadersEnd } from '../../records/record-headers.ts'

/** Slices are [start, end) of `bytes`, as the decoder's visitors get them; start -1: null. */
export interface SampledRecord {
  readonly shard: Shard
  readonly offset: number
  readonly timestampMs: number
  readonly bytes: Uint8Array
  readonly keyStart: number
  readonly keyEnd: number
  readonly valueStart: number
  readonly valueEnd: number
  readonly headersStart: number
  readonly headerCount: number
}

/** Stands for the topic of given records. */
const GIVEN_SHARD: Shard = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAA'), partition: 0 }

/** Key, value and headers stand behind each other, so one copy holds them all. */
export function copyRecord(
  bytes: Uint8Array,
  place: Pick<SampledRecord, 'shard' | 'offset' | 'timestampMs'>,
  slices: Omit<SampledRecord, 'shard' | 'offset' | 'timestampMs' | 'bytes'>,
): SampledRecord {
  const { keyStart, keyEnd, valueStart, valueEnd, headersStart, headerCount } = slices
  const from = keyStart < 0 ? valueStart : keyStart
  return {
    ...place,
    bytes: copyBytes(bytes, from, findHeadersEnd(bytes, headersStart, headerCount)),
    keyStart: keyStart < 0 ? -1 : keyStart - from,
    keyEnd: keyStart < 0 ? -1 : keyEnd - from,
    valueStart: valueStart - from,
    valueEnd: valueEnd - from,
    headersStart: headersStart - from,
    headerCount,
  }
}

/** Records of which only the values are given: offsets count from 0 in partition 0. */
export function toGivenRecords(values: readonly string[], timestampMs: number): SampledRecord[] {
  return values.map((value, offset) => {
    const bytes = Buffer.from(value)
    return {
      shard: GIVEN_SHARD,
      offset,
      timestampMs,
      bytes,
      keyStart: -1,
      keyEnd: -1,
      valueStart: 0,
      valueEnd: bytes.length,
      headersStart: bytes.length,
      headerCount: 0,
    }
  })
}

export function valueOf({ bytes, valueStart, valueEnd }: SampledRecord): Uint8Array {
  return bytes.subarray(valueStart, valueEnd)
}
