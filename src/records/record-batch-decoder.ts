/**
 * Owns the walk over the record batches of a fetch answer: checksums, codecs, the filter of aborted transactions, and where
 * each offset went (law 6). What a record's value means is left to the visitor; what to do about damage to the tailer.
 */
import type { Counts } from '../core/shard.ts'
import type { AbortedTransaction } from './aborted-transaction.ts'
import { CODEC_ID, decompress } from './codecs.ts'
import { computeCrc32c } from './crc32c.ts'
import { RecordColumns } from './record-columns.ts'
import {
  ATTRIBUTE,
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  CONTROL_TYPE,
  LENGTH_PREFIX_BYTES,
  MAGIC_V2,
  readBigInt64,
  readInt32,
  readInt64,
} from './record-format.ts'
import type { RecordVisitor } from './record-visitor.ts'

/** Why the walk ended before a batch. */
export interface DecodeStop {
  /**
   * `corrupt`: damaged bytes. `codec`: a compression or message format that rollupd doesn't read. `past_end`: the batch reaches
   * beyond the watermark of its answer; a broker takes that before it reads the bytes, so only an answer to a second question
   * tells damage from a record that had just come.
   */
  readonly code: 'corrupt' | 'codec' | 'past_end'
  /** Where reading stands: no offset from here on was counted. Equals the result's `next`. */
  readonly offset: number
  /** Where reading goes on if the loss of [offset, next) is accepted; always beyond `offset`. */
  readonly next: number
  /** One line that names the batch and what is wrong with it. */
  readonly message: string
}

export interface DecodeResult {
  /** The first offset that was not walked (law 3: from batch headers). Equals `from` where nothing could be walked. */
  readonly next: number
  /** Of the last walked batch; -1: none was walked. */
  readonly leaderEpoch: number
  /** Greatest timestamp that the headers of walked data batches name, -1 where there is none. Milliseconds. */
  readonly maxTimestampMs: number
  /** Timestamp of the last committed record at or after `from`, -1 where there is none. Milliseconds. */
  readonly lastTimestampMs: number
  /** Bytes of the first batch when not even that came whole, else 0: ask again with at least as many. */
  readonly needBytes: number
  readonly stop?: DecodeStop
}

type Damage = Pick<DecodeStop, 'code' | 'message'>

const toHex = (value: number) => value.toString(16).padStart(8, '0')

/**
 * One per reading thread: it keeps buffers between calls, no state of a shard. The broker names every aborted transaction
 * that reaches into an answer, so each answer is filtered from nothing, also when it begins inside open ones.
 */
export class RecordBatchDecoder {
  readonly #columns = new RecordColumns()

