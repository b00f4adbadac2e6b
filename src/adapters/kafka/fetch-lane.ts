/**
 * Owns the long polls of one reader at one broker: one Fetch request in flight, on a connection of its own, a back-off
 * after failures, and the buffers of the answers: a poll's bytes are valid until the second poll behind it. What becomes of the
 * answers, and which shards are asked, is the reader's (kafka-reader.ts).
 */
import { type Shard, toShardKey } from '../../core/shard.ts'
import { NO_BYTES, toErrorAnswer } from '../../tailer/error-answer.ts'
import type { FetchAnswer, FetchErrorCode, FetchRequest } from '../../tailer/record-source.ts'
import { DoubleBuffer } from './answer-gatherer.ts'
import { BrokerConnection } from './broker-connection.ts'
import type { HostAndPort, KafkaConfig } from './kafka-config.ts'
import { KAFKA_ERRORS, nameOfKafkaError } from './protocol/error-code.ts'
import {
  type BrokerFetch,
  FETCH_BY_ID,
  FETCH_BY_NAME,
  type BrokerFetchAnswer,
  type FetchedPartition,
  type FetchTopic,
} from './protocol/fetch.ts'
import { METADATA } from './protocol/metadata.ts'

/** Beyond the long poll itself: a broker that reads old segments from a cold disk takes seconds. */
const FETCH_SLACK_MS = 10_000
const FIRST_BACK_OFF_MS = 100
/** A broker that comes back is found within this. */
const BACK_OFF_MS_MAX = 2_000
/** Bound of one answer's bytes whatever is asked for: Kafka's consumers have the same. */
const RESPONSE_BYTES_MAX = 50 * 1024 * 1024

/** A request and the epoch of the leader that gets it. */
export interface RoutedRequest {
  readonly request: FetchRequest
  readonly leaderEpoch: number
}

interface Poll {
  readonly asked: ReadonlyMap<string, RoutedRequest>
  /** Never fails. */
  readonly finished: Promise<void>
  answers: Map<string, FetchAnswer> | undefined
}

export class FetchLane {
  readonly address: HostAndPort
  readonly #connection: BrokerConnection
  readonly #buffers = new DoubleBuffer()
  readonly #now: () => number
  #poll: Poll | undefined
  #failures = 0
  #failure = ''
  #retryAtMs = -Infinity

  constructor(config: KafkaConfig, address: HostAndPort, now: () => number) {
    this.address = address
    this.#now = now
    this.#connection = new BrokerConnection(config, address)
  }

  /** Milliseconds until the broker may be asked again; <= 0: now. */
  get backOffMs(): number {
    return this.#retryAtMs - this.#now()
  }

  /** Ends when the poll in flight has its answers; undefined where none is in flight. Never fails. */
  get pending(): Promise<void> | undefined {
    return this.#poll?.answers === undefined ? this.#poll?.finished : undefined
  }

  /** The finished poll's answer to exactly this request. */
  findAnswer(request: FetchRequest): FetchAnswer | undefined {
    const key = toShardKey(request.shard)
    return this.#poll?.asked.get(key)?.request.offset === request.offset ? this.#poll.answers?.get(key) : undefined
  }

  /** An answer is given once: the next one to the same request is asked for. */
  forgetAnswer(request: FetchRequest): void {
    this.#poll?.answers?.delete(toShardKey(request.shard))
  }

  /** Whether the poll in flight asks exactly this. */
  isAsking(request: FetchRequest): boolean {
    return this.#poll?.asked.get(toShardKey(request.shard))?.request.offset === request.offset
  }

  /**
   * Sends the requests in one, in their order, in which the broker fills its answer; what an earlier poll answered is forgotten.
   * Only where nothing is pending. During a back-off the answers are `broker_away` at once.
   */
  start(requests: readonly RoutedRequest[], maxWaitMs: number, maxBytes: number): void {
    const asked = new Map(requests.map((routed) => [toShardKey(routed.request.shard), routed]))
    const answers = this.#run(requests, maxWaitMs, maxBytes)
    const poll: Poll = { asked, answers: undefined, finished: answers.then((map) => void (poll.answers = map)) }
    this.#poll = poll
  }

  close(): void {
    this.#connection.close()
  }

