/** Owns the part of a partition that a sample is read from: which records of a fetch answer are kept, and when it is read. */
import { type Counts, type Shard, zeroCounts } from '../../core/shard.ts'
import type { RecordBatchDecoder } from '../../records/record-batch-decoder.ts'
import type { RecordVisitor } from '../../records/record-visitor.ts'
import type { FetchAnswer } from '../../tailer/record-source.ts'
import { copyRecord, type SampledRecord } from './sampled-record.ts'

/** Bytes of a partition's first fetch; a batch that is larger is asked for again. */
const FETCH_BYTES = 1 << 18

export class PartitionWindow implements RecordVisitor {
  readonly shard: Shard
  readonly #end: number
  readonly #countMax: number
  readonly #keepsNewest: boolean
  #records: SampledRecord[] = []
  #bytes: Uint8Array = new Uint8Array(0)
  #isPastIt = false
  next: number
  fetchBytes = FETCH_BYTES
  isRead: boolean
  /** Why it ended early. */
  warning: string | undefined

  /** Offsets [first, end); of more than `countMax` records the first are kept, or the newest. */
  constructor(shard: Shard, first: number, end: number, countMax: number, keepsNewest: boolean) {
    this.shard = shard
    this.next = first
    this.#end = end
    this.#countMax = countMax
    this.#keepsNewest = keepsNewest
    this.isRead = first >= end || countMax === 0
  }

  /** In the order of their offsets. */
  get records(): readonly SampledRecord[] {
    return this.#keepsNewest ? this.#records.slice(-this.#countMax) : this.#records
  }

  /** Walks the answer; true when it led on. */
  take(answer: FetchAnswer, decoder: RecordBatchDecoder): boolean {
    const before = this.next
    // a sample counts nothing: what the decoder passes over isn't shown
    const counts: Counts = zeroCounts()
    const result = decoder.decode(answer, this.next, this, counts)
    this.next = result.next
    const grows = result.needBytes > this.fetchBytes
    if (grows) this.fetchBytes = result.needBytes
    const { stop } = result
    // a batch beyond the answer's end has just come: it is no part of the sample
    if (stop !== undefined && stop.code !== 'past_end') this.warning = stop.message
    const end = answer.lastStableOffset < 0 ? this.#end : Math.min(this.#end, answer.lastStableOffset)
    this.isRead = this.#isPastIt || stop !== undefined || this.next >= end
    return this.isRead || grows || this.next > before
  }

  /** The log begins later by now. */
  skipTo(offset: number): void {
    this.next = Math.max(this.next, offset)
    this.isRead = this.next >= this.#end
  }

  get isHalted(): boolean {
    return this.#isPastIt
  }

  beginBatch(bytes: Uint8Array): void {
    this.#bytes = bytes
  }

  record(
    offset: number,
    timestampMs: number,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
    headersStart: number,
    headerCount: number,
  ): void {
    if (this.#isPastIt) return
    if (offset >= this.#end || (!this.#keepsNewest && this.#records.length === this.#countMax)) {
      this.#isPastIt = true
      return
    }
    const slices = { keyStart, keyEnd, valueStart, valueEnd, headersStart, headerCount }
    this.#records.push(copyRecord(this.#bytes, { shard: this.shard, offset, timestampMs }, slices))
    if (this.#keepsNewest && this.#records.length > 2 * this.#countMax) {
      this.#records = this.#records.slice(-this.#countMax)
    }
  }
}
