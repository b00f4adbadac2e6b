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
import { fuzzDecoder } from '../fuzz/decoder-fuzz.ts'
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

test('offsets that compaction emptied are holes: between batches, inside them and at their end', () => {
  const kept = encodeBatch({
    baseOffset: 10,
    records: [toRecord('a', { offsetDelta: 1 }), toRecord(null, { offsetDelta: 4 }), toRecord('b', { offsetDelta: 5 })],
    lastOffsetDelta: 9,
  })
  const emptied = encodeBatch({ baseOffset: 25, records: [], lastOffsetDelta: 4, logAppendTimeMs: 1000 })
  const bytes = Buffer.concat([kept, emptied, toBatch(40, ['c'])])
  const { values, counts, result } = decodeAll(decoder, bytes, 8)
  expect(values).toEqual(['a', 'b', 'c'])
  expect([result.next, counts.holes, counts.tombstones]).toEqual([41, 33 - 4, 1])
  expect(decoder.walkHeaders({ bytes }, 8)).toBe(41)
})

test('a position inside a batch sees only what lies behind it', () => {
  const bytes = encodeBatch({
    baseOffset: 10,
    records: ['a', 'b', 'c'].map((value, index) => toRecord(value, { offsetDelta: index * 2 })),
    lastOffsetDelta: 6,
  })
  const { values, counts, result } = decodeAll(decoder, bytes, 12)
  expect([values, result.next, counts.holes]).toEqual([['b', 'c'], 17, 3])
  expect(decodeAll(decoder, bytes, 15)).toMatchObject({ values: [], counts: { holes: 2 } })
})

test('a batch wholly below the position is passed over, even a damaged one', () => {
  const below = toBatch(0, ['a'])
  below[below.length - 2]! ^= 1
  const { values, result } = decodeAll(decoder, Buffer.concat([below, toBatch(1, ['b'])]), 1)
  expect([values, result.next, result.stop]).toEqual([['b'], 2, undefined])
})

test('a part of a batch at the end is left for the next fetch', () => {
  const bytes = Buffer.concat([toBatch(0, ['a']), toBatch(1, ['b'])])
  for (let cut = bytes.length / 2; cut < bytes.length; cut++) {
    const { values, result } = decodeAll(decoder, bytes.subarray(0, cut))
    expect([values, result.next, result.needBytes, result.stop]).toEqual([['a'], 1, 0, undefined])
  }
})

test('a first batch that did not come whole says how many bytes it needs', () => {
  const batch = toBatch(0, ['x'.repeat(1000)])
  for (const cut of [12, 60, 61, batch.length - 1]) {
    expect(decodeAll(decoder, batch.subarray(0, cut)).result).toMatchObject({ next: 0, needBytes: batch.length })
  }
  expect(decodeAll(decoder, batch.subarray(0, 5)).result.needBytes).toBe(BATCH_FIELD.records)
  expect(decodeAll(decoder, new Uint8Array()).result.needBytes).toBe(0)
})

test('a base offset, which no checksum covers, must fit the batch behind it', () => {
  const first = toBatch(0, ['a'])
  const second = toBatch(1, ['b'])
  second[2] = 1
  const { values, result } = decodeAll(decoder, Buffer.concat([first, second, toBatch(2, ['c'])]))
  expect([values, result.next, result.stop?.next]).toEqual([['a'], 1, 2])
  expect(result.stop?.message).toBe(
    'record batch at offset 1099511627777 is damaged: its last offset is 1099511627777, but the batch behind it begins at 2',
  )
})

test('two batches with an offset in common', () => {
  const { values, result } = decodeAll(decoder, Buffer.concat([toBatch(0, ['a', 'b']), toBatch(1, ['b', 'c'])]))
  expect([values, result.next, result.stop?.code]).toEqual([[], 0, 'corrupt'])
})

