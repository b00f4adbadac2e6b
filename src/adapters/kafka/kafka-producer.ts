/**
 * Owns writing records: which partition, which batches, and what is tried again. A batch is repeated only where the broker
 * said that it was not written; when an answer is lost, the caller hears it and decides: repeating might write twice.
 */
import { RollupdError } from '../../core/errors.ts'
import { noTopic } from '../../core/topic-message.ts'
import { type EncodableRecord, encodeBatch } from '../../records/record-batch-encoder.ts'
import type { NewRecord, ProducedRange } from '../../tailer/record-source.ts'
import { checkNewRecords, cutIntoBatches } from '../../records/batch-cutting.ts'
import { groupByPartition } from '../../records/partition-choice.ts'
import type { ClusterClient } from './cluster-client.ts'
import { KAFKA_ERRORS, nameOfKafkaError } from './protocol/error-code.ts'
import { PRODUCE, type ProducedPartition } from './protocol/produce.ts'
import { leaderOf, NotYet, type TopicAdmin } from './topic-admin.ts'

/** How long the broker waits for its replicas. */
const REPLICATION_TIMEOUT_MS = 10_000
/** Beyond that: the way there and back, and the leader's own disk. */
const ANSWER_TIMEOUT_MS = REPLICATION_TIMEOUT_MS + 5_000
/** How long one batch is tried again while leaders change or replicas are missing. */
const RETRY_TIMEOUT_MS = 10_000

export class KafkaProducer {
  readonly #client: ClusterClient
  readonly #admin: TopicAdmin
  readonly #now: () => number
  #turn = 0

  constructor(client: ClusterClient, admin: TopicAdmin, now: () => number) {
    this.#client = client
    this.#admin = admin
    this.#now = now
  }

  /** Errors: unknown_topic, broker_away (some records may be written then), bad_parameter. */
  async produce(topic: string, records: readonly NewRecord[]): Promise<ProducedRange[]> {
    checkNewRecords(records)
    const metadata = await this.#admin.untilSettled(RETRY_TIMEOUT_MS, () => this.#admin.lookUp(topic))
    if (metadata === undefined) throw new RollupdError('unknown_topic', noTopic(topic))
    const groups = groupByPartition(topic, records, metadata.partitions.length, this.#turn)
    this.#turn = (this.#turn + records.length) % metadata.partitions.length
    const ranges = [...groups].map(([partition, group]) => this.#producePartition(topic, partition, group))
    return (await Promise.all(ranges)).toSorted((one, other) => one.partition - other.partition)
  }

  async #producePartition(topic: string, partition: number, records: readonly NewRecord[]): Promise<ProducedRange> {
    let first = -1
    let next = -1
    // One batch after another, so that a partition's records keep their order.
    for (const batch of cutIntoBatches(records, this.#now())) {
      const written = await this.#produceBatch(topic, partition, batch)
      if (first < 0) first = written.first
      next = written.next
    }
    return { partition, first, last: next - 1, next }
  }

  async #produceBatch(
    topic: string,
    partition: number,
    records: readonly EncodableRecord[],
  ): Promise<{ first: number; next: number }> {
    const bytes = encodeBatch({ baseOffset: 0, records, leaderEpoch: -1 })
    const produced = await this.#admin.untilSettled(RETRY_TIMEOUT_MS, () => this.#send(topic, partition, bytes))
    switch (produced.errorCode) {
      case KAFKA_ERRORS.none:
        return { first: produced.baseOffset, next: produced.baseOffset + records.length }
      case KAFKA_ERRORS.message_too_large:
      case KAFKA_ERRORS.record_list_too_large:
        return this.#produceHalves(topic, partition, records)
      case KAFKA_ERRORS.not_enough_replicas_after_append:
      case KAFKA_ERRORS.request_timed_out:
        throw new RollupdError('broker_away', `topic "${topic}" lacks replicas; the records may be written`, {
          hint: 'Look whether the records are there before you send them again.',
        })
      default: {
        const reason = produced.message ?? nameOfKafkaError(produced.errorCode)
        throw new RollupdError('bad_parameter', `kafka refuses the records for topic "${topic}": ${reason}`)
      }
    }
  }

  /** The topic takes smaller batches than Kafka's default. */
  async #produceHalves(
    topic: string,
    partition: number,
    records: readonly EncodableRecord[],
  ): Promise<{ first: number; next: number }> {
    const middle = records.length >> 1
    if (middle === 0) {
      const size = records[0]?.value?.length ?? 0
      throw new RollupdError('bad_parameter', `a record of ${size} bytes is larger than topic "${topic}" takes`, {
        hint: "The topic's max.message.bytes is the bound.",
      })
    }
    const { first } = await this.#produceBatch(topic, partition, records.slice(0, middle))
    const { next } = await this.#produceBatch(topic, partition, records.slice(middle))
    return { first, next }
  }

  async #send(topic: string, partition: number, bytes: Uint8Array): Promise<ProducedPartition> {
    const metadata = await this.#admin.lookUp(topic)
    const led = metadata?.partitions.find((each) => each.partition === partition)
    if (metadata === undefined || led === undefined) {
      throw new RollupdError('unknown_topic', noTopic(topic))
    }
    const request = { topic, timeoutMs: REPLICATION_TIMEOUT_MS, partitions: [{ partition, records: bytes }] }
    const [produced] = await this.#client.askSlow(leaderOf(topic, led), PRODUCE, request, ANSWER_TIMEOUT_MS)
    switch (produced?.errorCode) {
      case undefined:
        throw new NotYet('the broker answered nothing')
      case KAFKA_ERRORS.unknown_topic_or_partition:
      case KAFKA_ERRORS.leader_not_available:
      case KAFKA_ERRORS.not_leader_or_follower:
      case KAFKA_ERRORS.not_enough_replicas:
      case KAFKA_ERRORS.storage_error:
      case KAFKA_ERRORS.fenced_leader_epoch:
        throw new NotYet(`topic "${topic}" can't be written: ${nameOfKafkaError(produced?.errorCode ?? -1)}`)
      default:
        return produced as ProducedPartition
    }
  }
}
