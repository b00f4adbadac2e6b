/** Batches that Kafka's own code wrote (fixtures/WriteBatches.java): what the decoder reads, and the encoder's equal bytes. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import { encodeBatch, encodeControlBatch } from '../../src/records/record-batch-encoder.ts'
import { findHeader } from '../../src/records/record-headers.ts'
import { decodeAll } from './recording-visitor.ts'

const TIME_MS = 1_764_500_000_000
const PLAIN_BASE = 4_294_967_296 * 3 + 5

const FIXTURE = readFileSync(new URL('fixtures/kafka-batches.txt', import.meta.url), 'utf8')
const BATCHES = new Map(
  FIXTURE.trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
)

function findBatch(name: string): Uint8Array {
  return Buffer.from(BATCHES.get(name) ?? '', 'hex')
}

const decoder = new RecordBatchDecoder()

test('keys, values, headers, times and a tombstone at large offsets', () => {
  const { records, counts, result } = decodeAll(decoder, findBatch('plain'), PLAIN_BASE)
  expect(records.map(({ offset, timestampMs, key, value }) => [offset, timestampMs, key, value])).toEqual([
    [PLAIN_BASE, TIME_MS, 'key', '{"a":1}'],
    [PLAIN_BASE + 1, TIME_MS - 1000, null, 'h\u00e9llo'],
  ])
  expect(counts.tombstones).toBe(1)
  expect(result).toEqual({
    next: PLAIN_BASE + 3,
    leaderEpoch: 9,
    maxTimestampMs: TIME_MS + 86_400_000,
    lastTimestampMs: TIME_MS + 86_400_000,
    needBytes: 0,
  })
  const { bytes, headersStart, headerCount } = records[0]!
  const out = new Int32Array(2)
  expect(headerCount).toBe(2)
  expect(findHeader(bytes, headersStart, headerCount, Buffer.from('trace'), out)).toBe(true)
  expect(Buffer.from(bytes.subarray(out[0], out[1])).toString()).toBe('t1')
  expect(findHeader(bytes, headersStart, headerCount, Buffer.from('none'), out)).toBe(true)
  expect([...out]).toEqual([-1, -1])
  expect(findHeader(bytes, headersStart, headerCount, Buffer.from('trac'), out)).toBe(false)
})

test.for(['gzip', 'snappy', 'lz4', 'zstd'])('%s as the Java client writes it', (codec) => {
  const { records, result } = decodeAll(decoder, findBatch(codec), 10)
  expect(records.map(({ offset, timestampMs, value }) => [offset, timestampMs, value])).toEqual(
    Array.from({ length: 50 }, (_, index) => [
      10 + index,
      TIME_MS + index,
      `{"index":${index},"text":"the same text"}`,
    ]),
  )
  expect(result.next).toBe(60)
})

test('markers of transactions are counted as such', () => {
  const bytes = Buffer.concat([findBatch('commit'), findBatch('abort')])
  const { values, counts, result } = decodeAll(decoder, bytes, 20, [{ producerId: 42n, firstOffset: 15 }])
  expect([values, counts.markers, result.next, result.maxTimestampMs]).toEqual([[], 2, 22, -1])
})

test('an emptied batch that the broker keeps still moves the position', () => {
  const { counts, result } = decodeAll(decoder, findBatch('empty'), 30)
  expect([counts.holes, result.next]).toEqual([5, 35])
})

test("the broker's clock holds for all records of its batch", () => {
  const { records } = decodeAll(decoder, findBatch('log-append-time'), 40)
  expect(records.map(({ timestampMs, value }) => [timestampMs, value])).toEqual([
    [TIME_MS + 123_456, 'x'],
    [TIME_MS + 123_456, 'y'],
  ])
})

test('the message format of old brokers is refused with its name', () => {
  const { result } = decodeAll(decoder, findBatch('v1'), 50)
  expect(result.stop).toEqual({
    code: 'codec',
    offset: 50,
    next: 51,
    message: 'record batch at offset 50 has the message format v1 of brokers before 0.11; rollupd reads format v2',
  })
})

test('the encoder writes the same bytes', () => {
  const plain = encodeBatch({
    baseOffset: PLAIN_BASE,
    leaderEpoch: 9,
    producer: { id: 42n, epoch: 3, baseSequence: 7 },
    transactional: true,
    records: [
      {
        key: Buffer.from('key'),
        value: Buffer.from('{"a":1}'),
        timestampMs: TIME_MS,
        headers: [
          { name: 'trace', value: Buffer.from('t1') },
          { name: 'none', value: null },
        ],
      },
      { key: null, value: Buffer.from('h\u00e9llo'), timestampMs: TIME_MS - 1000 },
      { key: Buffer.from(''), value: null, timestampMs: TIME_MS + 86_400_000 },
    ],
  })
  const marker = { producerId: 42n, producerEpoch: 3, timestampMs: TIME_MS, leaderEpoch: 9, coordinatorEpoch: 5 }
  const written = [
    plain,
    encodeControlBatch({ ...marker, baseOffset: 20, type: 'commit' }),
    encodeControlBatch({ ...marker, baseOffset: 21, type: 'abort' }),
  ]
  expect(written.map(toHex)).toEqual(['plain', 'commit', 'abort'].map((name) => BATCHES.get(name)))
})

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
