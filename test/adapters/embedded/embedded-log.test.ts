import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmbeddedLogSource } from '../../../src/adapters/embedded/embedded-log-source.ts'
import {
  EmbeddedLogWriter,
  type EmbeddedLogWriterOptions,
  IDEMPOTENCY_KEY_AGE_MS_MAX,
} from '../../../src/adapters/embedded/embedded-log-writer.ts'
import { createWakeCounter } from '../../../src/adapters/embedded/wake-counter.ts'
import { RecordBatchDecoder } from '../../../src/records/record-batch-decoder.ts'
import type { NewRecord, Topic } from '../../../src/tailer/record-source.ts'

let folder: string
let path: string
let nowMs: number
const opened: { close(): Promise<void> }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollupd-log-'))
  path = join(folder, 'log.db')
  nowMs = 1_700_000_000_000
})
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close()
  rmSync(folder, { recursive: true })
})

function openWriter(options: Partial<EmbeddedLogWriterOptions> = {}): EmbeddedLogWriter {
  const writer = new EmbeddedLogWriter({ path, now: () => nowMs, ...options })
  opened.push(writer)
  return writer
}

function openSource(wake?: SharedArrayBuffer): EmbeddedLogSource {
  const source = new EmbeddedLogSource({ path, ...(wake === undefined ? {} : { wake }) })
  opened.push(source)
  return source
}

const record = (value: string, more: Partial<NewRecord> = {}): NewRecord => ({
  value: Buffer.from(value),
  key: null,
  headers: [],
  ...more,
})

async function fetchOne(source: EmbeddedLogSource, topic: Topic, offset: number, maxWaitMs = 0) {
  const reader = source.openReader()
  const request = { topic: topic.name, shard: { topicId: topic.id, partition: 0 }, offset, maxBytes: 1e9 }
  const [answer] = await reader.fetch([request], { maxWaitMs })
  await reader.close()
  if (answer === undefined) throw new Error('no answer')
  return answer
}

test('a full file refuses the append as a whole, and the log goes on when there is room', async () => {
  const writer = openWriter({ fileBytesMax: 400_000 })
  const source = openSource()
  const topic = await writer.createTopic('small', 2)
  await writer.produce('small', [record('before', { partition: 0 })])
  const produce = () =>
    writer.produce(
      'small',
      [record('fits', { partition: 0 }), record('x'.repeat(1_000_000), { partition: 1 })],
      'the key of this call',
    )
  await expect(produce()).rejects.toMatchObject({ code: 'disk_full' })
  await expect(produce()).rejects.toMatchObject({ code: 'disk_full' })
  // Nothing of the refused append is there: neither the part that fits nor its key.
  const found = await source.findTopic('small')
  expect(found?.partitions.map((partition) => partition.endOffset)).toEqual([1, 0])
  const answer = await fetchOne(source, topic, 0)
  expect(new RecordBatchDecoder().walkHeaders(answer, 0)).toBe(1)
  await writer.close()
  opened.splice(opened.indexOf(writer), 1)
  const roomier = openWriter()
  expect(await roomier.produce('small', [record('fits', { partition: 0 })], 'the key of this call')).toEqual([
    { partition: 0, first: 1, last: 1, next: 2 },
  ])
})

test('retention by size removes whole batches from the front, and moves the start', async () => {
  const writer = openWriter({ retention: { bytesMax: 30_000 } })
  const source = openSource()
  const topic = await writer.createTopic('sized', 1)
  for (let batch = 0; batch < 10; batch += 1) {
    await writer.produce('sized', [record('x'.repeat(4_000)), record('y'.repeat(4_000))])
  }
  const found = await source.findTopic('sized')
  // Three batches of 8,100 bytes fit.
  expect(found?.partitions).toEqual([{ partition: 0, startOffset: 14, endOffset: 20 }])
  expect((await fetchOne(source, topic, 13)).error?.code).toBe('out_of_range')
  const answer = await fetchOne(source, topic, 14)
  expect(answer.logStartOffset).toBe(14)
  expect(new RecordBatchDecoder().walkHeaders(answer, 14)).toBe(20)
  // A batch beyond the bound is kept all the same: it is what was just written.
  await writer.produce('sized', [record('z'.repeat(50_000))])
  expect((await source.findTopic('sized'))?.partitions).toEqual([{ partition: 0, startOffset: 20, endOffset: 21 }])
})

test("retention by age goes by the time of the append, not by the records' times", async () => {
  const writer = openWriter({ retention: { ageMsMax: 60_000 } })
  const source = openSource()
  await writer.createTopic('aged', 1)
  await writer.produce('aged', [record('old news, just written', { timestampMs: 0 })])
  writer.applyRetention()
  expect((await source.findTopic('aged'))?.partitions).toEqual([{ partition: 0, startOffset: 0, endOffset: 1 }])
  nowMs += 40_000
  await writer.produce('aged', [record('newer')])
  nowMs += 40_000
  writer.applyRetention()
  expect((await source.findTopic('aged'))?.partitions).toEqual([{ partition: 0, startOffset: 1, endOffset: 2 }])
  nowMs += 40_000
  writer.applyRetention()
  expect((await source.findTopic('aged'))?.partitions).toEqual([{ partition: 0, startOffset: 2, endOffset: 2 }])
  expect(await writer.produce('aged', [record('next')])).toEqual([{ partition: 0, first: 2, last: 2, next: 3 }])
})

