/** Owns `./dev bench` without a name: all benches in turn, and at the end one table of what must hold. */
import { type Bar, readResults, resultsFile, type Results } from '../../bench/support/bench-results.ts'
import { formatFigure } from '../../bench/support/bench-report.ts'
import { formatTable } from '../../src/cli/text-table.ts'
import { listScripts, runScripts } from './scripts.ts'

export const BENCH_FOLDER = 'bench'
/** The parts, then the whole: a short one that fails spares the hour of those behind it. What isn't named comes last. */
const ORDER = [
  'decode',
  'fold',
  'sql',
  'leaf',
  'sketch-error',
  'json-to-state',
  'preview',
  'queries',
  'throughput',
  'many-rollups',
  'freshness',
  'scale',
]

/** Caller gets the exit code: 1 where a bench failed or a bar is missed. */
export async function runAllBenches(): Promise<number> {
  const failed: string[] = []
  const names = listScripts(BENCH_FOLDER).toSorted((a, b) => placeOf(a) - placeOf(b))
  for (const name of names) {
    process.stdout.write(`\n## ${name}\n\n`)
    if ((await runScripts(BENCH_FOLDER, name, [])) !== 0) failed.push(name)
  }
  const results = readResults(resultsFile(false))
  const ran = Object.fromEntries(names.flatMap((name) => (failed.includes(name) ? [] : [[name, results[name]]])))
  process.stdout.write(`\n${formatBars(ran as Results)}\n`)
  if (failed.length > 0) process.stdout.write(`\nfailed: ${failed.join(', ')}\n`)
  const isMissed = Object.values(ran).some((section) => Object.values(section?.bars ?? {}).some(({ met }) => !met))
  return failed.length > 0 || isMissed ? 1 : 0
}

function placeOf(name: string): number {
  const place = ORDER.indexOf(name)
  return place < 0 ? ORDER.length : place
}

function formatBars(results: Results): string {
  const rows = Object.entries(results).flatMap(([name, { bars }]) =>
    Object.entries(bars).map(([title, bar]) => [name, title, formatFigure(bar.value, bar.unit), bar.bar, verdict(bar)]),
  )
  return formatTable(['BENCH', 'WHAT', 'FOUND', 'BAR', 'VERDICT'], rows)
}

function verdict({ met, note }: Bar): string {
  return `${met ? 'met' : 'MISSED'}${note === undefined ? '' : ` (${note})`}`
}
