/**
 * Freshness: from producing a record to reading it in a query, while events arrive at a steady rate.
 *   ./dev bench freshness [--rate EVENTS_PER_SECOND] [--seconds N]
 */
import { parseArgs } from 'node:util'
import { KafkaLog } from '../src/adapters/kafka/kafka-log.ts'
import type { NewRecord } from '../src/tailer/record-source.ts'
import { createDataFolder, startRollupd } from '../test/support/running-service.ts'
import { startKafka } from '../tools/kafka/kafka-broker.ts'
import { buildRollupd } from './support/built-rollupd.ts'
import { PageViews } from './support/page-views.ts'
import { WORKLOADS } from './support/workloads.ts'

const PARTITIONS = 4
const TOPIC = 'page_views'
const TICK_MS = 25
/** The first seconds warm the service up and aren't counted. */
const WARM_UP_MS = 5000
const P99_MS_BAR = 500

const { values: flags } = parseArgs({
  options: { rate: { type: 'string', default: '20000' }, seconds: { type: 'string', default: '20' } },
})
const perTick = Math.round((Number(flags.rate) * TICK_MS) / 1000)

const cli = await buildRollupd()
const kafka = await startKafka({ settings: { 'log.retention.ms': '-1' } })
const data = createDataFolder()
const log = new KafkaLog({ brokers: [kafka.bootstrap], clientId: 'bench' }, Date.now)
await log.createTopic(TOPIC, PARTITIONS)
const service = await startRollupd({ data: data.path, kafka: kafka.bootstrap, cli })
try {
  await service.createRollup('bench', WORKLOADS.coarse, TOPIC)
  const events = new PageViews()
  const delaysMs: number[] = []
  const asking: Promise<void>[] = []
  const startedAtMs = performance.now()
  const endAtMs = startedAtMs + WARM_UP_MS + Number(flags.seconds) * 1000
  let produced = 0
  for (let tickAtMs = startedAtMs; tickAtMs < endAtMs; tickAtMs += TICK_MS) {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.max(0, tickAtMs - performance.now()))
    })
    const records = Array.from({ length: perTick }, (_, index): NewRecord => ({
      value: Buffer.from(JSON.stringify(events.next())),
      key: null,
      headers: [],
      partition: index % PARTITIONS,
    }))
    const producedAtMs = performance.now()
    const ranges = await log.produce(TOPIC, records)
    produced += records.length
    const atLeast = Object.fromEntries(ranges.map(({ partition, next }) => [String(partition), next]))
    asking.push(ask(atLeast, producedAtMs))
  }
  await Promise.all(asking)
  const seconds = (performance.now() - startedAtMs) / 1000
  delaysMs.sort((a, b) => a - b)
  const at = (share: number) =>
    delaysMs[Math.min(delaysMs.length - 1, Math.floor(delaysMs.length * share))] ?? Number.NaN
  console.log(
    `freshness at ${Math.round(produced / seconds)} events/s, ${delaysMs.length} queries: p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, ` +
      `max ${at(1).toFixed(0)} ms; bar p99 < ${P99_MS_BAR} ms: ${at(0.99) < P99_MS_BAR ? 'met' : 'MISSED'}`,
  )

  async function ask(atLeast: Record<string, number>, producedAtMs: number): Promise<void> {
    await service.query('SELECT SUM(views) AS views FROM bench', { at_least: { [TOPIC]: atLeast }, timeout_ms: 30_000 })
    if (producedAtMs - startedAtMs > WARM_UP_MS) delaysMs.push(performance.now() - producedAtMs)
  }
} finally {
  await service.stop()
  await log.close()
  await kafka.stop()
  data.remove()
}
