/** Owns REGR_COUNT(y, x): how many pairs have no NULL. */
import { TAG, type CellError, type Registers } from '../core/registers.ts'
import type { Accumulator, AggregateDefinition, StateValue } from './aggregate.ts'
import { createCount } from './count.ts'
import { growArray } from './grow-array.ts'
import { isNumberType } from './pair-moments.ts'
import { checkNumber } from './wrong-kind.ts'

// A constant of this file: see exact-sum-accumulator.ts.
const TAG_NULL = TAG.NULL
const NAME = 'regr_count'

class PairCountAccumulator implements Accumulator {
  #counts: Float64Array = new Float64Array(0)

  grow(capacity: number): void {
    this.#counts = growArray(this.#counts, capacity)
  }

  check(r: Registers, arg: number, second: number): CellError | null {
    return checkNumber(NAME, r, arg) ?? checkNumber(NAME, r, second)
  }

  update(group: number, r: Registers, arg: number, second: number): void {
    if (r.tag[arg] !== TAG_NULL && r.tag[second] !== TAG_NULL) this.#counts[group]! += 1
  }

  stateOf(group: number, into: StateValue[]): void {
    into[0] = this.#counts[group]!
  }

  reset(used?: number): void {
    this.#counts.fill(0, 0, used)
  }
}

const REGR_COUNT_AGGREGATE = createCount('count of pairs', () => new PairCountAccumulator())

export const REGR_COUNT: AggregateDefinition = {
  name: NAME,
  signature: `${NAME}(y, x)`,
  doc: { summary: 'How many pairs of numbers have no NULL.', example: 'REGR_COUNT(price, size)' },
  resolve: ([y, x, ...more]) =>
    more.length === 0 && isNumberType(y) && isNumberType(x) ? REGR_COUNT_AGGREGATE : undefined,
}
