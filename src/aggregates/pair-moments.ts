/** Owns what aggregates over the moments of pairs share: which sums they keep, and their form as an aggregate. */
import type { Registers } from '../core/registers.ts'
import { NUMBER_TYPES, type ScalarType } from '../core/scalar-type.ts'
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { centerMoments, type CenteredMoments } from './centered-moments.ts'
import { MomentAccumulator } from './moment-accumulator.ts'
import { decodeMoments, momentParts, type Moment, type Moments } from './moment-state.ts'

/** Writes the finished value. There is at least one pair. */
export type FinalizePairs = (centered: CenteredMoments, r: Registers, out: number, moments: Moments) => void

export interface PairForm {
  readonly name: string
  readonly kept: readonly Moment[]
  /** The aggregate that keeps the same sums, whose state this one reads; absent: its own. */
  readonly owner?: string
  /** Whether the result may be beyond double's range where an argument isn't declared as an integer. */
  readonly canFail: boolean
  readonly finalize: FinalizePairs
}

/** Whether an aggregate of numbers takes such an argument. */
export function isNumberType(type: ScalarType | undefined): boolean {
  return type !== undefined && (type === 'any' || NUMBER_TYPES.has(type))
}

export function definePairs(form: PairForm, doc: AggregateDefinition['doc']): AggregateDefinition {
  const { owner } = form
  return {
    name: form.name,
    ...(owner === undefined ? {} : { stateOwner: () => owner }),
    signature: `${form.name}(y, x)`,
    doc,
    resolve([y, x, ...more]) {
      if (more.length > 0 || !isNumberType(y) || !isNumberType(x)) return undefined
      return createPairs(form, form.canFail && !(y === 'bigint' && x === 'bigint'))
    },
  }
}

function createPairs({ name, kept, finalize }: PairForm, canFail: boolean): Aggregate {
  return {
    type: 'double precision',
    ...momentParts(kept),
    stateDescription: `${name}: count, exact sums of values and products`,
    canFail,
    createAccumulator: () => new MomentAccumulator(name, kept, true),
    finalize: ([state = null], r, out) => {
      const moments = decodeMoments(kept, state)
      if (moments.count === 0) r.setNull(out)
      else finalize(centerMoments(moments), r, out, moments)
    },
  }
}
