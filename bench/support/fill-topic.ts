/** Creates a Kafka topic and fills it with a bench's events, evenly over its partitions, with progress. */
import { KafkaLog } from '../../src/adapters/kafka/kafka-log.ts'
import type { NewRecord } from '../../src/tailer/record-source.ts'
import { EVENT_STEP_MS, FIRST_EVENT_MS, PageViews } from './page-views.ts'

const CHUNK = 20_000
const NO_HEADERS: NewRecord['headers'] = []

/** Gives the events one after another: a JSON document and its time. */
export type EventSource = () => { readonly json: string; readonly timestampMs: number }

export interface Filling {
  readonly bootstrap: string
  readonly topic: string
  readonly count: number
  /** Default: page views from the first on. */
  readonly nextEvent?: EventSource
}

export async function createTopic(bootstrap: string, topic: string, partitions: number): Promise<void> {
  const log = new KafkaLog({ brokers: [bootstrap], clientId: 'bench' }, Date.now)
  try {
    await log.createTopic(topic, partitions)
  } finally {
    await log.close()
  }
}

export async function fillTopic({ bootstrap, topic, count, nextEvent }: Filling): Promise<void> {
  const log = new KafkaLog({ brokers: [bootstrap], clientId: 'bench' }, Date.now)
  const next = nextEvent ?? pageViews()
  try {
    const partitionCount = (await log.findTopic(topic))?.partitions.length ?? 1
    for (let produced = 0; produced < count;) {
      const records: NewRecord[] = []
      for (; records.length < CHUNK && produced + records.length < count;) {
        const { json, timestampMs } = next()
        records.push({
          value: Buffer.from(json),
          key: null,
          headers: NO_HEADERS,
          timestampMs,
          partition: (produced + records.length) % partitionCount,
        })
      }
      await log.produce(topic, records)
      produced += records.length
      if (process.stderr.isTTY) process.stderr.write(`\rproducing: ${produced} of ${count}`)
    }
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  } finally {
    await log.close()
  }
}

function pageViews(): EventSource {
  const events = new PageViews()
  let timestampMs = FIRST_EVENT_MS - EVENT_STEP_MS
  return () => ({ json: JSON.stringify(events.next()), timestampMs: (timestampMs += EVENT_STEP_MS) })
}
