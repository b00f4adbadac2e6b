/** What must hold for every rollup at any time, checked from outside on its answer over HTTP. */
import { expect } from 'vitest'
import { type Counts, sumConserved } from '../../src/core/shard.ts'
import type { RollupAnswer } from '../../src/service/rollup-answer.ts'

/** Law 6: per shard, and for what was pruned, every offset that was passed is accounted for; the rollup's counts are their sums. */
export function assertConservation(rollup: RollupAnswer): void {
  for (const shard of rollup.shards) {
    const passed = shard.next_offset - shard.start_offset
    expect(sumConserved(shard.counts), `counts of shard ${shard.topic_id}/${shard.partition}`).toBe(passed)
  }
  expect(sumConserved(rollup.pruned.counts), 'counts of pruned shards').toBe(rollup.pruned.passed)
  const parts = [...rollup.shards.map((shard) => shard.counts), rollup.pruned.counts]
  for (const name of Object.keys(rollup.counts) as (keyof Counts)[]) {
    const sum = parts.reduce((total, counts) => total + counts[name], 0)
    expect(rollup.counts[name], `sum of ${name}`).toBe(sum)
  }
}

/** All shards that are read stand at the end of their log. */
export function isCaughtUp(rollup: RollupAnswer): boolean {
  return rollup.shards.every((shard) => shard.status === 'closed' || shard.lag === 0)
}
