/** What halts one shard: a record batch that changed on the broker's disk, and a record that can't be evaluated. The others go on. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RollupAnswer } from '../../../src/service/rollup-answer.ts'
import { type RunningKafka, startKafka } from '../../../tools/kafka/kafka-broker.ts'
import { KafkaClients } from '../../support/kafka-producers.ts'
import { assertConservation, isCaughtUp } from '../../support/rollup-checks.ts'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../../support/running-service.ts'

const TEST_TIMEOUT_MS = 120_000
const DEADLINE_MS = 60_000
const TOPIC = 'damaged'
const SQL = 'SELECT COUNT(*) AS n, SUM(i) AS s FROM _input'
const BATCH = 10

let kafka: RunningKafka
let clients: KafkaClients
let service: RunningService
const data = createDataFolder()

beforeAll(async () => {
  kafka = await startKafka()
  clients = new KafkaClients(kafka.bootstrap)
  service = await startRollupd({ data: data.path, kafka: kafka.bootstrap })
}, TEST_TIMEOUT_MS)
afterAll(async () => {
  await service.kill()
  await clients.close()
  await kafka.stop()
  data.remove()
}, TEST_TIMEOUT_MS)

/** Changes one digit in the stored log, so that only the checksum can tell. */
function damage(from: string, to: string): void {
  const path = join(kafka.dataDir, 'data-1', `${TOPIC}-0`, '00000000000000000000.log')
  const at = readFileSync(path).indexOf(from)
  expect(at).toBeGreaterThan(0)
  // in place: the broker has the file open
  const file = openSync(path, 'r+')
  writeSync(file, to, at)
  closeSync(file)
}

async function expectAfterLoss(name: string): Promise<void> {
  const rollup: RollupAnswer = await waitUntil(
    'read to the end',
    () => service.rollup(name),
    (answer) => answer.shards[0]?.next_offset === 3 * BATCH && isCaughtUp(answer) && answer.status === 'running',
    DEADLINE_MS,
  )
  assertConservation(rollup)
  expect(rollup.counts).toMatchObject({ aggregated: 2 * BATCH, lost: BATCH })
  expect(rollup.warnings.join()).toMatch(/offsets 10 to 19 of partition 0 could not be read/)
  expect((await service.query(`SELECT n, s FROM ${name}`)).rows).toEqual([{ n: 20, s: 45 + 245 }])
}

test(
  'a damaged batch halts the shard before it; accepted, its offsets are lost and the rest is counted',
  async () => {
    await clients.createTopic(TOPIC)
    for (let batch = 0; batch < 3; batch++) {
      await clients.send(
        TOPIC,
        Array.from({ length: BATCH }, (_, index) => `{"i":${BATCH * batch + index}}`),
      )
    }
    damage('{"i":15}', '{"i":25}')
    await service.createRollup('halting', SQL, TOPIC)
    await service.createRollup('accepting', SQL, TOPIC, { on_loss: 'accept' })

    const halted = await waitUntil(
      'halted as corrupt',
      () => service.rollup('halting'),
      ({ status, reason }) => status === 'halted' && reason?.code === 'corrupt',
      DEADLINE_MS,
    )
    assertConservation(halted)
    expect(halted.reason?.message).toMatch(/record batch at offset 10 is damaged: its checksum/)
    expect(halted.shards[0]).toMatchObject({ next_offset: 10, counts: { aggregated: 10, lost: 0 } })
    expect((await service.query('SELECT n, s FROM halting')).rows).toEqual([{ n: 10, s: 45 }])
    await service.api.call('POST', '/v1/rollups/halting/resume', { accept: ['corrupt'] })
    for (const name of ['halting', 'accepting']) await expectAfterLoss(name)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a shard that halts is known as halted while another is still catching up',
  async () => {
    const [topic, many] = ['lagging', 1_500]
    await clients.createTopic(topic, 2)
    await clients.send(topic, ['{"i":1}', '{"i":"text"}', '{"i":1}'], 0)
    const senders = Array.from({ length: 10 }, async () => {
      for (let batch = 0; batch < many / 10; batch++) await clients.send(topic, ['{"i":1}'], 1)
    })
    await Promise.all(senders)
    const folder = createDataFolder()
    // a fetch for each batch, so that catching up takes a while
    const env = { ROLLUPD_FETCH_BYTES: '1', ROLLUPD_COMMIT_AFTER_MS: '20' }
    const slow = await startRollupd({ data: folder.path, kafka: kafka.bootstrap, env })
    try {
      await slow.createRollup('lagging', SQL, topic, { on_error: 'halt' })
      const halted = await waitUntil(
        'halted',
        () => slow.rollup('lagging'),
        ({ status }) => status === 'halted',
        DEADLINE_MS,
      )
      assertConservation(halted)
      const [broken, lagging] = halted.shards
      expect(broken).toMatchObject({ status: 'halted', next_offset: 1, reason: { code: 'record_error' } })
      expect(lagging?.next_offset).toBeLessThan(many)
      await slow.api.call('POST', '/v1/rollups/lagging/resume', { accept: ['record_error'] })
      const { counts } = await waitUntil('all read', () => slow.rollup('lagging'), isCaughtUp, DEADLINE_MS)
      expect(counts).toMatchObject({ aggregated: many + 2, dead: 1 })
    } finally {
      await slow.kill()
      folder.remove()
    }
  },
  TEST_TIMEOUT_MS,
)
