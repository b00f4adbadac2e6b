/**
 * Owns the property of a rollup of a rollup: for any of its source's grouping columns, created before, between and behind the batches, its
 * rows are the bytes of a rollup over the records with that grain, and so are those of a rollup of it.
 */
import type { RollupPlan } from '../../src/planner/plan.ts'
import type { Coverage } from './coverage.ts'
import { plan, planOver, type LeafBench, type Stored } from './leaf-run.ts'
import { randomOf, type Property } from './property-run.ts'
import { randomAggregatesCase } from './random-aggregates.ts'
import { printRollup, type SqlCase } from './random-case.ts'
import { smallerCases } from './smaller.ts'
import { expectEqual, isOfAggregates, showCase } from './split-property.ts'
import { regroup } from './regroup.ts'

export function followersProperty(bench: LeafBench, coverage: Coverage): Property<SqlCase> {
  return {
    name: 'a rollup of a rollup is the rollup over the records with that grain',
    make: (random) => randomAggregatesCase(random, () => true),
    check: (sample, seed) => checkFollowers(bench, coverage, sample, seed),
    smaller: smallerCases,
    show: showCase,
  }
}

function checkFollowers(bench: LeafBench, coverage: Coverage, sample: SqlCase, seed: number): void {
  const { rollup, records } = sample
  const groups = rollup.outputs.filter(({ node }) => node.kind === 'group')
  const measured = rollup.outputs.filter(({ node }) => isOfAggregates(regroup(node, rollup.groups)))
  // a smaller case may have lost them
  if (groups.length < rollup.groups.length || measured.length === 0) return
  const source = plan(printRollup(sample))
  coverage.add([source])
  const random = randomOf(seed)
  const kept = groups.filter(() => random.chance(0.6))
  const keptBelow = kept.filter(() => random.chance(0.5))
  const options = { onError: rollup.onError }
  const over = (name: string, from: RollupPlan, columns: typeof groups): RollupPlan => {
    const names = columns.map((column) => column.name)
    const measures = measured.map((column) => `MEASURE(${column.name})`)
    const groupBy = names.length === 0 ? '' : ` GROUP BY ${names.join(', ')}`
    return planOver(`SELECT ${[...names, ...measures].join(', ')} FROM ${name}${groupBy}`, { name, plan: from })
  }
  const arrival = { random, restartChance: 0.1 }
  bench.withRollup(source, records, arrival, options, (name) => {
    const dead = new Set(bench.stored(name).deadLetters.map((letter) => letter.split(' ')[0]))
    const living = records.filter(({ partition, offset }) => !dead.has(`${partition}:${offset}`))
    for (const [columns, parent] of [
      [kept, undefined],
      [keptBelow, kept],
    ] as const) {
      const direct = plan(printRollup(coarser(sample, columns, measured)))
      const wanted = bench.withRollup(direct, living, 'whole', options, (other) => bench.stored(other))
      const got =
        parent === undefined
          ? bench.withFollower(over(name, source, columns), name, (child) => bench.stored(child))
          : bench.withFollower(over(name, source, parent), name, (child, childPlan) =>
              bench.withFollower(over(child, childPlan, columns), child, (grandchild) => bench.stored(grandchild)),
            )
      expectRows(got, wanted, `${columns.length} grouping columns of a copy`)
    }
  })
  // followers that were there before the first record
  bench.withRollup(source, [], 'whole', options, (name) => {
    bench.withFollower(over(name, source, kept), name, (child, childPlan) =>
      bench.withFollower(over(child, childPlan, keptBelow), child, (grandchild) => {
        bench.deliver(name, source, records, arrival, options)
        for (const [follower, columns] of [
          [child, kept],
          [grandchild, keptBelow],
        ] as const) {
          const direct = plan(printRollup(coarser(sample, columns, measured)))
          const dead = new Set(bench.stored(name).deadLetters.map((letter) => letter.split(' ')[0]))
          const living = records.filter(({ partition, offset }) => !dead.has(`${partition}:${offset}`))
          const wanted = bench.withRollup(direct, living, 'whole', options, (other) => bench.stored(other))
          expectRows(bench.stored(follower), wanted, `${columns.length} grouping columns, followed`)
        }
      }),
    )
  })
}

type Outputs = SqlCase['rollup']['outputs']

function coarser({ rollup, records }: SqlCase, columns: Outputs, measured: Outputs): SqlCase {
  const groups = columns.map(({ node }) => (node.kind === 'group' ? node.expression : node))
  const outputs = [
    ...columns.map(({ name, node }, index) => ({ name, node: node.kind === 'group' ? { ...node, index } : node })),
    ...measured,
  ]
  return { rollup: { ...rollup, groups, outputs, having: null }, groupStyle: 'expression', records }
}

function expectRows(got: Stored, wanted: Stored, what: string): void {
  expectEqual(got.rows, wanted.rows, `rows by ${what}, against a rollup over the records`)
  expectEqual(got.groups, wanted.groups, `groups by ${what}`)
}
