/**
 * Owns the property of coarser grain: for every subset of the grouping columns MEASURE over a rollup's groups is the rollup that is
 * defined with that subset, bit for bit, through the real leaf and the real query path.
 */
import type { Coverage } from './coverage.ts'
import { plan, type Answer, type LeafBench } from './leaf-run.ts'
import { randomOf, type Property } from './property-run.ts'
import { randomAggregatesCase } from './random-aggregates.ts'
import { printRollup, type SqlCase } from './random-case.ts'
import { smallerCases } from './smaller.ts'
import { expectEqual, isOfAggregates, showCase } from './split-property.ts'
import { regroup } from './regroup.ts'
import type { Node } from './syntax.ts'

export function measureProperty(bench: LeafBench, coverage: Coverage): Property<SqlCase> {
  return {
    name: 'MEASURE over some of the grouping columns is the rollup with those alone',
    make: (random) => randomAggregatesCase(random, () => true),
    check: (sample, seed) => checkSubsets(bench, coverage, sample, seed),
    smaller: smallerCases,
    show: showCase,
  }
}

function checkSubsets(bench: LeafBench, coverage: Coverage, sample: SqlCase, seed: number): void {
  const { rollup, records } = sample
  const rollupPlan = plan(printRollup(sample))
  coverage.add([rollupPlan])
  const options = { onError: rollup.onError }
  const arrival = { random: randomOf(seed), restartChance: 0 }
  bench.withRollup(rollupPlan, records, arrival, options, (name) => {
    // a grouping value that a record doesn't have may be one that the coarser rollup doesn't ask for
    const dead = new Set(bench.stored(name).deadLetters.map((letter) => letter.split(' ')[0]))
    const living = records.filter(({ partition, offset }) => !dead.has(`${partition}:${offset}`))
    for (const subset of subsetsOf(rollup.groups.length)) {
      const coarse = coarser(sample, subset)
      const { outputs } = coarse.rollup
      const isMeasured = outputs.some(({ node }) => node.kind !== 'group')
      const areSelected = outputs.filter(({ node }) => node.kind === 'group').length === subset.length
      // a smaller case may have lost them
      if (!isMeasured || !areSelected) continue
      const measured = bench.query(measureSql(outputs, name))
      const plain = bench.withRollup(plan(printRollup(coarse)), living, 'whole', options, (other) =>
        bench.query(`SELECT * FROM unfiltered(${other})`),
      )
      expectEqual(
        rowsOf(measured),
        rowsOf(plain),
        `MEASURE by ${subset.length} of the grouping columns, against a rollup by them`,
      )
    }
  })
}

/** Of the numbers below `count`, the empty one too. */
function subsetsOf(count: number): number[][] {
  return Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (__, index) => index).filter((index) => (bits & (1 << index)) !== 0),
  )
}

/** The coarser rollup: the grouping columns of the subset, and what is made of aggregates alone. */
function coarser({ rollup, groupStyle, records }: SqlCase, subset: readonly number[]): SqlCase {
  const outputs = rollup.outputs.flatMap(({ name, node }): { name: string; node: Node }[] => {
    if (node.kind !== 'group') return isOfAggregates(regroup(node, rollup.groups)) ? [{ name, node }] : []
    const index = subset.indexOf(node.index)
    return index < 0 ? [] : [{ name, node: { ...node, index } }]
  })
  const groups = rollup.groups.filter((_, index) => subset.includes(index))
  return { rollup: { ...rollup, groups, outputs, having: null }, groupStyle, records }
}

function measureSql(outputs: SqlCase['rollup']['outputs'], name: string): string {
  const columns = outputs.map((output) =>
    output.node.kind === 'group' ? output.name : `MEASURE(${output.name}) AS ${output.name}`,
  )
  const grouped = outputs.filter(({ node }) => node.kind === 'group').map((output) => output.name)
  const groupBy = grouped.length === 0 ? '' : ` GROUP BY ${grouped.join(', ')}`
  return `SELECT ${columns.join(', ')} FROM unfiltered(${name})${groupBy}`
}

/** Each with the errors of its cells, in an order of their own. */
function rowsOf({ lines, errors }: Answer): string[] {
  const cells = Map.groupBy(errors, ({ row }) => row)
  return lines
    .map((line, index) => {
      const codes = (cells.get(index) ?? []).map(({ column, code }) => `${column} ${code}`).toSorted()
      return [line, ...codes].join(' ')
    })
    .toSorted()
}
