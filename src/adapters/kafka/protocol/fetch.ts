import type { TopicId } from '../../../core/shard.ts'
import type { AbortedTransaction } from '../../../records/aborted-transaction.ts'
import type { Api } from './api.ts'
import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/**
 * Two versions: 13 (Kafka 3.1 and later) names topics by id, so that a topic made again can't be read by mistake; 11 names them
 * by name, for older brokers. Version 12 has nothing for us.
 */

export interface FetchPartition {
  readonly partition: number
  readonly leaderEpoch: number
  readonly offset: number
  readonly maxBytes: number
}

export interface FetchTopic {
  readonly id: TopicId
  readonly name: string
  readonly partitions: readonly FetchPartition[]
}

export interface BrokerFetch {
  readonly maxWaitMs: number
  readonly maxBytes: number
  readonly topics: readonly FetchTopic[]
}

export interface FetchedPartition {
  readonly partition: number
  readonly errorCode: number
  /** -1 where an error kept the broker from looking. */
  readonly highWatermark: number
  readonly lastStableOffset: number
  readonly logStartOffset: number
  readonly aborted: readonly AbortedTransaction[]
  /** A slice of the answer's buffer. */
  readonly records: Buffer
}

export interface FetchedTopic {
  /** Topic id (version 13) or name (version 11). */
  readonly topic: string
  readonly partitions: readonly FetchedPartition[]
}

export interface BrokerFetchAnswer {
  readonly errorCode: number
  readonly topics: readonly FetchedTopic[]
}

const NO_REPLICA = -1
/** Answer as soon as there is anything. */
const MIN_BYTES = 1
const READ_COMMITTED = 1
/** Sessions (KIP-227) save bytes with thousands of partitions; without one each request stands for itself. */
const NO_SESSION = 0
const NO_SESSION_EPOCH = -1
const UNKNOWN = -1
/** The leader serves; no reading from followers nearby (KIP-392), whose watermark lags. */
const NO_RACK = ''

function encodeHead(writer: WireWriter, request: BrokerFetch): void {
  writer.int32(NO_REPLICA).int32(request.maxWaitMs).int32(MIN_BYTES).int32(request.maxBytes)
  writer.int8(READ_COMMITTED).int32(NO_SESSION).int32(NO_SESSION_EPOCH)
}

function readOffsets(reader: WireReader) {
  return {
    partition: reader.int32(),
    errorCode: reader.int16(),
    highWatermark: reader.int64(),
    lastStableOffset: reader.int64(),
    logStartOffset: reader.int64(),
  }
}

/**
 * Version 13.
 *
 *   request  => replica_id INT32 max_wait_ms INT32 min_bytes INT32 max_bytes INT32 isolation_level INT8 session_id INT32 session_epoch INT32
 *               [topic_id UUID, [partition INT32, current_leader_epoch INT32, fetch_offset INT64, last_fetched_epoch INT32,
 *                 log_start_offset INT64, partition_max_bytes INT32, tags], tags]
 *               [forgotten topic_id UUID, [partition INT32], tags] rack_id STRING tags
 *   answer   => throttle_time_ms INT32 error_code INT16 session_id INT32
 *               [topic_id UUID, [partition INT32, error_code INT16, high_watermark INT64, last_stable_offset INT64, log_start_offset INT64,
 *                 [producer_id INT64, first_offset INT64, tags], preferred_read_replica INT32, records BYTES, tags], tags] tags
 */
export const FETCH_BY_ID: Api<BrokerFetch, BrokerFetchAnswer> = {
  name: 'Fetch',
  key: 1,
  version: 13,
  flexible: true,
  encode(writer, request) {
    encodeHead(writer, request)
    writer.compactArray(request.topics, (topic) => {
      writer.uuid(topic.id)
      writer.compactArray(topic.partitions, (asked) => {
        writer.int32(asked.partition).int32(asked.leaderEpoch).int64(asked.offset).int32(UNKNOWN)
        writer.int64(UNKNOWN).int32(asked.maxBytes).noTags()
      })
      writer.noTags()
    })
    writer.compactArray([], () => {})
    writer.compactString(NO_RACK).noTags()
  },
  decode(reader) {
    reader.int32()
    const errorCode = reader.int16()
    reader.int32()
    const topics = reader.compactArray(() => {
      const topic = reader.uuid()
      const partitions = reader.compactArray(() => {
        const offsets = readOffsets(reader)
        const aborted = reader.compactArray(() => {
          const transaction = { producerId: reader.bigInt64(), firstOffset: reader.int64() }
          reader.skipTags()
          return transaction
        })
        reader.int32()
        const records = reader.compactBytes()
        reader.skipTags()
        return { ...offsets, aborted, records }
      })
      reader.skipTags()
      return { topic, partitions }
    })
    return { errorCode, topics }
  },
}

/**
 * Version 11.
 *
 *   request  => replica_id INT32 max_wait_ms INT32 min_bytes INT32 max_bytes INT32 isolation_level INT8 session_id INT32 session_epoch INT32
 *               [topic STRING, [partition INT32, current_leader_epoch INT32, fetch_offset INT64, log_start_offset INT64, partition_max_bytes INT32]]
 *               [forgotten topic STRING, [partition INT32]] rack_id STRING
 *   answer   => throttle_time_ms INT32 error_code INT16 session_id INT32
 *               [topic STRING, [partition INT32, error_code INT16, high_watermark INT64, last_stable_offset INT64, log_start_offset INT64,
 *                 [producer_id INT64, first_offset INT64], preferred_read_replica INT32, records BYTES]]
 */
export const FETCH_BY_NAME: Api<BrokerFetch, BrokerFetchAnswer> = {
  name: 'Fetch',
  key: 1,
  version: 11,
  flexible: false,
  encode(writer, request) {
    encodeHead(writer, request)
    writer.array(request.topics, (topic) => {
      writer.string(topic.name)
      writer.array(topic.partitions, (asked) => {
        writer.int32(asked.partition).int32(asked.leaderEpoch).int64(asked.offset).int64(UNKNOWN).int32(asked.maxBytes)
      })
    })
    writer.array([], () => {})
    writer.string(NO_RACK)
  },
  decode(reader) {
    reader.int32()
    const errorCode = reader.int16()
    reader.int32()
    const topics = reader.array(() => {
      const topic = reader.string() ?? ''
      const partitions = reader.array(() => {
        const offsets = readOffsets(reader)
        const aborted = reader.array(() => ({ producerId: reader.bigInt64(), firstOffset: reader.int64() }))
        reader.int32()
        return { ...offsets, aborted, records: reader.bytes() }
      })
      return { topic, partitions }
    })
    return { errorCode, topics }
  },
}
