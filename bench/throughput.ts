/**
 * Throughput from a real Kafka to committed state, coarse and fine, against Kafka Streams and Flink SQL on the same broker, runs in turn.
 *   ./dev bench throughput [--records N] [--runs N] [--workload coarse|fine] [--no-peer]
 */
import { parseArgs } from 'node:util'
import { startKafka } from '../tools/kafka/kafka-broker.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildRollupd } from './support/built-rollupd.ts'
import { createTopic, fillTopic } from './support/fill-topic.ts'
import { median } from './support/median.ts'
import { runToEnd } from './support/run-to-end.ts'
import { buildThroughputPeers, type ThroughputPeer } from './support/throughput-peers.ts'
import { type Workload, WORKLOADS } from './support/workloads.ts'

const PARTITIONS = 4
const TOPIC = 'page_views'
const US = 'rollupd'
/** Events/s, as multiples of Kafka Streams' one thread, and of Flink's better parallelism. */
const TIMES_BAR: Readonly<Record<ThroughputPeer['family'], Readonly<Record<Workload, number>>>> = {
  'Kafka Streams': { coarse: 5, fine: 3.5 },
  'Flink SQL': { coarse: 2.5, fine: 2 },
}
/** CPU seconds for an event, as a part of Flink's where it needs the least. */
const CPU_BAR = 1 / 3
const PEAK_MB_BAR = 500
const BYTES_PER_MB = 1e6

const { values: flags } = parseArgs({
  options: {
    records: { type: 'string', default: '5000000' },
    runs: { type: 'string', default: '3' },
    workload: { type: 'string' },
    'no-peer': { type: 'boolean', default: false },
  },
})
const records = Number(flags.records)
const workloads: Workload[] = flags.workload === undefined ? ['coarse', 'fine'] : [flags.workload as Workload]

interface Run {
  readonly who: string
  readonly workload: Workload
  readonly eventsPerSecond: number
  /** CPU seconds for a million events. */
  readonly cpuPerMillion: number
  readonly peakMb: number
}

const report = new BenchReport('throughput')
const cli = await buildRollupd()
// the events' times are of the past, and a broker removes what is older than a week
const kafka = await startKafka({ settings: { 'log.retention.ms': '-1' } })
try {
  const peers = flags['no-peer'] ? [] : await buildThroughputPeers()
  const startedAtMs = performance.now()
  await createTopic(kafka.bootstrap, TOPIC, PARTITIONS)
  await fillTopic({ bootstrap: kafka.bootstrap, topic: TOPIC, count: records })
  console.log(
    `${records} events on ${PARTITIONS} partitions, produced in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`,
  )
  const runs: Run[] = []
  for (let turn = 0; turn < Number(flags.runs); turn++)
    for (const workload of workloads) {
      runs.push(await runRollupd(workload))
      for (const peer of peers) runs.push(await runPeer(peer, workload))
    }
  for (const workload of workloads) {
    const ours = summarize(runs, workload, US)
    const theirs = peers.map((peer) => summarize(runs, workload, peer.name))
    for (const summary of [ours, ...theirs]) reportSummary(summary)
    report.bar(`${workload}: peak memory`, ours.peakMb, { below: PEAK_MB_BAR, unit: 'MB' })
    if (peers.length > 0) judge(ours, theirs, peers)
  }
} finally {
  await kafka.stop()
}
report.end()

async function runRollupd(workload: Workload): Promise<Run> {
  const run = await runToEnd({ cli, kafka: kafka.bootstrap, topic: TOPIC, records, statements: [WORKLOADS[workload]] })
  return toRun(US, workload, { ...run, eventsPerSecond: records / run.seconds })
}

async function runPeer(peer: ThroughputPeer, workload: Workload): Promise<Run> {
  return toRun(peer.name, workload, await peer.run({ bootstrap: kafka.bootstrap, topic: TOPIC, records, workload }))
}

function toRun(
  who: string,
  workload: Workload,
  found: { eventsPerSecond: number; cpuSeconds: number; peakBytes: number },
): Run {
  const cpuPerMillion = (found.cpuSeconds / records) * 1e6
  const run = { who, workload, cpuPerMillion, ...found, peakMb: found.peakBytes / BYTES_PER_MB }
  console.log(
    `${workload} ${who}: ${Math.round(run.eventsPerSecond)} events/s, cpu ${cpuPerMillion.toFixed(2)} s a million, peak ${run.peakMb.toFixed(0)} MB`,
  )
  return run
}

/** Medians; of memory the most. */
function summarize(runs: readonly Run[], workload: Workload, who: string): Run {
  const own = runs.filter((run) => run.workload === workload && run.who === who)
  return {
    who,
    workload,
    eventsPerSecond: median(own.map((run) => run.eventsPerSecond)),
    cpuPerMillion: median(own.map((run) => run.cpuPerMillion)),
    peakMb: Math.max(...own.map((run) => run.peakMb)),
  }
}

function reportSummary({ who, workload, eventsPerSecond, cpuPerMillion, peakMb }: Run): void {
  const isOurs = who === US
  report.figure(`${workload}, ${who}`, eventsPerSecond, 'events/s', isOurs ? 'higher' : undefined)
  report.figure(`${workload}, ${who}: CPU`, cpuPerMillion, 's per million events', isOurs ? 'lower' : undefined)
  report.figure(`${workload}, ${who}: peak memory`, peakMb, 'MB', isOurs ? 'lower' : undefined)
}

function judge(ours: Run, theirs: readonly Run[], peers: readonly ThroughputPeer[]): void {
  const { workload } = ours
  const of = (family: ThroughputPeer['family']): Run[] => theirs.filter((_, index) => peers[index]?.family === family)
  const times = (runs: readonly Run[]): number =>
    ours.eventsPerSecond / Math.max(...runs.map((run) => run.eventsPerSecond))
  const [oneThread] = of('Kafka Streams')
  if (oneThread === undefined) throw new Error('no run of Kafka Streams')
  report.bar(`${workload}: times Kafka Streams' one thread`, times([oneThread]), {
    atLeast: TIMES_BAR['Kafka Streams'][workload],
    note: disturbance([oneThread], peers),
  })
  const flink = of('Flink SQL')
  const note = disturbance(flink, peers)
  report.bar(`${workload}: times Flink's best`, times(flink), { atLeast: TIMES_BAR['Flink SQL'][workload], note })
  const leastCpu = Math.min(...flink.map((run) => run.cpuPerMillion))
  report.bar(`${workload}: CPU as a part of Flink's least`, ours.cpuPerMillion / leastCpu, { atMost: CPU_BAR, note })
  report.figure(`${workload}: times Kafka Streams' best thread count`, times(of('Kafka Streams')), '')
  report.figure(`${workload}: times the best of all peers`, times(theirs), '')
}

/** What is to be said where even the fastest of the runs was slower than an undisturbed machine would make it. */
function disturbance(runs: readonly Run[], peers: readonly ThroughputPeer[]): string | undefined {
  const isSlow = ({ who, workload, eventsPerSecond }: Run): boolean =>
    eventsPerSecond < (peers.find(({ name }) => name === who)?.floor[workload] ?? 0)
  return runs.every(isSlow) ? 'the peer was disturbed, so this run does not count' : undefined
}
