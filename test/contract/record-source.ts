/**
 * Owns what every log of records promises (src/tailer/record-source.ts): run by test/contract/embedded-log.test.ts and
 * test/integration/kafka/record-source.test.ts.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RollupdError } from '../../src/core/errors.ts'
import { type Shard, toTopicId, zeroCounts } from '../../src/core/shard.ts'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import { BATCH_FIELD, readInt64 } from '../../src/records/record-format.ts'
import { findHeader } from '../../src/records/record-headers.ts'
import type {
  FetchAnswer,
  FetchRequest,
  NewRecord,
  RecordReader,
  RecordSink,
  RecordSource,
  Topic,
} from '../../src/tailer/record-source.ts'

export interface LogUnderTest {
  readonly source: RecordSource
  readonly sink: RecordSink
  close(): Promise<void>
}

export interface LogFactory {
  open(): Promise<LogUnderTest>
  uniqueTopic(label: string): string
}

const DEADLINE_MS = 15_000
const SHORT_WAIT_MS = 50
const LONG_WAIT_MS = 10_000
const MANY_BYTES = 8 * 1024 * 1024

interface ReadRecord {
  readonly offset: number
  readonly timestampMs: number
  readonly key: string | null
  readonly value: string
  /** Of the names that were asked for. */
  readonly headers: Record<string, string | null>
}

const text = (value: string): Uint8Array => Buffer.from(value, 'utf8')
const record = (value: string, more: Partial<NewRecord> = {}): NewRecord => ({
  value: text(value),
  key: null,
  headers: [],
  ...more,
})
const shardOf = (topic: Topic, partition = 0): Shard => ({ topicId: topic.id, partition })
const ask = (topic: Topic, partition: number, offset: number, maxBytes = MANY_BYTES): FetchRequest => ({
  topic: topic.name,
  shard: shardOf(topic, partition),
  offset,
  maxBytes,
})

/** The data records of an answer from the asked offset on; tombstones are counted, not shown. */
function decode(answer: FetchAnswer, from: number, headerNames: readonly string[] = []) {
  const records: ReadRecord[] = []
  const counts = zeroCounts()
  let bytes: Uint8Array = answer.bytes
  const cut = (start: number, end: number) => Buffer.from(bytes.subarray(start, end)).toString('utf8')
  const found = new Int32Array(2)
  const result = new RecordBatchDecoder().decode(
    answer,
    from,
    {
      beginBatch: (section) => void (bytes = section),
      record(offset, timestampMs, keyStart, keyEnd, valueStart, valueEnd, headersStart, headerCount) {
        const headers: Record<string, string | null> = {}
        for (const name of headerNames) {
          if (!findHeader(bytes, headersStart, headerCount, text(name), found)) continue
          headers[name] = found[0] === -1 ? null : cut(found[0] ?? 0, found[1] ?? 0)
        }
        const key = keyStart < 0 ? null : cut(keyStart, keyEnd)
        records.push({ offset, timestampMs, key, value: cut(valueStart, valueEnd), headers })
      },
    },
    counts,
  )
  expect(result.stop).toBeUndefined()
  return { records, counts, next: result.next }
}

/** Reads on until `end`, as a tailer does. */
async function readAll(
  reader: RecordReader,
  topic: Topic,
  partition: number,
  from: number,
  end: number,
  maxBytes = MANY_BYTES,
) {
  const records: ReadRecord[] = []
  const deadline = Date.now() + DEADLINE_MS
  let next = from
  while (next < end) {
    if (Date.now() > deadline) throw new Error(`at offset ${next} of ${end} after ${DEADLINE_MS} ms`)
    const [answer] = await reader.fetch([ask(topic, partition, next, maxBytes)], { maxWaitMs: SHORT_WAIT_MS })
    if (answer === undefined || answer.error !== undefined) continue
    const decoded = decode(answer, next)
    records.push(...decoded.records)
    next = decoded.next
  }
  return records
}

