/** Owns how much is read and committed at once. */

/** Bytes asked of a shard at once: large enough that a request's cost vanishes, small enough that many shards fit in memory. */
const FETCH_BYTES = 2 << 20

export interface ReadingPace {
  /** A caught-up rollup commits this long after the first record of a batch: what a reader waits for, against what a commit takes from queries. */
  readonly commitAfterMs: number
  /** While catching up a group is touched once per commit, so longer batches cost less. */
  readonly commitAfterMsCatchingUp: number
  /** The first batch of a reader that catches up comes so soon: a person sees groups, and who is to read them can be decided (service/ingest-threads.ts). */
  readonly firstCommitAfterMs: number
  /** Bytes asked of a shard at once; its first batch comes whole all the same. */
  readonly fetchBytes: number
}

export const READING_PACE: ReadingPace = {
  commitAfterMs: 40,
  commitAfterMsCatchingUp: 500,
  firstCommitAfterMs: 100,
  fetchBytes: FETCH_BYTES,
}
