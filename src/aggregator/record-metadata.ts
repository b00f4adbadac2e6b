/** Owns a record's metadata while it is evaluated: _meta.topic, partition, offset, timestamp, key and headers. */
import { isValidUtf8 } from '../core/json-string.ts'
import { TAG, type Registers } from '../core/registers.ts'
import { setTimestampOf } from '../core/timestamp-calendar.ts'
import { findHeader } from '../records/record-headers.ts'
import type { Meta } from '../sql/expression.ts'

/** Kafka's mark of a record without a timestamp. */
const NO_TIMESTAMP = -1
/** Milliseconds that are a safe integer as microseconds too. */
const SAFE_MS_MAX = Math.floor(Number.MAX_SAFE_INTEGER / 1000)
export class RecordMetadata {
  bytes: Uint8Array = new Uint8Array(0)
  partition = 0
  offset = 0
  timestampMs = 0
  keyStart = -1
  keyEnd = -1
  headersStart = 0
  headerCount = 0
  /** Of the element that UNNEST has reached, from 1; 0: there is none. */
  ordinality = 0
  #topic: Uint8Array = new Uint8Array(0)
  readonly #headerSlice = new Int32Array(2)

  setShard(topic: string, partition: number): void {
    this.#topic = new TextEncoder().encode(topic)
    this.partition = partition
  }

  /** Loads what a `meta` node names; `header` is its header's name as UTF-8. */
  load(name: Meta['name'], header: Uint8Array, r: Registers, out: number): void {
    switch (name) {
      case 'topic':
        return r.setText(out, this.#topic, 0, this.#topic.length)
      case 'partition':
        return r.setInteger(out, this.partition)
      case 'offset':
        return r.setInteger(out, this.offset)
      case 'timestamp':
        return this.#loadTimestamp(r, out)
      case 'ordinality':
        return this.ordinality === 0 ? r.setNull(out) : r.setInteger(out, this.ordinality)
      case 'key':
        return this.#loadText(r, out, this.keyStart, this.keyEnd, 'the key')
      case 'header':
        if (!findHeader(this.bytes, this.headersStart, this.headerCount, header, this.#headerSlice)) {
          r.tag[out] = TAG.NULL
          return
        }
        return this.#loadText(r, out, this.#headerSlice[0]!, this.#headerSlice[1]!, 'the header')
    }
  }

  #loadTimestamp(r: Registers, out: number): void {
    const ms = this.timestampMs
    if (ms === NO_TIMESTAMP) r.setNull(out)
    else if (Math.abs(ms) <= SAFE_MS_MAX) r.setTimestamp(out, ms * 1000)
    else if (!setTimestampOf(r, out, BigInt(ms) * 1000n)) {
      r.setError(out, 'timestamp_out_of_range', `the record's timestamp of ${ms} ms is outside of timestamptz`)
    }
  }

  #loadText(r: Registers, out: number, start: number, end: number, what: string): void {
    if (start < 0) return r.setNull(out)
    if (!isValidUtf8(this.bytes, start, end)) {
      r.setError(out, 'invalid_text', `${what} is not valid UTF-8`)
    } else if (this.bytes.subarray(start, end).includes(0)) {
      r.setError(out, 'invalid_text', `${what} holds a NUL`)
    } else r.setText(out, this.bytes, start, end)
  }
}
