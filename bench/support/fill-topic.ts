/** Fills a Kafka topic with the bench's events, evenly over its partitions, with progress. */
import { KafkaLog } from '../../src/adapters/kafka/kafka-log.ts'
import type { NewRecord } from '../../src/tailer/record-source.ts'
import { EVENT_STEP_MS, FIRST_EVENT_MS, PageViews } from './page-views.ts'

const CHUNK = 20_000
const NO_HEADERS: NewRecord['headers'] = []

export async function fillTopic(bootstrap: string, topic: string, partitions: number, count: number): Promise<void> {
  const log = new KafkaLog({ brokers: [bootstrap], clientId: 'bench' }, Date.now)
  try {
    await log.createTopic(topic, partitions)
    const events = new PageViews()
    for (let produced = 0; produced < count;) {
      const records: NewRecord[] = []
      for (; records.length < CHUNK && produced + records.length < count;) {
        const index = produced + records.length
        records.push({
          value: Buffer.from(JSON.stringify(events.next())),
          key: null,
          headers: NO_HEADERS,
          timestampMs: FIRST_EVENT_MS + index * EVENT_STEP_MS,
          partition: index % partitions,
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
