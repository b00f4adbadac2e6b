/**
 * Owns the writing of record batches in format v2: for the embedded log, and for tests, which also need what only brokers
 * write (control batches, compacted batches).
 */
import { CODEC_ID, compress, type Codec } from './codecs.ts'
import { computeCrc32c } from './crc32c.ts'
import {
  ATTRIBUTE,
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  CONTROL_TYPE,
  LENGTH_PREFIX_BYTES,
  MAGIC_V2,
} from './record-format.ts'

export interface RecordHeader {
  readonly name: string
  readonly value: Uint8Array | null
}

export interface EncodableRecord {
  readonly key: Uint8Array | null
  /** Null: a tombstone. */
  readonly value: Uint8Array | null
  readonly headers?: readonly RecordHeader[]
  /** Milliseconds since 1970. */
  readonly timestampMs: number
  /** Absent: one more than the record before; given: compaction took the records between. */
  readonly offsetDelta?: number
}

export interface EncodableBatch {
  readonly baseOffset: number
  readonly records: readonly EncodableRecord[]
  /** Absent: 0. */
  readonly leaderEpoch?: number
  /** Absent: none. */
  readonly codec?: Codec
  /** Frames snappy as Java clients do. */
  readonly snappyJava?: boolean
  /** Absent: a producer without an identity. */
  readonly producer?: { readonly id: bigint; readonly epoch: number; readonly baseSequence: number }
  readonly transactional?: boolean
  readonly control?: boolean
  /** The broker's clock instead of the producers': the timestamp of all records. Milliseconds. */
  readonly logAppendTimeMs?: number
  /** Absent: the last record's; given: compaction took the records behind it. */
  readonly lastOffsetDelta?: number
}

/** Bytes of one whole batch. Shape: a buffer of its own. */
export function encodeBatch(batch: EncodableBatch): Uint8Array {
  const { records, codec = 'none', logAppendTimeMs } = batch
  const baseTimestampMs = records[0]?.timestampMs ?? logAppendTimeMs ?? -1
  const section = compress(codec, encodeRecords(records, baseTimestampMs), batch.snappyJava)
  const bytes = Buffer.alloc(BATCH_HEADER_BYTES + section.length)
  const maxTimestampMs = logAppendTimeMs ?? records.reduce((most, record) => Math.max(most, record.timestampMs), -1)
  const attributes =
    CODEC_ID[codec] |
    (logAppendTimeMs === undefined ? 0 : ATTRIBUTE.logAppendTime) |
    (batch.transactional === true ? ATTRIBUTE.transactional : 0) |
    (batch.control === true ? ATTRIBUTE.control : 0)
  bytes.writeBigInt64BE(BigInt(batch.baseOffset), BATCH_FIELD.baseOffset)
  bytes.writeInt32BE(bytes.length - LENGTH_PREFIX_BYTES, BATCH_FIELD.batchLength)
  bytes.writeInt32BE(batch.leaderEpoch ?? 0, BATCH_FIELD.leaderEpoch)
  bytes.writeInt8(MAGIC_V2, BATCH_FIELD.magic)
  bytes.writeInt16BE(attributes, BATCH_FIELD.attributes)
  bytes.writeInt32BE(batch.lastOffsetDelta ?? findLastDelta(records), BATCH_FIELD.lastOffsetDelta)
  bytes.writeBigInt64BE(BigInt(baseTimestampMs), BATCH_FIELD.baseTimestamp)
  bytes.writeBigInt64BE(BigInt(maxTimestampMs), BATCH_FIELD.maxTimestamp)
  bytes.writeBigInt64BE(batch.producer?.id ?? -1n, BATCH_FIELD.producerId)
  bytes.writeInt16BE(batch.producer?.epoch ?? -1, BATCH_FIELD.producerEpoch)
  bytes.writeInt32BE(batch.producer?.baseSequence ?? -1, BATCH_FIELD.baseSequence)
  bytes.writeInt32BE(records.length, BATCH_FIELD.recordCount)
  bytes.set(section, BATCH_FIELD.records)
  writeChecksum(bytes)
  return bytes
}

