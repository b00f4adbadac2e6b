import type { Api } from './api.ts'

export interface NewTopic {
  readonly name: string
  readonly partitions: number
  readonly timeoutMs: number
}

export interface TopicResult {
  readonly errorCode: number
  readonly message: string | null
}

/** -1: what the brokers' `default.replication.factor` says (KIP-464). */
const DEFAULT_REPLICATION_FACTOR = -1

/**
 * Version 5, of Kafka 2.4. We create one topic at a time.
 *
 *   request  => [name STRING, num_partitions INT32, replication_factor INT16, [assignments], [configs], tags] timeout_ms INT32 validate_only BOOLEAN tags
 *   answer   => throttle_time_ms INT32 [name STRING, error_code INT16, error_message STRING, num_partitions INT32, replication_factor INT16,
 *                 [name STRING, value STRING, read_only BOOLEAN, config_source INT8, is_sensitive BOOLEAN, tags], tags] tags
 */
export const CREATE_TOPICS: Api<NewTopic, TopicResult | undefined> = {
  name: 'CreateTopics',
  key: 19,
  version: 5,
  flexible: true,
  encode(writer, topic) {
    writer.compactArray([topic], () => {
      writer.compactString(topic.name).int32(topic.partitions).int16(DEFAULT_REPLICATION_FACTOR)
      writer
        .compactArray([], () => {})
        .compactArray([], () => {})
        .noTags()
    })
    writer.int32(topic.timeoutMs).boolean(false).noTags()
  },
  decode(reader) {
    reader.int32()
    // The rest of the answer repeats what was asked for.
    return reader.compactArray(() => {
      reader.compactString()
      const result = { errorCode: reader.int16(), message: reader.compactString() }
      reader.int32()
      reader.int16()
      reader.compactArray(() => {
        reader.compactString()
        reader.compactString()
        reader.boolean()
        reader.int8()
        reader.boolean()
        reader.skipTags()
      })
      reader.skipTags()
      return result
    })[0]
  },
}
