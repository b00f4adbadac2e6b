/** Every codec, as other programs write it and as a broker rewrites it, and a batch of many records, through the whole service. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CODEC_ID, type Codec } from '../../../src/records/codecs.ts'
import { type EncodableBatch, encodeBatch } from '../../../src/records/record-batch-encoder.ts'
import { sharedKafka, uniqueTopic } from '../../support/kafka-broker.ts'
import { KafkaClients } from '../../support/kafka-producers.ts'
import { assertConservation, isCaughtUp } from '../../support/rollup-checks.ts'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../../support/running-service.ts'
import { readStoredBatches } from '../../support/stored-batches.ts'

const TEST_TIMEOUT_MS = 120_000
const DEADLINE_MS = 60_000
/** Of now: a broker soon deletes what is a week old. */
const FIRST_MS = Date.now()
const SQL = 'SELECT COUNT(*) AS n, SUM(i) AS s, MAX(i) AS m FROM _input'
const CODECS = Object.keys(CODEC_ID) as Codec[]

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

async function createTopic(label: string, settings: Record<string, string> = {}): Promise<string> {
  const topic = uniqueTopic(label)
  await clients.createTopic(topic, 1, settings)
  return topic
}

/** Records {"i": from}, {"i": from + 1} and so on. */
function encode(count: number, from: number, more: Partial<EncodableBatch>): Uint8Array {
  const records = Array.from({ length: count }, (_, index) => ({
    key: null,
    value: Buffer.from(`{"i":${from + index},"text":"codec codec codec"}`),
    timestampMs: FIRST_MS + index,
  }))
  return encodeBatch({ baseOffset: 0, leaderEpoch: -1, records, ...more })
}

/** The rollup's row and counts when it has read the integers from 0 to count - 1. */
async function expectIntegers(name: string, topic: string, count: number): Promise<void> {
  await service.createRollup(name, SQL, topic)
  const rollup = await waitUntil(
    'all read',
    () => service.rollup(name),
    (answer) => answer.shards[0]?.next_offset === count && isCaughtUp(answer),
    DEADLINE_MS,
  )
  assertConservation(rollup)
  expect(rollup.counts.aggregated).toBe(count)
  const { rows } = await service.query(`SELECT n, s, m FROM ${name}`)
  expect(rows).toEqual([{ n: count, s: (count * (count - 1)) / 2, m: count - 1 }])
}

test(
  'batches of all codecs in one topic, as clients write them',
  async () => {
    const topic = await createTopic('codecs')
    const variants = [...CODECS.map((codec) => ({ codec })), { codec: 'snappy', snappyJava: true } as const]
    const size = 700
    for (const [index, variant] of variants.entries())
      await clients.sendBatch(topic, encode(size, size * index, variant))
    const stored = await readStoredBatches(sharedKafka(), topic)
    expect(stored.map((batch) => batch.codec)).toEqual(variants.map(({ codec }) => codec))
    await expectIntegers('codecs', topic, size * variants.length)
  },
  TEST_TIMEOUT_MS,
)

test.each(CODECS.filter((codec) => codec !== 'none'))(
  "batches that the broker's own %s wrote",
  async (codec) => {
    const topic = await createTopic(`broker-${codec}`, { 'compression.type': codec })
    await clients.sendBatch(topic, encode(5_000, 0, {}))
    const stored = await readStoredBatches(sharedKafka(), topic)
    expect(stored.map((batch) => batch.codec)).toEqual([codec])
    await expectIntegers(`broker_${codec}`, topic, 5_000)
  },
  TEST_TIMEOUT_MS,
)

test.each(['none', 'zstd'] as const)(
  '200,000 records in one batch, codec %s',
  async (codec) => {
    const count = 200_000
    const topic = await createTopic(`large-${codec}`, { 'max.message.bytes': '20000000' })
    await clients.sendBatch(topic, encode(count, 0, { codec }))
    expect(await readStoredBatches(sharedKafka(), topic)).toMatchObject([{ records: count, codec }])
    await expectIntegers(`large_${codec}`, topic, count)
  },
  TEST_TIMEOUT_MS,
)