  async #run(
    requests: readonly RoutedRequest[],
    maxWaitMs: number,
    maxBytes: number,
  ): Promise<Map<string, FetchAnswer>> {
    if (this.backOffMs > 0) return toAway(requests, this.#failure)
    const timeoutMs = maxWaitMs + FETCH_SLACK_MS
    const fetch: BrokerFetch = {
      maxWaitMs,
      maxBytes: Math.min(maxBytes, RESPONSE_BYTES_MAX),
      topics: groupByTopic(requests),
    }
    try {
      const byId = await this.#connection.supports(FETCH_BY_ID, timeoutMs)
      const answer = await this.#connection.send(byId ? FETCH_BY_ID : FETCH_BY_NAME, fetch, timeoutMs, this.#buffers)
      const answers = toAnswers(requests, answer, byId)
      if (!byId) await this.#refuseOtherTopics(requests, answers, timeoutMs)
      this.#failures = 0
      return answers
    } catch (error) {
      this.#failures += 1
      this.#retryAtMs = this.#now() + Math.min(BACK_OFF_MS_MAX, FIRST_BACK_OFF_MS * 2 ** (this.#failures - 1))
      this.#failure = error instanceof Error ? error.message : String(error)
      return toAway(requests, this.#failure)
    }
  }

  /**
   * By name, a topic that was made again would be read as the old one. So the broker that answered is asked for the ids afterwards:
   * one that is still ours was ours all the time. Costs a request for each fetch, with brokers before 3.1 only.
   */
  async #refuseOtherTopics(
    requests: readonly RoutedRequest[],
    answers: Map<string, FetchAnswer>,
    timeoutMs: number,
  ): Promise<void> {
    const names = [...new Set(requests.map(({ request }) => request.topic))]
    const { topics } = await this.#connection.send(METADATA, { topics: names }, timeoutMs)
    const ids = new Map(topics.map((topic) => [topic.name, topic.id]))
    for (const { request } of requests) {
      const { shard, topic } = request
      if (ids.get(topic) === shard.topicId) continue
      const message = `the broker has another topic "${topic}", or none`
      answers.set(toShardKey(shard), toErrorAnswer(shard, 'stale_leader', message))
    }
  }
}

function toAway(requests: readonly RoutedRequest[], message: string): Map<string, FetchAnswer> {
  return new Map(
    requests.map(({ request: { shard } }) => [toShardKey(shard), toErrorAnswer(shard, 'broker_away', message)]),
  )
}

function groupByTopic(requests: readonly RoutedRequest[]): FetchTopic[] {
  const topics = new Map<
    string,
    { id: FetchTopic['id']; name: string; partitions: FetchTopic['partitions'][number][] }
  >()
  for (const { request, leaderEpoch } of requests) {
    const { topicId, partition } = request.shard
    let topic = topics.get(topicId)
    if (topic === undefined) topics.set(topicId, (topic = { id: topicId, name: request.topic, partitions: [] }))
    topic.partitions.push({ partition, leaderEpoch, offset: request.offset, maxBytes: request.maxBytes })
  }
  return [...topics.values()]
}

function toAnswers(
  requests: readonly RoutedRequest[],
  answer: BrokerFetchAnswer,
  byId: boolean,
): Map<string, FetchAnswer> {
  const fetched = new Map(
    answer.topics.flatMap(({ topic, partitions }) =>
      partitions.map((partition) => [`${topic}/${partition.partition}`, partition] as const),
    ),
  )
  return new Map(
    requests.map(({ request, leaderEpoch }) => {
      const { shard, topic } = request
      const partition = fetched.get(`${byId ? shard.topicId : topic}/${shard.partition}`)
      return [toShardKey(shard), toAnswer(shard, leaderEpoch, answer.errorCode, partition)]
    }),
  )
}

function toAnswer(
  shard: Shard,
  leaderEpoch: number,
  brokerError: number,
  partition: FetchedPartition | undefined,
): FetchAnswer {
  if (brokerError !== KAFKA_ERRORS.none || partition === undefined) {
    const reason = brokerError === KAFKA_ERRORS.none ? 'it left the partition out' : nameOfKafkaError(brokerError)
    return toErrorAnswer(shard, 'stale_leader', `the broker answered nothing: ${reason}`)
  }
  const { errorCode, highWatermark, lastStableOffset, logStartOffset, aborted, records } = partition
  const common = { shard, highWatermark, lastStableOffset, logStartOffset, leaderEpoch }
  if (errorCode === KAFKA_ERRORS.none) return { ...common, bytes: records, aborted }
  const code = toFetchErrorCode(errorCode)
  return {
    ...common,
    error: { code, message: `the broker answered ${nameOfKafkaError(errorCode)}` },
    bytes: NO_BYTES,
    aborted: [],
  }
}

/** Of a topic's absence the metadata judges (topic-routes.ts): one broker may lag. */
function toFetchErrorCode(errorCode: number): FetchErrorCode {
  switch (errorCode) {
    case KAFKA_ERRORS.offset_out_of_range:
      return 'out_of_range'
    case KAFKA_ERRORS.unknown_topic_or_partition:
    case KAFKA_ERRORS.unknown_topic_id:
    case KAFKA_ERRORS.inconsistent_topic_id:
    case KAFKA_ERRORS.leader_not_available:
    case KAFKA_ERRORS.not_leader_or_follower:
    case KAFKA_ERRORS.replica_not_available:
    case KAFKA_ERRORS.storage_error:
    case KAFKA_ERRORS.fenced_leader_epoch:
    case KAFKA_ERRORS.unknown_leader_epoch:
    case KAFKA_ERRORS.offset_not_available:
      return 'stale_leader'
    default:
      return 'broker_away'
  }
}
