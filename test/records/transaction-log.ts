/**
 * A log with transactions as a broker keeps and serves it, for one partition: batches, markers, the last stable offset, and
 * with each answer the aborted transactions that overlap it. Written from Kafka's rules, not from the decoder.
 */
import type { AbortedTransaction } from '../../src/records/aborted-transaction.ts'
import { encodeBatch, encodeControlBatch, type EncodableRecord } from '../../src/records/record-batch-encoder.ts'

interface StoredBatch {
  readonly bytes: Uint8Array
  readonly base: number
  readonly last: number
}

interface EndedTransaction extends AbortedTransaction {
  readonly markerOffset: number
}

export interface Answer {
  readonly bytes: Uint8Array
  readonly aborted: readonly AbortedTransaction[]
}

export class TransactionLog {
  readonly #batches: StoredBatch[] = []
  readonly #open = new Map<bigint, { first: number; values: string[] }>()
  readonly #aborted: EndedTransaction[] = []
  readonly #committed: { offset: number; value: string }[] = []
  #next = 0
  #markers = 0

  get endOffset(): number {
    return this.#next
  }

  get markers(): number {
    return this.#markers
  }

  /** What a correct reader sees below the last stable offset, in the order of offsets. */
  get committedValues(): string[] {
    const stable = this.lastStableOffset
    const visible = this.#committed.filter(({ offset }) => offset < stable)
    return visible.sort((a, b) => a.offset - b.offset).map(({ value }) => value)
  }

  get lastStableOffset(): number {
    return Math.min(this.#next, ...[...this.#open.values()].map(({ first }) => first))
  }

  /** One batch of a producer's open transaction (begun by its first batch), or without a producer. */
  append(producer: bigint | undefined, values: readonly string[], more: Partial<EncodableRecord> = {}): void {
    const base = this.#next
    const records = values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs: 1000 + base, ...more }))
    if (producer === undefined) {
      this.#store(encodeBatch({ baseOffset: base, records }), values.length)
      values.forEach((value, index) => this.#committed.push({ offset: base + index, value }))
      return
    }
    const identity = { id: producer, epoch: 0, baseSequence: 0 }
    this.#store(encodeBatch({ baseOffset: base, records, producer: identity, transactional: true }), values.length)
    const transaction = this.#open.get(producer) ?? { first: base, values: [] }
    this.#open.set(producer, transaction)
    values.forEach((value, index) => {
      transaction.values.push(value)
      this.#pending.push({ producer, offset: base + index, value })
    })
  }

  end(producer: bigint, type: 'commit' | 'abort'): void {
    const transaction = this.#open.get(producer)
    if (transaction === undefined) throw new Error(`producer ${producer} has no transaction`)
    this.#open.delete(producer)
    const markerOffset = this.#next
    this.#store(
      encodeControlBatch({ baseOffset: markerOffset, type, producerId: producer, producerEpoch: 0, timestampMs: 1000 }),
      1,
    )
    this.#markers++
    if (type === 'abort') this.#aborted.push({ producerId: producer, firstOffset: transaction.first, markerOffset })
    else this.#committed.push(...this.#pending.filter((record) => record.producer === producer))
    this.#pending = this.#pending.filter((record) => record.producer !== producer)
  }

  hasOpen(producer: bigint): boolean {
    return this.#open.has(producer)
  }

  /** Batches from the one that holds `from`, up to the last stable offset and so many bytes; the first comes whole. */
  fetch(from: number, maxBytes = Infinity): Answer {
    const stable = this.lastStableOffset
    const served: StoredBatch[] = []
    let size = 0
    for (const batch of this.#batches) {
      if (batch.last < from || batch.last >= stable) continue
      if (served.length > 0 && size + batch.bytes.length > maxBytes) break
      served.push(batch)
      size += batch.bytes.length
    }
    const last = served.at(-1)?.last ?? -1
    const aborted = this.#aborted.filter(({ firstOffset, markerOffset }) => markerOffset >= from && firstOffset <= last)
    return { bytes: Buffer.concat(served.map(({ bytes }) => bytes)), aborted }
  }

  #pending: { producer: bigint; offset: number; value: string }[] = []

  #store(bytes: Uint8Array, count: number): void {
    this.#batches.push({ bytes, base: this.#next, last: this.#next + count - 1 })
    this.#next += count
  }
}
