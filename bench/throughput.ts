/**
 * Throughput from a real Kafka to committed state, coarse and fine, against Kafka Streams on the same broker, runs in turn.
 *   ./dev bench throughput [--records N] [--runs N] [--workload coarse|fine] [--no-peer]
 */
import { parseArgs } from 'node:util'
import { formatTable } from '../src/cli/text-table.ts'
import { createDataFolder, type RunningService, startRollupd } from '../test/support/running-service.ts'
import { startKafka } from '../tools/kafka/kafka-broker.ts'
import { buildRollupd } from './support/built-rollupd.ts'
import { fillTopic } from './support/fill-topic.ts'
import { buildKafkaStreamsPeer, runKafkaStreams } from './support/kafka-streams-peer.ts'
import { ProcessTreeMeter } from './support/process-tree.ts'
import { type Workload, WORKLOADS } from './support/workloads.ts'

const PARTITIONS = 4
const TOPIC = 'page_views'
const RUN_MS_MAX = 600_000
/** How often the progress is asked for; a run's time is known to half of this. */
const POLL_MS = 60
/** Slower than this the peer was disturbed, and the run doesn't count. Events/s. */
const PEER_FLOOR: Readonly<Record<Workload, number>> = { coarse: 110_000, fine: 65_000 }
/** What rollupd must reach, as a multiple of the peer's one thread. */
const BAR: Readonly<Record<Workload, number>> = { coarse: 4, fine: 2.5 }
const PEAK_BYTES_BAR = 500e6

const { values: flags } = parseArgs({
  options: {
    records: { type: 'string', default: '5000000' },
    runs: { type: 'string', default: '1' },
    workload: { type: 'string' },
    'no-peer': { type: 'boolean', default: false },
  },
})
const records = Number(flags.records)
const workloads: Workload[] = flags.workload === undefined ? ['coarse', 'fine'] : [flags.workload as Workload]

interface Run {
  readonly name: string
  readonly workload: Workload
  readonly eventsPerSecond: number
  readonly cpuSeconds: number
  readonly peakBytes: number
}

const cli = await buildRollupd()
// the events' times are of the past, and a broker removes what is older than a week
const kafka = await startKafka({ settings: { 'log.retention.ms': '-1' } })
try {
  const peer = flags['no-peer'] ? undefined : await buildKafkaStreamsPeer()
  const startedAtMs = performance.now()
  await fillTopic(kafka.bootstrap, TOPIC, PARTITIONS, records)
  console.log(
    `${records} events on ${PARTITIONS} partitions, produced in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`,
  )
  const runs: Run[] = []
  for (let turn = 0; turn < Number(flags.runs); turn++) {
    for (const workload of workloads) {
      runs.push(show(await runRollupd(workload)))
      if (peer === undefined) continue
      for (const threads of [1, 2]) {
        const run = await runKafkaStreams(peer, {
          bootstrap: kafka.bootstrap,
          topic: TOPIC,
          records,
          workload,
          threads,
        })
        runs.push(show({ name: toPeerName(threads), workload, eventsPerSecond: run.eventsPerSecond, ...run.cost }))
      }
    }
  }
  console.log(`\n${formatRuns(runs)}`)
  if (peer !== undefined) for (const workload of workloads) judge(runs, workload)
} finally {
  await kafka.stop()
}

async function runRollupd(workload: Workload): Promise<Run> {
  const data = createDataFolder()
  const service = await startRollupd({ data: data.path, kafka: kafka.bootstrap, cli })
  const meter = new ProcessTreeMeter(service.process.pid ?? 0)
  try {
    // what starting the service cost isn't the rollup's
    const before = meter.cost.cpuSeconds
    await service.createRollup('bench', WORKLOADS[workload], TOPIC)
    // as the peer, which counts from its first record: reading begins with the answer of the creation
    const startedAtMs = performance.now()
    await waitForRecords(service)
    const seconds = (performance.now() - startedAtMs) / 1000
    const { cpuSeconds, peakBytes } = meter.end()
    const { counts } = await service.rollup('bench')
    if (counts.aggregated + counts.filtered !== records)
      throw new Error(`not all records were counted: ${JSON.stringify(counts)}`)
    return { name: 'rollupd', workload, eventsPerSecond: records / seconds, cpuSeconds: cpuSeconds - before, peakBytes }
  } finally {
    await service.stop()
    data.remove()
  }
}

/** Asks seldom: each answer costs the two cores a millisecond. */
async function waitForRecords(service: RunningService): Promise<void> {
  const deadlineMs = performance.now() + RUN_MS_MAX
  for (;;) {
    const { shards } = await service.rollup('bench')
    if (shards.reduce((sum, shard) => sum + shard.next_offset, 0) >= records) return
    if (performance.now() > deadlineMs) throw new Error(`not all records within ${RUN_MS_MAX} ms`)
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS)
    })
  }
}

function toPeerName(threads: number): string {
  return `kafka streams, ${threads} thread${threads === 1 ? '' : 's'}`
}

function show(run: Run): Run {
  console.log(
    `${run.workload} ${run.name}: ${Math.round(run.eventsPerSecond)} events/s, cpu ${run.cpuSeconds.toFixed(1)} s, peak ${(run.peakBytes / 1e6).toFixed(0)} MB`,
  )
  return run
}

function formatRuns(runs: readonly Run[]): string {
  return formatTable(
    ['WORKLOAD', 'WHO', 'EVENTS/S', 'CPU S', 'PEAK MB'],
    runs.map((run) => [
      run.workload,
      run.name,
      run.eventsPerSecond.toFixed(0),
      run.cpuSeconds.toFixed(1),
      (run.peakBytes / 1e6).toFixed(0),
    ]),
  )
}

function judge(runs: readonly Run[], workload: Workload): void {
  const ours = medianOf(runs, workload, 'rollupd')
  const theirs = medianOf(runs, workload, toPeerName(1))
  const ratio = ours / theirs
  const peak = Math.max(
    ...runs.filter((run) => run.name === 'rollupd' && run.workload === workload).map((run) => run.peakBytes),
  )
  const floor =
    theirs < PEER_FLOOR[workload]
      ? ` (the peer was disturbed: below ${PEER_FLOOR[workload]} events/s, this run doesn't count)`
      : ''
  console.log(
    `${workload}: ${ratio.toFixed(2)} times Kafka Streams' one thread, bar ${BAR[workload]}: ${ratio >= BAR[workload] ? 'met' : 'MISSED'}${floor}`,
  )
  console.log(
    `${workload}: peak memory ${(peak / 1e6).toFixed(0)} MB, bar ${PEAK_BYTES_BAR / 1e6}: ${peak < PEAK_BYTES_BAR ? 'met' : 'MISSED'}`,
  )
}

function medianOf(runs: readonly Run[], workload: Workload, name: string): number {
  const speeds = runs.filter((run) => run.workload === workload && run.name === name).map((run) => run.eventsPerSecond)
  return speeds.sort((a, b) => a - b)[Math.floor(speeds.length / 2)] ?? Number.NaN
}
