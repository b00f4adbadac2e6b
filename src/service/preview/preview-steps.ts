/** Owns the watching of groups while records come one by one: which cells each record changed. */
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

/** Commits each record by itself. */
export function commitInSteps(leaf: PreviewLeaf, folded: readonly FoldedRecord[]): PreviewStep[] {
  const cellsById = new Map<string, readonly string[]>()
  return folded.map(({ batch, outcome }, record) => {
    leaf.commit([batch])
    if (outcome.kind !== 'aggregated') {
      return { record, group: undefined, isNew: false, changed: [], groupCount: cellsById.size }
    }
    const group = leaf.step(outcome.group)
    const before = cellsById.get(group.id)
    cellsById.set(group.id, group.cells)
    const changed = group.cells.flatMap((cell, index) => (cell === before?.[index] ? [] : [index]))
    return { record, group, isNew: before === undefined, changed, groupCount: cellsById.size }
  })
}
