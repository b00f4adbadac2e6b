/** Owns COVAR_POP, COVAR_SAMP and CORR, of exact sums (moment-state.ts). */
import { setQuotient, setRoot } from './centered-moments.ts'
import { MOMENT } from './moment-state.ts'
import { definePairs } from './pair-moments.ts'

const { X, Y, XX, YY, XY } = MOMENT
const RULES = 'of the pairs without a NULL, exact until it is rounded once to a double.'

export const COVAR_POP = definePairs(
  {
    name: 'covar_pop',
    kept: [X, Y, XY],
    canFail: true,
    finalize: ({ count, xy, squareUnit, isFiniteX, isFiniteY }, r, out) => {
      if (isFiniteX && isFiniteY) setQuotient(r, out, xy, count * count, squareUnit)
      else r.setDouble(out, NaN)
    },
  },
  { summary: `The covariance, divided by n, ${RULES} NULL of none.`, example: 'COVAR_POP(price, size)' },
)

export const COVAR_SAMP = definePairs(
  {
    name: 'covar_samp',
    owner: 'covar_pop',
    kept: [X, Y, XY],
    canFail: true,
    finalize: ({ count, xy, squareUnit, isFiniteX, isFiniteY }, r, out) => {
      if (count < 2n) r.setNull(out)
      else if (isFiniteX && isFiniteY) setQuotient(r, out, xy, count * (count - 1n), squareUnit)
      else r.setDouble(out, NaN)
    },
  },
  {
    summary: `The covariance of a sample, divided by n - 1, ${RULES} NULL of fewer than two.`,
    example: 'COVAR_SAMP(price, size)',
  },
)

export const CORR = definePairs(
  {
    name: 'corr',
    kept: [X, Y, XX, YY, XY],
    canFail: false,
    finalize: ({ xx, yy, xy, isFiniteX, isFiniteY }, r, out) => {
      if ((isFiniteX && xx === 0n) || (isFiniteY && yy === 0n)) return r.setNull(out)
      if (!isFiniteX || !isFiniteY) return r.setDouble(out, NaN)
      // the units are the same above and below
      setRoot(r, out, xy * xy, xx * yy)
      if (xy < 0n) r.setDouble(out, -r.num[out]!)
    },
  },
  {
    summary: `The correlation, from -1 to 1, ${RULES} NULL where one side has one value only.`,
    example: 'CORR(latency_ms, bytes)',
  },
)
