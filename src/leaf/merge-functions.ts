/**
 * Owns the SQLite functions by which an upsert merges states that SQL can't: sketches, moments, lists. A call costs 1.4 us, where reading
 * the row, merging and writing it back costs 10 us and another walk down the tree.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { StateValue } from '../aggregates/aggregate.ts'
import type { Cell } from '../core/scalar-type.ts'
import type { LeafPartial } from './leaf-schema.ts'
import { valuesBytes } from './row-bytes.ts'

/** One per connection. */
export class MergeFunctions {
  /** By how much merged states are longer than the stored ones were, since the connection was opened. */
  grownBytes = 0
  readonly #connection: BetterSqlite3.Database
  readonly #names = new Set<string>()

  constructor(connection: BetterSqlite3.Database) {
    this.#connection = connection
  }

  /** Makes the function that the partial's upsert names, once for all rollups. */
  register({ mergeFunction: name, aggregate }: LeafPartial): void {
    if (name === undefined || this.#names.has(name)) return
    this.#names.add(name)
    const states: [StateValue[], StateValue[]] = [[null], [null]]
    this.#connection.function(name, (stored: StateValue, added: StateValue): Cell => {
      states[0][0] = stored
      states[1][0] = added
      const merged = aggregate.merge(...states)
      this.grownBytes += valuesBytes(merged, 0, 1) - valuesBytes(states[0], 0, 1)
      return merged[0] as Cell
    })
  }
}
