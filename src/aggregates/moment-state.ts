/**
 * Owns the state of VAR_*, STDDEV_*, COVAR_*, CORR and REGR_*: how many, the exact sums of values, squares and products, and how many values weren't
 * finite. Nothing is rounded before the end, so equal inputs have equal bytes however they were split, and equal values have no variance.
 */
import { assert } from '../core/assert.ts'
import type { Aggregate, StateValue } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { addExact, canonicalExact, EXACT_ZERO, pushExact, readExact, type ExactNumber } from './exact-number.ts'
import { pushCount, readCount, type StateReader } from './state-bytes.ts'

/** First byte of the bytes; another layout takes another number. */
const BYTES_VERSION = 1

/** The sums that there are. */
export const MOMENT = { X: 0, Y: 1, XX: 2, YY: 3, XY: 4 } as const
export type Moment = (typeof MOMENT)[keyof typeof MOMENT]
const MOMENTS = 5

/** Values of one variable that no sum can take. */
export interface NonFinite {
  nans: number
  positiveInfinities: number
  negativeInfinities: number
}

export interface Moments {
  /** Values, or pairs without a NULL. */
  count: number
  readonly x: NonFinite
  readonly y: NonFinite
  /** By Moment; 0 where the aggregate keeps no such sum. */
  readonly sums: ExactNumber[]
}

export function zeroNonFinite(): NonFinite {
  return { nans: 0, positiveInfinities: 0, negativeInfinities: 0 }
}

export function zeroMoments(): Moments {
  return {
    count: 0,
    x: zeroNonFinite(),
    y: zeroNonFinite(),
    sums: Array.from({ length: MOMENTS }, () => EXACT_ZERO),
  }
}

function addNonFinite(into: NonFinite, more: NonFinite, sign: 1 | -1): void {
  into.nans += sign * more.nans
  into.positiveInfinities += sign * more.positiveInfinities
  into.negativeInfinities += sign * more.negativeInfinities
}

export function isAllFinite({ nans, positiveInfinities, negativeInfinities }: NonFinite): boolean {
  return nans + positiveInfinities + negativeInfinities === 0
}

/** What IEEE addition of such values gives in any order. Caller keeps: there is one. */
export function nonFiniteTotal({ nans, positiveInfinities, negativeInfinities }: NonFinite): number {
  if (nans > 0 || (positiveInfinities > 0 && negativeInfinities > 0)) return NaN
  return positiveInfinities > 0 ? Infinity : -Infinity
}

/**
 * The canonical bytes. Of no values the state is NULL.
 * version | count | 0 where all were finite, else 1 and three counts each for x and y | each of the kept sums (exact-number.ts), in their order.
 */
export function encodeMoments(kept: readonly Moment[], { count, x, y, sums }: Moments): Uint8Array {
  const bytes: number[] = [BYTES_VERSION]
  pushCount(bytes, count)
  if (isAllFinite(x) && isAllFinite(y)) pushCount(bytes, 0)
  else {
    pushCount(bytes, 1)
    for (const { nans, positiveInfinities, negativeInfinities } of [x, y]) {
      pushCount(bytes, nans)
      pushCount(bytes, positiveInfinities)
      pushCount(bytes, negativeInfinities)
    }
  }
  for (const moment of kept) pushExact(bytes, sums[moment] as ExactNumber)
  return Uint8Array.from(bytes)
}

/** Errors: BrokenInvariant for bytes of another version. */
export function decodeMoments(kept: readonly Moment[], state: StateValue): Moments {
  const moments = zeroMoments()
  if (state === null) return moments
  assert(state instanceof Uint8Array && state[0] === BYTES_VERSION, 'the state of moments has another version')
  const reader: StateReader = { bytes: state, at: 1 }
  moments.count = readCount(reader)
  if (readCount(reader) === 1) {
    for (const variable of [moments.x, moments.y]) {
      variable.nans = readCount(reader)
      variable.positiveInfinities = readCount(reader)
      variable.negativeInfinities = readCount(reader)
    }
  }
  for (const moment of kept) moments.sums[moment] = readExact(reader)
  return moments
}

/** Adds the right one to the left, or takes it away. */
function combineMoments(kept: readonly Moment[], left: StateValue, right: StateValue, sign: 1 | -1): Uint8Array | null {
  const into = decodeMoments(kept, left)
  const more = decodeMoments(kept, right)
  into.count += sign * more.count
  if (into.count === 0) return null
  addNonFinite(into.x, more.x, sign)
  addNonFinite(into.y, more.y, sign)
  for (const moment of kept) {
    const other = more.sums[moment] as ExactNumber
    const added = sign === 1 ? other : { ...other, numerator: -other.numerator }
    into.sums[moment] = canonicalExact(addExact(into.sums[moment] as ExactNumber, added))
  }
  return encodeMoments(kept, into)
}

/** What every aggregate over moments has in common. */
export function momentParts(kept: readonly Moment[]): ReturnType<typeof blobStateParts> & Pick<Aggregate, 'subtract'> {
  return {
    ...blobStateParts((left, right) => combineMoments(kept, left, right, 1) as Uint8Array, false),
    subtract: ([whole = null], [part = null]) => [combineMoments(kept, whole, part, -1)],
  }
}
