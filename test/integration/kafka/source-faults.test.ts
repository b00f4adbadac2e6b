import { type Admin, Kafka, logLevel } from 'kafkajs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KafkaLog } from '../../../src/adapters/kafka/kafka-log.ts'
import { RecordBatchDecoder } from '../../../src/records/record-batch-decoder.ts'
import type { FetchAnswer, NewRecord, RecordReader, Topic } from '../../../src/tailer/record-source.ts'
import { type KafkaNode, type RunningKafkaCluster, startKafkaCluster } from '../../../tools/kafka/kafka-broker.ts'
import { listBrokerIds } from '../../../tools/kafka/kafka-probe.ts'
import { uniqueTopic } from '../../support/kafka-broker.ts'
import { createLedTopic } from '../../support/kafka-producers.ts'

const DEADLINE_MS = 40_000
const WAIT_MS = 200

let cluster: RunningKafkaCluster
let log: KafkaLog
/** Another client, for what ours doesn't do. */
let admin: Admin

beforeAll(async () => {
  cluster = await startKafkaCluster({
    brokers: 2,
    settings: { 'default.replication.factor': '2', 'min.insync.replicas': '1' },
  })
  log = new KafkaLog({ brokers: cluster.bootstrap.split(','), clientId: 'rollupd-test' }, () => Date.now())
  admin = new Kafka({ brokers: cluster.bootstrap.split(','), logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
})
afterAll(async () => {
  await admin.disconnect()
  await log.close()
  await cluster.stop()
})

const decoder = new RecordBatchDecoder()
const record = (value: string, partition: number): NewRecord => ({
  value: Buffer.from(value),
  key: null,
  headers: [],
  partition,
})

/** A reader with its own positions, as the tailer has them. */
class Cursor {
  readonly next: number[]
  readonly answers: FetchAnswer[] = []
  calls = 0
  readonly #reader: RecordReader
  readonly #topic: Topic

  constructor(topic: Topic) {
    this.#topic = topic
    this.next = topic.partitions.map((partition) => partition.startOffset)
    this.#reader = log.openReader()
  }

  async step(maxWaitMs = WAIT_MS): Promise<readonly FetchAnswer[]> {
    const requests = this.next.map((offset, partition) => ({
      topic: this.#topic.name,
      shard: { topicId: this.#topic.id, partition },
      offset,
      maxBytes: 1_000_000,
    }))
    const answers = await this.#reader.fetch(requests, { maxWaitMs })
    this.calls += 1
    answers.forEach((answer, partition) => {
      this.next[partition] = decoder.walkHeaders(answer, this.next[partition] ?? 0)
      if (answer.bytes.length > 0 || answer.error !== undefined) this.answers.push(answer)
    })
    return answers
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS
    while (!condition()) {
      if (Date.now() > deadline) {
        const errors = this.answers.slice(-4).map((answer) => answer.error)
        throw new Error(`at ${this.next.join()} after ${DEADLINE_MS} ms: ${JSON.stringify(errors)}`)
      }
      await this.step()
    }
  }

  close(): Promise<void> {
    return this.#reader.close()
  }
}

/** Produces until it succeeds: a cluster in motion refuses for a while. */
async function produceSoon(topic: string, records: readonly NewRecord[]): Promise<void> {
  await expect.poll(() => log.produce(topic, records).then(() => 'done', String), { timeout: DEADLINE_MS }).toBe('done')
}

function nodeOf(nodeId: number): KafkaNode {
  const node = cluster.brokers.find((broker) => broker.nodeId === nodeId)
  if (node === undefined) throw new Error(`no broker ${nodeId}`)
  return node
}

/** A topic whose partitions stand alone on the named brokers. */
async function createPlacedTopic(label: string, ...brokers: number[]): Promise<Topic> {
  const name = uniqueTopic(label)
  const replicaAssignment = brokers.map((broker, partition) => ({ partition, replicas: [broker] }))
  await createLedTopic(admin, { topic: name, replicaAssignment })
  await expect.poll(() => log.findTopic(name).catch(() => undefined), { timeout: DEADLINE_MS }).toBeDefined()
  const topic = await log.findTopic(name)
  if (topic === undefined) throw new Error(`no topic ${name}`)
  return topic
}

test('an idle broker does not hold up a busy one', async () => {
  const topic = await createPlacedTopic('idle', 1, 2)
  const cursor = new Cursor(topic)
  await cursor.step()
  const from = performance.now()
  for (let round = 0; round < 20; round += 1) {
    const polling = cursor.step(5_000)
    await log.produce(topic.name, [record(`${round}`, 0)])
    await polling
  }
  await cursor.until(() => cursor.next[0] === 20)
  expect(performance.now() - from).toBeLessThan(5_000)
  // What the idle broker gets at last comes too, from the poll that was left in flight.
  await log.produce(topic.name, [record('late', 1)])
  await cursor.until(() => cursor.next[1] === 1)
  await cursor.close()
})

test.each([1, 2])('broker %i, frozen, holds up neither the other one nor calls about it', async (frozen) => {
  const topic = await createPlacedTopic('frozen', frozen, 3 - frozen)
  const cursor = new Cursor(topic)
  await log.produce(topic.name, [record('before', 0), record('before', 1)])
  await cursor.until(() => cursor.next.join() === '1,1')
  process.kill(nodeOf(frozen).pid, 'SIGSTOP')
  try {
    const from = performance.now()
    for (let round = 0; round < 10; round += 1) {
      await log.produce(topic.name, [record(`${round}`, 1)])
      await cursor.until(() => cursor.next[1] === round + 2)
    }
    expect(performance.now() - from).toBeLessThan(8_000)
  } finally {
    process.kill(nodeOf(frozen).pid, 'SIGCONT')
  }
  await produceSoon(topic.name, [record('after', 0)])
  await cursor.until(() => (cursor.next[0] ?? 0) >= 2)
  await cursor.close()
})

test('a broker frozen until it was given up is read again when it is back', async () => {
  const topic = await createPlacedTopic('given-up', 2)
  const cursor = new Cursor(topic)
  await log.produce(topic.name, [record('before', 0)])
  await cursor.until(() => cursor.next[0] === 1)
  process.kill(nodeOf(2).pid, 'SIGSTOP')
  try {
    // The controller takes the leadership away, so that the partition's epoch rises.
    const port = Number(nodeOf(1).address.split(':')[1])
    await expect.poll(() => listBrokerIds(port), { timeout: DEADLINE_MS }).toEqual([1])
    await cursor.step()
  } finally {
    process.kill(nodeOf(2).pid, 'SIGCONT')
  }
  // It still believes itself the leader for a moment; then it learns of the new epoch, and fences the old one.
  const epochAfter = async () => {
    const { next } = (await log.produce(topic.name, [record('after', 0)]))[0] ?? { next: Infinity }
    await cursor.until(() => (cursor.next[0] ?? 0) >= next)
    return cursor.answers.findLast((answer) => answer.bytes.length > 0)?.leaderEpoch
  }
  await expect.poll(() => epochAfter().catch(() => -1), { timeout: DEADLINE_MS }).toBeGreaterThan(0)
  await cursor.close()
})

test('a killed broker answers broker_away without spinning, and reading goes on where it was', async () => {
  const topic = await createPlacedTopic('killed', 2)
  const cursor = new Cursor(topic)
  await log.produce(topic.name, [record('before', 0)])
  await cursor.until(() => cursor.next[0] === 1)
  const polling = cursor.step(20_000)
  await nodeOf(2).kill()
  const killedAt = performance.now()
  await polling
  expect(performance.now() - killedAt).toBeLessThan(15_000)
  const before = cursor.calls
  const from = performance.now()
  while (performance.now() - from < 1_500) await cursor.step(WAIT_MS)
  expect(cursor.calls - before).toBeLessThan(25)
  expect(cursor.answers.at(-1)?.error?.code).toMatch(/broker_away|stale_leader/)
  await nodeOf(2).restart()
  await produceSoon(topic.name, [record('after', 0)])
  await cursor.until(() => (cursor.next[0] ?? 0) >= 2)
  await cursor.close()
})

test('a new leader is found, and its epoch is told', async () => {
  const topic = await log.createTopic(uniqueTopic('leader'), 1)
  const cursor = new Cursor(topic)
  await produceSoon(topic.name, [record('before', 0)])
  await cursor.until(() => (cursor.next[0] ?? 0) >= 1)
  const first = cursor.answers.find((answer) => answer.bytes.length > 0)
  const leader = await findLeader(topic.name)
  await nodeOf(leader).stop()
  const nextBefore = cursor.next[0] ?? 0
  await produceSoon(topic.name, [record('after', 0)])
  await cursor.until(() => (cursor.next[0] ?? 0) > nextBefore)
  const last = cursor.answers.findLast((answer) => answer.bytes.length > 0)
  expect(last?.leaderEpoch).toBeGreaterThan(first?.leaderEpoch ?? Infinity)
  // KIP-320: the old epoch ended where the new one began.
  expect(await log.findEndOfEpoch(topic.name, { topicId: topic.id, partition: 0 }, first?.leaderEpoch ?? -1)).toEqual({
    epoch: first?.leaderEpoch,
    endOffset: nextBefore,
  })
  await nodeOf(leader).restart()
  await cursor.close()
})

async function findLeader(topic: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
  const leader = topics[0]?.partitions[0]?.leader
  if (leader === undefined) throw new Error(`topic ${topic} has no leader`)
  return leader
}

test('an idle reader takes next to no CPU', async () => {
  const topic = await log.createTopic(uniqueTopic('quiet'), 1)
  const cursor = new Cursor(topic)
  await cursor.step()
  const polling = cursor.step(2_000)
  const before = process.cpuUsage()
  await delay(1_000)
  const { user, system } = process.cpuUsage(before)
  // kafkajs's own timer of 1 ms for each connection takes several times that.
  expect((user + system) / 1_000).toBeLessThan(50)
  await polling
  await cursor.close()
})
