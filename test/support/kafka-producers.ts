/**
 * Owns the clients by which tests write to a real Kafka: transactional producers, batches whose bytes the test chose, and what
 * an administrator does to topics. rollupd itself only reads what they left.
 */
import { type Admin, type ITopicConfig, Kafka, logLevel, type Producer, type Transaction } from 'kafkajs'
import { BrokerConnection } from '../../src/adapters/kafka/broker-connection.ts'
import { KafkaLog } from '../../src/adapters/kafka/kafka-log.ts'
import { PRODUCE } from '../../src/adapters/kafka/protocol/produce.ts'
import type { NewRecord } from '../../src/tailer/record-source.ts'
import { uniqueTopic } from './kafka-broker.ts'
import { waitUntil } from './running-service.ts'

/** A producer's answer waits for the disks of a machine that is busy with other tests. */
const PRODUCE_TIMEOUT_MS = 60_000
/** A transaction that is left open by mistake must not end within a test. */
const TRANSACTION_TIMEOUT_MS = 120_000
/** A broker that has just started knows no coordinators yet; a cluster in motion has no leaders. */
const RETRY = { initialRetryTime: 100, retries: 20, maxRetryTime: 2_000 }

/** Returns when each partition has a leader. kafkajs's own wait fails where another broker doesn't know the topic yet. */
export async function createLedTopic(admin: Admin, config: ITopicConfig): Promise<void> {
  await admin.createTopics({ waitForLeaders: false, topics: [config] })
  await waitUntil(
    `leaders of ${config.topic}`,
    () => admin.fetchTopicMetadata({ topics: [config.topic] }).catch(() => ({ topics: [] })),
    ({ topics: [topic] }) => topic !== undefined && topic.partitions.every(({ leader }) => leader >= 0),
  )
}

export interface Message {
  readonly key?: Buffer | string
  readonly value: string | null
  /** Milliseconds since 1970. */
  readonly timestamp?: string
}

/** A transaction of a producer that has no other at that time. */
export class OpenTransaction {
  readonly #transaction: Transaction
  readonly #topic: string

  constructor(transaction: Transaction, topic: string) {
    this.#transaction = transaction
    this.#topic = topic
  }

  /** One record batch a message: its own batch header, its own place among others'. */
  async send(...messages: readonly (string | Message)[]): Promise<this> {
    for (const message of messages) {
      const one = typeof message === 'string' ? { value: message } : message
      await this.#transaction.send({ topic: this.#topic, messages: [{ partition: 0, ...one }] })
    }
    return this
  }

  async commit(): Promise<void> {
    await this.#transaction.commit()
  }

  async abort(): Promise<void> {
    await this.#transaction.abort()
  }
}

export class TransactionalProducer {
  readonly #producer: Producer

  constructor(producer: Producer) {
    this.#producer = producer
  }

  /** Begins a transaction on partition 0 of the topic and sends. */
  async begin(topic: string, ...messages: readonly (string | Message)[]): Promise<OpenTransaction> {
    return await new OpenTransaction(await this.#producer.transaction(), topic).send(...messages)
  }
}

/** All clients of one test file; `close` ends them. */
export class KafkaClients {
  readonly #bootstrap: string
  readonly #kafka: Kafka
  readonly #log: KafkaLog
  readonly #producers: Producer[] = []
  #admin: Promise<Admin> | undefined

  constructor(bootstrap: string) {
    this.#bootstrap = bootstrap
    this.#kafka = new Kafka({ brokers: bootstrap.split(','), logLevel: logLevel.NOTHING, retry: RETRY })
    this.#log = new KafkaLog({ brokers: bootstrap.split(','), clientId: 'rollupd-test' }, Date.now)
  }

  async openTransactional(timeoutMs = TRANSACTION_TIMEOUT_MS): Promise<TransactionalProducer> {
    const producer = this.#kafka.producer({
      transactionalId: uniqueTopic('transaction'),
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: timeoutMs,
    })
    return new TransactionalProducer(await this.#connect(producer))
  }

