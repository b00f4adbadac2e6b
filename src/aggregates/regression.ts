/** Owns REGR_*: the line of least squares through pairs (y, x), of exact sums (moment-state.ts). REGR_COUNT is pair-count.ts. */
import type { Registers } from '../core/registers.ts'
import type { AggregateDefinition } from './aggregate.ts'
import { setQuotient, type CenteredMoments } from './centered-moments.ts'
import { MOMENT, nonFiniteTotal, type Moment } from './moment-state.ts'
import { definePairs, type FinalizePairs } from './pair-moments.ts'

const { X, Y, XX, YY, XY } = MOMENT
const RULES = 'of the pairs without a NULL, exact until it is rounded once to a double.'

/** The mean of one side; what isn't finite decides it as a sum. */
function defineMean(name: string, side: 'x' | 'y'): AggregateDefinition {
  const finalize: FinalizePairs = (centered, r, out, moments) => {
    const isFinite = side === 'x' ? centered.isFiniteX : centered.isFiniteY
    if (isFinite) setQuotient(r, out, centered[side], centered.count, centered.unit)
    else r.setDouble(out, nonFiniteTotal(moments[side]))
  }
  return definePairs(
    { name, kept: [side === 'x' ? X : Y], canFail: true, finalize },
    { summary: `The mean of ${side} ${RULES} NULL of none.`, example: `${name.toUpperCase()}(price, size)` },
  )
}

/** A sum of squares or products about the means. */
function defineSquares(
  name: string,
  kept: readonly Moment[],
  what: string,
  read: (centered: CenteredMoments) => { readonly value: bigint; readonly isFinite: boolean },
  owner?: string,
): AggregateDefinition {
  const finalize: FinalizePairs = (centered, r, out) => {
    const { value, isFinite } = read(centered)
    if (isFinite) setQuotient(r, out, value, centered.count, centered.squareUnit)
    else r.setDouble(out, NaN)
  }
  return definePairs(
    { name, kept, ...(owner === undefined ? {} : { owner }), canFail: true, finalize },
    { summary: `The sum of ${what} ${RULES} NULL of none.`, example: `${name.toUpperCase()}(price, size)` },
  )
}

export const REGR_AVGX = defineMean('regr_avgx', 'x')
export const REGR_AVGY = defineMean('regr_avgy', 'y')
export const REGR_SXX = defineSquares(
  'regr_sxx',
  [X, XX],
  'squares of the distances of x from its mean',
  ({ xx, isFiniteX }) => ({ value: xx, isFinite: isFiniteX }),
)
export const REGR_SYY = defineSquares(
  'regr_syy',
  [Y, YY],
  'squares of the distances of y from its mean',
  ({ yy, isFiniteY }) => ({ value: yy, isFinite: isFiniteY }),
)
export const REGR_SXY = defineSquares(
  'regr_sxy',
  [X, Y, XY],
  'products of the distances of x and y from their means',
  ({ xy, isFiniteX, isFiniteY }) => ({ value: xy, isFinite: isFiniteX && isFiniteY }),
  'covar_pop',
)

/** NULL or NaN where there is no line; true where there is one. */
function hasLine({ xx, isFiniteX, isFiniteY }: CenteredMoments, r: Registers, out: number): boolean {
  if (isFiniteX && xx === 0n) r.setNull(out)
  else if (!isFiniteX || !isFiniteY) r.setDouble(out, NaN)
  else return true
  return false
}

export const REGR_SLOPE = definePairs(
  {
    name: 'regr_slope',
    kept: [X, Y, XX, XY],
    canFail: true,
    finalize: (centered, r, out) => {
      if (hasLine(centered, r, out)) setQuotient(r, out, centered.xy, centered.xx)
    },
  },
  {
    summary: `The slope of the line of least squares ${RULES} NULL where x has one value only.`,
    example: 'REGR_SLOPE(price, size)',
  },
)

export const REGR_INTERCEPT = definePairs(
  {
    name: 'regr_intercept',
    owner: 'regr_slope',
    kept: [X, Y, XX, XY],
    canFail: true,
    finalize: (centered, r, out) => {
      if (!hasLine(centered, r, out)) return
      const { count, x, y, xx, xy, unit } = centered
      setQuotient(r, out, y * xx - x * xy, count * xx, unit)
    },
  },
  {
    summary: `Where the line of least squares is at x = 0, ${RULES} NULL where x has one value only.`,
    example: 'REGR_INTERCEPT(price, size)',
  },
)

function finalizeR2(centered: CenteredMoments, r: Registers, out: number): void {
  const { xx, yy, xy, isFiniteX, isFiniteY } = centered
  if (isFiniteX && xx === 0n) return r.setNull(out)
  if (isFiniteY && yy === 0n) return r.setDouble(out, 1)
  if (hasLine(centered, r, out)) setQuotient(r, out, xy * xy, xx * yy)
}

export const REGR_R2 = definePairs(
  { name: 'regr_r2', owner: 'corr', kept: [X, Y, XX, YY, XY], canFail: false, finalize: finalizeR2 },
  {
    summary: `The square of the correlation, ${RULES} NULL where x has one value only, 1 where only y has.`,
    example: 'REGR_R2(price, size)',
  },
)
