/** Owns the dead letters of a batch, bounded in number and in bytes: what is beyond is counted by the caller, not kept. */
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
  #letters: DeadLetter[] = []
  #bytes = 0

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  get letters(): readonly DeadLetter[] {
    return this.#letters
  }

  get byteSize(): number {
    return this.#bytes
  }

  /** Keeps a copy of the record bytes[start, end); false: the list is full. */
  add(
    shard: Shard,
    offset: number,
    timestampMs: number,
    code: RecordErrorCode,
    reason: string,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    if (this.#letters.length >= this.#countMax) return false
    const length = end - start
    const isKept = length <= VALUE_BYTES_MAX && this.#bytes + length <= LIST_BYTES_MAX
    this.#letters.push({
      shard,
      offset,
      timestampMs,
      code,
      reason: reason.length > REASON_LENGTH_MAX ? `${reason.slice(0, REASON_LENGTH_MAX)}...` : reason,
      value: isKept ? copyBytes(bytes, start, end) : null,
    })
    this.#bytes += LETTER_BYTES + (isKept ? length : 0)
    return true
  }

  reset(): void {
    this.#letters = []
    this.#bytes = 0
  }
}
