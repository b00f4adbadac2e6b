/** Owns what a user would pick instead, on the same topic: Kafka Streams and Flink SQL, each with one thread and with two. */
import { buildJavaPeer, type JavaPeer, runJavaPeer } from './java-peer.ts'
import type { PeerRun } from './peer-run.ts'
import type { Workload } from './workloads.ts'

const KAFKA_STREAMS: JavaPeer = { name: 'kafka-streams', mainClass: 'KafkaStreamsRollup' }
const FLINK: JavaPeer = {
  name: 'flink',
  mainClass: 'FlinkRollup',
  // Java 17 hides what Flink's serializers look at
  javaOptions: ['lang', 'util', 'net', 'io', 'nio', 'time', 'util.concurrent'].map(
    (name) => `--add-opens=java.base/java.${name}=ALL-UNNAMED`,
  ),
}
/** A JVM is warm after some million events: Flink's figure is of what comes then. */
const WARM_UP_EVENTS = 5_000_000
const WARM_UP_RUNS_MAX = 3
const THREADS = [1, 2] as const

export interface PeerTask {
  readonly bootstrap: string
  readonly topic: string
  readonly records: number
  readonly workload: Workload
}

export interface ThroughputPeer {
  readonly family: 'Kafka Streams' | 'Flink SQL'
  readonly name: string
  /** Slower than this it was disturbed, and the run doesn't count. Events/s. */
  readonly floor: Readonly<Record<Workload, number>>
  run(task: PeerTask): Promise<PeerRun>
}

/** Fetches and compiles what is missing. */
export async function buildThroughputPeers(): Promise<ThroughputPeer[]> {
  const [kafkaStreams, flink] = [await buildJavaPeer(KAFKA_STREAMS), await buildJavaPeer(FLINK)]
  return [
    ...THREADS.map((threads): ThroughputPeer => ({
      family: 'Kafka Streams',
      name: `Kafka Streams, ${threads} thread${threads === 1 ? '' : 's'}`,
      floor: { coarse: 110_000, fine: 65_000 },
      run: ({ bootstrap, topic, records, workload }) =>
        runJavaPeer(kafkaStreams, KAFKA_STREAMS, [bootstrap, topic, String(records), 'eos', workload, String(threads)]),
    })),
    ...THREADS.map((threads): ThroughputPeer => ({
      family: 'Flink SQL',
      name: `Flink SQL, parallelism ${threads}`,
      floor: { coarse: 300_000, fine: 120_000 },
      run: ({ bootstrap, topic, records, workload }) =>
        runJavaPeer(flink, FLINK, [
          bootstrap,
          topic,
          String(records),
          workload,
          String(threads),
          String(1 + Math.min(WARM_UP_RUNS_MAX, Math.ceil(WARM_UP_EVENTS / records))),
        ]),
    })),
  ]
}
