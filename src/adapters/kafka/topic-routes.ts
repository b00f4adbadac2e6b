/**
 * Owns who leads which shard, by topic name, and the verdict that a topic is gone or is another one now. Metadata of a broker
 * that has just started, or of one that lags, may not know a topic yet or still know its predecessor; so a verdict needs two
 * answers that agree, CONFIRM_MS apart, and until then the shard is `unsettled`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Shard, TopicId } from '../../core/shard.ts'
import { noPartition, noTopic, topicIsAnother } from '../../core/topic-message.ts'
import type { FetchErrorCode } from '../../tailer/record-source.ts'
import type { ClusterClient } from './cluster-client.ts'
import { KAFKA_ERRORS, nameOfKafkaError } from './protocol/error-code.ts'
import type { PartitionMetadata, TopicMetadata } from './protocol/metadata.ts'

/** Metadata reaches all brokers of a healthy cluster within some 100 ms. */
const CONFIRM_MS = 1_000
/** Answers further apart than this don't confirm each other: anything may have happened between. */
const CONFIRM_GAP_MS_MAX = 2_000
/** Callers in a loop ask no more often than this; a new leader takes about as long to be elected. */
const REFRESH_INTERVAL_MS = 200

export type Route =
  | { readonly kind: 'leader'; readonly nodeId: number; readonly leaderEpoch: number }
  /** Ask again after refresh(). */
  | { readonly kind: 'unsettled'; readonly code: 'stale_leader' | 'broker_away'; readonly message: string }
  | { readonly kind: 'error'; readonly code: FetchErrorCode; readonly message: string }

interface Known {
  /** Undefined: the brokers know no such topic, or may not tell. */
  readonly id: TopicId | undefined
  readonly errorCode: number
  readonly partitions: ReadonlyMap<number, PartitionMetadata>
  /** When that id was seen first and last, without another between. */
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  /** A broker said that this is out of date. */
  readonly stale: boolean
}

export class TopicRoutes {
  readonly #client: ClusterClient
  readonly #now: () => number
  readonly #topics = new Map<string, Known>()
  /** Ids that are asked for although the topic has another, by when that was first so: what was seen before says nothing about them. */
  readonly #contested = new Map<TopicId, number>()
  /** The next request, while callers may still join. */
  #gathering: { readonly names: Set<string>; readonly done: Promise<void> } | undefined
  /** The last request that was sent. Never fails. */
  #sent: Promise<void> = Promise.resolve()
  #lastFailureMs = -Infinity
  /** Why the last refresh failed; undefined: it did not. */
  #failure: string | undefined

  constructor(client: ClusterClient, now: () => number) {
    this.#client = client
    this.#now = now
  }

  find(topic: string, shard: Shard): Route {
    const known = this.#topics.get(topic)
    if (known === undefined) return this.#unsettled(`topic "${topic}" is being looked up`)
    if (known.id !== shard.topicId) return this.#judge(topic, known, shard.topicId)
    this.#contested.delete(known.id)
    if (known.stale) return this.#unsettled(`topic "${topic}" is being looked up again`)
    const partition = known.partitions.get(shard.partition)
    if (partition === undefined) {
      // a partition that was added since: what is known may be from before
      if (this.#now() - known.lastSeenMs > CONFIRM_GAP_MS_MAX) {
        return this.#unsettled(`partition ${shard.partition} of topic "${topic}" is being looked up`)
      }
      return { kind: 'error', code: 'unknown_topic', message: noPartition(topic, shard.partition) }
    }
    if (partition.leader < 0) {
      return this.#unsettled(`partition ${shard.partition} of topic "${topic}" has no leader`)
    }
    return { kind: 'leader', nodeId: partition.leader, leaderEpoch: partition.leaderEpoch }
  }

  /** A broker contradicted what is known of the topic. */
  markStale(topic: string): void {
    const known = this.#topics.get(topic)
    if (known !== undefined) this.#topics.set(topic, { ...known, stale: true })
  }

