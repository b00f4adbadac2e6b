/** Owns the watching of groups while records come one by one: which cells each record changed. */
import type { PartialBatch } from '../../aggregator/partial-batch.ts'
import type { FoldedRecord } from './record-fold.ts'
import type { GroupRow, PreviewLeaf } from './preview-leaf.ts'

export interface PreviewStep {
  /** Index among the source rows. */
  readonly record: number
  /** The group as it stands behind the record; undefined: the record changed none. */
  readonly group: GroupRow | undefined
  readonly isNew: boolean
  /** Indexes of the outputs that are others than before; of a new group all. */
  readonly changed: readonly number[]
  /** Groups behind the record, hidden ones among them. */
  readonly groupCount: number
}

export class StepWatch {
  readonly steps: PreviewStep[] = []
  readonly #leaf: PreviewLeaf
  #records = 0
  readonly #cellsById = new Map<string, readonly string[]>()

  constructor(leaf: PreviewLeaf) {
    this.#leaf = leaf
  }

  /** Commits the record by itself: a step, or one for each group that it changed. */
  take({ outcome }: FoldedRecord, batch: PartialBatch): void {
    this.#leaf.commit(batch)
    const record = this.#records++
    if (outcome.kind !== 'aggregated') return this.#add(record, undefined)
    for (const group of outcome.groups) this.#add(record, this.#leaf.step(group))
  }

  #add(record: number, group: GroupRow | undefined): void {
    const before = group === undefined ? undefined : this.#cellsById.get(group.id)
    if (group !== undefined) this.#cellsById.set(group.id, group.cells)
    this.steps.push({
      record,
      group,
      isNew: group !== undefined && before === undefined,
      changed: (group?.cells ?? []).flatMap((cell, index) => (cell === before?.[index] ? [] : [index])),
      groupCount: this.#cellsById.size,
    })
  }
}