test('damage behind a valid checksum visits nothing of its batch', () => {
  const damages: [field: string, damage: (batch: Uint8Array) => void][] = [
    ['a record too many', (batch) => (batch[BATCH_FIELD.recordCount + 3]! += 1)],
    ['a record too few', (batch) => (batch[BATCH_FIELD.recordCount + 3]! -= 1)],
    ['millions of records', (batch) => (batch[BATCH_FIELD.recordCount] = 0x7f)],
    ['fewer than no records', (batch) => (batch[BATCH_FIELD.recordCount] = 0xff)],
    ['offsets beyond the last one', (batch) => (batch[BATCH_FIELD.lastOffsetDelta + 3] = 1)],
    ['a value beyond its record', (batch) => (batch[batch.length - 4] = 9)],
    ['a record that holds the next one', (batch) => (batch[BATCH_FIELD.records] = 32)],
    ['a header that is not there', (batch) => (batch[batch.length - 1] = 2)],
  ]
  for (const [name, damage] of damages) {
    const batch = toBatch(0, ['a', 'bb', 'c'])
    damage(batch)
    writeChecksum(batch)
    const { values, result } = decodeAll(decoder, Buffer.concat([batch, toBatch(3, ['good'])]))
    expect([name, values, result.next]).toEqual([name, [], 0])
    expect(result.stop).toMatchObject({ code: 'corrupt', offset: 0, next: 3 })
  }
})

test('a header that contradicts what follows is not believed about where to go on', () => {
  const batch = toBatch(5, ['a', 'b'])
  batch[BATCH_FIELD.lastOffsetDelta + 1] = 0x20
  expect(decodeAll(decoder, Buffer.concat([batch, toBatch(7, ['good'])]), 5).result.stop?.next).toBe(7)
  // a negative one and nothing that follows: the next offset
  batch[BATCH_FIELD.lastOffsetDelta] = 0xff
  expect(decodeAll(decoder, batch, 5).result.stop).toMatchObject({ offset: 5, next: 6 })
})

test('a batch of compressed data that is cut or nonsense', () => {
  for (const codec of ['gzip', 'snappy', 'lz4', 'zstd'] as const) {
    const whole = toBatch(0, ['a'.repeat(100_000)], { codec })
    for (const bytes of [
      whole.subarray(0, whole.length - 8),
      Buffer.concat([whole.subarray(0, 61), Buffer.from('nonsense')]),
    ]) {
      const batch = Buffer.from(bytes)
      batch.writeInt32BE(batch.length - 12, BATCH_FIELD.batchLength)
      writeChecksum(batch)
      expect([codec, decodeAll(decoder, batch).result.stop?.code]).toEqual([codec, 'corrupt'])
    }
  }
})

test('timestamps far outside of any calendar stop nothing', () => {
  const times = [0, -1, 2 ** 51, -(2 ** 51), 1_764_500_000_000]
  const bytes = encodeBatch({ baseOffset: 0, records: times.map((timestampMs) => toRecord('a', { timestampMs })) })
  expect(decodeAll(decoder, bytes).records.map(({ timestampMs }) => timestampMs)).toEqual(times)
})

test('200,000 records in a batch', () => {
  const records = Array.from({ length: 200_000 }, (_, index) => toRecord(`${index}`))
  const { values, result } = decodeAll(decoder, encodeBatch({ baseOffset: 0, records, codec: 'zstd' }))
  expect([values.length, values.at(-1), result.next]).toEqual([200_000, '199999', 200_000])
})

test('times and epochs of the walk', () => {
  const first = encodeBatch({
    baseOffset: 0,
    leaderEpoch: 4,
    records: [toRecord('a', { timestampMs: 9000 }), toRecord('b')],
  })
  const second = encodeBatch({ baseOffset: 2, leaderEpoch: 5, records: [toRecord('c', { timestampMs: 3000 })] })
  const { result } = decodeAll(decoder, Buffer.concat([first, second]))
  expect(result).toEqual({ next: 3, leaderEpoch: 5, maxTimestampMs: 9000, lastTimestampMs: 3000, needBytes: 0 })
})

test('never throws, never half-counts on random and damaged answers', () => {
  const runs = Number(process.env['FUZZ_RUNS'] ?? 20_000)
  expect(fuzzDecoder(runs, Number(process.env['FUZZ_SEED'] ?? 1))).toBe(runs)
}, 600_000)
