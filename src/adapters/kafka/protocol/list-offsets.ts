import type { Api } from './api.ts'

/** Times that stand for an end of the log. */
export const LIST_OFFSETS_TIMES = { latest: -1, earliest: -2 } as const

/** 0 counts open transactions' records in: `latest` is the high watermark, not the last stable offset. */
const READ_UNCOMMITTED = 0
const NO_REPLICA = -1

export interface ListOffsetsPartition {
  readonly partition: number
  readonly leaderEpoch: number
  /** Milliseconds, or one of LIST_OFFSETS_TIMES. */
  readonly timestampMs: number
}

export interface ListOffsetsRequest {
  readonly topics: readonly { readonly name: string; readonly partitions: readonly ListOffsetsPartition[] }[]
}

export interface ListedOffset {
  readonly topic: string
  readonly partition: number
  readonly errorCode: number
  /** -1: no record at or after the asked time. */
  readonly offset: number
}

/**
 * Version 6, of Kafka 2.8.
 *
 *   request  => replica_id INT32 isolation_level INT8 [name STRING, [partition INT32, current_leader_epoch INT32, timestamp INT64, tags], tags] tags
 *   answer   => throttle_time_ms INT32 [name STRING, [partition INT32, error_code INT16, timestamp INT64, offset INT64, leader_epoch INT32, tags], tags] tags
 */
export const LIST_OFFSETS: Api<ListOffsetsRequest, readonly ListedOffset[]> = {
  name: 'ListOffsets',
  key: 2,
  version: 6,
  flexible: true,
  encode(writer, request) {
    writer.int32(NO_REPLICA).int8(READ_UNCOMMITTED)
    writer.compactArray(request.topics, (topic) => {
      writer.compactString(topic.name)
      writer.compactArray(topic.partitions, (asked) => {
        writer.int32(asked.partition).int32(asked.leaderEpoch).int64(asked.timestampMs).noTags()
      })
      writer.noTags()
    })
    writer.noTags()
  },
  decode(reader) {
    reader.int32()
    const topics = reader.compactArray(() => {
      const topic = reader.compactString() ?? ''
      const offsets = reader.compactArray(() => {
        const partition = reader.int32()
        const errorCode = reader.int16()
        reader.int64()
        const offset = reader.int64()
        reader.int32()
        reader.skipTags()
        return { topic, partition, errorCode, offset }
      })
      reader.skipTags()
      return offsets
    })
    return topics.flat()
  },
}