test('the retention of a topic can be changed, and others keep all', async () => {
  const writer = openWriter()
  const source = openSource()
  for (const name of ['bounded', 'whole']) {
    await writer.createTopic(name, 1)
    for (let batch = 0; batch < 5; batch += 1) await writer.produce(name, [record('x'.repeat(1_000))])
  }
  writer.setRetention('bounded', { bytesMax: 2_500 })
  expect((await source.findTopic('bounded'))?.partitions[0]?.startOffset).toBe(3)
  expect((await source.findTopic('whole'))?.partitions[0]?.startOffset).toBe(0)
  expect(() => writer.setRetention('absent', {})).toThrow('there is no topic "absent"')
})

test('what was written is there after the writer ends, also answers to keys', async () => {
  const writer = openWriter()
  const topic = await writer.createTopic('kept', 1)
  const first = await writer.produce('kept', [record('a')], 'key')
  await writer.close()
  opened.splice(opened.indexOf(writer), 1)
  const again = openWriter()
  const source = openSource()
  expect(await source.findTopic('kept')).toEqual({
    ...topic,
    partitions: [{ partition: 0, startOffset: 0, endOffset: 1 }],
  })
  expect(await again.produce('kept', [record('a')], 'key')).toEqual(first)
  expect(await again.produce('kept', [record('b')])).toEqual([{ partition: 0, first: 1, last: 1, next: 2 }])
})

test('a repeated key answers as the first and adds nothing', async () => {
  const writer = openWriter()
  const source = openSource()
  await writer.createTopic('repeated', 2)
  const produce = (key: string) => writer.produce('repeated', [record('a'), record('b'), record('c')], key)
  const first = await produce('k')
  expect(await produce('k')).toEqual(first)
  expect(await produce('l')).not.toEqual(first)
  const found = await source.findTopic('repeated')
  expect(found?.partitions.reduce((sum, partition) => sum + partition.endOffset, 0)).toBe(6)
})

test('answers to keys are kept for a day', async () => {
  const writer = openWriter()
  await writer.createTopic('keys', 1)
  await writer.produce('keys', [record('a')], 'key')
  nowMs += IDEMPOTENCY_KEY_AGE_MS_MAX
  expect(await writer.produce('keys', [record('a')], 'key')).toEqual([{ partition: 0, first: 0, last: 0, next: 1 }])
  nowMs += 1
  await writer.produce('keys', [record('b')], 'another')
  expect(await writer.produce('keys', [record('a')], 'key')).toEqual([{ partition: 0, first: 2, last: 2, next: 3 }])
  await expect(writer.produce('keys', [record('a')], '')).rejects.toMatchObject({ code: 'bad_parameter' })
  await expect(writer.produce('keys', [record('a')], 'k'.repeat(256))).rejects.toMatchObject({ code: 'bad_parameter' })
})

test('a key belongs to its topic, and goes with it', async () => {
  const writer = openWriter()
  for (const name of ['one', 'other']) await writer.createTopic(name, 1)
  await writer.produce('one', [record('a')], 'key')
  await writer.produce('other', [record('a')], 'key')
  await writer.deleteTopic('one')
  await writer.createTopic('one', 1)
  expect(await writer.produce('one', [record('b')], 'key')).toEqual([{ partition: 0, first: 0, last: 0, next: 1 }])
})

test('a deletion that was interrupted is finished at the next start', async () => {
  const writer = openWriter()
  await writer.createTopic('half', 3)
  await writer.produce(
    'half',
    Array.from({ length: 30 }, (_, index) => record(`${index}`)),
  )
  await writer.close()
  opened.splice(opened.indexOf(writer), 1)
  const database = new Database(path)
  database.exec('UPDATE topics SET name = NULL')
  openWriter()
  const counts = database.prepare(
    'SELECT (SELECT count(*) FROM topics) + (SELECT count(*) FROM partitions) + (SELECT count(*) FROM batches) AS rows',
  )
  expect(counts.get()).toEqual({ rows: 0 })
  database.close()
})

test('a file of a later version is refused', async () => {
  const writer = openWriter()
  await writer.close()
  opened.splice(opened.indexOf(writer), 1)
  const database = new Database(path)
  database.pragma('user_version = 99')
  database.close()
  expect(() => openWriter()).toThrow(expect.objectContaining({ code: 'config_invalid' }))
})

test('a time that is none is refused', async () => {
  const writer = openWriter()
  await writer.createTopic('times', 1)
  for (const timestampMs of [-1, 0.5, Number.NaN, Infinity]) {
    await expect(writer.produce('times', [record('v', { timestampMs })])).rejects.toMatchObject({
      code: 'bad_parameter',
    })
  }
})

test('a reader in another thread is woken by an append', async () => {
  const wake = createWakeCounter()
  const writer = openWriter({ wake })
  const topic = await writer.createTopic('woken', 1)
  const worker = new Worker(new URL('./waiting-reader.ts', import.meta.url), { workerData: { path, wake, topic } })
  const messages = new Array<unknown>()
  const done = new Promise<void>((resolve, reject) => {
    worker.on('message', (message) => {
      messages.push(message)
      if (message === 'waiting') void writer.produce('woken', [record('now')])
    })
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  await done
  expect(messages).toEqual(['waiting', { next: 1, isLate: false }])
})