  /**
   * Walks an answer's batches from offset `from` and gives each committed record with a value to the visitor. Adds to
   * `counts` markers, aborted, tombstones and holes; with the visited records they are exactly next - from.
   * A visitor that halts ends the walk before the record it halted at: `next` is that one's offset.
   * Errors: none for any bytes; a damaged batch ends the walk before any of its records was visited or counted (`stop`).
   * Source: the consumer side of https://kafka.apache.org/documentation/#recordbatch and KIP-98.
   */
  decode(
    answer: {
      readonly bytes: Uint8Array
      readonly aborted: readonly AbortedTransaction[]
      /** A batch that reaches beyond it is `past_end`; absent: not known. */
      readonly highWatermark?: number
    },
    from: number,
    visitor: RecordVisitor,
    counts: Counts,
  ): DecodeResult {
    const bytes = toPlainBytes(answer.bytes)
    const filter = new AbortFilter(answer.aborted)
    const logEnd = answer.highWatermark ?? Number.MAX_SAFE_INTEGER
    let next = from
    let leaderEpoch = -1
    let maxTimestampMs = -1
    this.#lastTimestampMs = -1
    let at = 0
    for (;;) {
      const size = measureBatch(bytes, at)
      if (size === INCOMPLETE) {
        const needBytes = at === 0 && bytes.length > 0 ? readBatchBytes(bytes) : 0
        return { next, leaderEpoch, maxTimestampMs, lastTimestampMs: this.#lastTimestampMs, needBytes }
      }
      const damage =
        checkHeader(bytes, at, size) ??
        checkReach(bytes, at, logEnd) ??
        this.#decodeBatch(bytes, at, size, next, filter, visitor, counts)
      if (damage !== undefined) {
        const resumption = Math.min(findResumption(bytes, at, size, next), Math.max(logEnd, next + 1))
        const stop = { ...damage, offset: next, next: resumption }
        return { next, leaderEpoch, maxTimestampMs, lastTimestampMs: this.#lastTimestampMs, needBytes: 0, stop }
      }
      leaderEpoch = readInt32(bytes, at + BATCH_FIELD.leaderEpoch)
      if (visitor.isHalted === true) {
        const { offset, lastTimestampMs } = this.#haltAt
        return { next: offset, leaderEpoch, maxTimestampMs, lastTimestampMs, needBytes: 0 }
      }
      next = Math.max(next, readNextOffset(bytes, at))
      if ((readAttributes(bytes, at) & ATTRIBUTE.control) === 0) {
        maxTimestampMs = Math.max(maxTimestampMs, readInt64(bytes, at + BATCH_FIELD.maxTimestamp))
      }
      at += size
    }
  }

  /**
   * Where decode() will end if no batch is damaged inside, by the headers alone, so that the next fetch can be on its way
   * before this one is folded. Cost: some ns a batch.
   */
  walkHeaders(answer: { readonly bytes: Uint8Array; readonly highWatermark?: number }, from: number): number {
    const { bytes, highWatermark: logEnd = Number.MAX_SAFE_INTEGER } = answer
    let next = from
    for (let at = 0; ;) {
      const size = measureBatch(bytes, at)
      if (size === INCOMPLETE) return next
      if ((checkHeader(bytes, at, size) ?? checkReach(bytes, at, logEnd)) !== undefined) return next
      next = Math.max(next, readNextOffset(bytes, at))
      at += size
    }
  }

  /** Bytes of the answer's first batches that begin below an offset. What isn't whole is for decode() to judge. */
  lengthBelow({ bytes }: { readonly bytes: Uint8Array }, offset: number): number {
    for (let at = 0; ;) {
      const size = measureBatch(bytes, at)
      if (size === INCOMPLETE) return bytes.length
      if (readInt64(bytes, at) >= offset) return at
      at += size
    }
  }

  #lastTimestampMs = -1
  /** Where the visitor halted. */
  #haltAt = { offset: 0, lastTimestampMs: -1 }

  /** Visits and counts the offsets from `position` on; all of the batch, or nothing and what is wrong with it. */
  #decodeBatch(
    bytes: Uint8Array,
    at: number,
    size: number,
    position: number,
    filter: AbortFilter,
    visitor: RecordVisitor,
    counts: Counts,
  ): Damage | undefined {
    const base = readInt64(bytes, at)
    const last = readNextOffset(bytes, at) - 1
    const attributes = readAttributes(bytes, at)
    const isControl = (attributes & ATTRIBUTE.control) !== 0
    filter.advanceTo(last)
    // wholly below the position: only its end of a transaction matters
    if (last < position && !(isControl && filter.isFiltering)) return undefined

    const checksum = computeCrc32c(bytes, at + BATCH_FIELD.attributes, at + size)
    const stored = readInt32(bytes, at + BATCH_FIELD.checksum) >>> 0
    if (checksum !== stored) {
      return corrupt(base, `its checksum is ${toHex(stored)}, its bytes give ${toHex(checksum)}`)
    }
    const codec = attributes & ATTRIBUTE.codecMask
    let records = bytes
    let start = at + BATCH_FIELD.records
    let end = at + size
    // a batch that compaction emptied keeps its codec's number without any data
    if (codec !== CODEC_ID.none && start < end) {
      const decompressed = decompress(codec, bytes.subarray(start, end))
      if ('code' in decompressed) {
        return { code: decompressed.code, message: `record batch at offset ${base}: ${decompressed.message}` }
      }
      records = toPlainBytes(decompressed.bytes)
      start = 0
      end = records.length
    }
    const columns = this.#columns
    const count = readInt32(bytes, at + BATCH_FIELD.recordCount)
    const baseTimestampMs = readInt64(bytes, at + BATCH_FIELD.baseTimestamp)
    const flaw = columns.parse(records, start, end, count, last - base, baseTimestampMs)
    if (flaw !== undefined) return corrupt(base, flaw)

    if (isControl) {
      if (isAbort(records, columns)) filter.end(readBigInt64(bytes, at + BATCH_FIELD.producerId))
      this.#countOnly(base, last, position, 'markers', counts)
    } else if ((attributes & ATTRIBUTE.transactional) !== 0 && filter.hides(bytes, at)) {
      this.#countOnly(base, last, position, 'aborted', counts)
    } else {
      const isLogAppendTime = (attributes & ATTRIBUTE.logAppendTime) !== 0
      if (isLogAppendTime) columns.timestamp.fill(readInt64(bytes, at + BATCH_FIELD.maxTimestamp), 0, count)
      this.#visit(records, base, last, position, visitor, counts)
    }
    return undefined
  }

  #visit(
    records: Uint8Array,
    base: number,
    last: number,
    position: number,
    visitor: RecordVisitor,
    counts: Counts,
  ): void {
    const { count, offsetDelta, timestamp, keyStart, keyEnd, valueStart, valueEnd, headersStart, headerCount } =
      this.#columns
    let expected = position
    let holes = 0
    let tombstones = 0
    visitor.beginBatch(records)
    for (let index = 0; index < count; index++) {
      const offset = base + offsetDelta[index]!
      if (offset < position) continue
      holes += offset - expected
      expected = offset + 1
      if (valueStart[index] === -1) tombstones++
      else {
        visitor.record(
          offset,
          timestamp[index]!,
          keyStart[index]!,
          keyEnd[index]!,
          valueStart[index]!,
          valueEnd[index]!,
          headersStart[index]!,
          headerCount[index]!,
        )
        if (visitor.isHalted === true) {
          counts.holes += holes
          counts.tombstones += tombstones
          const isFirst = index === 0 || base + offsetDelta[index - 1]! < position
          const lastTimestampMs = isFirst ? this.#lastTimestampMs : timestamp[index - 1]!
          this.#haltAt = { offset, lastTimestampMs }
          return
        }
      }
    }
    if (expected > position) this.#lastTimestampMs = timestamp[count - 1]!
    counts.holes += holes + (last + 1 - expected)
    counts.tombstones += tombstones
  }