  /** Takes up what somebody else fetched. */
  learn(name: string, metadata: TopicMetadata | undefined): void {
    const exists =
      metadata?.errorCode === KAFKA_ERRORS.none || metadata?.errorCode === KAFKA_ERRORS.leader_not_available
    const id = exists ? metadata?.id : undefined
    const before = this.#topics.get(name)
    const now = this.#now()
    const confirms = before !== undefined && before.id === id && now - before.lastSeenMs <= CONFIRM_GAP_MS_MAX
    this.#topics.set(name, {
      id,
      errorCode: metadata?.errorCode ?? KAFKA_ERRORS.unknown_topic_or_partition,
      partitions: new Map(metadata?.partitions.map((partition) => [partition.partition, partition])),
      firstSeenMs: confirms ? before.firstSeenMs : now,
      lastSeenMs: now,
      stale: false,
    })
  }

  /** Asks the cluster about these topics; callers at about the same time share one request. Errors: broker_away. */
  refresh(names: Iterable<string>): Promise<void> {
    if (this.#gathering === undefined) {
      const gathered = new Set(names)
      this.#gathering = { names: gathered, done: this.#fetchGathered(gathered) }
    }
    for (const name of names) this.#gathering.names.add(name)
    return this.#gathering.done
  }

  /** Others join until the request is sent: after the one before, and not too soon after it. */
  async #fetchGathered(names: ReadonlySet<string>): Promise<void> {
    await this.#sent
    const waitMs = this.#findPauseMs(names)
    if (waitMs > 0) await delay(waitMs)
    this.#gathering = undefined
    const fetched = this.#fetchTopics([...names])
    this.#sent = fetched.catch(() => {})
    await fetched
  }

  /** Topics that were not asked for of late need not wait. */
  #findPauseMs(names: ReadonlySet<string>): number {
    let lastMs = this.#lastFailureMs
    for (const name of names) {
      const known = this.#topics.get(name)
      if (known === undefined && this.#failure === undefined) return 0
      lastMs = Math.max(lastMs, known?.lastSeenMs ?? -Infinity)
    }
    return lastMs + REFRESH_INTERVAL_MS - this.#now()
  }

  async #fetchTopics(names: readonly string[]): Promise<void> {
    try {
      const metadata = await this.#client.fetchMetadata(names)
      const topics = new Map(metadata.topics.map((topic) => [topic.name, topic]))
      for (const name of names) this.learn(name, topics.get(name))
      this.#failure = undefined
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error)
      this.#lastFailureMs = this.#now()
      throw error
    }
  }

  #unsettled(message: string): Route {
    return this.#failure === undefined
      ? { kind: 'unsettled', code: 'stale_leader', message }
      : { kind: 'unsettled', code: 'broker_away', message: this.#failure }
  }

  #judge(topic: string, known: Known, asked: TopicId): Route {
    const now = this.#now()
    const contestedMs = this.#contested.get(asked) ?? now
    this.#contested.set(asked, contestedMs)
    const isOld = now - known.lastSeenMs > CONFIRM_GAP_MS_MAX
    if (known.stale || isOld || known.lastSeenMs - Math.max(known.firstSeenMs, contestedMs) < CONFIRM_MS) {
      return this.#unsettled(`the brokers disagree about topic "${topic}"; they are asked again`)
    }
    if (known.id !== undefined) {
      const message = topicIsAnother(topic, known.id)
      return { kind: 'error', code: 'recreated', message }
    }
    if (known.errorCode === KAFKA_ERRORS.unknown_topic_or_partition) {
      return { kind: 'error', code: 'unknown_topic', message: noTopic(topic) }
    }
    const reason = nameOfKafkaError(known.errorCode)
    return { kind: 'error', code: 'broker_away', message: `kafka does not serve topic "${topic}": ${reason}` }
  }
}
