/** Owns what aggregates share whose state is one BLOB, NULL for no values. */
import type { Aggregate, StateValue } from './aggregate.ts'

/**
 * The state's column, identity and merges, from the merge of two BLOBs. `idempotent`: merging a state with itself changes nothing, as
 * of sets; then SQLite may keep the stored one of two equal states. All else than that and NULL goes through `merge`.
 */
export function blobStateParts(
  mergeBlobs: (left: Uint8Array, right: Uint8Array) => Uint8Array,
  idempotent: boolean,
): Pick<Aggregate, 'columns' | 'identity' | 'merge' | 'mergeSql' | 'mergeGuard'> {
  const merge = (left: StateValue, right: StateValue): StateValue => {
    if (left === null) return right
    if (right === null) return left
    return mergeBlobs(left as Uint8Array, right as Uint8Array)
  }
  return {
    columns: [{ suffix: '', storage: 'BLOB' }],
    identity: () => [null],
    merge: ([left], [right]) => [merge(left ?? null, right ?? null)],
    mergeSql: (stored, added) => [`coalesce(${stored(0)}, ${added(0)})`],
    mergeGuard: (stored, added) => {
      const equal = idempotent ? ` OR ${stored(0)} = ${added(0)}` : ''
      return `(${stored(0)} IS NULL OR ${added(0)} IS NULL${equal})`
    },
  }
}
