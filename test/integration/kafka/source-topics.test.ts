import { type Admin, Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KafkaLog } from '../../../src/adapters/kafka/kafka-log.ts'
import { RecordBatchDecoder } from '../../../src/records/record-batch-decoder.ts'
import type { NewRecord, Topic } from '../../../src/tailer/record-source.ts'
import { sharedKafka, uniqueTopic } from '../../support/kafka-broker.ts'
import { createLedTopic } from '../../support/kafka-producers.ts'

let log: KafkaLog
/** Another client, for what ours doesn't do. */
let admin: Admin

beforeAll(async () => {
  log = new KafkaLog({ brokers: [sharedKafka()], clientId: 'rollupd-test' }, () => Date.now())
  admin = new Kafka({ brokers: [sharedKafka()], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
})
afterAll(async () => {
  await admin.disconnect()
  await log.close()
})

const record = (value: string): NewRecord => ({ value: Buffer.from(value), key: null, headers: [] })

async function fetchOne(topic: Topic, offset: number, partition = 0) {
  const reader = log.openReader()
  const request = { topic: topic.name, shard: { topicId: topic.id, partition }, offset, maxBytes: 1_000_000 }
  const [answer] = await reader.fetch([request], { maxWaitMs: 2_000 })
  await reader.close()
  if (answer === undefined) throw new Error('no answer')
  return answer
}

test('below a log start that has moved, the error tells the exact loss', async () => {
  const topic = await log.createTopic(uniqueTopic('start'), 1)
  await log.produce(
    topic.name,
    Array.from({ length: 10 }, (_, index) => record(`${index}`)),
  )
  // Makes this client look the topic up.
  await admin.fetchTopicOffsets(topic.name)
  await admin.deleteTopicRecords({ topic: topic.name, partitions: [{ partition: 0, offset: '4' }] })
  expect(await fetchOne(topic, 2)).toMatchObject({
    error: { code: 'out_of_range' },
    logStartOffset: 4,
    highWatermark: 10,
  })
  expect((await log.findTopic(topic.name))?.partitions).toEqual([{ partition: 0, startOffset: 4, endOffset: 10 }])
  // The batch that holds the new start begins below it.
  const answer = await fetchOne(topic, 4)
  expect(answer.logStartOffset).toBe(4)
  expect(new RecordBatchDecoder().walkHeaders(answer, 4)).toBe(10)
})

test('partitions that are added are found, written and read', async () => {
  const topic = await log.createTopic(uniqueTopic('added'), 1)
  await admin.createPartitions({ topicPartitions: [{ topic: topic.name, count: 3 }] })
  await expect.poll(async () => (await log.findTopic(topic.name))?.partitions.length, { timeout: 10_000 }).toBe(3)
  await log.produce(topic.name, [{ ...record('in the new one'), partition: 2 }])
  await expect.poll(async () => (await fetchOne(topic, 0, 2)).bytes.length, { timeout: 10_000 }).toBeGreaterThan(0)
})

test('a topic of small messages gets smaller batches, and a record that is too large is named', async () => {
  const name = uniqueTopic('small')
  const configEntries = [{ name: 'max.message.bytes', value: '10000' }]
  await createLedTopic(admin, { topic: name, numPartitions: 1, configEntries })
  await expect.poll(() => log.findTopic(name), { timeout: 10_000 }).toBeDefined()
  const records = Array.from({ length: 20 }, () => record('x'.repeat(3_000)))
  expect(await log.produce(name, records)).toEqual([{ partition: 0, first: 0, last: 19, next: 20 }])
  const refused = log.produce(name, [record('y'.repeat(20_000))])
  await expect(refused).rejects.toMatchObject({
    code: 'bad_parameter',
    message: expect.stringContaining('20000 bytes'),
  })
})

test("what the brokers refuse is said in the brokers' words", async () => {
  const name = uniqueTopic('future')
  const configEntries = [{ name: 'message.timestamp.after.max.ms', value: '1000' }]
  await createLedTopic(admin, { topic: name, numPartitions: 1, configEntries })
  await expect.poll(() => log.findTopic(name), { timeout: 10_000 }).toBeDefined()
  const future = { ...record('v'), timestampMs: Date.now() + 3_600_000 }
  await expect(log.produce(name, [future])).rejects.toMatchObject({
    code: 'bad_parameter',
    message: expect.stringContaining('timestamp'),
  })
})

test("Kafka's own topics are not listed", async () => {
  const consumer = new Kafka({ brokers: [sharedKafka()], logLevel: logLevel.NOTHING }).consumer({
    groupId: uniqueTopic('g'),
  })
  await consumer.connect()
  const topic = await log.createTopic(uniqueTopic('consumed'), 1)
  await consumer.subscribe({ topic: topic.name })
  await consumer.run({ eachMessage: async () => {} })
  await expect.poll(() => admin.listTopics(), { timeout: 20_000 }).toContain('__consumer_offsets')
  const names = (await log.listTopics()).map((each) => each.name)
  expect(names).toContain(topic.name)
  expect(names).not.toContain('__consumer_offsets')
  await consumer.disconnect()
})
