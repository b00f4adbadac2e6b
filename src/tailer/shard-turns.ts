/** Owns which shards of a rollup are asked next. */
import type { ShardCursor } from './shard-cursor.ts'

/** Lagging shards of one fetch; more take turns. */
const FETCH_SHARDS_MAX = 32
/** Shards are read in step by record time; one further ahead than this waits for the others, so that a group is touched by few commits. */
const STEP_MS = 10_000
/** ... but never for longer than this many fetches: a clock that is wrong must not stop a shard. */
const STEP_SKIPS_MAX = 8

export class ShardTurns {
  #turn = 0

  /** Open shards whose turn it is: in step by record time while catching up, and never more than fit in memory. */
  choose(cursors: Iterable<ShardCursor>, nowMs: number): ShardCursor[] {
    const open = [...cursors].filter((cursor) => cursor.isOpen && cursor.askAgainAtMs <= nowMs)
    let slowestMs = Infinity
    for (const cursor of open) {
      if (!cursor.isAtEnd && cursor.lastTimestampMs >= 0) slowestMs = Math.min(slowestMs, cursor.lastTimestampMs)
    }
    const inStep = open.filter((cursor) => {
      const isAhead = !cursor.isAtEnd && cursor.lastTimestampMs > slowestMs + STEP_MS && cursor.skips < STEP_SKIPS_MAX
      cursor.skips = isAhead ? cursor.skips + 1 : 0
      return !isAhead
    })
    // an answer is filled in the order of the request: each lagging shard gets to be first. Those at their end have little to say
    const lagging = inStep.filter((cursor) => !cursor.isAtEnd)
    const first = lagging.length === 0 ? 0 : this.#turn++ % lagging.length
    const chosen = [...lagging.slice(first), ...lagging.slice(0, first)].slice(0, FETCH_SHARDS_MAX)
    return [...chosen, ...inStep.filter((cursor) => cursor.isAtEnd)]
  }
}
