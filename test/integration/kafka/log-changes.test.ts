/**
 * What a log does besides growing: compaction, retention past us, a topic created again, partitions added. Cases C50, C51, C52
 * and C59 of test/cases/steps.md, and law 7: no loss is silent.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RollupAnswer } from '../../../src/service/rollup-answer.ts'
import { sharedKafka, uniqueTopic } from '../../support/kafka-broker.ts'
import { KafkaClients } from '../../support/kafka-producers.ts'
import { assertConservation, isCaughtUp } from '../../support/rollup-checks.ts'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../../support/running-service.ts'
import { readStoredBatches, type StoredBatch } from '../../support/stored-batches.ts'

const TEST_TIMEOUT_MS = 120_000
const DEADLINE_MS = 60_000
/** The contract's bound on finding partitions that were added. */
const NEW_PARTITIONS_MS_MAX = 10_000
const COUNT = 'SELECT COUNT(*) AS n FROM _input'

const data = createDataFolder()
let service: RunningService
let clients: KafkaClients

beforeAll(async () => {
  clients = new KafkaClients(sharedKafka())
  await start()
}, TEST_TIMEOUT_MS)
// a test that failed may have left it stopped
beforeEach(async () => {
  if (service.process.exitCode !== null || service.process.signalCode !== null) await start()
}, TEST_TIMEOUT_MS)
afterAll(async () => {
  await service.kill()
  await clients.close()
  data.remove()
}, TEST_TIMEOUT_MS)

async function start(env: Record<string, string> = {}): Promise<void> {
  service = await startRollupd({ data: data.path, kafka: sharedKafka(), env })
}

async function createTopic(label: string, partitions = 1, settings: Record<string, string> = {}): Promise<string> {
  const topic = uniqueTopic(label)
  await clients.createTopic(topic, partitions, settings)
  return topic
}

async function countOf(name: string): Promise<unknown> {
  const { rows } = await service.query(`SELECT n FROM ${name}`)
  return rows[0]?.['n']
}

async function waitFor(name: string, what: string, holds: (rollup: RollupAnswer) => boolean): Promise<RollupAnswer> {
  const rollup = await waitUntil(`rollup ${name} ${what}`, () => service.rollup(name), holds, DEADLINE_MS)
  assertConservation(rollup)
  return rollup
}

/** At the end of the log with so many records counted. */
async function waitForCount(name: string, aggregated: number): Promise<RollupAnswer> {
  const rollup = await waitFor(
    name,
    `with ${aggregated} records`,
    (answer) => answer.counts.aggregated >= aggregated && isCaughtUp(answer),
  )
  expect(rollup.counts.aggregated).toBe(aggregated)
  expect(await countOf(name)).toBe(aggregated)
  return rollup
}

const isReading = ({ shards }: RollupAnswer) => shards.every((shard) => shard.status === 'reading')

async function waitForHalt(name: string, code: string, shards = 1): Promise<RollupAnswer> {
  return await waitFor(
    name,
    `halted as ${code}`,
    (rollup) =>
      rollup.status === 'halted' &&
      rollup.shards.filter((shard) => shard.status === 'halted' && shard.reason?.code === code).length === shards,
  )
}

async function resume(name: string, ...accept: string[]): Promise<RollupAnswer> {
  const body = accept.length === 0 ? undefined : { accept }
  return await service.api.callJson('POST', `/v1/rollups/${name}/resume`, body)
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `{"i":${from + index}}`)

// compaction

const KEYS = 10
const COMPACTED = {
  'cleanup.policy': 'compact',
  'segment.ms': '100',
  'min.cleanable.dirty.ratio': '0.01',
  'max.compaction.lag.ms': '100',
}

