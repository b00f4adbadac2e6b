/** Owns how much is read and committed at once. */

/** Bytes asked of a shard at once: large enough that a request's cost vanishes, small enough that many shards fit in memory. */
const FETCH_BYTES = 2 << 20

export interface ReadingPace {
  /** A caught-up rollup commits this long after the first record of a batch: what a reader waits for, against one sync per commit. */
  readonly commitAfterMs: number
  /** While catching up a group is touched once per commit, so longer batches cost less. */
  readonly commitAfterMsCatchingUp: number
  /** Bytes asked of a shard at once; its first batch comes whole all the same. */
  readonly fetchBytes: number
}

export const READING_PACE: ReadingPace = { commitAfterMs: 20, commitAfterMsCatchingUp: 500, fetchBytes: FETCH_BYTES }
