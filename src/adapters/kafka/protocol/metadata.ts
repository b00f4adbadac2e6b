import type { TopicId } from '../../../core/shard.ts'
import type { Api } from './api.ts'

export interface BrokerAddress {
  readonly nodeId: number
  readonly host: string
  readonly port: number
}

export interface PartitionMetadata {
  readonly errorCode: number
  readonly partition: number
  /** -1: the partition has no leader now. */
  readonly leader: number
  readonly leaderEpoch: number
}

export interface TopicMetadata {
  readonly errorCode: number
  readonly name: string
  readonly id: TopicId
  readonly internal: boolean
  readonly partitions: readonly PartitionMetadata[]
}

export interface MetadataAnswer {
  readonly brokers: readonly BrokerAddress[]
  readonly controllerId: number
  readonly topics: readonly TopicMetadata[]
}

/**
 * Version 10, of Kafka 2.8: the first with topic ids; later ones only add a look-up by id, which we don't need.
 *
 *   request  => [topic_id UUID, name STRING, tags] (null: all topics) allow_auto_topic_creation BOOLEAN
 *               include_cluster_authorized_operations BOOLEAN include_topic_authorized_operations BOOLEAN tags
 *   answer   => throttle_time_ms INT32 [node_id INT32, host STRING, port INT32, rack STRING, tags] cluster_id STRING controller_id INT32
 *               [error_code INT16, name STRING, topic_id UUID, is_internal BOOLEAN,
 *                 [error_code INT16, partition INT32, leader INT32, leader_epoch INT32, [replica INT32], [isr INT32], [offline INT32], tags],
 *                 authorized_operations INT32, tags]
 *               authorized_operations INT32 tags
 */
export const METADATA: Api<{ topics: readonly string[] | null }, MetadataAnswer> = {
  name: 'Metadata',
  key: 3,
  version: 10,
  flexible: true,
  encode(writer, request) {
    writer.compactArray(request.topics, (name) => writer.uuid(NO_TOPIC_ID).compactString(name).noTags())
    // Never created by asking: a misspelt topic must be an error.
    writer.boolean(false).boolean(false).boolean(false).noTags()
  },
  decode(reader) {
    reader.int32()
    const brokers = reader.compactArray(() => {
      const broker = { nodeId: reader.int32(), host: reader.compactString() ?? '', port: reader.int32() }
      reader.compactString()
      reader.skipTags()
      return broker
    })
    reader.compactString()
    const controllerId = reader.int32()
    const topics = reader.compactArray(() => {
      const topic = {
        errorCode: reader.int16(),
        name: reader.compactString() ?? '',
        id: reader.uuid(),
        internal: reader.boolean(),
        partitions: reader.compactArray(() => {
          const partition = {
            errorCode: reader.int16(),
            partition: reader.int32(),
            leader: reader.int32(),
            leaderEpoch: reader.int32(),
          }
          for (let list = 0; list < REPLICA_LISTS; list += 1) reader.compactArray(() => reader.int32())
          reader.skipTags()
          return partition
        }),
      }
      reader.int32()
      reader.skipTags()
      return topic
    })
    return { brokers, controllerId, topics }
  },
}

/** What stands for "no id" in requests and answers: 16 zero bytes. */
const NO_TOPIC_ID = Buffer.alloc(16).toString('base64url') as TopicId

/** Replicas, replicas in sync, replicas offline. */
const REPLICA_LISTS = 3
