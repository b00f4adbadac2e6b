/** Owns the dead letters of a batch, bounded in number and in bytes: the oldest go, and are counted by the caller. */
import { at } from '../core/assert.ts'
import { copyBytes } from '../core/copy-bytes.ts'
import type { RecordErrorCode } from '../core/record-error.ts'
import type { Shard } from '../core/shard.ts'
import type { DeadLetter } from './partial-batch.ts'

/** A larger value is told of without its bytes. */
const VALUE_BYTES_MAX = 1024 * 1024
/** Of all values that one batch keeps. */
const LIST_BYTES_MAX = 8 * 1024 * 1024
/** What a letter takes beside its value, about. */
const LETTER_BYTES = 300
/** Longer reasons are cut: they quote the user's text. */
const REASON_LENGTH_MAX = 500

export class DeadLetterList {
  readonly #countMax: number
  /** A ring once it is full: the oldest is at #oldest. */
  #letters: DeadLetter[] = []
  #oldest = 0
  #bytes = 0

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  /** Oldest first. */
  get letters(): readonly DeadLetter[] {
    return [...this.#letters.slice(this.#oldest), ...this.#letters.slice(0, this.#oldest)]
  }

  get byteSize(): number {
    return this.#bytes
  }

  /** Keeps a copy of the record bytes[start, end). Caller gets the shard of the letter that had to go: of an older one, or this. */
  add(
    shard: Shard,
    offset: number,
    timestampMs: number,
    code: RecordErrorCode,
    reason: string,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Shard | undefined {
    if (this.#countMax === 0) return shard
    const dropped = this.#dropOldest()
    const length = end - start
    const isKept = length <= VALUE_BYTES_MAX && this.#bytes + length <= LIST_BYTES_MAX
    this.#letters[dropped === undefined ? this.#letters.length : this.#oldest] = {
      shard,
      offset,
      timestampMs,
      code,
      reason: reason.length > REASON_LENGTH_MAX ? `${reason.slice(0, REASON_LENGTH_MAX)}...` : reason,
      value: isKept ? copyBytes(bytes, start, end) : null,
    }
    this.#bytes += LETTER_BYTES + (isKept ? length : 0)
    if (dropped === undefined) return undefined
    this.#oldest = (this.#oldest + 1) % this.#countMax
    return dropped.shard
  }

  /** Of a full list; its place is free then. */
  #dropOldest(): DeadLetter | undefined {
    if (this.#letters.length < this.#countMax) return undefined
    const oldest = at(this.#letters, this.#oldest)
    this.#bytes -= LETTER_BYTES + (oldest.value?.length ?? 0)
    return oldest
  }

  reset(): void {
    this.#letters = []
    this.#oldest = 0
    this.#bytes = 0
  }
}
