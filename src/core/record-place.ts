/**
 * Owns a record's place in the total order (law 5): timestamp, topic id, partition, offset. One is filled again for each record, so
 * that none costs an object; its bytes order as places do.
 *
 * Bytes: timestamp in milliseconds, -1 where the record has none, as order bits | topic id | partition u32 | offset as order bits
 */
import { assert } from './assert.ts'
import { putOrderBits } from './number-key.ts'
import type { Shard } from './shard.ts'

const TIMESTAMP_BYTES = 8
const TOPIC_ID_BYTES = 16
const PARTITION_AT = TIMESTAMP_BYTES + TOPIC_ID_BYTES
const OFFSET_AT = PARTITION_AT + 4
const PLACE_BYTES = OFFSET_AT + 8

export class RecordPlace {
  timestampMs = -1
  offset = 0
  readonly #bytes = new Uint8Array(PLACE_BYTES)
  readonly #view = new DataView(this.#bytes.buffer)

  /** Of the records that follow. */
  setShard({ topicId, partition }: Shard): void {
    const id = Buffer.from(topicId, 'base64url')
    assert(id.length === TOPIC_ID_BYTES, `the topic id ${topicId} is no UUID`)
    this.#bytes.set(id, TIMESTAMP_BYTES)
    this.#view.setUint32(PARTITION_AT, partition)
  }

  /** PLACE_BYTES bytes that order as places do; the same array each time. */
  encode(): Uint8Array {
    putOrderBits(this.#bytes, this.#view, 0, this.timestampMs)
    putOrderBits(this.#bytes, this.#view, OFFSET_AT, this.offset)
    return this.#bytes
  }
}
