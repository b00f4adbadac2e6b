/**
 * Owns a record's place in the total order (law 5): timestamp, topic id, partition, offset. One is filled again for each record, so
 * that none costs an object; its bytes order as places do.
 *
 * Bytes: timestamp in milliseconds, -1 where the record has none, as order bits | topic id | partition u32 | offset as order bits, and of a
 * row that UNNEST makes its number among the record's: u32
 */
import { assert } from './assert.ts'
import { putOrderBits } from './number-key.ts'
import type { Shard } from './shard.ts'

const TIMESTAMP_BYTES = 8
const TOPIC_ID_BYTES = 16
const PARTITION_AT = TIMESTAMP_BYTES + TOPIC_ID_BYTES
const OFFSET_AT = PARTITION_AT + 4
const PLACE_BYTES = OFFSET_AT + 8
const ROW_BYTES = 4

export class RecordPlace {
  timestampMs = -1
  offset = 0
  /** Of a record with several rows. */
  row = 0
  readonly #hasRows: boolean
  readonly #bytes: Uint8Array
  readonly #view: DataView

  /** `hasRows`: a record may have several. */
  constructor(hasRows = false) {
    this.#hasRows = hasRows
    this.#bytes = new Uint8Array(PLACE_BYTES + (hasRows ? ROW_BYTES : 0))
    this.#view = new DataView(this.#bytes.buffer)
  }

  /** Of the records that follow. */
  setShard({ topicId, partition }: Shard): void {
    const id = Buffer.from(topicId, 'base64url')
    assert(id.length === TOPIC_ID_BYTES, `the topic id ${topicId} is no UUID`)
    this.#bytes.set(id, TIMESTAMP_BYTES)
    this.#view.setUint32(PARTITION_AT, partition)
  }

  /** Bytes that order as places do; the same array each time. */
  encode(): Uint8Array {
    putOrderBits(this.#bytes, this.#view, 0, this.timestampMs)
    putOrderBits(this.#bytes, this.#view, OFFSET_AT, this.offset)
    if (this.#hasRows) this.#view.setUint32(PLACE_BYTES, this.row)
    return this.#bytes
  }
}
