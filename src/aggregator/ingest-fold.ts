/** Owns the folding of records into one rollup's next partial batch: a set of one (fold-set.ts). */
import { at } from '../core/assert.ts'
import { FoldSet } from './fold-set.ts'
import type { FoldedRollup, HaltedRecord, MemberFold } from './member-fold.ts'

export interface IngestFoldOptions extends FoldedRollup {
  /** Fewer than 128 bits weaken group ids: for tests of groups that share one. */
  readonly idBits?: number
}

export class IngestFold extends FoldSet {
  constructor({ idBits, ...rollup }: IngestFoldOptions) {
    super([rollup], { idBits })
  }

  get #member(): MemberFold {
    return at(this.members, 0)
  }

  /** Where in the statement the expression begins that rejected a record last: 1-based character, 0 where none has. */
  get rejectedAt(): number {
    return this.#member.rejectedAt
  }

  /** The record at which the range that is open, or ended last, halted. */
  get haltedRecord(): HaltedRecord | undefined {
    return this.#member.haltedRecord
  }

  /** As sealAll, of the one rollup. */
  seal(): ArrayBuffer | undefined {
    return this.sealAll()[0]
  }
}