  #countOnly(base: number, last: number, position: number, name: 'markers' | 'aborted', counts: Counts): void {
    if (last < position) return
    const { count, offsetDelta } = this.#columns
    let expected = position
    let holes = 0
    let records = 0
    for (let index = 0; index < count; index++) {
      const offset = base + offsetDelta[index]!
      if (offset < position) continue
      holes += offset - expected
      expected = offset + 1
      records++
    }
    counts.holes += holes + (last + 1 - expected)
    counts[name] += records
  }
}

/**
 * Which producers' transactions are being hidden. All aborted transactions that begin at or before a batch's *last* offset
 * are active from that batch on, and only a control batch of type abort ends one: a data record whose key looks like a marker doesn't.
 */
class AbortFilter {
  readonly #pending: readonly AbortedTransaction[]
  readonly #active = new Set<bigint>()
  #taken = 0

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#pending = aborted.length > 1 ? aborted.toSorted((a, b) => a.firstOffset - b.firstOffset) : aborted
  }

  get isFiltering(): boolean {
    return this.#pending.length > 0
  }

  advanceTo(lastOffset: number): void {
    while (this.#taken < this.#pending.length && this.#pending[this.#taken]!.firstOffset <= lastOffset) {
      this.#active.add(this.#pending[this.#taken++]!.producerId)
    }
  }

  hides(bytes: Uint8Array, at: number): boolean {
    return this.#active.size > 0 && this.#active.has(readBigInt64(bytes, at + BATCH_FIELD.producerId))
  }

  end(producerId: bigint): void {
    this.#active.delete(producerId)
  }
}

/** Plain views only: a Buffer has another hidden class, and loops that meet both are slower. */
function toPlainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function corrupt(base: number, flaw: string): Damage {
  return { code: 'corrupt', message: `record batch at offset ${base} is damaged: ${flaw}` }
}

function isAbort(records: Uint8Array, columns: RecordColumns): boolean {
  if (columns.count === 0) return false
  const keyStart = columns.keyStart[0]!
  if (keyStart < 0 || columns.keyEnd[0]! - keyStart < 4) return false
  return ((records[keyStart + 2]! << 8) | records[keyStart + 3]!) === CONTROL_TYPE.abort
}

const INCOMPLETE = -1

/** Bytes of the batch at a position; INCOMPLETE when its end is not there. A nonsensical length gives the rest of the bytes. */
function measureBatch(bytes: Uint8Array, at: number): number {
  if (at + LENGTH_PREFIX_BYTES > bytes.length) return INCOMPLETE
  const length = readInt32(bytes, at + BATCH_FIELD.batchLength)
  if (length < 0) return bytes.length - at
  const size = LENGTH_PREFIX_BYTES + length
  return at + size > bytes.length ? INCOMPLETE : size
}

