/** Owns what is asked about and done to topics and their offsets, with the repetition that a moving cluster needs. */
import { setTimeout as delay } from 'node:timers/promises'
import { RollupdError } from '../../core/errors.ts'
import type { Shard } from '../../core/shard.ts'
import { noPartition, noTopic, topicExists } from '../../core/topic-message.ts'
import type { Partition, Topic } from '../../tailer/record-source.ts'
import type { ClusterClient } from './cluster-client.ts'
import { CREATE_TOPICS } from './protocol/create-topics.ts'
import { DELETE_TOPICS } from './protocol/delete-topics.ts'
import { KAFKA_ERRORS, nameOfKafkaError } from './protocol/error-code.ts'
import { LIST_OFFSETS, LIST_OFFSETS_TIMES, type ListOffsetsPartition } from './protocol/list-offsets.ts'
import type { PartitionMetadata, TopicMetadata } from './protocol/metadata.ts'
import { OFFSET_FOR_LEADER_EPOCH } from './protocol/offset-for-leader-epoch.ts'
import type { TopicRoutes } from './topic-routes.ts'

/** An election takes some 100 ms; a leader that stays away longer is told to the caller. */
const SETTLE_TIMEOUT_MS = 5_000
/** How long the controller may take for a topic of many partitions. */
const ADMIN_TIMEOUT_MS = 15_000
const RETRY_INTERVAL_MS = 100

/** A try that did not succeed and may be repeated. */
export class NotYet extends Error {
  override readonly name = 'NotYet'
}

/** A partition of a topic, with its leader. */
interface LedPartition {
  readonly topic: string
  readonly metadata: PartitionMetadata
}

export class TopicAdmin {
  readonly #client: ClusterClient
  readonly #routes: TopicRoutes
  readonly #now: () => number

  constructor(client: ClusterClient, routes: TopicRoutes, now: () => number) {
    this.#client = client
    this.#routes = routes
    this.#now = now
  }

  /** All topics that are not internal, by name. Errors: broker_away. */
  list(): Promise<Topic[]> {
    return this.untilSettled(SETTLE_TIMEOUT_MS, async () => {
      const { topics } = await this.#client.fetchMetadata(null)
      // A topic on its way in or out is left out rather than waited for.
      const present = topics.filter((topic) => !topic.internal && topic.errorCode === KAFKA_ERRORS.none)
      const described = await this.#describe(present)
      return described.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    })
  }

