/** A preview of a real topic, and what the broker knows of it afterwards. */
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedKafka, uniqueTopic } from '../../support/kafka-broker.ts'
import { KafkaClients } from '../../support/kafka-producers.ts'
import { createDataFolder, type RunningService, startRollupd } from '../../support/running-service.ts'

const TEST_TIMEOUT_MS = 120_000
const SQL = 'SELECT k, COUNT(*) AS n, SUM(v) AS s FROM _input GROUP BY k'

const data = createDataFolder()
let service: RunningService
let clients: KafkaClients

beforeAll(async () => {
  clients = new KafkaClients(sharedKafka())
  service = await startRollupd({ data: data.path, kafka: sharedKafka() })
}, TEST_TIMEOUT_MS)
afterAll(async () => {
  await service.stop()
  await clients.close()
  data.remove()
}, TEST_TIMEOUT_MS)

interface Shown {
  readonly source_rows: { partition: number; offset: number }[]
  readonly groups: object[]
}

async function preview(source: object, sample: number): Promise<Shown> {
  return await service.api.callJson('POST', '/v1/rollups/preview', { sql: SQL, source, sample })
}

test('it equals the rollup, and the broker keeps nothing of it', { timeout: TEST_TIMEOUT_MS }, async () => {
  const topic = uniqueTopic('preview')
  await service.createTopic(topic, 2)
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => JSON.stringify({ k: index % 5, v: index }))
  await service.produce(topic, lines(300), 0)
  await service.produce(topic, lines(200), 1)

  const kafka = new Kafka({ brokers: [sharedKafka()], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  try {
    const look = async () => ({
      groups: (await admin.listGroups()).groups.map(({ groupId }) => groupId).toSorted(),
      offsets: await admin.fetchTopicOffsets(topic),
      topics: (await admin.listTopics()).toSorted(),
    })
    const before = await look()
    const all = await preview({ topic, start: 'earliest' }, 10_000)
    const newest = await preview({ topic }, 50)
    expect(await look()).toEqual(before)
    expect(all.source_rows).toHaveLength(500)
    expect(newest.source_rows).toHaveLength(50)
    const last = (partition: number) => newest.source_rows.findLast((row) => row.partition === partition)?.offset
    expect([last(0) ?? 299, last(1)]).toEqual([299, 199])

    await service.createRollup('all_of_it', SQL, topic)
    const at_least = { [topic]: { '0': 300, '1': 200 } }
    const { rows } = await service.query('SELECT * FROM all_of_it ORDER BY k', { at_least, timeout_ms: 30_000 })
    expect(all.groups).toEqual(rows)
  } finally {
    await admin.disconnect()
  }
})
