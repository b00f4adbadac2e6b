/** Owns what one record adds to each partial, as a finished value: SUM of that record alone. */
import { findAggregate } from '../../aggregates/aggregate-table.ts'
import type { Aggregate, AggregateParameter, StateValue } from '../../aggregates/aggregate.ts'
import { Registers, TAG } from '../../core/registers.ts'
import { anyParameter } from '../../planner/aggregate-parameter.ts'
import { aggregateOf } from '../../planner/partial-aggregate.ts'
import type { RollupPlan } from '../../planner/plan.ts'
import { type StoreCell, toStorer } from '../../query/cell-codec.ts'
import { toJsonText } from '../../query/json-cell.ts'

interface Partial {
  readonly key: string
  readonly aggregate: Aggregate
  /** Of one record's value every percentile is that value. */
  readonly parameter: AggregateParameter
  readonly store: StoreCell
}

export class PartialCells {
  readonly #r = new Registers(1)
  readonly #partials: readonly Partial[]

  constructor({ ingest }: RollupPlan) {
    this.#partials = ingest.partials.map((partial) => {
      const aggregate = aggregateOf(partial)
      const parameter = anyParameter(findAggregate(partial.aggregate, partial.distinct)?.parameter)
      return { key: JSON.stringify(partial.call), aggregate, parameter, store: toStorer(aggregate.type) }
    })
  }

  /** An object by call, as JSON text; a partial without a value is null. */
  print(states: readonly StateValue[]): string {
    let at = 0
    const members = this.#partials.map(({ key, aggregate, parameter, store }) => {
      const end = at + aggregate.columns.length
      aggregate.finalize(states.slice(at, end), this.#r, 0, parameter)
      at = end
      const text = this.#r.tag[0] === TAG.ERROR ? 'null' : toJsonText(store(this.#r, 0), aggregate.type)
      return `${key}:${text}`
    })
    return `{${members.join(',')}}`
  }
}
