/**
 * Owns the state of VAR_*, STDDEV_*, COVAR_*, CORR and REGR_*: how many, the exact sums of values, squares and products, and how many values weren't
 * finite. Nothing is rounded before the end, so equal inputs have equal bytes however they were split, and equal values have no variance.
 */
import { assert } from '../core/assert.ts'
import type { Aggregate, StateValue } from './aggregate.ts'
import { blobStateParts } from './blob-state.ts'
import { addExact, canonicalExact, EXACT_ZERO, pushExact, readExact, type ExactNumber } from './exact-number.ts'
import { addToLimbs, createWords, pushLimbs } from './limb-number.ts'
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

/** Of both variables; y has none where there is only x. */
export interface NonFinitePair {
  readonly x: NonFinite
  readonly y: NonFinite
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
export function encodeMoments(
  count: number,
  nonFinite: NonFinitePair | undefined,
  pushSums: (bytes: number[]) => void,
): Uint8Array {
  const bytes: number[] = [BYTES_VERSION]
  pushCount(bytes, count)
  if (nonFinite === undefined || (isAllFinite(nonFinite.x) && isAllFinite(nonFinite.y))) bytes.push(0)
  else {
    bytes.push(1)
    for (const { nans, positiveInfinities, negativeInfinities } of [nonFinite.x, nonFinite.y]) {
      pushCount(bytes, nans)
      pushCount(bytes, positiveInfinities)
      pushCount(bytes, negativeInfinities)
    }
  }
  pushSums(bytes)
  return new Uint8Array(bytes)
}

/** Errors: BrokenInvariant for bytes of another version. */
export function decodeMoments(kept: readonly Moment[], state: StateValue): Moments {
  const moments = zeroMoments()
  if (state === null) return moments
  const reader = openMoments(state)
  moments.count = readCount(reader)
  Object.assign(moments, readNonFinite(reader))
  for (const moment of kept) moments.sums[moment] = readExact(reader)
  return moments
}

function openMoments(state: StateValue): StateReader {
  assert(state instanceof Uint8Array && state[0] === BYTES_VERSION, 'the state of moments has another version')
  return { bytes: state, at: 1 }
}

function readNonFinite(reader: StateReader): NonFinitePair | undefined {
  if (readCount(reader) === 0) return undefined
  const [x, y] = [0, 1].map(() => ({
    nans: readCount(reader),
    positiveInfinities: readCount(reader),
    negativeInfinities: readCount(reader),
  })) as [NonFinite, NonFinite]
  return { x, y }
}

/** Adds the right one to the left, or takes it away. */
function combineMoments(sums: number, left: Uint8Array, right: Uint8Array, sign: 1 | -1): Uint8Array | null {
  const [l, r] = [openMoments(left), openMoments(right)]
  const count = readCount(l) + sign * readCount(r)
  if (count === 0) return null
  const [into, more] = [readNonFinite(l), readNonFinite(r)]
  const nonFinite = more === undefined ? into : (into ?? { x: zeroNonFinite(), y: zeroNonFinite() })
  if (nonFinite !== undefined && more !== undefined) {
    addNonFinite(nonFinite.x, more.x, sign)
    addNonFinite(nonFinite.y, more.y, sign)
  }
  const [limbs, words] = [createWords(), createWords()]
  return encodeMoments(count, nonFinite, (bytes) => {
    for (let index = 0; index < sums; index++) {
      limbs.fill(0)
      const [leftAt, rightAt] = [l.at, r.at]
      const fits = addToLimbs(l, limbs, 1)
      if (addToLimbs(r, limbs, sign) && fits) {
        pushLimbs(bytes, limbs, 0, words)
        continue
      }
      l.at = leftAt
      r.at = rightAt
      const [sum, other] = [readExact(l), readExact(r)]
      const added = sign === 1 ? other : { ...other, numerator: -other.numerator }
      pushExact(bytes, canonicalExact(addExact(sum, added)))
    }
  })
}

/** What every aggregate over moments has in common. */
export function momentParts(kept: readonly Moment[]): ReturnType<typeof blobStateParts> & Pick<Aggregate, 'subtract'> {
  const merge = (left: Uint8Array, right: Uint8Array): Uint8Array =>
    combineMoments(kept.length, left, right, 1) as Uint8Array
  return {
    ...blobStateParts(merge, false),
    subtract: ([whole = null], [part = null]) =>
      part === null ? [whole] : [combineMoments(kept.length, whole as Uint8Array, part as Uint8Array, -1)],
  }
}
