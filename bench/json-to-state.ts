/**
 * JSON to aggregated state, without a log and without a store: rollupd's fold on one thread beside ClickHouse, embedded, from a local file.
 * What that leaves out stands in bench/peers/clickhouse/json_to_state.py.
 *   ./dev bench json-to-state [--records N]
 */
import { mkdtempSync, openSync, rmSync, closeSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { IngestFold } from '../src/aggregator/ingest-fold.ts'
import { planRollup } from '../src/planner/plan-rollup.ts'
import { loadParser } from '../src/sql/parse-statement.ts'
import { runAsOneFile } from './support/as-one-file.ts'
import { BenchReport } from './support/bench-report.ts'
import { PEERS } from './support/checkout.ts'
import { buildAnswers } from './support/event-answers.ts'
import { foldAnswers } from './support/fold-answers.ts'
import { median } from './support/median.ts'
import { PageViews } from './support/page-views.ts'
import { buildOnce, mustRun } from './support/peer-build.ts'
import { runPeer } from './support/peer-run.ts'
import { type Workload, WORKLOADS } from './support/workloads.ts'

const THREADS = [1, 2]
const RUNS = 3
const ROUNDS = 5
const LINES_PER_WRITE = 10_000

const { values: flags } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } })
const records = Number(flags.records)
await runAsOneFile('json-to-state', import.meta.url)
const report = new BenchReport('json-to-state')
const python = await buildPython()
await loadParser()
const answers = buildAnswers(records)
const folder = mkdtempSync(join(tmpdir(), 'rollupd-bench-'))
try {
  const file = join(folder, 'events.ndjson')
  writeEvents(file)
  for (const workload of Object.keys(WORKLOADS) as Workload[]) {
    const ours = measureFold(workload)
    report.figure(`${workload}, rollupd, one thread`, ours, 'M events per CPU second', 'higher')
    for (const threads of THREADS) {
      const program = join(PEERS, 'clickhouse', 'json_to_state.py')
      const args = [program, file, String(records), workload, String(threads), String(RUNS)]
      const { eventsPerSecond, cpuSeconds } = await runPeer('clickhouse', python, args)
      const title = `${workload}, ClickHouse, ${threads} thread${threads === 1 ? '' : 's'}`
      report.figure(title, eventsPerSecond, 'events/s')
      report.figure(`${title}: per CPU second`, records / cpuSeconds / 1e6, 'M events per CPU second')
      report.figure(
        `${workload}: rollupd's times ClickHouse's with ${threads}, by CPU`,
        (ours * 1e6 * cpuSeconds) / records,
        '',
      )
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
report.end()

/** Millions of events in a second of the thread's CPU time, up to sealed batches. */
function measureFold(workload: Workload): number {
  const plan = planRollup(WORKLOADS[workload], { versions: { timeZones: '', unicode: '' } })
  const fold = new IngestFold({ rollupId: 1, plan, onError: 'dead_letter', deadLettersMax: 100 })
  const speeds = Array.from({ length: ROUNDS }, (_, round) => {
    const { foldMs, sealMs } = foldAnswers(fold, answers, round)
    return records / (foldMs + sealMs) / 1000
  })
  return median(speeds)
}

function writeEvents(file: string): void {
  const events = new PageViews()
  const descriptor = openSync(file, 'w')
  for (let written = 0; written < records;) {
    let lines = ''
    const end = Math.min(records, written + LINES_PER_WRITE)
    for (; written < end; written++) lines += `${JSON.stringify(events.next())}\n`
    writeSync(descriptor, lines)
  }
  closeSync(descriptor)
}

/** Of an environment with the peer's packages and none of what they bring along for other uses. */
async function buildPython(): Promise<string> {
  const requirements = join(PEERS, 'clickhouse', 'requirements.txt')
  const environment = await buildOnce('clickhouse', [requirements], async (target) => {
    await mustRun('python3', ['-m', 'venv', target])
    // by its module: scripts of an environment name the folder that it was made in
    await mustRun(join(target, 'bin', 'python'), ['-m', 'pip', 'install', '-q', '--no-deps', '-r', requirements])
  })
  return join(environment, 'bin', 'python')
}