  /** With a producer id of its own: compaction keeps its last batch even when all its records are gone. */
  async openIdempotent(): Promise<Producer> {
    return await this.#connect(this.#kafka.producer({ idempotent: true, maxInFlightRequests: 1 }))
  }

  async admin(): Promise<Admin> {
    this.#admin ??= this.#openAdmin()
    return await this.#admin
  }

  /** Settings as of kafka-topics --config. */
  async createTopic(topic: string, partitions = 1, settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
    const admin = await this.admin()
    await createLedTopic(admin, { topic, numPartitions: partitions, configEntries })
  }

  /** Returns when the brokers tell of them: they learn it after the answer. */
  async addPartitions(topic: string, count: number): Promise<void> {
    await (await this.admin()).createPartitions({ topicPartitions: [{ topic, count }] })
    await waitUntil(
      `${count} partitions of topic ${topic}`,
      () => this.#log.findTopic(topic),
      (found) => found?.partitions.length === count,
    )
  }

  /** Plain records in one batch, without a transaction. The topic is looked up each time: it may be another one of that name. */
  async send(topic: string, values: readonly (string | Message)[], partition = 0): Promise<void> {
    const records = values.map((value) => toNewRecord(typeof value === 'string' ? { value } : value, partition))
    await this.#log.produce(topic, records)
  }

  /** One record batch of format v2, byte for byte; the broker only writes its offset into it. Gives its first offset. */
  async sendBatch(topic: string, records: Uint8Array, partition = 0): Promise<number> {
    const config = { brokers: this.#bootstrap.split(','), clientId: 'rollupd-test' }
    const metadata = await (await this.admin()).fetchTopicMetadata({ topics: [topic] })
    const leader = metadata.topics[0]?.partitions.find((each) => each.partitionId === partition)?.leader
    const { brokers } = await (await this.admin()).describeCluster()
    const address = brokers.find((broker) => broker.nodeId === leader)
    if (address === undefined) throw new Error(`partition ${partition} of topic ${topic} has no leader`)
    const connection = new BrokerConnection(config, address)
    try {
      const request = { topic, timeoutMs: PRODUCE_TIMEOUT_MS, partitions: [{ partition, records }] }
      const [produced] = await connection.send(PRODUCE, request, PRODUCE_TIMEOUT_MS)
      if (produced?.errorCode !== 0) throw new Error(`the broker refused the batch: ${JSON.stringify(produced)}`)
      return produced.baseOffset
    } finally {
      connection.close()
    }
  }

  /** What retention does, at a moment that the test chose: the first partitions begin at this offset from now on. */
  async removeBelow(topic: string, offset: number, partitions = 1): Promise<void> {
    const range = Array.from({ length: partitions }, (_, partition) => ({ partition, offset: String(offset) }))
    const admin = await this.admin()
    // without this the client knows no leaders of the topic
    await admin.fetchTopicOffsets(topic)
    await admin.deleteTopicRecords({ topic, partitions: range })
  }

  /** High watermark of partition 0: what the next offset of a reader at the end is. */
  async endOffset(topic: string, partition = 0): Promise<number> {
    const offsets = await (await this.admin()).fetchTopicOffsets(topic)
    return Number(offsets.find((each) => each.partition === partition)?.high)
  }

  async close(): Promise<void> {
    await this.#log.close()
    await Promise.allSettled(this.#producers.map((producer) => producer.disconnect()))
    if (this.#admin !== undefined) await (await this.#admin).disconnect()
  }

  async #openAdmin(): Promise<Admin> {
    const admin = this.#kafka.admin()
    await admin.connect()
    return admin
  }

  async #connect(producer: Producer): Promise<Producer> {
    await producer.connect()
    this.#producers.push(producer)
    return producer
  }
}

function toNewRecord({ key, value, timestamp }: Message, partition: number): NewRecord {
  return {
    key: key === undefined ? null : Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    headers: [],
    ...(timestamp === undefined ? {} : { timestampMs: Number(timestamp) }),
    partition,
  }
}
