import { expect, test } from 'vitest'
import type { Codec } from '../../src/records/codecs.ts'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import {
  encodeBatch,
  writeChecksum,
  type EncodableBatch,
  type EncodableRecord,
} from '../../src/records/record-batch-encoder.ts'
import { BATCH_FIELD } from '../../src/records/record-format.ts'
import { decodeAll } from './recording-visitor.ts'

const decoder = new RecordBatchDecoder()

function toRecord(value: string | null, more: Partial<EncodableRecord> = {}): EncodableRecord {
  return { key: null, value: value === null ? null : Buffer.from(value), timestampMs: 1000, ...more }
}

function toBatch(
  baseOffset: number,
  values: readonly (string | null)[],
  more: Partial<EncodableBatch> = {},
): Uint8Array {
  return encodeBatch({ baseOffset, records: values.map((value) => toRecord(value)), ...more })
}

test.for<[Codec, boolean]>([
  ['none', false],
  ['gzip', false],
  ['snappy', false],
  ['snappy', true],
  ['lz4', false],
  ['zstd', false],
])('reads %s batches (snappy of Java clients: %s)', ([codec, snappyJava]) => {
  const records = Array.from({ length: 5000 }, (_, index) =>
    toRecord(`{"index":${index},"text":"${'x'.repeat(index % 50)}"}`, {
      key: index % 3 === 0 ? null : Buffer.from(`key ${index}`),
      timestampMs: 1_764_500_000_000 + index * 1000 - (index % 7) * 100_000,
      headers: index % 5 === 0 ? [{ name: 'trace', value: Buffer.from(`t${index}`) }] : [],
    }),
  )
  const bytes = encodeBatch({ baseOffset: 2 ** 33, records, codec, snappyJava })
  const { records: seen, result } = decodeAll(decoder, bytes, 2 ** 33)
  expect(seen.map(({ offset, timestampMs, key, value }) => [offset, timestampMs, key, value])).toEqual(
    records.map((record, index) => [
      2 ** 33 + index,
      record.timestampMs,
      record.key === null ? null : Buffer.from(record.key).toString(),
      Buffer.from(record.value!).toString(),
    ]),
  )
  expect(result.next).toBe(2 ** 33 + 5000)
})

test('a changed byte stops before its batch and says where the next one begins', () => {
  const first = toBatch(0, ['a', 'b'])
  const second = toBatch(2, ['c', 'd'])
  const third = toBatch(4, ['e'])
  second[second.length - 3]! ^= 1
  const { result, values } = decodeAll(decoder, Buffer.concat([first, second, third]))
  expect(values).toEqual(['a', 'b'])
  expect(result).toMatchObject({ next: 2, stop: { code: 'corrupt', offset: 2, next: 4 } })
  expect(result.stop?.message).toMatch(
    /^record batch at offset 2 is damaged: its checksum is [0-9a-f]{8}, its bytes give/,
  )
})

test('an unknown codec is a stop of its own', () => {
  const bytes = toBatch(3, ['a'])
  bytes[BATCH_FIELD.attributes + 1] = 6
  writeChecksum(bytes)
  expect(decodeAll(decoder, bytes, 3).result.stop).toEqual({
    code: 'codec',
    offset: 3,
    next: 4,
    message: 'record batch at offset 3: its compression codec 6 is unknown',
  })
})