/** Batches a second of record time apart: each begins a segment, and compaction leaves only the last one alone. */
async function fillForCompaction(topic: string): Promise<void> {
  const [many, last] = [await clients.openIdempotent(), await clients.openIdempotent()]
  const send = (producer: typeof many, second: number, keys: readonly string[]) => {
    const timestamp = String(Date.UTC(2026, 0, 1, 0, 0, second))
    const messages = keys.map((key) => ({ key, value: `{"key":"${key}"}`, timestamp, partition: 0 }))
    return producer.send({ topic, messages })
  }
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index % KEYS}`)
  for (let second = 0; second < 20; second++) await send(many, second, keys)
  // overwrites all that the first producer wrote: of its last batch only the header stays
  await send(last, 20, keys.slice(0, KEYS))
  await send(last, 21, ['roll'])
}

const isCompacted = (batches: readonly StoredBatch[]) =>
  batches.reduce((sum, batch) => sum + batch.records, 0) === KEYS + 1

test(
  'C50: a compacted topic is counted as it was read, holes are no loss, and an empty batch is passed',
  async () => {
    const topic = await createTopic('compacted', 1, COMPACTED)
    await service.createRollup('c50_before', COUNT, topic)
    await fillForCompaction(topic)
    const end = 1000 + KEYS + 1
    await waitForCount('c50_before', end)
    const batches = await waitUntil(
      'compacted',
      () => readStoredBatches(sharedKafka(), topic),
      isCompacted,
      DEADLINE_MS,
    )
    expect(batches.filter((batch) => batch.records === 0)).not.toEqual([])

    const [inside, survivors] = [500, KEYS + 1]
    await service.createRollup('c50_after', COUNT, topic)
    await service.createRollup('c50_inside', COUNT, topic, { source: { topic, start: { offsets: { '0': inside } } } })
    const after = await waitForCount('c50_after', survivors)
    expect(after.shards[0]).toMatchObject({ start_offset: 0, next_offset: end })
    expect(after.counts).toMatchObject({ holes: end - survivors, lost: 0 })
    const started = await waitForCount('c50_inside', survivors)
    expect(started.shards[0]).toMatchObject({ start_offset: inside, next_offset: end })
    expect(started.counts).toMatchObject({ holes: end - inside - survivors, lost: 0 })

    await service.kill()
    await start()
    await clients.send(topic, [{ key: 'more', value: '{}' }])
    await waitForCount('c50_before', end + 1)
    await waitForCount('c50_after', survivors + 1)
    await waitForCount('c50_inside', survivors + 1)
  },
  TEST_TIMEOUT_MS,
)

// retention past us

test(
  'C51: records that were removed before they were read halt the shard with their range, until that is accepted',
  async () => {
    const topic = await createTopic('retention')
    await service.createRollup('c51', COUNT, topic)
    await service.createRollup('c51_accepting', COUNT, topic, { on_loss: 'accept' })
    await clients.send(topic, numbers(5))
    for (const name of ['c51', 'c51_accepting']) await waitForCount(name, 5)
    await service.stop()
    await clients.send(topic, numbers(5, 5))
    await clients.removeBelow(topic, 8)
    await start()

    const halted = await waitForHalt('c51', 'lost')
    expect(halted.reason?.message).toMatch(/offsets 5 to 7 of partition 0 \(3\)/)
    expect(halted.shards[0]).toMatchObject({ next_offset: 5, counts: { aggregated: 5, lost: 0 } })
    expect(await countOf('c51')).toBe(5)
    // trying again doesn't decide
    await resume('c51')
    await waitForHalt('c51', 'lost')
    await service.kill()
    await start()
    await waitForHalt('c51', 'lost')
    await resume('c51', 'lost')

    for (const name of ['c51', 'c51_accepting']) {
      await waitForCount(name, 7)
      // what is stored is known some milliseconds before what the shard does now
      const { counts, warnings, status, shards } = await waitFor(name, 'reading', isReading)
      expect(counts.lost).toBe(3)
      expect(warnings.join()).toMatch(/offsets 5 to 7 of partition 0/)
      expect({ status, next: shards[0]?.next_offset }).toEqual({ status: 'running', next: 10 })
    }
    await clients.send(topic, numbers(1, 10))
    for (const name of ['c51', 'c51_accepting']) await waitForCount(name, 8)
  },
  TEST_TIMEOUT_MS,
)

test(
  'losses of several partitions are accepted by the policy, each once',
  async () => {
    const partitions = 6
    const topic = await createTopic('retention-wide', partitions)
    await service.createRollup('wide', COUNT, topic, { on_loss: 'accept' })
    const sendToAll = async (count: number) => {
      for (let partition = 0; partition < partitions; partition++) await clients.send(topic, numbers(count), partition)
    }
    await sendToAll(2)
    await waitForCount('wide', 2 * partitions)
    // three rounds: what is late of one must not be taken for news of the next
    for (let round = 1; round <= 3; round++) {
      await service.api.call('POST', '/v1/rollups/wide/pause')
      await sendToAll(4)
      await clients.removeBelow(topic, 2 + 4 * round - 1, partitions)
      await resume('wide')
      const { counts } = await waitForCount('wide', (2 + round) * partitions)
      expect(counts.lost).toBe(3 * round * partitions)
      await waitFor('wide', 'reading', isReading)
    }
    expect((await service.rollup('wide')).status).toBe('running')
  },
  TEST_TIMEOUT_MS,
)

// a topic created again

async function createAgain(topic: string, partitions = 1): Promise<void> {
  const admin = await clients.admin()
  await admin.deleteTopics({ topics: [topic] })
  await waitUntil(
    'the topic is gone',
    () => admin.listTopics(),
    (topics) => !topics.includes(topic),
    DEADLINE_MS,
  )
  await clients.createTopic(topic, partitions)
}

/** Old and new together, the old shards closed with their counts, and so after a restart. */
async function expectOldAndNew(name: string, old: number, fresh: number): Promise<void> {
  const { shards, warnings, status } = await waitForCount(name, old + fresh)
  expect(status).toBe('running')
  expect(warnings.join()).toMatch(/deleted and created again/)
  const closed = shards.filter((shard) => shard.status === 'closed')
  const open = shards.filter((shard) => shard.status === 'reading')
  expect(closed.reduce((sum, shard) => sum + shard.counts.aggregated, 0)).toBe(old)
  expect(open.reduce((sum, shard) => sum + shard.counts.aggregated, 0)).toBe(fresh)
  expect(new Set(open.map((shard) => shard.topic_id))).not.toContain(closed[0]?.topic_id)
  expect(closed.length + open.length).toBe(shards.length)
}

test(
  'C52: a topic deleted and created again under a running rollup halts it; accepted, old and new are counted',
  async () => {
    const topic = await createTopic('recreated', 2)
    await service.createRollup('c52', COUNT, topic)
    await clients.send(topic, numbers(3))
    await clients.send(topic, numbers(2), 1)
    await waitForCount('c52', 5)
    await createAgain(topic, 3)
    for (const partition of [0, 1, 2]) await clients.send(topic, numbers(1), partition)
    const halted = await waitForHalt('c52', 'recreated', 2)
    expect(halted.counts.aggregated).toBe(5)
    expect(await countOf('c52')).toBe(5)
    await resume('c52')
    await waitForHalt('c52', 'recreated', 2)
    await resume('c52', 'recreated')
    await expectOldAndNew('c52', 5, 3)
    await service.kill()
    await start()
    await clients.send(topic, numbers(1), 2)
    await expectOldAndNew('c52', 5, 4)
  },
  TEST_TIMEOUT_MS,
)

test(
  'C52: a topic created again with more records than before while the service was stopped',
  async () => {
    const topic = await createTopic('recreated-longer')
    await service.createRollup('c52_longer', COUNT, topic)
    await service.createRollup('c52_accepting', COUNT, topic, { on_loss: 'accept' })
    await clients.send(topic, numbers(5))
    for (const name of ['c52_longer', 'c52_accepting']) await waitForCount(name, 5)
    await service.stop()
    await createAgain(topic)
    await clients.send(topic, numbers(7))
    await start()
    await waitForHalt('c52_longer', 'recreated')
    expect(await countOf('c52_longer')).toBe(5)
    await resume('c52_longer', 'recreated')
    for (const name of ['c52_longer', 'c52_accepting']) await expectOldAndNew(name, 5, 7)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a topic that is gone is waited for; a decision about it fails without stopping the other shards',
  async () => {
    const topic = await createTopic('gone', 2)
    await service.createRollup('gone', COUNT, topic)
    await clients.send(topic, numbers(2))
    await waitForCount('gone', 2)
    await (await clients.admin()).deleteTopics({ topics: [topic] })
    const { status } = await waitFor('gone', 'waits', ({ shards }) =>
      shards.every((shard) => shard.status === 'waiting' && shard.reason?.code === 'unknown_topic'),
    )
    expect(status).toBe('running')
    await createAgainOf(topic)
    await waitForHalt('gone', 'recreated', 2)
    await (await clients.admin()).deleteTopics({ topics: [topic] })
    await waitUntil(
      'resume refuses',
      () =>
        resume('gone', 'recreated').then(
          () => 'resumed',
          (error: { code: string }) => error.code,
        ),
      (code) => code === 'unknown_topic',
      DEADLINE_MS,
    )
    await createAgainOf(topic)
    await clients.send(topic, numbers(1), 1)
    await waitForHalt('gone', 'recreated', 2)
    await resume('gone', 'recreated')
    await expectOldAndNew('gone', 2, 1)
  },
  TEST_TIMEOUT_MS,
)

/** The name may be taken for a moment after a deletion. */
async function createAgainOf(topic: string): Promise<void> {
  await waitUntil(
    'created',
    () =>
      clients.createTopic(topic, 2).then(
        () => true,
        () => false,
      ),
    (isDone) => isDone,
    DEADLINE_MS,
  )
}

// partitions added

test(
  'partitions that are added are found soon and read from their start',
  async () => {
    const topic = await createTopic('grown')
    await service.createRollup('grown', COUNT, topic, { source: { topic, start: 'latest' } })
    await clients.send(topic, numbers(2))
    await waitForCount('grown', 2)
    const grownAtMs = performance.now()
    await clients.addPartitions(topic, 3)
    // there before rollupd looks: `latest` must not mean the end of these
    for (const partition of [1, 2]) await clients.send(topic, numbers(4), partition)
    const { shards } = await waitForCount('grown', 10)
    expect(performance.now() - grownAtMs).toBeLessThan(NEW_PARTITIONS_MS_MAX)
    expect(shards.map((shard) => [shard.partition, shard.start_offset, shard.next_offset])).toEqual([
      [0, 0, 2],
      [1, 0, 4],
      [2, 0, 4],
    ])
    await service.kill()
    await start()
    await clients.send(topic, numbers(1), 2)
    await waitForCount('grown', 11)
  },
  TEST_TIMEOUT_MS,
)

// restarts

test(
  'C59: twenty restarts during ingestion, at each point of a commit; positions kept in Kafka have no part in it',
  async () => {
    const topic = await createTopic('restarts')
    await service.createRollup('c59', 'SELECT COUNT(*) AS n, SUM(i) AS s FROM _input', topic)
    await service.kill()
    const points = ['commit:before', 'commit:middle', 'commit:after', undefined] as const
    for (let life = 0; life < 20; life++) {
      await clients.send(topic, numbers(50, 50 * life))
      const point = points[life % points.length]
      await start(point === undefined ? {} : { ROLLUPD_FAIL_POINT: point })
      if (point !== undefined) {
        const isReached = (log: string) => log.includes(`fail point ${point} reached`)
        await waitUntil('the fail point', async () => service.log, isReached, DEADLINE_MS)
      }
      await service.kill()
    }
    const admin = await clients.admin()
    const { groups } = await admin.listGroups()
    const ours = groups.map((group) => group.groupId).filter((id) => id.includes('rollupd'))
    await admin.deleteGroups(ours)
    await start()
    await waitFor('c59', 'with all records', ({ counts }) => counts.aggregated >= 1000)
    expect((await service.query('SELECT n, s FROM c59')).rows).toEqual([{ n: 1000, s: 499_500 }])
  },
  TEST_TIMEOUT_MS,
)
