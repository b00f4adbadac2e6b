/** Owns what the properties' runs have covered and asked: plain data, so that several processes' tallies are one. */
import type { EngineFigures } from './engines-property.ts'
import type { RunOptions } from './property-run.ts'

export interface Tally {
  /** Runs in which each function, operator, form and aggregate took part. */
  readonly coverage: Readonly<Record<string, number>>
  readonly engines: Readonly<Record<string, EngineFigures>>
}

/** A form with so many runs is long: then each function, operator and aggregate must take part in COVERED_MIN of them. */
const LONG_RUNS = 5_000
const COVERED_MIN = 200
/** Of the statements that an engine is asked. */
const SKIPPED_SHARE_MAX = 0.02
const COLUMNS = 3

export function mergeTallies(tallies: readonly Tally[]): Tally {
  const engines = new Set(tallies.flatMap((tally) => Object.keys(tally.engines)))
  return {
    coverage: sums(tallies.map(({ coverage }) => coverage)),
    engines: Object.fromEntries(
      [...engines].map((name) => [name, mergeFigures(tallies.flatMap((tally) => tally.engines[name] ?? []))]),
    ),
  }
}

function mergeFigures(list: readonly EngineFigures[]): EngineFigures {
  const sum = (pick: (figures: EngineFigures) => number): number =>
    list.reduce((total, figures) => total + pick(figures), 0)
  return {
    asked: sum(({ asked }) => asked),
    failing: sum(({ failing }) => failing),
    unshared: sum(({ unshared }) => unshared),
    refused: sum(({ refused }) => refused),
    deviating: sums(list.map(({ deviating }) => deviating)),
  }
}

function sums(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) total[name] = (total[name] ?? 0) + count
  return total
}

/** As a table, and a line for each engine. */
export function describeTally({ coverage, engines }: Tally): string {
  const cells = Object.entries(coverage).map(([name, runs]) => `${name.padEnd(24)} ${String(runs).padStart(7)}`)
  const height = Math.ceil(cells.length / COLUMNS)
  const lines = Array.from({ length: height }, (_, row) =>
    Array.from({ length: COLUMNS }, (__, column) => cells[column * height + row] ?? '').join('   '),
  )
  return ['runs in which each took part', ...lines, ...Object.entries(engines).map(describeFigures)].join('\n')
}

function describeFigures([name, figures]: readonly [string, EngineFigures]): string {
  const { asked, failing, unshared, refused, deviating } = figures
  const rows = Object.entries(deviating).map(([row, count]) => `; ${count} differ by "${row}"`)
  const share = `${(100 * skippedShare(figures)).toFixed(2)} % skipped`
  return `${name}: ${asked} statements asked, ${failing} with an error in both; ${share}: ${refused} refused there, ${unshared} failing here alone${rows.join('')}`
}

/** What keeps a long form from proving what it says: parts that took part in too few runs, engines that were asked too seldom. */
export function shortcomingsOf({ coverage, engines }: Tally, { runs }: RunOptions): string[] {
  if (runs < LONG_RUNS) return []
  return [
    ...Object.entries(coverage)
      .filter(([, count]) => count < COVERED_MIN)
      .map(([name, count]) => `${name}: in ${count} runs, fewer than ${COVERED_MIN}`),
    ...Object.entries(engines)
      .filter(([, figures]) => skippedShare(figures) >= SKIPPED_SHARE_MAX)
      .map(([name]) => `${name}: ${100 * SKIPPED_SHARE_MAX} % or more of the statements were skipped`),
  ]
}

function skippedShare({ asked, unshared, refused, deviating }: EngineFigures): number {
  const differing = Object.values(deviating).reduce((sum, count) => sum + count, 0)
  return asked === 0 ? 0 : (unshared + refused + differing) / asked
}
