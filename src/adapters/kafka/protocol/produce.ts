import type { Api } from './api.ts'

export interface ProducePartition {
  readonly partition: number
  /** One record batch of format v2. */
  readonly records: Uint8Array
}

export interface ProduceRequest {
  readonly topic: string
  readonly timeoutMs: number
  readonly partitions: readonly ProducePartition[]
}

export interface ProducedPartition {
  readonly partition: number
  readonly errorCode: number
  /** Offset of the batch's first record. */
  readonly baseOffset: number
  readonly message: string | null
}

/** Answered when all replicas in sync have the records. */
const ALL_REPLICAS = -1

/**
 * Version 9, of Kafka 2.8. One topic at a time.
 *
 *   request  => transactional_id STRING acks INT16 timeout_ms INT32 [name STRING, [partition INT32, records BYTES, tags], tags] tags
 *   answer   => [name STRING, [partition INT32, error_code INT16, base_offset INT64, log_append_time_ms INT64, log_start_offset INT64,
 *                 [batch_index INT32, message STRING, tags], error_message STRING, tags], tags] throttle_time_ms INT32 tags
 */
export const PRODUCE: Api<ProduceRequest, readonly ProducedPartition[]> = {
  name: 'Produce',
  key: 0,
  version: 9,
  flexible: true,
  encode(writer, request) {
    writer.compactString(null).int16(ALL_REPLICAS).int32(request.timeoutMs)
    writer.compactArray([request.topic], (name) => {
      writer.compactString(name)
      writer.compactArray(request.partitions, (batch) => {
        writer.int32(batch.partition).compactBytes(batch.records).noTags()
      })
      writer.noTags()
    })
    writer.noTags()
  },
  decode(reader) {
    const topics = reader.compactArray(() => {
      reader.compactString()
      const partitions = reader.compactArray(() => {
        const produced = { partition: reader.int32(), errorCode: reader.int16(), baseOffset: reader.int64() }
        reader.int64()
        reader.int64()
        reader.compactArray(() => {
          reader.int32()
          reader.compactString()
          reader.skipTags()
        })
        const message = reader.compactString()
        reader.skipTags()
        return { ...produced, message }
      })
      reader.skipTags()
      return partitions
    })
    return topics.flat()
  },
}
