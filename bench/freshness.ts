/**
 * Freshness and queries under load: from producing a record to its being in an answer, and how long queries over an hour take meanwhile, with a
 * week of groups stored.
 *   ./dev bench freshness [--rate EVENTS_PER_SECOND] [--seconds N] [--groups N]
 */
import { parseArgs } from 'node:util'
import { startKafka } from '../tools/kafka/kafka-broker.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildRollupd } from './support/built-rollupd.ts'
import { FilledLeaf, ROLLUP } from './support/filled-leaf.ts'
import { FIRST_MINUTE_MS, groupView, groupViews } from './support/group-views.ts'
import { percentile } from './support/median.ts'
import { nowMs, runSteadyLoad, type Tick } from './support/steady-load.ts'
import { WORKLOADS } from './support/workloads.ts'

const TOPIC = 'page_views'
/** A million groups fill a week. */
const GROUPS_PER_MINUTE = 100
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** By events/s: p99 from produced to visible, milliseconds. */
const FRESH_MS_BARS: Readonly<Record<string, number>> = { '100000': 400, '1000': 150 }
/** p99 of the queries, milliseconds. */
const QUERY_MS_BAR = 20
const QUERIES_PER_SECOND = 20
/** Each of these ticks is waited for by a query: ten a second. */
const TICKS_PER_PROBE = 4
/** The first seconds warm the service up and aren't counted. */
const WARM_UP_MS = 5000
/** Some minutes of the live events' time; repeated, so that the load makes nothing while it runs. */
const RING_EVENTS = 200_000
const RING_MINUTES = 30

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string' },
    seconds: { type: 'string', default: '30' },
    groups: { type: 'string', default: '1000000' },
  },
})
const groups = Number(flags.groups)
const minutes = Math.ceil(groups / GROUPS_PER_MINUTE)

const report = new BenchReport('freshness')
const cli = await buildRollupd()
// the events' times are of the past, and a broker removes what is older than a week
const kafka = await startKafka({ settings: { 'log.retention.ms': '-1' } })
try {
  const nextEvent = groupViews({ groupsPerMinute: GROUPS_PER_MINUTE })
  const statement = WORKLOADS.fine
  const leaf = await FilledLeaf.create({
    cli,
    kafka: kafka.bootstrap,
    topic: TOPIC,
    statement,
    nextEvent,
    groups,
    isMemoryMeasured: false,
  })
  try {
    for (const rate of flags.rate === undefined ? Object.keys(FRESH_MS_BARS) : [flags.rate]) await measure(leaf, rate)
  } finally {
    await leaf.stop()
  }
} finally {
  await kafka.stop()
}
report.end()

async function measure(leaf: FilledLeaf, rate: string): Promise<void> {
  const durationMs = WARM_UP_MS + Number(flags.seconds) * 1000
  const countedFromMs = nowMs() + WARM_UP_MS
  const asking: Promise<void>[] = []
  const freshMs: number[] = []
  const queryMs: number[] = []
  let [ticks, produced, startedAtMs, endedAtMs] = [0, 0, 0, 0]

  let failed = 0
  // its time counts: an answer that doesn't come is the slowest of all
  const noteFailure = (error: unknown): void => {
    failed++
    console.error(`a query failed: ${error instanceof Error ? error.message : String(error)}`)
  }
  const onTick = (tick: Tick): void => {
    ticks++
    startedAtMs ||= tick.producedAtMs
    produced += tick.records
    endedAtMs = nowMs()
    if (ticks % TICKS_PER_PROBE === 0) asking.push(probe(tick))
  }
  const probe = async ({ producedAtMs, next }: Tick): Promise<void> => {
    await leaf.service
      .query(toMinuteQuery(minutes), { at_least: { [TOPIC]: next }, timeout_ms: 30_000 })
      .catch(noteFailure)
    if (producedAtMs >= countedFromMs) freshMs.push(nowMs() - producedAtMs)
  }
  let asked = 0
  const ask = async (): Promise<void> => {
    const askedAtMs = nowMs()
    await leaf.service.query(toHourQuery(asked++)).catch(noteFailure)
    if (askedAtMs >= countedFromMs) queryMs.push(nowMs() - askedAtMs)
  }
  const timer = setInterval(() => asking.push(ask()), 1000 / QUERIES_PER_SECOND)
  const ring = createRing()
  const load = { bootstrap: kafka.bootstrap, topic: TOPIC, eventsPerSecond: Number(rate), durationMs, ring }
  try {
    await runSteadyLoad(load, onTick)
  } finally {
    clearInterval(timer)
  }
  await Promise.all(asking)
  const reached = (produced / (endedAtMs - startedAtMs)) * 1000
  const note = reached < Number(rate) * 0.95 ? `only ${Math.round(reached)} events/s were produced` : undefined
  const title = `at ${rate} events/s`
  report.figure(`${title}: produced to visible, p50`, percentile(freshMs, 0.5), 'ms', 'lower')
  report.figure(`${title}: produced to visible, the slowest of ${freshMs.length}`, Math.max(...freshMs), 'ms', 'lower')
  report.figure(`${title}: queries over an hour, p50`, percentile(queryMs, 0.5), 'ms', 'lower')
  report.figure(`${title}: queries over an hour, the slowest of ${queryMs.length}`, Math.max(...queryMs), 'ms', 'lower')
  report.bar(`${title}: queries that failed`, failed, { atMost: 0 })
  const below = FRESH_MS_BARS[rate]
  const freshLimit = { unit: 'ms', note, ...(below === undefined ? {} : { below }) }
  report.bar(`${title}: produced to visible, p99`, percentile(freshMs, 0.99), freshLimit)
  report.bar(`${title}: queries over an hour, p99`, percentile(queryMs, 0.99), {
    below: QUERY_MS_BAR,
    unit: 'ms',
    note,
  })
}

/** Live events: of the minutes behind the week. */
function createRing(): string[] {
  const first = minutes * GROUPS_PER_MINUTE
  return Array.from({ length: RING_EVENTS }, (_, index) => {
    const minute = Math.floor((index * RING_MINUTES) / RING_EVENTS)
    return groupView(first + minute * GROUPS_PER_MINUTE + (index % GROUPS_PER_MINUTE), GROUPS_PER_MINUTE).json
  })
}

/** Hours all over the week, in turn as a series and as a table of countries. */
function toHourQuery(index: number): string {
  const hours = Math.max(1, Math.floor(minutes / 60))
  // a step that meets every hour, in no order
  const start = FIRST_MINUTE_MS + ((index * 61) % hours) * HOUR_MS
  const range = `minute >= '${new Date(start).toISOString()}' AND minute < '${new Date(start + HOUR_MS).toISOString()}'`
  return index % 2 === 0
    ? `SELECT minute, SUM(views) AS views, MAX(max_latency) AS slowest FROM ${ROLLUP} WHERE ${range} GROUP BY minute ORDER BY minute`
    : `SELECT country, SUM(views) AS views, MEASURE(avg_latency) AS avg_latency FROM ${ROLLUP} WHERE ${range} GROUP BY country`
}

function toMinuteQuery(index: number): string {
  const minute = new Date(FIRST_MINUTE_MS + index * MINUTE_MS).toISOString()
  return `SELECT country, path, views FROM ${ROLLUP} WHERE minute = '${minute}'`
}
