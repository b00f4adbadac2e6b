/** Owns the property that a restart leaves no trace: the leaf closed and opened between batches, whatever their split and the order of the shards. */
import type { Coverage } from './coverage.ts'
import { plan, type LeafBench } from './leaf-run.ts'
import { randomOf, type Property } from './property-run.ts'
import { randomAggregatesCase } from './random-aggregates.ts'
import { printRollup, type SqlCase } from './random-case.ts'
import { smallerCases } from './smaller.ts'
import { checkSame, showCase } from './split-property.ts'

/** Before half of the batches: a leaf takes milliseconds to open. */
const RESTART_CHANCE = 0.5

export function restartProperty(bench: LeafBench, coverage: Coverage): Property<SqlCase> {
  return {
    name: 'restarts between batches leave the same bytes',
    make: (random) => randomAggregatesCase(random, () => true),
    check: (sample, seed) => {
      const { rollup, records } = sample
      const rollupPlan = plan(printRollup(sample))
      coverage.add([rollupPlan])
      const options = { onError: rollup.onError }
      const whole = bench.withRollup(rollupPlan, records, 'whole', options, (name) => bench.stored(name))
      const arrival = { random: randomOf(seed), restartChance: RESTART_CHANCE }
      const stored = bench.withRollup(rollupPlan, records, arrival, options, (name) => bench.stored(name))
      checkSame(stored, whole, false)
    },
    smaller: smallerCases,
    show: showCase,
  }
}
