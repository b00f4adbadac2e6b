/** Owns COUNT(*) and COUNT(x): how many records, or how many values that aren't NULL. */
import { TAG, type Registers } from '../core/registers.ts'
import type { Accumulator, Aggregate, AggregateDefinition, StateValue } from './aggregate.ts'
import { growArray } from './grow-array.ts'
import { toStateValue } from './state-value.ts'

// A constant of this file: see exact-sum-accumulator.ts.
const TAG_NULL = TAG.NULL

class CountAccumulator implements Accumulator {
  #counts: Float64Array = new Float64Array(0)

  grow(capacity: number): void {
    this.#counts = growArray(this.#counts, capacity)
  }

  check(): null {
    return null
  }

  update(group: number, r: Registers, arg: number): void {
    if (arg < 0 || r.tag[arg] !== TAG_NULL) this.#counts[group]! += 1
  }

  stateOf(group: number, into: StateValue[]): void {
    into[0] = this.#counts[group]!
  }

  reset(used?: number): void {
    this.#counts.fill(0, 0, used)
  }
}

/** An aggregate whose state is a count, which is its finished value too. */
export function createCount(stateDescription: string, createAccumulator: () => Accumulator): Aggregate {
  return {
    type: 'bigint',
    columns: [{ suffix: '', storage: 'INTEGER' }],
    finishedColumn: 0,
    columnFold: { kinds: ['sum'], toState: ([count]) => [toStateValue(count as StateValue)] },
    stateDescription,
    canFail: false,
    createAccumulator,
    identity: () => [0],
    merge: ([left], [right]) => [Number(left) + Number(right)],
    subtract: ([whole], [part]) => [Number(whole) - Number(part)],
    mergeSql: (stored, added) => [`${stored(0)} + ${added(0)}`],
    finalize: ([count], r, out) => r.setBigInteger(out, BigInt(count as number | bigint)),
  }
}

const COUNT_AGGREGATE = createCount('count', () => new CountAccumulator())

export const COUNT: AggregateDefinition = {
  name: 'count',
  signature: 'count(*) or count(value)',
  doc: { summary: "How many records; with an argument, how many of its values aren't NULL.", example: 'COUNT(*)' },
  resolve: (argTypes) => (argTypes.length <= 1 ? COUNT_AGGREGATE : undefined),
}
