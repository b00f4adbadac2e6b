/**
 * Owns the merging of many states into one. Adding each to a growing total would copy the total every time (a full sketch is
 * kilobytes); here equally many are merged with each other, as in a binary counter, so most merges are of small states. Law 5: the
 * result is the same to the last byte.
 */
import type { Aggregate, StateValue } from './aggregate.ts'

export class StateMerger {
  readonly #aggregate: Aggregate
  /** levels[i]: the merge of 2^i states, or none. */
  readonly #levels: (readonly StateValue[] | undefined)[] = []

  constructor(aggregate: Aggregate) {
    this.#aggregate = aggregate
  }

  add(state: readonly StateValue[]): void {
    let carried = state
    let level = 0
    for (; level < this.#levels.length; level++) {
      const other = this.#levels[level]
      if (other === undefined) break
      carried = this.#aggregate.merge(other, carried)
      this.#levels[level] = undefined
    }
    this.#levels[level] = carried
  }

  /** The merge of all states; the identity where there was none. */
  total(): readonly StateValue[] {
    let total: readonly StateValue[] | undefined
    for (const state of this.#levels) {
      if (state !== undefined) total = total === undefined ? state : this.#aggregate.merge(total, state)
    }
    return total ?? this.#aggregate.identity()
  }
}
