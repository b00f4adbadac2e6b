/**
 * Owns a steady rate of records: a thread of its own, so that making them doesn't delay what the bench measures. The documents of its ring are made
 * once and sent again and again; after each tick the bench hears when it began to be produced and where the topic then ended.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { ClusterClient } from '../../src/adapters/kafka/cluster-client.ts'
import { PRODUCE } from '../../src/adapters/kafka/protocol/produce.ts'
import { at } from '../../src/core/assert.ts'
import { encodeBatch } from '../../src/records/record-batch-encoder.ts'

const TICK_MS = 25
const REPLICATION_TIMEOUT_MS = 10_000

export interface LoadTask {
  readonly bootstrap: string
  readonly topic: string
  readonly eventsPerSecond: number
  readonly durationMs: number
  /** Documents; fewer than what is sent are sent again. */
  readonly ring: readonly string[]
}

export interface Tick {
  /** As `nowMs` counts. */
  readonly producedAtMs: number
  readonly records: number
  /** Offset behind the last record, by partition. */
  readonly next: Readonly<Record<string, number>>
}

/** Milliseconds that all threads of this process agree on. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/** Resolves when all is produced. Errors: of the thread. */
export function runSteadyLoad(task: LoadTask, onTick: (tick: Tick) => void): Promise<void> {
  const worker = new Worker(new URL(import.meta.url))
  // no workerData, which would stay
  worker.postMessage(task)
  worker.on('message', onTick)
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
}

/** What a tick sends to a partition. */
interface Batch {
  readonly partition: number
  readonly records: Uint8Array
  readonly count: number
}

/** All ticks' batches, made before the first: their making would take a quarter of a core from what is measured. */
function encodeTicks(ring: readonly string[], perTick: number, partitions: number): Batch[][] {
  const ticks: Batch[][] = []
  const timestampMs = Date.now()
  for (let first = 0; first + perTick <= ring.length; first += perTick) {
    const documents = ring.slice(first, first + perTick)
    const batches = Array.from({ length: Math.min(partitions, perTick) }, (_, partition): Batch => {
      const records = documents
        .filter((_json, index) => index % partitions === partition)
        .map((json) => ({ value: Buffer.from(json), key: null, headers: [], timestampMs }))
      return { partition, records: encodeBatch({ baseOffset: 0, records, leaderEpoch: -1 }), count: records.length }
    })
    ticks.push(batches)
  }
  return ticks
}

interface Load {
  readonly client: ClusterClient
  readonly topic: string
  /** The broker of all partitions. */
  readonly leader: number
  readonly ticks: readonly Batch[][]
  readonly perTick: number
  readonly durationMs: number
}

/** What the load needs, without the documents: they would be traced all the time. */
async function prepareLoad({ bootstrap, topic, eventsPerSecond, durationMs, ring }: LoadTask): Promise<Load> {
  const client = new ClusterClient({ brokers: [bootstrap], clientId: 'bench' })
  const [found] = (await client.fetchMetadata([topic])).topics
  const { leader = -1 } = found?.partitions[0] ?? {}
  const perTick = Math.round((eventsPerSecond * TICK_MS) / 1000)
  const ticks = encodeTicks(ring, perTick, found?.partitions.length ?? 0)
  return { client, topic, leader, ticks, perTick, durationMs }
}

async function produceAll({ client, topic, leader, ticks, perTick, durationMs }: Load): Promise<void> {
  const startedAtMs = performance.now()
  for (let tick = 0; tick * TICK_MS < durationMs; tick++) {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.max(0, startedAtMs + tick * TICK_MS - performance.now()))
    })
    const partitions = at(ticks, tick % ticks.length)
    const producedAtMs = nowMs()
    const request = { topic, timeoutMs: REPLICATION_TIMEOUT_MS, partitions }
    const produced = await client.askSlow(leader, PRODUCE, request, REPLICATION_TIMEOUT_MS)
    const next: Record<string, number> = {}
    for (const { partition, errorCode, baseOffset } of produced) {
      if (errorCode !== 0) throw new Error(`partition ${partition}: error ${errorCode} of Kafka`)
      next[partition] = baseOffset + (partitions.find((batch) => batch.partition === partition)?.count ?? 0)
    }
    parentPort?.postMessage({ producedAtMs, records: perTick, next } satisfies Tick)
  }
  client.close()
}

if (!isMainThread) parentPort?.once('message', (task: LoadTask) => void prepareLoad(task).then(produceAll))
