/**
 * Owns a steady rate of records: a thread of its own, so that making them doesn't delay what the bench measures. The documents of its ring are made
 * once and sent again and again; after each tick the bench hears when it began to be produced and where the topic then ended.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { KafkaLog } from '../../src/adapters/kafka/kafka-log.ts'
import type { NewRecord } from '../../src/tailer/record-source.ts'

const TICK_MS = 25

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
  const worker = new Worker(new URL(import.meta.url), { workerData: task })
  worker.on('message', onTick)
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
}

async function produceAll({ bootstrap, topic, eventsPerSecond, durationMs, ring }: LoadTask): Promise<void> {
  const log = new KafkaLog({ brokers: [bootstrap], clientId: 'bench' }, Date.now)
  const partitions = (await log.findTopic(topic))?.partitions.length ?? 1
  const records = ring.map((json, index): NewRecord => ({
    value: Buffer.from(json),
    key: null,
    headers: [],
    partition: index % partitions,
  }))
  const perTick = Math.round((eventsPerSecond * TICK_MS) / 1000)
  let place = 0
  const startedAtMs = performance.now()
  for (let tickAtMs = startedAtMs; tickAtMs < startedAtMs + durationMs; tickAtMs += TICK_MS) {
    await new Promise((resolve) => {
      setTimeout(resolve, Math.max(0, tickAtMs - performance.now()))
    })
    if (place + perTick > records.length) place = 0
    const batch = records.slice(place, (place += perTick))
    const producedAtMs = nowMs()
    const ranges = await log.produce(topic, batch)
    const next = Object.fromEntries(ranges.map((range) => [String(range.partition), range.next]))
    parentPort?.postMessage({ producedAtMs, records: batch.length, next } satisfies Tick)
  }
  await log.close()
}

if (!isMainThread) await produceAll(workerData as LoadTask)
