/**
 * Owns what pairs of runs say about two revisions: by how much one is better, and within which interval. Rank-based, since the times of runs are
 * neither normal nor free of outliers, and exact for few pairs.
 * Source: Hodges and Lehmann's estimator and Tukey's interval from the Walsh averages (Hollander, Wolfe: Nonparametric Statistical Methods, 3.2, 3.3).
 */
const CONFIDENCE = 0.95
/** Fewer pairs have no interval of that confidence. */
export const PAIRS_MIN = 6

export interface Interval {
  readonly estimate: number
  readonly low: number
  readonly high: number
}

/** Of the differences' centre, with at least the confidence. Errors: of fewer than PAIRS_MIN. */
export function signedRankInterval(differences: readonly number[]): Interval {
  const { length } = differences
  if (length < PAIRS_MIN) throw new Error(`${length} pairs have no interval: at least ${PAIRS_MIN}`)
  const averages: number[] = []
  for (let i = 0; i < length; i++)
    for (let j = i; j < length; j++) averages.push(((differences[i] as number) + (differences[j] as number)) / 2)
  averages.sort((a, b) => a - b)
  const cut = countCutOff(length)
  const at = (index: number): number => averages[index] as number
  const middle = averages.length >> 1
  return {
    estimate: averages.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2,
    low: at(cut),
    high: at(averages.length - 1 - cut),
  }
}

/** How much better `ours` is than `theirs`: 1.1 is a tenth. */
export function betterBy(
  ours: readonly number[],
  theirs: readonly number[],
  better: 'higher' | 'lower',
): Interval | undefined {
  const ratios = ours.map((value, pair) => Math.log(value / (theirs[pair] as number)))
  // a figure of 0, or one that went below
  if (!ratios.every(Number.isFinite)) return undefined
  const { estimate, low, high } = signedRankInterval(better === 'higher' ? ratios : ratios.map((ratio) => -ratio))
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high) }
}

/** How many averages lie outside on each side: the most for which the rank sum is that low with at most half the rest of the confidence. */
function countCutOff(pairs: number): number {
  // of each rank sum, how many of the 2^pairs choices of signs have it
  const rankSums = pairs * (pairs + 1) * 0.5
  const ways = new Float64Array(rankSums + 1)
  ways[0] = 1
  for (let rank = 1; rank <= pairs; rank++) for (let sum = rankSums; sum >= rank; sum--) ways[sum]! += ways[sum - rank]!
  const outside = ((1 - CONFIDENCE) / 2) * 2 ** pairs
  let [below, cut] = [0, 0]
  for (let sum = 0; sum <= rankSums; sum++) {
    below += ways[sum]!
    if (below > outside) return cut
    cut = sum
  }
  return cut
}