/** Asks until the answer is an error that doesn't pass. */
async function fetchUntilError(reader: RecordReader, request: FetchRequest): Promise<FetchAnswer> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const [answer] = await reader.fetch([request], { maxWaitMs: SHORT_WAIT_MS })
    const code = answer?.error?.code
    if (answer !== undefined && code !== undefined && code !== 'stale_leader' && code !== 'broker_away') return answer
    if (Date.now() > deadline) throw new Error(`no error after ${DEADLINE_MS} ms but ${code ?? 'an answer'}`)
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (error instanceof RollupdError) return error.code
    throw error
  }
  return 'no error'
}

/** The suite; `name` stands before each test. */
export function testRecordSource(name: string, factory: LogFactory): void {
  describe(`${name}:`, () => {
    let log: LogUnderTest
    beforeAll(async () => {
      log = await factory.open()
    })
    afterAll(() => log.close())

    const createTopic = (label: string, partitions = 1) => log.sink.createTopic(factory.uniqueTopic(label), partitions)

    test('a created topic is found and listed with its partitions', async () => {
      const topic = await createTopic('listed', 3)
      expect(topic.id).toMatch(/^[A-Za-z0-9_-]{22}$/)
      expect(topic.partitions).toEqual([0, 1, 2].map((partition) => ({ partition, startOffset: 0, endOffset: 0 })))
      expect(await log.source.findTopic(topic.name)).toEqual(topic)
      const listed = await log.source.listTopics()
      expect(listed).toContainEqual(topic)
      const names = listed.map((each) => each.name)
      expect(names).toEqual(names.toSorted())
    })

    test('the end offset counts what was produced', async () => {
      const topic = await createTopic('ends', 2)
      const ranges = await log.sink.produce(topic.name, [
        record('a', { partition: 1 }),
        record('b', { partition: 1 }),
        record('c', { partition: 0 }),
      ])
      expect(ranges).toEqual([
        { partition: 0, first: 0, last: 0, next: 1 },
        { partition: 1, first: 0, last: 1, next: 2 },
      ])
      const found = await log.source.findTopic(topic.name)
      expect(found?.partitions.map((partition) => partition.endOffset)).toEqual([1, 2])
      expect(await log.sink.produce(topic.name, [record('d', { partition: 1 })])).toEqual([
        { partition: 1, first: 2, last: 2, next: 3 },
      ])
    })

    test('no records make no ranges', async () => {
      const topic = await createTopic('none')
      expect(await log.sink.produce(topic.name, [])).toEqual([])
    })

    test('records come back from the start, from the middle and from the end', async () => {
      const topic = await createTopic('read')
      await log.sink.produce(
        topic.name,
        ['a', 'b', 'c', 'd', 'e'].map((value) => record(value)),
      )
      const reader = log.source.openReader()
      const [whole] = await reader.fetch([ask(topic, 0, 0)], { maxWaitMs: LONG_WAIT_MS })
      expect(whole).toMatchObject({ highWatermark: 5, lastStableOffset: 5, logStartOffset: 0, aborted: [] })
      expect(whole?.leaderEpoch).toBeGreaterThanOrEqual(0)
      expect(decode(whole!, 0).records.map(({ offset, value }) => `${offset}${value}`)).toEqual([
        '0a',
        '1b',
        '2c',
        '3d',
        '4e',
      ])
      // The batch is stored whole: it begins below the asked offset.
      const [middle] = await reader.fetch([ask(topic, 0, 3)], { maxWaitMs: LONG_WAIT_MS })
      expect(readInt64(middle!.bytes, BATCH_FIELD.baseOffset)).toBe(0)
      expect(decode(middle!, 3).records.map(({ value }) => value)).toEqual(['d', 'e'])
      const [end] = await reader.fetch([ask(topic, 0, 5)], { maxWaitMs: SHORT_WAIT_MS })
      expect(end).toMatchObject({ highWatermark: 5 })
      expect(end?.bytes.length).toBe(0)
      expect(end?.error).toBeUndefined()
      await reader.close()
    })

    test('keys, headers, times, empty and null values are kept as they are', async () => {
      const topic = await createTopic('kept')
      const timestampMs = Date.now() - 60_000
      await log.sink.produce(topic.name, [
        record('with all', {
          key: text('clé'),
          timestampMs,
          headers: [
            { name: 'trace', value: text('1') },
            { name: 'empty', value: text('') },
            { name: 'nothing', value: null },
            { name: 'trace', value: text('2') },
          ],
        }),
        record('', { timestampMs: timestampMs + 1 }),
        { value: null, key: text('gone'), headers: [] },
        record('no time'),
      ])
      const reader = log.source.openReader()
      const [answer] = await reader.fetch([ask(topic, 0, 0)], { maxWaitMs: LONG_WAIT_MS })
      const { records, counts } = decode(answer!, 0, ['trace', 'empty', 'nothing', 'absent'])
      expect(counts.tombstones).toBe(1)
      expect(records.slice(0, 2)).toEqual([
        { offset: 0, timestampMs, key: 'clé', value: 'with all', headers: { trace: '2', empty: '', nothing: null } },
        { offset: 1, timestampMs: timestampMs + 1, key: null, value: '', headers: {} },
      ])
      expect(records[2]).toMatchObject({ offset: 3, value: 'no time' })
      expect(Math.abs(Date.now() - records[2]!.timestampMs)).toBeLessThan(DEADLINE_MS)
      await reader.close()
    })

    test('values keep each byte, also those that are not UTF-8', async () => {
      const topic = await createTopic('bytes')
      const value = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      await log.sink.produce(topic.name, [{ value, key: value, headers: [] }])
      const reader = log.source.openReader()
      const [answer] = await reader.fetch([ask(topic, 0, 0)], { maxWaitMs: LONG_WAIT_MS })
      expect(Buffer.from(answer!.bytes).includes(value)).toBe(true)
      await reader.close()
    })

    test('records of one key share a partition, those without take turns', async () => {
      const topic = await createTopic('keys', 4)
      const byKey = await Promise.all(
        [1, 2, 3].map(() => log.sink.produce(topic.name, [record('v', { key: text('customer-7') })])),
      )
      expect(new Set(byKey.flat().map((range) => range.partition)).size).toBe(1)
      const inTurn = await log.sink.produce(
        topic.name,
        Array.from({ length: 8 }, () => record('v')),
      )
      expect(inTurn.map((range) => range.next - range.first)).toEqual([2, 2, 2, 2])
    })

    test('several partitions are read in one call, answers in the order of the requests', async () => {
      const topic = await createTopic('several', 3)
      await log.sink.produce(
        topic.name,
        [0, 1, 2].map((partition) => record(`p${partition}`, { partition })),
      )
      const reader = log.source.openReader()
      const seen = new Map<number, string>()
      const deadline = Date.now() + DEADLINE_MS
      while (seen.size < 3 && Date.now() < deadline) {
        const order = [2, 0, 1]
        const answers = await reader.fetch(
          order.map((partition) => ask(topic, partition, seen.has(partition) ? 1 : 0)),
          { maxWaitMs: SHORT_WAIT_MS },
        )
        expect(answers.map((answer) => answer.shard.partition)).toEqual(order)
        for (const answer of answers) {
          for (const { value } of decode(answer, 0).records) seen.set(answer.shard.partition, value)
        }
      }
      expect([...seen].toSorted(([one], [other]) => one - other)).toEqual([
        [0, 'p0'],
        [1, 'p1'],
        [2, 'p2'],
      ])
      await reader.close()
    })

    test('a long poll waits, and ends soon after a record comes', async () => {
      const topic = await createTopic('poll', 2)
      const reader = log.source.openReader()
      const idleFrom = performance.now()
      const idle = await reader.fetch([ask(topic, 0, 0), ask(topic, 1, 0)], { maxWaitMs: 200 })
      expect(performance.now() - idleFrom).toBeGreaterThanOrEqual(190)
      expect(idle.map((answer) => [answer.bytes.length, answer.error, answer.highWatermark])).toEqual([
        [0, undefined, 0],
        [0, undefined, 0],
      ])
      const polling = reader.fetch([ask(topic, 0, 0), ask(topic, 1, 0)], { maxWaitMs: LONG_WAIT_MS })
      await log.sink.produce(topic.name, [record('late', { partition: 1 })])
      const producedAt = performance.now()
      const answers = await polling
      expect(performance.now() - producedAt).toBeLessThan(LONG_WAIT_MS / 4)
      expect(decode(answers[1]!, 0).records.map(({ value }) => value)).toEqual(['late'])
      await reader.close()
    })

    test('two readers do not delay each other', async () => {
      const topic = await createTopic('readers', 2)
      await log.sink.produce(topic.name, [record('here', { partition: 1 })])
      const [waiting, busy] = [log.source.openReader(), log.source.openReader()]
      const ended: string[] = []
      const abort = new AbortController()
      const poll = waiting
        .fetch([ask(topic, 0, 0)], { maxWaitMs: LONG_WAIT_MS, signal: abort.signal })
        .then((answers) => {
          ended.push('waiting')
          return answers
        })
      for (let time = 0; time < 20; time += 1) {
        const [answer] = await busy.fetch([ask(topic, 1, 0)], { maxWaitMs: LONG_WAIT_MS })
        expect(decode(answer!, 0).records).toHaveLength(1)
      }
      expect(await log.source.findTopic(topic.name)).toBeDefined()
      ended.push('busy')
      abort.abort()
      // A signal ends the wait at once, without an exception.
      const abortedAt = performance.now()
      const [answer] = await poll
      expect(performance.now() - abortedAt).toBeLessThan(LONG_WAIT_MS / 4)
      expect(answer?.bytes.length).toBe(0)
      expect(ended).toEqual(['busy', 'waiting'])
      await Promise.all([waiting.close(), busy.close()])
    })

    test('closing a reader ends its long poll', async () => {
      const topic = await createTopic('closing')
      const reader = log.source.openReader()
      const poll = reader.fetch([ask(topic, 0, 0)], { maxWaitMs: LONG_WAIT_MS })
      await delay(1)
      const closedAt = performance.now()
      await reader.close()
      await poll
      expect(performance.now() - closedAt).toBeLessThan(LONG_WAIT_MS / 4)
    })

    test('an offset is found by time', async () => {
      const topic = await createTopic('time')
      const base = Date.now() - 1_000_000
      const times = [0, 10, 20, 20, 40]
      for (const batch of [times.slice(0, 2), times.slice(2)]) {
        await log.sink.produce(
          topic.name,
          batch.map((ms) => record('v', { timestampMs: base + ms })),
        )
      }
      const find = (ms: number) => log.source.findOffset(topic.name, shardOf(topic), ms)
      expect(await find(0)).toBe(0)
      expect(await find(base)).toBe(0)
      expect(await find(base + 1)).toBe(1)
      expect(await find(base + 20)).toBe(2)
      expect(await find(base + 21)).toBe(4)
      expect(await find(base + 41)).toBe(5)
      const stranger = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAA'), partition: 0 }
      expect(await codeOf(log.source.findOffset(topic.name, stranger, 0))).toBe('unknown_topic')
      expect(await codeOf(log.source.findOffset(topic.name, shardOf(topic, 9), 0))).toBe('unknown_topic')
      expect(await codeOf(log.source.findOffset(factory.uniqueTopic('absent'), stranger, 0))).toBe('unknown_topic')
    })

    test("the end of the present leader's epoch is the end of the log", async () => {
      const topic = await createTopic('epoch')
      await log.sink.produce(topic.name, [record('a'), record('b')])
      const reader = log.source.openReader()
      const [answer] = await reader.fetch([ask(topic, 0, 0)], { maxWaitMs: LONG_WAIT_MS })
      const epoch = answer!.leaderEpoch
      expect(await log.source.findEndOfEpoch(topic.name, shardOf(topic), epoch)).toEqual({ epoch, endOffset: 2 })
      await reader.close()
    })

    test('an offset outside the log is an error that tells the bounds', async () => {
      const topic = await createTopic('range')
      await log.sink.produce(topic.name, [record('a'), record('b')])
      const reader = log.source.openReader()
      const answer = await fetchUntilError(reader, ask(topic, 0, 7))
      expect(answer).toMatchObject({ error: { code: 'out_of_range' }, logStartOffset: 0, highWatermark: 2 })
      expect(answer.bytes.length).toBe(0)
      // The same question gets another answer once the log has grown.
      await log.sink.produce(
        topic.name,
        Array.from({ length: 8 }, (_, index) => record(`${index + 2}`)),
      )
      const records = await readAll(reader, topic, 0, 7, 10)
      expect(records.map(({ value }) => value)).toEqual(['7', '8', '9'])
      await reader.close()
    })

    test('a topic made again is another one', async () => {
      const topic = await createTopic('again')
      await log.sink.produce(topic.name, [record('old'), record('old')])
      const reader = log.source.openReader()
      await reader.fetch([ask(topic, 0, 0)], { maxWaitMs: LONG_WAIT_MS })
      await log.sink.deleteTopic(topic.name)
      const again = await log.sink.createTopic(topic.name, 1)
      expect(again.id).not.toBe(topic.id)
      await log.sink.produce(topic.name, [record('new'), record('new'), record('new')])
      // The old shard's next offset exists in the new topic too: nothing of it may come.
      const answer = await fetchUntilError(reader, ask(topic, 0, 2))
      expect(answer.error?.code).toBe('recreated')
      expect(answer.bytes.length).toBe(0)
      const fresh = await readAll(reader, again, 0, 0, 3)
      expect(fresh.map(({ value }) => value)).toEqual(['new', 'new', 'new'])
      await reader.close()
    })

    test('a deleted topic is unknown to all calls', async () => {
      const topic = await createTopic('deleted')
      const reader = log.source.openReader()
      await reader.fetch([ask(topic, 0, 0)], { maxWaitMs: SHORT_WAIT_MS })
      await log.sink.deleteTopic(topic.name)
      expect(await log.source.findTopic(topic.name)).toBeUndefined()
      expect((await fetchUntilError(reader, ask(topic, 0, 0))).error?.code).toBe('unknown_topic')
      expect(await codeOf(log.sink.produce(topic.name, [record('v')]))).toBe('unknown_topic')
      expect(await codeOf(log.sink.deleteTopic(topic.name))).toBe('unknown_topic')
      expect(await log.source.findTopic(topic.name)).toBeUndefined()
      await reader.close()
    })

    test('a partition that the topic lacks is refused', async () => {
      const topic = await createTopic('lacking')
      const reader = log.source.openReader()
      expect((await fetchUntilError(reader, ask(topic, 5, 0))).error?.code).toBe('unknown_topic')
      expect(await codeOf(log.sink.produce(topic.name, [record('v', { partition: 1 })]))).toBe('bad_parameter')
      expect(await codeOf(log.sink.produce(topic.name, [record('v', { partition: -1 })]))).toBe('bad_parameter')
      await reader.close()
    })

    test('an error of one shard leaves the others readable', async () => {
      const topic = await createTopic('mixed', 2)
      await log.sink.produce(topic.name, [record('fine', { partition: 1 })])
      const reader = log.source.openReader()
      const deadline = Date.now() + DEADLINE_MS
      const seen = new Set<string>()
      while (seen.size < 2 && Date.now() < deadline) {
        const answers = await reader.fetch([ask(topic, 0, 99), ask(topic, 1, 0)], { maxWaitMs: SHORT_WAIT_MS })
        if (answers[0]?.error?.code === 'out_of_range') seen.add('out_of_range')
        for (const { value } of decode(answers[1]!, 0).records) seen.add(value)
      }
      expect([...seen].toSorted()).toEqual(['fine', 'out_of_range'])
      await reader.close()
    })

    test('many and large records come whole, in order, within the asked bytes', async () => {
      const topic = await createTopic('large')
      const values = Array.from({ length: 30 }, (_, index) => `${index}:${'x'.repeat(index % 3 === 0 ? 200_000 : 10)}`)
      const [range] = await log.sink.produce(
        topic.name,
        values.map((value) => record(value)),
      )
      expect(range).toEqual({ partition: 0, first: 0, last: 29, next: 30 })
      const reader = log.source.openReader()
      const [bounded] = await reader.fetch([ask(topic, 0, 0, 1_200_000)], { maxWaitMs: LONG_WAIT_MS })
      expect(bounded!.bytes.length).toBeLessThanOrEqual(1_200_000)
      expect(decode(bounded!, 0).next).toBeLessThan(30)
      const records = await readAll(reader, topic, 0, 0, 30, 1_200_000)
      expect(records.map(({ offset, value }) => `${offset}=${value}`)).toEqual(
        values.map((value, index) => `${index}=${value}`),
      )
      await reader.close()
    })

    test('a batch larger than the asked bytes comes whole', async () => {
      const topic = await createTopic('whole')
      await log.sink.produce(topic.name, [record('y'.repeat(100_000))])
      const reader = log.source.openReader()
      const records = await readAll(reader, topic, 0, 0, 1, 1_000)
      expect(records.map(({ value }) => value.length)).toEqual([100_000])
      await reader.close()
    })

    test('bytes of all answers together are bounded, and no shard starves', async () => {
      const topic = await createTopic('bounded', 3)
      for (const partition of [0, 1, 2]) {
        for (let time = 0; time < 3; time += 1) {
          await log.sink.produce(topic.name, [record('z'.repeat(100_000), { partition })])
        }
      }
      const reader = log.source.openReader()
      const next = [0, 0, 0]
      const deadline = Date.now() + DEADLINE_MS
      let rounds = 0
      while (next.some((offset) => offset < 3) && Date.now() < deadline) {
        rounds += 1
        const answers = await reader.fetch(
          next.map((offset, partition) => ask(topic, partition, offset)),
          {
            maxWaitMs: SHORT_WAIT_MS,
            maxBytes: 250_000,
          },
        )
        // The first batch may come whole beyond the bound.
        expect(answers.reduce((sum, answer) => sum + answer.bytes.length, 0)).toBeLessThan(400_000)
        answers.forEach((answer, partition) => void (next[partition] = decode(answer, next[partition]!).next))
      }
      expect(next).toEqual([3, 3, 3])
      expect(rounds).toBeGreaterThan(2)
      await reader.close()
    })

    test('names and partition counts are checked', async () => {
      for (const wrong of ['', '.', '..', 'a b', 'ä', 'a/b', 'x'.repeat(250)]) {
        expect(await codeOf(log.sink.createTopic(wrong, 1))).toBe('bad_parameter')
      }
      for (const wrong of [0, -1, 1.5, 1_000_000, Number.NaN]) {
        expect(await codeOf(log.sink.createTopic(factory.uniqueTopic('count'), wrong))).toBe('bad_parameter')
      }
      const topic = await createTopic('twice')
      expect(await codeOf(log.sink.createTopic(topic.name, 1))).toBe('already_exists')
    })

    test('an unknown topic is not created by asking for it', async () => {
      const absent = factory.uniqueTopic('absent')
      expect(await log.source.findTopic(absent)).toBeUndefined()
      expect(await codeOf(log.sink.produce(absent, [record('v')]))).toBe('unknown_topic')
      const reader = log.source.openReader()
      const shard = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAA'), partition: 0 }
      const answer = await fetchUntilError(reader, { topic: absent, shard, offset: 0, maxBytes: MANY_BYTES })
      expect(answer.error?.code).toBe('unknown_topic')
      expect(await log.source.findTopic(absent)).toBeUndefined()
      await reader.close()
    })
  })
}
