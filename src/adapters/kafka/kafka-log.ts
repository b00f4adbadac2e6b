/** Owns a Kafka cluster as a log of records: what implements the ports, over one set of connections. */
import { RollupdError } from '../../core/errors.ts'
import type { Shard } from '../../core/shard.ts'
import type {
  NewRecord,
  ProducedRange,
  RecordReader,
  RecordSink,
  RecordSource,
  Topic,
} from '../../tailer/record-source.ts'
import { checkPartitionCount, checkTopicName } from '../../core/topic-name.ts'
import { ClusterClient } from './cluster-client.ts'
import type { KafkaConfig } from './kafka-config.ts'
import { KafkaProducer } from './kafka-producer.ts'
import { KafkaReader } from './kafka-reader.ts'
import { TopicAdmin } from './topic-admin.ts'
import { TopicRoutes } from './topic-routes.ts'

/**
 * Topics and records of a Kafka cluster. Nothing is connected before the first call; each call ends within some seconds when no
 * broker answers. A reader's answers are slices of a buffer that only that answer's shards share.
 */
export class KafkaLog implements RecordSource, RecordSink {
  readonly description: string
  readonly #client: ClusterClient
  readonly #routes: TopicRoutes
  readonly #admin: TopicAdmin
  readonly #producer: KafkaProducer
  readonly #now: () => number
  readonly #ended = new AbortController()

  /** `now`: milliseconds since 1970, for waits and for records without a time. Errors: config_invalid. */
  constructor(config: KafkaConfig, now: () => number) {
    this.description = `kafka at ${config.brokers.join(',')}`
    this.#now = now
    this.#client = new ClusterClient(config)
    this.#routes = new TopicRoutes(this.#client, now)
    this.#admin = new TopicAdmin(this.#client, this.#routes, now)
    this.#producer = new KafkaProducer(this.#client, this.#admin, now)
  }

  listTopics(): Promise<Topic[]> {
    return this.#admin.list()
  }

  findTopic(name: string): Promise<Topic | undefined> {
    return this.#admin.find(name)
  }

  findOffset(topic: string, shard: Shard, timestampMs: number): Promise<number> {
    return this.#admin.findOffset(topic, shard, timestampMs)
  }

  findEndOfEpoch(topic: string, shard: Shard, leaderEpoch: number): Promise<{ epoch: number; endOffset: number }> {
    return this.#admin.findEndOfEpoch(topic, shard, leaderEpoch)
  }

  openReader(): RecordReader {
    return new KafkaReader({
      client: this.#client,
      routes: this.#routes,
      now: this.#now,
      findBounds: (topic, shard) => this.#admin.findBounds(topic, shard),
      ended: this.#ended.signal,
    })
  }

  async createTopic(name: string, partitions: number): Promise<Topic> {
    checkTopicName(name)
    checkPartitionCount(partitions)
    return this.#admin.create(name, partitions)
  }

  async deleteTopic(name: string): Promise<void> {
    checkTopicName(name)
    await this.#admin.delete(name)
  }

  async produce(topic: string, records: readonly NewRecord[], idempotencyKey?: string): Promise<ProducedRange[]> {
    if (idempotencyKey !== undefined) {
      throw new RollupdError('bad_parameter', 'an idempotency key is taken by the embedded log only', {
        hint: 'Kafka keeps no such keys; send the records without one.',
      })
    }
    return this.#producer.produce(topic, records)
  }

  /** Ends all connections at once, the readers' too. */
  async close(): Promise<void> {
    this.#ended.abort()
    this.#client.close()
  }
}