/** What the first batch of an incomplete answer needs. */
function readBatchBytes(bytes: Uint8Array): number {
  if (bytes.length < LENGTH_PREFIX_BYTES) return BATCH_HEADER_BYTES
  return LENGTH_PREFIX_BYTES + readInt32(bytes, BATCH_FIELD.batchLength)
}

function readAttributes(bytes: Uint8Array, at: number): number {
  return (bytes[at + BATCH_FIELD.attributes]! << 8) | bytes[at + BATCH_FIELD.attributes + 1]!
}

/** The offset after the batch's last one, also where compaction took that record or all of them. */
function readNextOffset(bytes: Uint8Array, at: number): number {
  return readInt64(bytes, at) + readInt32(bytes, at + BATCH_FIELD.lastOffsetDelta) + 1
}

/** Looks at a complete batch's header; what is wrong with it, or undefined. The checksum is for later. */
function checkHeader(bytes: Uint8Array, at: number, size: number): Damage | undefined {
  const base = readInt64(bytes, at)
  if (!Number.isSafeInteger(base) || base < 0)
    return { code: 'corrupt', message: 'a record batch has a nonsensical offset' }
  if (size <= BATCH_FIELD.magic) return corrupt(base, `it has ${size} bytes`)
  const magic = bytes[at + BATCH_FIELD.magic]!
  if (magic !== MAGIC_V2) {
    const known =
      magic < MAGIC_V2 ? `the message format v${magic} of brokers before 0.11` : `the unknown message format ${magic}`
    return { code: 'codec', message: `record batch at offset ${base} has ${known}; rollupd reads format v2` }
  }
  if (size < BATCH_HEADER_BYTES) return corrupt(base, `it has ${size} bytes`)
  const lastOffsetDelta = readInt32(bytes, at + BATCH_FIELD.lastOffsetDelta)
  if (lastOffsetDelta < 0 || !Number.isSafeInteger(base + lastOffsetDelta + 1)) {
    return corrupt(base, `its last offset delta is ${lastOffsetDelta}`)
  }
  // the base offset has no checksum: a flipped bit there would pass for a hole of any size
  if (at + size + LENGTH_PREFIX_BYTES <= bytes.length) {
    const following = readInt64(bytes, at + size)
    const last = base + lastOffsetDelta
    if (following <= last)
      return corrupt(base, `its last offset is ${last}, but the batch behind it begins at ${following}`)
  }
  return undefined
}

/** The base offset has no checksum: in the last batch of an answer a flipped bit would pass for a hole up to there. */
function checkReach(bytes: Uint8Array, at: number, logEnd: number): Damage | undefined {
  const next = readNextOffset(bytes, at)
  return next <= logEnd
    ? undefined
    : { ...corrupt(readInt64(bytes, at), `it reaches to ${next}, but the log ends at ${logEnd}`), code: 'past_end' }
}

/**
 * Where to go on behind a damaged batch. Its own header says so, but may be what is damaged: it is believed while it fits
 * the number of records and doesn't reach into the next batch, whose beginning is the other witness. Without either: one
 * offset on, and the broker will serve the same batch or the next one.
 */
function findResumption(bytes: Uint8Array, at: number, size: number, position: number): number {
  const base = readInt64(bytes, at)
  const isV2 = size >= BATCH_HEADER_BYTES && bytes[at + BATCH_FIELD.magic] === MAGIC_V2
  const lastOffsetDelta = isV2 ? readInt32(bytes, at + BATCH_FIELD.lastOffsetDelta) : 0
  const count = isV2 ? readInt32(bytes, at + BATCH_FIELD.recordCount) : 1
  const isFitting = Number.isSafeInteger(base) && lastOffsetDelta >= 0 && count >= 0 && count <= lastOffsetDelta + 1
  const own = isFitting ? base + lastOffsetDelta + 1 : base + 1
  const following = findFollowingBase(bytes, at + size)
  const believed = following > position && (own > following || own <= position || !isFitting) ? following : own
  return believed > position && Number.isSafeInteger(believed) ? believed : position + 1
}

/** Base offset of the batch at a position if it is whole and sound, else -1. */
function findFollowingBase(bytes: Uint8Array, at: number): number {
  const size = measureBatch(bytes, at)
  if (size === INCOMPLETE || checkHeader(bytes, at, size) !== undefined) return -1
  const stored = readInt32(bytes, at + BATCH_FIELD.checksum) >>> 0
  return computeCrc32c(bytes, at + BATCH_FIELD.attributes, at + size) === stored ? readInt64(bytes, at) : -1
}