  /** Errors: broker_away. */
  find(name: string): Promise<Topic | undefined> {
    return this.untilSettled(SETTLE_TIMEOUT_MS, async () => {
      const metadata = await this.lookUp(name)
      return metadata === undefined ? undefined : (await this.#describe([metadata]))[0]
    })
  }

  /** What the cluster says of a topic now; undefined: there is none. Errors: broker_away, NotYet. */
  async lookUp(name: string): Promise<TopicMetadata | undefined> {
    const { topics } = await this.#client.fetchMetadata([name])
    const metadata = topics.find((topic) => topic.name === name)
    this.#routes.learn(name, metadata)
    switch (metadata?.errorCode) {
      case KAFKA_ERRORS.none:
        return metadata
      case undefined:
      case KAFKA_ERRORS.unknown_topic_or_partition:
      case KAFKA_ERRORS.invalid_topic:
        return undefined
      default:
        throw new NotYet(`topic "${name}" is not served: ${nameOfKafkaError(metadata?.errorCode ?? 0)}`)
    }
  }

  /** Errors: broker_away, unknown_topic. */
  findBounds(topic: string, shard: Shard): Promise<{ startOffset: number; endOffset: number }> {
    return this.untilSettled(SETTLE_TIMEOUT_MS, async () => {
      const partition = await this.#lookUpShard(topic, shard)
      const [startOffset, endOffset] = await Promise.all([
        this.#listOffset(partition, LIST_OFFSETS_TIMES.earliest),
        this.#listOffset(partition, LIST_OFFSETS_TIMES.latest),
      ])
      return { startOffset, endOffset }
    })
  }

  /** Errors: broker_away, unknown_topic. */
  findOffset(topic: string, shard: Shard, timestampMs: number): Promise<number> {
    return this.untilSettled(SETTLE_TIMEOUT_MS, async () => {
      const partition = await this.#lookUpShard(topic, shard)
      // Times below 0 would be taken for LIST_OFFSETS_TIMES.
      const offset = await this.#listOffset(partition, Math.max(0, timestampMs))
      return offset < 0 ? this.#listOffset(partition, LIST_OFFSETS_TIMES.latest) : offset
    })
  }

  /** Errors: broker_away, unknown_topic. */
  findEndOfEpoch(topic: string, shard: Shard, leaderEpoch: number): Promise<{ epoch: number; endOffset: number }> {
    return this.untilSettled(SETTLE_TIMEOUT_MS, async () => {
      const { metadata } = await this.#lookUpShard(topic, shard)
      const answer = await this.#client.ask(leaderOf(topic, metadata), OFFSET_FOR_LEADER_EPOCH, {
        topic,
        partition: shard.partition,
        currentLeaderEpoch: metadata.leaderEpoch,
        leaderEpoch,
      })
      if (answer?.errorCode !== KAFKA_ERRORS.none) {
        throw new NotYet(`the leader answered ${nameOfKafkaError(answer?.errorCode ?? -1)}`)
      }
      return { epoch: answer.leaderEpoch, endOffset: answer.endOffset }
    })
  }

  /** Errors: already_exists, bad_parameter, broker_away. */
  async create(name: string, partitions: number): Promise<Topic> {
    await this.untilSettled(ADMIN_TIMEOUT_MS, async () => {
      const topic = { name, partitions, timeoutMs: ADMIN_TIMEOUT_MS }
      const result = await this.#client.askController(CREATE_TOPICS, topic, ADMIN_TIMEOUT_MS)
      checkAdminResult(`topic "${name}" can't be created`, name, result)
    })
    return this.untilSettled(ADMIN_TIMEOUT_MS, async () => {
      const metadata = await this.lookUp(name)
      if (metadata === undefined || metadata.partitions.length < partitions) {
        throw new NotYet(`the brokers don't know topic "${name}" yet`)
      }
      // Leaders that tell their offsets take and give records.
      const [topic] = await this.#describe([metadata])
      if (topic === undefined) throw new NotYet(`topic "${name}" is not described yet`)
      return topic
    })
  }

  /** Errors: unknown_topic, bad_parameter, broker_away. */
  async delete(name: string): Promise<void> {
    await this.untilSettled(ADMIN_TIMEOUT_MS, async () => {
      const request = { name, timeoutMs: ADMIN_TIMEOUT_MS }
      const result = await this.#client.askController(DELETE_TOPICS, request, ADMIN_TIMEOUT_MS)
      checkAdminResult(`topic "${name}" can't be deleted`, name, result)
    })
    await this.untilSettled(ADMIN_TIMEOUT_MS, async () => {
      if ((await this.lookUp(name)) !== undefined) throw new NotYet(`the brokers still know topic "${name}"`)
    })
  }

  /** Repeats a try that meets a cluster in motion. Errors: broker_away past the time-out; what the try throws else. */
  async untilSettled<T>(timeoutMs: number, attempt: () => Promise<T>): Promise<T> {
    const deadlineMs = this.#now() + timeoutMs
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof NotYet)) throw error
        if (this.#now() > deadlineMs) throw new RollupdError('broker_away', error.message, { cause: error })
      }
      await delay(RETRY_INTERVAL_MS)
    }
  }

  async #lookUpShard(topic: string, shard: Shard): Promise<LedPartition> {
    const metadata = await this.lookUp(topic)
    const partition = metadata?.partitions.find((each) => each.partition === shard.partition)
    if (metadata === undefined) throw new RollupdError('unknown_topic', noTopic(topic))
    if (metadata.id !== shard.topicId) {
      throw new RollupdError('unknown_topic', `topic "${topic}" was deleted and created again`)
    }
    if (partition === undefined) {
      throw new RollupdError('unknown_topic', noPartition(topic, shard.partition))
    }
    return { topic, metadata: partition }
  }

  async #listOffset(partition: LedPartition, timestampMs: number): Promise<number> {
    const offsets = await this.#listOffsets([partition], timestampMs)
    return offsets.get(`${partition.topic}/${partition.metadata.partition}`) ?? -1
  }

  async #describe(topics: readonly TopicMetadata[]): Promise<Topic[]> {
    const all = topics.flatMap(({ name, partitions }) => partitions.map((metadata) => ({ topic: name, metadata })))
    const [starts, ends] = await Promise.all([
      this.#listOffsets(all, LIST_OFFSETS_TIMES.earliest),
      this.#listOffsets(all, LIST_OFFSETS_TIMES.latest),
    ])
    return topics.map(({ name, id, partitions }) => ({
      name,
      id,
      partitions: partitions
        .map(({ partition }): Partition => {
          const key = `${name}/${partition}`
          return { partition, startOffset: starts.get(key) ?? 0, endOffset: ends.get(key) ?? 0 }
        })
        .toSorted((one, other) => one.partition - other.partition),
    }))
  }

  /** One request for each leader. Caller gets offsets by topic and partition. Errors: broker_away, NotYet. */
  async #listOffsets(partitions: readonly LedPartition[], timestampMs: number): Promise<Map<string, number>> {
    const byLeader = Map.groupBy(partitions, ({ topic, metadata }) => leaderOf(topic, metadata))
    const answers = await Promise.all(
      [...byLeader].map(([leader, group]) => {
        const topics = [...Map.groupBy(group, ({ topic }) => topic)].map(([name, members]) => ({
          name,
          partitions: members.map(({ metadata: { partition, leaderEpoch } }): ListOffsetsPartition => {
            return { partition, leaderEpoch, timestampMs }
          }),
        }))
        return this.#client.ask(leader, LIST_OFFSETS, { topics })
      }),
    )
    const offsets = new Map<string, number>()
    for (const { topic, partition, errorCode, offset } of answers.flat()) {
      if (errorCode !== KAFKA_ERRORS.none) {
        throw new NotYet(`partition ${partition} of topic "${topic}" has no offsets: ${nameOfKafkaError(errorCode)}`)
      }
      offsets.set(`${topic}/${partition}`, offset)
    }
    return offsets
  }
}

/** Errors: NotYet. */
export function leaderOf(topic: string, { partition, leader }: PartitionMetadata): number {
  if (leader < 0) throw new NotYet(`partition ${partition} of topic "${topic}" has no leader`)
  return leader
}

function checkAdminResult(
  what: string,
  name: string,
  result: { readonly errorCode: number; readonly message?: string | null } | undefined,
): void {
  const code = result?.errorCode
  const reason = result?.message ?? nameOfKafkaError(code ?? -1)
  switch (code) {
    case KAFKA_ERRORS.none:
      return
    case KAFKA_ERRORS.topic_already_exists:
      throw new RollupdError('already_exists', topicExists(name))
    case KAFKA_ERRORS.unknown_topic_or_partition:
      throw new RollupdError('unknown_topic', noTopic(name))
    case KAFKA_ERRORS.not_controller:
    case KAFKA_ERRORS.leader_not_available:
    case KAFKA_ERRORS.network_exception:
    // The topic's state is looked at afterwards anyway.
    case KAFKA_ERRORS.request_timed_out:
    case undefined:
      throw new NotYet(`${what}: ${reason}`)
    default:
      throw new RollupdError('bad_parameter', `${what}: ${reason.replaceAll(/\s+/g, ' ')}`)
  }
}
