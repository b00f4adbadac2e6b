/**
 * Ten different coarse rollups on one topic against one alone: records of the topic per second until all stand at its end, runs in turn.
 *   ./dev bench many-rollups [--records N] [--runs N]
 */
import { parseArgs } from 'node:util'
import { startKafka } from '../tools/kafka/kafka-broker.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildRollupd } from './support/built-rollupd.ts'
import { createTopic, fillTopic } from './support/fill-topic.ts'
import { median } from './support/median.ts'
import { type Run, runToEnd } from './support/run-to-end.ts'
import { WORKLOADS } from './support/workloads.ts'

const PARTITIONS = 4
const TOPIC = 'page_views'
const BYTES_PER_MB = 1e6
const PART_BAR = 0.4

const MINUTE = "date_trunc('minute', ts::timestamptz)"
/** No two read the same fields, group by the same and keep the same. */
const TEN = [
  WORKLOADS.coarse,
  `SELECT ${MINUTE} AS minute, COUNT(*) AS views, MIN(latency_ms) AS fastest FROM _input GROUP BY minute`,
  `SELECT ${MINUTE} AS minute, device.os AS os, COUNT(*) AS views, AVG(latency_ms) AS avg_latency FROM _input GROUP BY minute, os`,
  `SELECT date_trunc('hour', ts::timestamptz) AS hour, path, COUNT(*) AS views FROM _input WHERE ok GROUP BY hour, path`,
  `SELECT country, path, COUNT(*) AS views, SUM(bytes) AS bytes FROM _input WHERE ok GROUP BY country, path`,
  `SELECT ${MINUTE} AS minute, COUNT(*) AS failures FROM _input WHERE NOT ok GROUP BY minute`,
  `SELECT device.os AS os, device.ver AS ver, COUNT(*) AS views, MAX(latency_ms) AS slowest FROM _input GROUP BY os, ver`,
  `SELECT date_trunc('hour', ts::timestamptz) AS hour, country, SUM(bytes) AS bytes, MAX(bytes) AS largest FROM _input GROUP BY hour, country`,
  `SELECT ${MINUTE} AS minute, country, COUNT(*) FILTER (WHERE latency_ms > 500) AS slow, COUNT(*) AS views FROM _input WHERE ok GROUP BY minute, country`,
  `SELECT country, BOOL_AND(ok) AS all_ok, COUNT(*) AS views, AVG(bytes) AS avg_bytes FROM _input GROUP BY country`,
]

const { values: flags } = parseArgs({
  options: { records: { type: 'string', default: '5000000' }, runs: { type: 'string', default: '3' } },
})
const records = Number(flags.records)

const report = new BenchReport('many-rollups')
const cli = await buildRollupd()
// the events' times are of the past, and a broker removes what is older than a week
const kafka = await startKafka({ settings: { 'log.retention.ms': '-1' } })
try {
  await createTopic(kafka.bootstrap, TOPIC, PARTITIONS)
  await fillTopic({ bootstrap: kafka.bootstrap, topic: TOPIC, count: records })
  const [one, ten]: [Run[], Run[]] = [[], []]
  for (let turn = 0; turn < Number(flags.runs); turn++) {
    one.push(await run('one rollup', [WORKLOADS.coarse]))
    ten.push(await run('ten rollups', TEN))
  }
  const speedOfOne = reportRuns('one rollup', one)
  const speedOfTen = reportRuns('ten rollups', ten)
  report.bar("ten rollups: the topic's records/s as a part of one's", speedOfTen / speedOfOne, { atLeast: PART_BAR })
} finally {
  await kafka.stop()
}
report.end()

async function run(title: string, statements: readonly string[]): Promise<Run> {
  const found = await runToEnd({ cli, kafka: kafka.bootstrap, topic: TOPIC, records, statements })
  console.log(`${title}: ${Math.round(records / found.seconds)} records/s, cpu ${found.cpuSeconds.toFixed(1)} s`)
  return found
}

function reportRuns(title: string, runs: readonly Run[]): number {
  const speed = median(runs.map(({ seconds }) => records / seconds))
  report.figure(title, speed, 'records/s of the topic', 'higher')
  const cpu = median(runs.map(({ cpuSeconds }) => (cpuSeconds / records) * 1e6))
  report.figure(`${title}: CPU`, cpu, 's per million records', 'lower')
  const peak = Math.max(...runs.map(({ peakBytes }) => peakBytes)) / BYTES_PER_MB
  report.figure(`${title}: peak memory`, peak, 'MB', 'lower')
  return speed
}
