/** Owns VAR_* and STDDEV_*, of exact sums (moment-state.ts). They share a state. */
import type { Registers } from '../core/registers.ts'
import type { Aggregate, AggregateDefinition } from './aggregate.ts'
import { centerMoments, setQuotient, setRoot } from './centered-moments.ts'
import { MomentAccumulator } from './moment-accumulator.ts'
import { isNumberType } from './pair-moments.ts'
import { decodeMoments, MOMENT, momentParts, type Moments } from './moment-state.ts'

const KEPT = [MOMENT.X, MOMENT.XX] as const
/** Whose state the others read too. */
const OWNER = 'stddev'

interface Form {
  /** Divides by n - 1, and is NULL of one value; else by n. */
  readonly isSample: boolean
  readonly isRoot: boolean
}

function finalize({ isSample, isRoot }: Form, moments: Moments, r: Registers, out: number): void {
  if (moments.count < (isSample ? 2 : 1)) return r.setNull(out)
  const { count, xx, squareUnit, isFiniteX } = centerMoments(moments)
  if (!isFiniteX) return r.setDouble(out, NaN)
  const divisor = count * (isSample ? count - 1n : count)
  if (isRoot) setRoot(r, out, xx, divisor, squareUnit)
  else setQuotient(r, out, xx, divisor, squareUnit)
}

function createVariance(name: string, form: Form, canFail: boolean): Aggregate {
  return {
    type: 'double precision',
    ...momentParts(KEPT),
    stateDescription: `${name}: count, exact sums of values and squares`,
    canFail,
    createAccumulator: () => new MomentAccumulator(name, KEPT, false),
    finalize: ([state = null], r, out) => finalize(form, decodeMoments(KEPT, state), r, out),
  }
}

function defineVariance(name: string, form: Form, summary: string): AggregateDefinition {
  return {
    name,
    ...(name === OWNER ? {} : { stateOwner: () => OWNER }),
    signature: `${name}(number)`,
    doc: { summary, example: `${name.toUpperCase()}(latency_ms)` },
    resolve([type, ...more]) {
      if (more.length > 0 || !isNumberType(type)) return undefined
      // the variance of 64-bit integers is a double
      return createVariance(name, form, type !== 'bigint')
    },
  }
}

const EXACT = 'exact until it is rounded once to a double: 0 of equal values.'
const SAMPLE_VARIANCE = `The variance of a sample, divided by n - 1, ${EXACT} NULL of fewer than two values.`
const SAMPLE_DEVIATION = `The standard deviation of a sample, the root of var_samp, ${EXACT} NULL of fewer than two values.`
const sameAs = (name: string): string => ` The same as ${name}.`

export const VAR_POP = defineVariance(
  'var_pop',
  { isSample: false, isRoot: false },
  `The variance of all values, divided by n, ${EXACT} NULL of no values.`,
)
export const VAR_SAMP = defineVariance('var_samp', { isSample: true, isRoot: false }, SAMPLE_VARIANCE)
export const VARIANCE = defineVariance(
  'variance',
  { isSample: true, isRoot: false },
  SAMPLE_VARIANCE + sameAs('var_samp'),
)
export const STDDEV_POP = defineVariance(
  'stddev_pop',
  { isSample: false, isRoot: true },
  `The standard deviation of all values, the root of var_pop, ${EXACT} NULL of no values.`,
)
export const STDDEV_SAMP = defineVariance('stddev_samp', { isSample: true, isRoot: true }, SAMPLE_DEVIATION)
export const STDDEV = defineVariance(OWNER, { isSample: true, isRoot: true }, SAMPLE_DEVIATION + sameAs('stddev_samp'))
