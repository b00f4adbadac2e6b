/**
 * Owns the joining of one rollup's batches that are committed together, those of several ingest threads: a group that more than one of them
 * has touched becomes one row to write. The order of the batches doesn't matter, since merging is associative and commutative.
 */
import type { StateValue } from '../aggregates/aggregate.ts'
import type { BatchGroup, PartialBatch } from '../aggregator/partial-batch.ts'
import { at } from '../core/assert.ts'
import type { LeafPartial } from './leaf-schema.ts'

/** The groups of all batches in the order of (bucket, id, key); caller must not keep one. */
export function mergedGroups(batches: readonly PartialBatch[], partials: readonly LeafPartial[]): Iterable<BatchGroup> {
  return batches.length === 1 ? at(batches, 0).groups() : mergeSorted(batches, partials)
}

function* mergeSorted(batches: readonly PartialBatch[], partials: readonly LeafPartial[]): Generator<BatchGroup, void> {
  const readers = batches.map((batch) => batch.groups()[Symbol.iterator]())
  const heads = readers.map((reader): BatchGroup | undefined => reader.next().value)
  /** Indexes of those that stand at the least group. */
  const least: number[] = []
  for (;;) {
    least.length = 0
    for (let index = 0; index < heads.length; index++) {
      const head = heads[index]
      if (head === undefined) continue
      const order = least.length === 0 ? -1 : compareGroups(head, heads[least[0]!]!)
      if (order < 0) least.length = 0
      if (order <= 0) least.push(index)
    }
    if (least.length === 0) return
    yield least.length === 1
      ? heads[least[0]!]!
      : mergeGroups(
          least.map((index) => heads[index]!),
          partials,
        )
    for (const index of least) heads[index] = readers[index]!.next().value
  }
}

function compareGroups(left: BatchGroup, right: BatchGroup): number {
  if (left.bucket < right.bucket) return -1
  if (left.bucket > right.bucket) return 1
  for (let index = 0; index < left.id.length; index++) {
    const difference = left.id[index]! - right.id[index]!
    if (difference !== 0) return difference
  }
  return Buffer.compare(left.key, right.key)
}

/** Of one group; at least two. */
function mergeGroups(groups: readonly BatchGroup[], partials: readonly LeafPartial[]): BatchGroup {
  const merged = { ...at(groups, 0) }
  for (const { records, states } of groups.slice(1)) {
    merged.records += records
    merged.states = mergeStates(merged.states, states, partials)
  }
  return merged
}

/** Of all partials. */
export function mergeStates(
  left: readonly StateValue[],
  right: readonly StateValue[],
  partials: readonly LeafPartial[],
): StateValue[] {
  const merged: StateValue[] = []
  for (const { aggregate, columns, first } of partials) {
    const end = first + columns.length
    merged.push(...aggregate.merge(left.slice(first, end), right.slice(first, end)))
  }
  return merged
}
