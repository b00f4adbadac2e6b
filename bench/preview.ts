/**
 * Preview: how long a person waits for one of 1,000 records of a topic, the first after start-up and those after it.
 *   ./dev bench preview [--runs N]
 */
import { parseArgs } from 'node:util'
import { createDataFolder, startRollupd } from '../test/support/running-service.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildRollupd } from './support/built-rollupd.ts'
import { median } from './support/median.ts'
import { PageViews } from './support/page-views.ts'
import { WORKLOADS } from './support/workloads.ts'

const TOPIC = 'page_views'
const RECORDS = 1000
const PARTITIONS = 4
/** A person needs longer than this from start-up to a first preview. */
const SETTLE_MS = 1000
const MS_BAR = 300

const { values: flags } = parseArgs({ options: { runs: { type: 'string', default: '20' } } })

const report = new BenchReport('preview')
const cli = await buildRollupd()
const data = createDataFolder()
const service = await startRollupd({ data: data.path, cli })
try {
  await service.createTopic(TOPIC, PARTITIONS)
  const events = new PageViews()
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const lines = Array.from({ length: RECORDS / PARTITIONS }, () => JSON.stringify(events.next()))
    await service.produce(TOPIC, lines, partition)
  }
  await new Promise((resolve) => {
    setTimeout(resolve, SETTLE_MS)
  })
  for (const steps of [false, true]) {
    const first = await ask(steps)
    const later: number[] = []
    for (let run = 0; run < Number(flags.runs); run++) later.push(await ask(steps))
    const title = `preview of ${RECORDS} records${steps ? ' with steps' : ''}`
    report.figure(`${title}: the first after the start`, first, 'ms', 'lower')
    report.figure(`${title}: median of those after it`, median(later), 'ms', 'lower')
    report.bar(`${title}: the slowest`, Math.max(first, ...later), { below: MS_BAR, unit: 'ms' })
  }
} finally {
  await service.stop()
  data.remove()
}
report.end()

async function ask(steps: boolean): Promise<number> {
  const startedAtMs = performance.now()
  const response = await fetch(`${service.url}/v1/rollups/preview`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: WORKLOADS.coarse, source: { topic: TOPIC }, sample: RECORDS, steps }),
  })
  const answer = (await response.json()) as { source_rows?: unknown[] }
  if (answer.source_rows?.length !== RECORDS) throw new Error(`no preview of ${RECORDS} records: ${response.status}`)
  return performance.now() - startedAtMs
}
