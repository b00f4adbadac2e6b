/**
 * Owns what is folded and not stored yet: the batches that grow, one for each rollup of a set, and those before them: the leaf is storing
 * some, and some wait for that, so that the leaf never waits for bytes. A set's batches end at the same records and are handed over together.
 */
import type { FoldSet } from '../aggregator/fold-set.ts'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { BatchAnswer, BatchCommitter } from './ingest-events.ts'

/** What became of a member's batch. `nothing`: there was nothing in it to store. */
export type BatchFate =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'answered'; readonly answer: BatchAnswer; readonly elapsedMs: number }
  /** It can't be stored. */
  | { readonly kind: 'failed'; readonly error: RollupdError }

export interface OpenBatchOptions {
  readonly fold: FoldSet
  readonly committer: BatchCommitter
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** Members, by number, whose batches aren't handed over any more. */
  readonly hasLeft: (member: number) => boolean
  /** The leaf has answered for all members. `maxTimestampMs`: of the newest record, -1 for none. */
  readonly onSettled: (fates: readonly BatchFate[], maxTimestampMs: number) => void
}

interface SealedBatches {
  /** Of each member; undefined: nothing. */
  readonly batches: readonly (ArrayBuffer | undefined)[]
  /** Of the newest record. */
  readonly maxTimestampMs: number
}

export class OpenBatch {
  readonly #options: OpenBatchOptions
  #storing: Promise<void> | undefined
  /** Handed over once the leaf has answered. */
  #waiting: SealedBatches | undefined
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

  /** Ends when the leaf has answered to the batch that it is storing; undefined: it has none. */
  get storing(): Promise<void> | undefined {
    return this.#storing
  }

  /** Another set of batches may be sealed. */
  get canSeal(): boolean {
    return this.#waiting === undefined
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

  /** Hands the batches to the leaf, once it has answered to those before. Caller keeps: canSeal. */
  seal(): void {
    assert(this.#waiting === undefined, 'one commit at a time, and one behind it')
    const sealed = { batches: this.#options.fold.sealAll(), maxTimestampMs: this.#maxTimestampMs }
    this.#forget()
    this.#sealedCount++
    if (this.#storing === undefined) this.#storing = this.#handOver(sealed)
    else this.#waiting = sealed
  }

  /** Returns when the leaf has answered; those that wait are on their way then. */
  async #handOver({ batches, maxTimestampMs }: SealedBatches): Promise<void> {
    const { hasLeft, onSettled } = this.#options
    // posted in one turn, so the leaf commits them in one transaction
    const fates = await Promise.all(batches.map((batch, member) => this.#commit(hasLeft(member) ? undefined : batch)))
    this.#storing = undefined
    this.#storedCount++
    onSettled(fates, maxTimestampMs)
    const next = this.#waiting
    this.#waiting = undefined
    if (next !== undefined) this.#storing = this.#handOver(next)
  }

  async #commit(batch: ArrayBuffer | undefined): Promise<BatchFate> {
    if (batch === undefined) return { kind: 'nothing' }
    const { committer, clock } = this.#options
    const startedAtMs = clock()
    try {
      const answer = await committer.commit(batch)
      return { kind: 'answered', answer, elapsedMs: clock() - startedAtMs }
    } catch (error) {
      // whoever lost the ownership of the data must end (law 8), as after any error that nobody expects
      if (!(error instanceof RollupdError) || error.code === 'owner_lost') throw error
      return { kind: 'failed', error }
    }
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
