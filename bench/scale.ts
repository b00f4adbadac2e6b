/**
 * Ten million groups: how fast records of new groups go into a leaf that holds them, against one of a hundred thousand; the memory of all
 * processes meanwhile; and how soon a service that was killed answers and reads on.
 *   ./dev bench scale [--groups N] [--small N] [--records N] [--keys time|user]
 * Groups without a time in their key come in no order and take far longer to fill: they are measured where they are asked for.
 */
import { parseArgs } from 'node:util'
import { startKafka } from '../tools/kafka/kafka-broker.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildRollupd } from './support/built-rollupd.ts'
import { FilledLeaf, ROLLUP } from './support/filled-leaf.ts'
import { FIRST_MINUTE_MS, groupViews } from './support/group-views.ts'
import { WORKLOADS } from './support/workloads.ts'

/** Ten million of them fill a week. */
const GROUPS_PER_MINUTE = 1000
const RECORDS_AFTER_RESTART = 10_000
const HOUR_MS = 3_600_000
const BYTES_PER_MB = 1e6
const SPEED_PART_BAR = 0.5
const PEAK_MB_BAR = 600
const QUERY_MS_BAR = 1000
const INGEST_MS_BAR = 3000

/** With a time in the key new groups come behind the others; without one they come anywhere between them. */
const KEYS = {
  time: {
    title: 'by minute, country, path',
    statement: WORKLOADS.fine,
    query: `SELECT country, SUM(views) AS views FROM ${ROLLUP} WHERE minute >= '${hour(0)}' AND minute < '${hour(1)}' GROUP BY country`,
  },
  user: {
    title: 'by user, country',
    statement: `SELECT user_id::bigint AS visitor, country, COUNT(*) AS views, SUM(bytes) AS bytes,
       AVG(latency_ms) AS avg_latency, MAX(latency_ms) AS max_latency FROM _input WHERE ok GROUP BY visitor, country`,
    query: `SELECT visitor, views FROM ${ROLLUP} WHERE visitor >= 0 AND visitor < 100000`,
  },
} as const
type Keys = keyof typeof KEYS

const { values: flags } = parseArgs({
  options: {
    groups: { type: 'string', default: '10000000' },
    small: { type: 'string', default: '100000' },
    records: { type: 'string', default: '5000000' },
    keys: { type: 'string', default: 'time' },
  },
})
const records = Number(flags.records)

const report = new BenchReport('scale')
const cli = await buildRollupd()
if (!(flags.keys in KEYS)) throw new Error(`--keys is one of: ${Object.keys(KEYS).join(', ')}`)
// the events' times are of the past, and a broker removes what is older than a week
const kafka = await startKafka({ settings: { 'log.retention.ms': '-1' } })
try {
  await compare(flags.keys as Keys)
} finally {
  await kafka.stop()
}
report.end()

async function compare(keys: Keys): Promise<void> {
  const small = await measure(keys, Number(flags.small), kafka.bootstrap)
  const large = await measure(keys, Number(flags.groups), kafka.bootstrap)
  const { title } = KEYS[keys]
  report.bar(`${title}: events/s at ${flags.groups} groups as a part of those at ${flags.small}`, large / small, {
    atLeast: SPEED_PART_BAR,
  })
}

/** Events/s of new groups. */
async function measure(keys: Keys, groups: number, bootstrap: string): Promise<number> {
  const { statement, title: keysTitle, query } = KEYS[keys]
  const title = `${keysTitle}, ${groups} groups`
  const filledFromMs = performance.now()
  const nextEvent = groupViews({ groupsPerMinute: GROUPS_PER_MINUTE })
  const leaf = await FilledLeaf.create({
    cli,
    kafka: bootstrap,
    topic: `groups_${groups}`,
    statement,
    nextEvent,
    groups,
    isMemoryMeasured: true,
  })
  try {
    console.log(`${title}: filled in ${((performance.now() - filledFromMs) / 1000).toFixed(0)} s`)
    const eventsPerSecond = records / (await leaf.add(records))
    report.figure(`${title}: events of new groups`, eventsPerSecond, 'events/s', 'higher')
    report.figure(`${title}: memory`, leaf.peakBytes / BYTES_PER_MB, 'MB', 'lower')
    if (groups < Number(flags.groups)) return eventsPerSecond
    const { queryMs, ingestMs } = await leaf.restart(query, RECORDS_AFTER_RESTART)
    report.bar(`${title}: memory`, leaf.peakBytes / BYTES_PER_MB, { below: PEAK_MB_BAR, unit: 'MB' })
    report.bar(`${title}: an answer after the start`, queryMs, { below: QUERY_MS_BAR, unit: 'ms' })
    report.bar(`${title}: records read on after the start`, ingestMs, { below: INGEST_MS_BAR, unit: 'ms' })
    return eventsPerSecond
  } finally {
    await leaf.stop()
  }
}

function hour(index: number): string {
  return new Date(FIRST_MINUTE_MS + index * HOUR_MS).toISOString()
}
