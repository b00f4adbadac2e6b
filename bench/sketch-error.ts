/**
 * The errors of APPROX_DISTINCT and APPROX_PERCENTILE against the exact answers, from one value to 10^7, as the tables of docs/SKETCHES.md: `./dev
 * bench sketch-error [--max N]`. A seed gives one sequence of values, so the figures are the same on every machine; a minute.
 */
import { parseArgs } from 'node:util'
import { resolveAggregate } from '../src/aggregates/aggregate-table.ts'
import type { Accumulator, Aggregate } from '../src/aggregates/aggregate.ts'
import { RecordPlace } from '../src/core/record-place.ts'
import { Registers } from '../src/core/registers.ts'
import { SeededRandom } from '../test/fuzz/seeded-random.ts'
import { BenchReport } from './support/bench-report.ts'

const MAX_DEFAULT = '10000000'
/** Together about as many values in each row. */
const VALUES_A_ROW = 2e7
const TRIALS_MAX = 100
const FRACTIONS = [0, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1]
/** A prime near 2^62 / 3: its multiples are as far apart as ids are. */
const STEP = 1_537_228_672_809_129_301n

const { values: options } = parseArgs({ options: { max: { type: 'string' } } })
const valuesMax = Number(options.max ?? MAX_DEFAULT)
const r = new Registers(1)
const report = new BenchReport('sketch-error')

function accumulatorOf(aggregate: Aggregate): Accumulator {
  const accumulator = aggregate.createAccumulator({ place: new RecordPlace(), order: [], bounds: 'state' })
  accumulator.grow(1)
  return accumulator
}

function finished(aggregate: Aggregate, accumulator: Accumulator, fraction = Number.NaN): number {
  const state: Parameters<Accumulator['stateOf']>[1] = []
  accumulator.stateOf(0, state)
  aggregate.finalize(state, r, 0, fraction)
  return r.num[0] as number
}

function percent(error: number): string {
  return error === 0 ? '0' : `${(error * 100).toFixed(3)} %`
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
  console.log('')
}

/** Sets of integers that stand in a row, and of such that are far apart. */
function distinctErrors(count: number, trials: number): number[] {
  const aggregate = resolveAggregate('approx_distinct', ['bigint']) as Aggregate
  const accumulator = accumulatorOf(aggregate)
  return Array.from({ length: trials }, (_, trial) => {
    accumulator.reset()
    const first = trial * count
    for (let index = 0; index < count; index++) {
      if (trial % 2 === 0) r.setInteger(0, first + index)
      else r.setBigInteger(0, BigInt.asIntN(64, BigInt(first + index) * STEP))
      accumulator.update(0, r, 0, -1)
    }
    return finished(aggregate, accumulator) / count - 1
  })
}

function reportDistinct(): void {
  const rows: string[][] = []
  for (const count of [1, 10, 100, 512, 1_000, 3_000, 10_000, 100_000, 1e6, 1e7]) {
    if (count > valuesMax) continue
    const trials = Math.max(2, Math.min(TRIALS_MAX, Math.floor(VALUES_A_ROW / count)))
    const errors = distinctErrors(count, trials)
    const sizes = errors.map((error) => Math.abs(error))
    const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length
    const title = `APPROX_DISTINCT of ${count.toLocaleString('en')}`
    report.figure(`${title}: mean size of the error`, 100 * mean(sizes), '%', 'lower')
    report.figure(`${title}: greatest error`, 100 * Math.max(...sizes), '%', 'lower')
    rows.push([
      count.toLocaleString('en'),
      String(trials),
      percent(mean(errors)),
      percent(mean(sizes)),
      percent(Math.max(...sizes)),
    ])
  }
  printTable(['distinct values', 'sets', 'mean error', 'mean size of it', 'greatest'], rows)
}

/** Sums of 12 uniform numbers: near enough to the normal distribution. */
function normal(random: SeededRandom): number {
  let sum = -6
  for (let index = 0; index < 12; index++) sum += random.next()
  return sum
}

const RANKS = 1e6
const DISTRIBUTIONS: Readonly<Record<string, (random: SeededRandom) => number>> = {
  constant: () => 12.34,
  'uniform, 0 to 1000': (random) => random.next() * 1000,
  'Zipf, 10^6 ranks': (random) => Math.floor((1 - random.next() * (1 - RANKS ** -0.2)) ** -5),
  'lognormal, sigma 1': (random) => Math.exp(normal(random)),
  'lognormal, sigma 3': (random) => Math.exp(3 * normal(random)),
  'normal about 0': normal,
  'lognormal, sigma 12': (random) => Math.exp(12 * normal(random)),
}

function relativeError(estimate: number, exact: number): number {
  return estimate === exact ? 0 : Math.abs(estimate - exact) / Math.abs(exact)
}

function reportPercentile(count: number): void {
  const aggregate = resolveAggregate('approx_percentile', ['double precision']) as Aggregate
  const rows = Object.entries(DISTRIBUTIONS).map(([name, draw]) => {
    const random = new SeededRandom(count)
    const values = Float64Array.from({ length: count }, () => draw(random))
    const accumulator = accumulatorOf(aggregate)
    for (const value of values) {
      r.setDouble(0, value)
      accumulator.update(0, r, 0, -1)
    }
    values.sort()
    const errors = FRACTIONS.map((fraction) => {
      const exact = values[Math.max(Math.ceil(fraction * count) - 1, 0)] as number
      return relativeError(finished(aggregate, accumulator, fraction), exact)
    })
    const title = `APPROX_PERCENTILE of ${count.toLocaleString('en')}, ${name}`
    report.figure(`${title}: greatest error`, 100 * Math.max(...errors), '%', 'lower')
    return [name, ...errors.map(percent)]
  })
  console.log(`${count.toLocaleString('en')} values:\n`)
  printTable(['distribution', ...FRACTIONS.map(String)], rows)
}

console.log('## APPROX_DISTINCT\n')
reportDistinct()
console.log('## APPROX_PERCENTILE\n')
for (const count of [1, 100, 10_000, 1e6, 1e7]) if (count <= valuesMax) reportPercentile(count)
report.end()