/** The marker that ends a producer's transaction, as the broker's coordinator writes it. */
export function encodeControlBatch(marker: {
  readonly baseOffset: number
  readonly type: keyof typeof CONTROL_TYPE
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly timestampMs: number
  readonly leaderEpoch?: number
  /** Absent: 0. */
  readonly coordinatorEpoch?: number
}): Uint8Array {
  const key = Uint8Array.of(0, 0, 0, CONTROL_TYPE[marker.type])
  // version int16, coordinator epoch int32
  const value = Buffer.alloc(6)
  value.writeInt32BE(marker.coordinatorEpoch ?? 0, 2)
  return encodeBatch({
    baseOffset: marker.baseOffset,
    records: [{ key, value, timestampMs: marker.timestampMs }],
    leaderEpoch: marker.leaderEpoch ?? 0,
    producer: { id: marker.producerId, epoch: marker.producerEpoch, baseSequence: -1 },
    transactional: true,
    control: true,
  })
}

/** Computes and stores the checksum of a batch whose header or records were changed. */
export function writeChecksum(batch: Uint8Array): void {
  const checksum = computeCrc32c(batch, BATCH_FIELD.attributes, batch.length)
  new DataView(batch.buffer, batch.byteOffset).setUint32(BATCH_FIELD.checksum, checksum)
}

function findLastDelta(records: readonly EncodableRecord[]): number {
  let delta = -1
  for (const record of records) delta = record.offsetDelta ?? delta + 1
  return Math.max(delta, 0)
}

function encodeRecords(records: readonly EncodableRecord[], baseTimestampMs: number): Uint8Array {
  const writer = new ByteWriter()
  let delta = -1
  for (const record of records) {
    delta = record.offsetDelta ?? delta + 1
    writeRecord(writer, record, record.timestampMs - baseTimestampMs, delta)
  }
  return writer.take()
}

function writeRecord(writer: ByteWriter, record: EncodableRecord, timestampDelta: number, offsetDelta: number): void {
  const headers = (record.headers ?? []).map((header) => ({ name: Buffer.from(header.name), value: header.value }))
  let length = 1 + measureVarint(timestampDelta) + measureVarint(offsetDelta) + measureVarint(headers.length)
  length += measureBytes(record.key) + measureBytes(record.value)
  for (const header of headers) length += measureBytes(header.name) + measureBytes(header.value)
  writer.reserve(measureVarint(length) + length)
  writer.varint(length)
  writer.byte(0)
  writer.varint(timestampDelta)
  writer.varint(offsetDelta)
  writer.bytes(record.key)
  writer.bytes(record.value)
  writer.varint(headers.length)
  for (const header of headers) {
    writer.bytes(header.name)
    writer.bytes(header.value)
  }
}

/** Zigzag without 32-bit operators: exact up to 2^52, far beyond any timestamp. */
const toZigzag = (value: number) => (value >= 0 ? value * 2 : -value * 2 - 1)

function measureVarint(value: number): number {
  let size = 1
  for (let raw = toZigzag(value); raw > 0x7f; raw = Math.floor(raw / 0x80)) size++
  return size
}

function measureBytes(bytes: Uint8Array | null): number {
  return bytes === null ? 1 : measureVarint(bytes.length) + bytes.length
}

/** A buffer that grows; reserve() comes before the writes that it covers. */
class ByteWriter {
  #buffer = new Uint8Array(4096)
  #length = 0

  reserve(size: number): void {
    if (this.#length + size <= this.#buffer.length) return
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length + size))
    grown.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = grown
  }

  byte(value: number): void {
    this.#buffer[this.#length++] = value
  }

  varint(value: number): void {
    let raw = toZigzag(value)
    for (; raw > 0x7f; raw = Math.floor(raw / 0x80)) this.byte((raw % 0x80) | 0x80)
    this.byte(raw)
  }

  /** With the length before it; null is length -1. */
  bytes(bytes: Uint8Array | null): void {
    this.varint(bytes === null ? -1 : bytes.length)
    if (bytes === null) return
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  take(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }
}
