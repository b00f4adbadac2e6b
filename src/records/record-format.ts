/**
 * Owns the layout of a record batch in Kafka's message format v2: where each header field lies, what its attribute bits
 * mean, and how its integers are read. Source: https://kafka.apache.org/documentation/#recordbatch
 *
 *   baseOffset int64 | batchLength int32 | partitionLeaderEpoch int32 | magic int8 | crc uint32 | attributes int16 |
 *   lastOffsetDelta int32 | baseTimestamp int64 | maxTimestamp int64 | producerId int64 | producerEpoch int16 |
 *   baseSequence int32 | recordCount int32 | records
 *
 * A record: length varint | attributes int8 | timestampDelta varlong | offsetDelta varint | keyLength varint | key |
 * valueLength varint | value | headerCount varint | headers (keyLength varint | key | valueLength varint | value)
 *
 * Varints are zigzag; a length of -1 is null. The checksum (CRC-32C) covers all from the attributes on: not the base offset,
 * the length and the leader epoch, which the broker writes.
 */

/** Byte positions of the fields within a batch. */
export const BATCH_FIELD = {
  baseOffset: 0,
  batchLength: 8,
  leaderEpoch: 12,
  magic: 16,
  checksum: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  recordCount: 57,
  records: 61,
} as const

/** Bytes before the part that `batchLength` counts: the base offset and the length itself. */
export const LENGTH_PREFIX_BYTES = 12

/** Bytes of a batch without any record. */
export const BATCH_HEADER_BYTES = BATCH_FIELD.records

/** The message format that this folder reads; 0 and 1 are those of brokers before 0.11. */
export const MAGIC_V2 = 2

/** Bits of a batch's attributes. */
export const ATTRIBUTE = {
  codecMask: 0x07,
  /** The broker's clock set the timestamps: the batch's maxTimestamp holds for each of its records. */
  logAppendTime: 0x08,
  transactional: 0x10,
  control: 0x20,
} as const

/** Kinds of control record: int16 at byte 2 of its key, after an int16 version. */
export const CONTROL_TYPE = { abort: 0, commit: 1 } as const

/** The least bytes of a record: seven fields of one byte. */
export const RECORD_BYTES_MIN = 7

const TWO_POW_32 = 2 ** 32

export function readInt32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
}

/** Reads an int64 as a number: exact for safe integers, which offsets and timestamps of this world are; else rounded. */
export function readInt64(bytes: Uint8Array, at: number): number {
  return readInt32(bytes, at) * TWO_POW_32 + (readInt32(bytes, at + 4) >>> 0)
}

/** Reads an int64 with all its bits: producer ids, once per batch at most. */
export function readBigInt64(bytes: Uint8Array, at: number): bigint {
  return (BigInt(readInt32(bytes, at)) << 32n) | BigInt(readInt32(bytes, at + 4) >>> 0)
}
