import { Kafka, logLevel, type Producer } from 'kafkajs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { KafkaLog } from '../../../src/adapters/kafka/kafka-log.ts'
import { zeroCounts } from '../../../src/core/shard.ts'
import { RecordBatchDecoder } from '../../../src/records/record-batch-decoder.ts'
import type { FetchAnswer, Topic } from '../../../src/tailer/record-source.ts'
import { sharedKafka, uniqueTopic } from '../../support/kafka-broker.ts'

const DEADLINE_MS = 20_000
const WAIT_MS = 200

let log: KafkaLog
let kafka: Kafka
const producers: Producer[] = []

beforeAll(() => {
  log = new KafkaLog({ brokers: [sharedKafka()], clientId: 'rollupd-test' }, () => Date.now())
  kafka = new Kafka({ brokers: [sharedKafka()], logLevel: logLevel.NOTHING })
})
afterEach(async () => {
  await Promise.all(producers.splice(0).map((producer) => producer.disconnect()))
})
afterAll(() => log.close())

async function openProducer(transactionTimeout = 60_000): Promise<Producer> {
  const transactionalId = uniqueTopic('transaction')
  const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1, transactionTimeout })
  await producer.connect()
  producers.push(producer)
  return producer
}

interface Message {
  readonly key?: Buffer
  readonly value: string
}

/** Begins a transaction and sends. */
async function begin(producer: Producer, topic: Topic, ...messages: readonly (string | Message)[]) {
  const transaction = await producer.transaction()
  for (const message of messages) await add(transaction, topic, message)
  return transaction
}

function add(transaction: Awaited<ReturnType<Producer['transaction']>>, topic: Topic, message: string | Message) {
  const messages = [typeof message === 'string' ? { value: message } : message]
  return transaction.send({ topic: topic.name, messages })
}

async function createTopic(label: string): Promise<Topic> {
  return log.createTopic(uniqueTopic(label), 1)
}

async function produceGood(topic: Topic): Promise<void> {
  await log.produce(topic.name, [{ value: Buffer.from('good'), key: null, headers: [] }])
}

/** Reads committed records up to the log's end, each fetch filtered by itself as after a restart between any two. */
async function readCommitted(topic: Topic, from = 0, maxBytes = 1_000_000) {
  const reader = log.openReader()
  const decoder = new RecordBatchDecoder()
  const counts = zeroCounts()
  const values: string[] = []
  const answers: FetchAnswer[] = []
  const deadline = Date.now() + DEADLINE_MS
  let next = from
  let bytes: Uint8Array
  const visitor = {
    beginBatch: (section: Uint8Array) => void (bytes = section),
    record: (_offset: number, _time: number, _key: number, _keyEnd: number, start: number, end: number) => {
      const value = Buffer.from(bytes.subarray(start, end)).toString()
      values.push(value.length > 20 ? `${value.length} bytes` : value)
    },
  }
  for (;;) {
    if (Date.now() > deadline) throw new Error(`at offset ${next} after ${DEADLINE_MS} ms`)
    const request = { topic: topic.name, shard: { topicId: topic.id, partition: 0 }, offset: next, maxBytes }
    const [answer] = await reader.fetch([request], { maxWaitMs: WAIT_MS })
    if (answer === undefined || answer.error !== undefined) continue
    answers.push(answer)
    next = decoder.decode(answer, next, visitor, counts).next
    if (next >= answer.highWatermark) break
  }
  await reader.close()
  return { values, counts, next, answers }
}

test('A: interleaved transactions of two producers, the second aborting first', async () => {
  const topic = await createTopic('case-a')
  const first = await begin(await openProducer(), topic, 'first')
  const second = await begin(await openProducer(), topic, 'second')
  await second.abort()
  await first.abort()
  await produceGood(topic)
  const { values, counts } = await readCommitted(topic)
  expect(values).toEqual(['good'])
  expect(counts).toMatchObject({ aborted: 2, markers: 2 })
})

test('B: an aborted record whose key looks like a marker', async () => {
  const topic = await createTopic('case-b')
  const key = Buffer.from([0, 0, 0, 0])
  const transaction = await begin(await openProducer(), topic, { key, value: 'one' }, 'two', 'three')
  await transaction.abort()
  await produceGood(topic)
  expect((await readCommitted(topic)).values).toEqual(['good'])
})

test('C: reading from inside two open transactions that are aborted later', async () => {
  const topic = await createTopic('case-c')
  const first = await begin(await openProducer(), topic, 'first')
  const second = await begin(await openProducer(), topic, 'second one')
  await add(second, topic, 'second two')
  await first.abort()
  await second.abort()
  await produceGood(topic)
  expect((await readCommitted(topic, 2)).values).toEqual(['good'])
})

test('D: what stands behind an open transaction waits for it, without being asked for again and again', async () => {
  const topic = await createTopic('case-d')
  const open = await begin(await openProducer(), topic, 'open')
  await produceGood(topic)
  const reader = log.openReader()
  const request = { topic: topic.name, shard: { topicId: topic.id, partition: 0 }, offset: 0, maxBytes: 1_000_000 }
  const from = performance.now()
  for (let call = 0; call < 3; call += 1) {
    const [answer] = await reader.fetch([request], { maxWaitMs: WAIT_MS })
    expect(answer).toMatchObject({ highWatermark: 2, lastStableOffset: 0 })
    expect(answer?.bytes.length).toBe(0)
  }
  expect(performance.now() - from).toBeGreaterThan(2 * WAIT_MS)
  expect((await log.findTopic(topic.name))?.partitions[0]?.endOffset).toBe(2)
  const polling = reader.fetch([request], { maxWaitMs: 10_000 })
  await open.commit()
  const [answer] = await polling
  expect(answer?.bytes.length).toBeGreaterThan(0)
  await reader.close()
  expect((await readCommitted(topic)).values).toEqual(['open', 'good'])
})

test('D: a transaction that its producer left open ends by its time-out', async () => {
  const topic = await createTopic('case-d-left')
  await begin(await openProducer(1_000), topic, 'left open')
  await produceGood(topic)
  expect((await readCommitted(topic)).values).toEqual(['good'])
})

test('E: abort, commit and abort of one producer in one fetch', async () => {
  const topic = await createTopic('case-e')
  const producer = await openProducer()
  await (await begin(producer, topic, 'aborted')).abort()
  await (await begin(producer, topic, 'committed')).commit()
  await (await begin(producer, topic, 'aborted again')).abort()
  await produceGood(topic)
  const { values, answers } = await readCommitted(topic)
  expect(values).toEqual(['committed', 'good'])
  expect(answers[0]?.aborted).toHaveLength(2)
})

test('F: an aborted transaction larger than the fetches', async () => {
  const topic = await createTopic('case-f')
  const large = 'x'.repeat(300_000)
  const transaction = await begin(await openProducer(), topic, large, large, large, large)
  await transaction.abort()
  await produceGood(topic)
  const { values, answers, counts } = await readCommitted(topic, 0, 400_000)
  expect(values).toEqual(['good'])
  expect(counts).toMatchObject({ aborted: 4, markers: 1 })
  expect(answers.length).toBeGreaterThan(2)
})
