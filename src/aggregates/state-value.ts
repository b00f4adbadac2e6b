/** Owns the form of integers in state cells: a number where it is safe, else a bigint. */
import type { StateValue } from './aggregate.ts'

/** A cell as aggregates want it, from one whose integers are bigints (SQLite's, or a sum). */
export function toStateValue(value: StateValue): StateValue {
  if (typeof value !== 'bigint') return value
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}
