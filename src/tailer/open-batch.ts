/** Owns what is folded and not stored yet: the batch that grows, and the one before it, which the leaf is storing. */
import type { IngestFold } from '../aggregator/ingest-fold.ts'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { BatchAnswer, BatchCommitter, CommittedBatch } from './ingest-events.ts'

export interface OpenBatchOptions {
  readonly fold: IngestFold
  readonly committer: BatchCommitter
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** The batch is stored; undefined: there was nothing in it to store. */
  readonly onStored: (batch: CommittedBatch | undefined) => void
  /** The leaf wants another position, or has the batch already. */
  readonly onRefused: (answer: BatchAnswer) => void
  /** It can't be stored; what is folded since is dropped. */
  readonly onFailed: (error: RollupdError) => void
}

export class OpenBatch {
  readonly #options: OpenBatchOptions
  #storing: Promise<void> | undefined
  #firstFoldedAtMs: number | undefined
  /** Of the newest record. */
  #maxTimestampMs = -1
  #sealedCount = 0
  #storedCount = 0

  constructor(options: OpenBatchOptions) {
    this.#options = options
  }

  /** When its first record was folded, by the clock; undefined: nothing is folded. */
  get firstFoldedAtMs(): number | undefined {
    return this.#firstFoldedAtMs
  }

  /** Ends when the leaf has answered to the batch before; undefined: it has. */
  get storing(): Promise<void> | undefined {
    return this.#storing
  }

  /** Nothing is folded and nothing is on its way. */
  get isEmpty(): boolean {
    return this.#firstFoldedAtMs === undefined && this.#storing === undefined
  }

  /** How many batches are stored once everything folded until now is. */
  get batchCount(): number {
    return this.#sealedCount + (this.#firstFoldedAtMs === undefined ? 0 : 1)
  }

  get storedCount(): number {
    return this.#storedCount
  }

  /** A range was folded. `lastTimestampMs`: of its newest record, -1 for none. */
  noteFolded(lastTimestampMs: number): void {
    this.#firstFoldedAtMs ??= this.#options.clock()
    this.#maxTimestampMs = Math.max(this.#maxTimestampMs, lastTimestampMs)
  }

  /** Hands the batch to the leaf; only while nothing is storing. */
  seal(): void {
    assert(this.#storing === undefined, 'one commit at a time')
    const { fold, committer, clock, onStored, onRefused, onFailed } = this.#options
    const batch = fold.seal()
    const maxTimestampMs = this.#maxTimestampMs
    this.#forget()
    this.#sealedCount++
    if (batch === undefined) {
      this.#storedCount++
      onStored(undefined)
      return
    }
    const startedAtMs = clock()
    this.#storing = committer.commit(batch).then(
      (answer) => {
        this.#storing = undefined
        this.#storedCount++
        if (!answer.taken) return onRefused(answer)
        const positions = answer.ranges.map(({ shard, nextOffset }) => ({ shard, nextOffset: nextOffset as number }))
        onStored({ positions, maxTimestampMs, elapsedMs: clock() - startedAtMs })
      },
      (error: unknown) => {
        this.#storing = undefined
        // whoever lost the ownership of the data must end (law 8), as after any error that nobody expects
        if (!(error instanceof RollupdError) || error.code === 'owner_lost') throw error
        this.discard()
        onFailed(error)
      },
    )
  }

  /** Returns when what is folded until now is stored, or refused. */
  async store(): Promise<void> {
    if (this.#firstFoldedAtMs !== undefined && this.#storing === undefined) this.seal()
    if (this.#storing !== undefined) await this.#storing
  }

  /** Drops what is folded; what the leaf is storing stays its business. */
  discard(): void {
    this.#options.fold.discard()
    this.#forget()
  }

  #forget(): void {
    this.#firstFoldedAtMs = undefined
    this.#maxTimestampMs = -1
  }
}
