/** Owns what one record adds to each partial, as a finished value: SUM of that record alone. */
import type { Aggregate, StateValue } from '../../aggregates/aggregate.ts'
import { Registers, TAG } from '../../core/registers.ts'
import { aggregateOf } from '../../planner/partial-aggregate.ts'
import type { RollupPlan } from '../../planner/plan.ts'
import { type StoreCell, toStorer } from '../../query/cell-codec.ts'
import { toJsonText } from '../../query/json-cell.ts'

/** Of one record's value every percentile is that value. */
const ANY_FRACTION = 0.5

interface Partial {
  readonly key: string
  readonly aggregate: Aggregate
  readonly store: StoreCell
}

export class PartialCells {
  readonly #r = new Registers(1)
  readonly #partials: readonly Partial[]

  constructor({ ingest }: RollupPlan) {
    this.#partials = ingest.partials.map((partial) => {
      const aggregate = aggregateOf(partial)
      return { key: JSON.stringify(partial.call), aggregate, store: toStorer(aggregate.type) }
    })
  }

  /** An object by call, as JSON text; a partial without a value is null. */
  print(states: readonly StateValue[]): string {
    let at = 0
    const members = this.#partials.map(({ key, aggregate, store }) => {
      const end = at + aggregate.columns.length
      aggregate.finalize(states.slice(at, end), this.#r, 0, ANY_FRACTION)
      at = end
      const text = this.#r.tag[0] === TAG.ERROR ? 'null' : toJsonText(store(this.#r, 0), aggregate.type)
      return `${key}:${text}`
    })
    return `{${members.join(',')}}`
  }
}
