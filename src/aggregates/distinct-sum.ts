/**
 * Owns SUM(DISTINCT x) and AVG(DISTINCT x): exact over COUNT(DISTINCT x)'s set (distinct-set.ts), with its bound. What the set holds goes
 * through the aggregate itself.
 */
import { Registers } from '../core/registers.ts'
import { NUMBER_TYPES, type ScalarType } from '../core/scalar-type.ts'
import { RecordPlace } from '../core/record-place.ts'
import type { Aggregate, AggregateDefinition, StateValue } from './aggregate.ts'
import { AVG } from './avg.ts'
import { blobStateParts } from './blob-state.ts'
import { DistinctSetAccumulator } from './distinct-set-accumulator.ts'
import { DISTINCT_MAX, isHashedMember, MEMBER_BYTES_MAX, mergeSets, visitMembers } from './distinct-set.ts'
import { readKeyValue } from './key-value.ts'
import { SUM } from './sum.ts'
import { checkNumber } from './wrong-kind.ts'

class NumberSetAccumulator extends DistinctSetAccumulator {
  readonly #name: string

  constructor(name: string) {
    super()
    this.#name = name
  }

  override check(r: Registers, arg: number): ReturnType<DistinctSetAccumulator['check']> {
    return checkNumber(this.#name, r, arg)
  }
}

function finalizeSet(
  plain: Aggregate,
  name: string,
  type: ScalarType,
  set: Uint8Array,
  r: Registers,
  out: number,
): void {
  const accumulator = plain.createAccumulator({ place: new RecordPlace(), order: [], bounds: 'rows' })
  accumulator.grow(1)
  const member = new Registers(1)
  let isLong = false
  const isWhole = visitMembers(set, (bytes, at) => {
    isLong ||= isHashedMember(bytes, at)
    if (isLong) return
    readKeyValue(bytes, at, type, member, 0)
    accumulator.update(0, member, 0, -1)
  })
  if (!isWhole) {
    const message = `${name}(DISTINCT ...) over more than ${DISTINCT_MAX} different values`
    return r.setError(out, 'too_many_values', message)
  }
  if (isLong) {
    const message = `${name}(DISTINCT ...) over a number whose key is longer than ${MEMBER_BYTES_MAX} bytes`
    return r.setError(out, 'number_out_of_range', message)
  }
  const state: StateValue[] = []
  accumulator.stateOf(0, state)
  plain.finalize(state, r, out, Number.NaN)
}

function define(ofAll: AggregateDefinition, doc: AggregateDefinition['doc']): AggregateDefinition {
  const { name } = ofAll
  return {
    name,
    form: 'distinct',
    // COUNT(DISTINCT x) takes what is no number too
    stateOwner: ([type]) => (type !== 'any' && NUMBER_TYPES.has(type ?? 'any') ? 'count' : 'sum'),
    signature: `${name}(DISTINCT number)`,
    doc,
    resolve(argTypes) {
      const [type] = argTypes
      const plain = ofAll.resolve(argTypes)
      // the set holds the span of an interval alone, so its months and days would be lost
      if (plain === undefined || type === undefined || plain.type === 'interval') return undefined
      return {
        type: plain.type,
        ...blobStateParts(mergeSets, true),
        stateDescription: `${name} distinct: exact set`,
        canFail: true,
        createAccumulator: () => new NumberSetAccumulator(name),
        finalize: ([state], r, out) => {
          if (state instanceof Uint8Array) finalizeSet(plain, name, type, state, r, out)
          else r.setNull(out)
        },
      }
    },
  }
}

const BOUND = `in a rollup of at most ${DISTINCT_MAX} in a group; beyond, an error when it is read. NULL of no values.`

export const SUM_DISTINCT = define(SUM, {
  summary: `The exact total of the different numbers, ${BOUND}`,
  example: 'SUM(DISTINCT price)',
})
export const AVG_DISTINCT = define(AVG, {
  summary: `The average of the different numbers, rounded once, ${BOUND}`,
  example: 'AVG(DISTINCT price)',
})
