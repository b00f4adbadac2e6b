/** Owns the group of another rollup while it is regrouped: its grouping values as registers, its states for those who merge them. */
import type { Accumulator, Aggregate, StateValue } from '../aggregates/aggregate.ts'
import { StateMerger } from '../aggregates/state-merger.ts'
import { assert, at } from '../core/assert.ts'
import { decimalOfDouble } from '../core/decimal.ts'
import { readKeyInto, skipKey } from '../core/key-reader.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import { valueColumnsOf, type RollupPlan } from '../planner/plan.ts'
import { aggregateOf } from '../planner/partial-aggregate.ts'
import type { BatchGroup } from './partial-batch.ts'

/** Behind the grouping set's number. */
const FIRST_VALUE_AT = 1

/** What is read of a group. */
export type RegroupedGroup = Pick<BatchGroup, 'key' | 'records' | 'states'>

export class SourceGroup {
  /** Folded into the group. */
  records = 0
  #states: readonly StateValue[] = []
  #key: Uint8Array = new Uint8Array(0)
  readonly #starts: number[] = []
  readonly #source: RollupPlan
  readonly #types: readonly string[]
  /** Index of the first state column of each partial, and their number behind the last. */
  readonly #firstStates: readonly number[]
  /** The last error of an expression, which is NULL then. */
  failure: { readonly error: CellError; readonly context: number } | undefined

  constructor(source: RollupPlan) {
    this.#source = source
    this.#types = valueColumnsOf(source.ingest).map(({ type }) => type)
    let count = 0
    this.#firstStates = [0, ...source.ingest.partials.map((partial) => (count += aggregateOf(partial).columns.length))]
  }

  /** Values and states are views of the group's until the next one. */
  set({ key, records, states }: RegroupedGroup): void {
    this.#key = key
    this.records = records
    this.#states = states
    for (let column = 0, next = FIRST_VALUE_AT; column < this.#types.length; column++) {
      this.#starts[column] = next
      next = skipKey(key, next)
    }
  }

  /** Loads a grouping value; behind the last one is GROUPING, where there are grouping sets. */
  load(r: Registers, column: number, out: number): void {
    const type = this.#types[column]
    if (type === undefined) return r.setInteger(out, this.#grouping())
    readKeyInto(this.#key, at(this.#starts, column), r, out)
    const tag = r.tag[out]
    // keys don't tell a numeric from a double, nor a double from an integer
    if (type === 'numeric' && tag === TAG.DOUBLE && Number.isFinite(r.num[out])) {
      r.setDecimal(out, decimalOfDouble(at(r.num, out)))
    } else if (type === 'double precision' && tag === TAG.INTEGER) r.setDouble(out, at(r.num, out))
    else if (type === 'double precision' && tag === TAG.BIG_INTEGER) r.setDouble(out, Number(r.ref[out]))
  }

  #grouping(): number {
    const set = this.#source.ingest.groupingSets?.[at(this.#key, 0)]
    assert(set !== undefined, 'GROUPING is read of a rollup with grouping sets')
    return set.grouping
  }

  /** State columns of a partial; bytes are views. */
  statesOf(partial: number): readonly StateValue[] {
    return this.#states.slice(at(this.#firstStates, partial), at(this.#firstStates, partial + 1))
  }

  note(error: CellError, context: number): void {
    this.failure ??= { error, context }
  }
}

/** Merges the states of source groups instead of folding values. */
export class StateAccumulator implements Accumulator {
  readonly #aggregate: Aggregate
  readonly #source: SourceGroup
  readonly #partial: number
  #mergers: (StateMerger | undefined)[] = []

  /** `partial`: its number among the source's. */
  constructor(aggregate: Aggregate, source: SourceGroup, partial: number) {
    this.#aggregate = aggregate
    this.#source = source
    this.#partial = partial
  }

  grow(): void {}

  check(): null {
    return null
  }

  update(group: number): void {
    const merger = (this.#mergers[group] ??= new StateMerger(this.#aggregate))
    merger.add(this.#source.statesOf(this.#partial))
  }

  stateOf(group: number, into: StateValue[]): void {
    const state = this.#mergers[group]?.total() ?? this.#aggregate.identity()
    for (let column = 0; column < state.length; column++) into[column] = state[column]!
  }

  reset(): void {
    this.#mergers = []
  }
}
