/** Leader changes, clean and unclean, through the whole service: a controller and two brokers, each a process of its own. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { RollupAnswer } from '../../../src/service/rollup-answer.ts'
import { type KafkaNode, type RunningKafkaCluster, startKafkaCluster } from '../../../tools/kafka/kafka-broker.ts'
import { uniqueTopic } from '../../support/kafka-broker.ts'
import { createLedTopic, KafkaClients } from '../../support/kafka-producers.ts'
import { assertConservation, isCaughtUp } from '../../support/rollup-checks.ts'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../../support/running-service.ts'

const TEST_TIMEOUT_MS = 180_000
/** A broker that was killed is given up after 3 s, and starts within 5; a busy machine takes several times that. */
const DEADLINE_MS = 90_000
const SQL = 'SELECT COUNT(*) AS n, SUM(i) AS s FROM _input'

let cluster: RunningKafkaCluster
let clients: KafkaClients
const services: RunningService[] = []
const folders: { remove: () => void }[] = []

beforeAll(async () => {
  cluster = await startKafkaCluster({ controllers: 1, brokers: 2, settings: { 'min.insync.replicas': '1' } })
  clients = new KafkaClients(cluster.bootstrap)
}, TEST_TIMEOUT_MS)
afterEach(async () => {
  for (const service of services.splice(0)) await service.kill()
  for (const folder of folders.splice(0)) folder.remove()
  for (const node of cluster.brokers) if (!node.running) await node.restart()
}, TEST_TIMEOUT_MS)
afterAll(async () => {
  await clients.close()
  await cluster.stop()
}, TEST_TIMEOUT_MS)

async function start(data: string): Promise<RunningService> {
  const service = await startRollupd({ data, kafka: cluster.bootstrap })
  services.push(service)
  return service
}

function createData(): string {
  const folder = createDataFolder()
  folders.push(folder)
  return folder.path
}

/** One partition on both brokers, led by the first. */
async function createReplicatedTopic(label: string, settings: Record<string, string> = {}): Promise<string> {
  const topic = uniqueTopic(label)
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
  const replicaAssignment = [{ partition: 0, replicas: [1, 2] }]
  await createLedTopic(await clients.admin(), { topic, replicaAssignment, configEntries })
  return topic
}

function nodeOf(nodeId: number): KafkaNode {
  const node = cluster.brokers.find((broker) => broker.nodeId === nodeId)
  if (node === undefined) throw new Error(`no broker ${nodeId}`)
  return node
}

async function partitionOf(topic: string): Promise<{ leader: number; isr: number[] } | undefined> {
  const admin = await clients.admin()
  const answer = await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => undefined)
  return answer?.topics[0]?.partitions[0]
}

async function waitForLeader(topic: string, leader: number): Promise<void> {
  await waitUntil(
    `broker ${leader} leads`,
    () => partitionOf(topic),
    (known) => known?.leader === leader,
    DEADLINE_MS,
  )
}

async function waitForInSync(topic: string, ...nodeIds: number[]): Promise<void> {
  const isSame = (isr: readonly number[] = []) => isr.toSorted((a, b) => a - b).join() === nodeIds.join()
  await waitUntil(
    `${nodeIds.join()} in sync`,
    () => partitionOf(topic),
    (known) => isSame(known?.isr),
    DEADLINE_MS,
  )
}

/** Records {"i": from} and so on; a cluster in motion refuses for a while, before it has written anything. */
async function send(topic: string, count: number, from: number): Promise<void> {
  await clients.send(
    topic,
    Array.from({ length: count }, (_, index) => `{"i":${from + index}}`),
  )
}

const sumOf = (count: number, from = 0) => count * from + (count * (count - 1)) / 2

async function waitForCount(service: RunningService, name: string, n: number, s: number): Promise<RollupAnswer> {
  const rollup = await waitUntil(
    `${n} records`,
    () => service.rollup(name),
    (answer) => answer.counts.aggregated >= n && answer.status !== 'halted' && isCaughtUp(answer),
    DEADLINE_MS,
  )
  assertConservation(rollup)
  expect((await service.query(`SELECT n, s FROM ${name}`)).rows).toEqual([{ n, s }])
  return rollup
}

test(
  'leaders come and go by SIGKILL: each record is counted once, and nothing halts',
  async () => {
    const topic = await createReplicatedTopic('leaders')
    const service = await start(createData())
    await service.createRollup('leaders', SQL, topic)
    let sent = 0
    for (const [leader, follower] of [
      [1, 2],
      [2, 1],
    ] as const) {
      await waitForInSync(topic, 1, 2)
      await waitForLeader(topic, leader)
      await send(topic, 500, sent)
      // part of it may be read from one leader and the rest from the other
      await nodeOf(leader).kill()
      await waitForLeader(topic, follower)
      await send(topic, 500, sent + 500)
      sent += 1000
      await nodeOf(leader).restart()
      await waitForCount(service, 'leaders', sent, sumOf(sent))
    }
    const { warnings, shards, counts } = await service.rollup('leaders')
    expect(warnings).toEqual([])
    expect(shards[0]).toMatchObject({ start_offset: 0, next_offset: sent, status: 'reading' })
    expect(counts).toMatchObject({ lost: 0, holes: 0 })
  },
  TEST_TIMEOUT_MS,
)

test(
  'an unclean election that removed counted records halts the shard where the logs diverge, also when the log has grown past us',
  async () => {
    const topic = await createReplicatedTopic('unclean', { 'unclean.leader.election.enable': 'true' })
    const [data, stoppedData] = [createData(), createData()]
    const service = await start(data)
    let stopped = await start(stoppedData)
    await service.createRollup('halting', SQL, topic)
    await service.createRollup('accepting', SQL, topic, { on_loss: 'accept' })
    await stopped.createRollup('stopped', SQL, topic)

    await waitForInSync(topic, 1, 2)
    await send(topic, 10, 0)
    await nodeOf(2).stop()
    await waitForInSync(topic, 1)
    await send(topic, 10, 10)
    for (const name of ['halting', 'accepting']) await waitForCount(service, name, 20, sumOf(20))
    await waitForCount(stopped, 'stopped', 20, sumOf(20))
    await stopped.kill()

    await nodeOf(1).kill()
    await nodeOf(2).restart()
    await waitForLeader(topic, 2)
    await send(topic, 15, 100)
    expect(await clients.endOffset(topic)).toBe(25)
    stopped = await start(stoppedData)

    for (const [from, name] of [
      [service, 'halting'],
      [stopped, 'stopped'],
    ] as const) {
      const halted = await waitUntil(
        'halted as truncated',
        () => from.rollup(name),
        ({ status, reason }) => status === 'halted' && reason?.code === 'truncated',
        DEADLINE_MS,
      )
      assertConservation(halted)
      expect(halted.reason?.message).toMatch(/truncated at offset 10 after it was read up to 20\b.*: 10 records/)
      expect((await from.query(`SELECT n, s FROM ${name}`)).rows).toEqual([{ n: 20, s: sumOf(20) }])
      await from.api.call('POST', `/v1/rollups/${name}/resume`, { accept: ['truncated'] })
    }

    for (const [from, name] of [
      [service, 'halting'],
      [service, 'accepting'],
      [stopped, 'stopped'],
    ] as const) {
      const { shards, warnings } = await waitForCount(from, name, 35, sumOf(20) + sumOf(15, 100))
      const rows = shards.map((shard) => [shard.status, shard.start_offset, shard.next_offset, shard.counts.aggregated])
      expect(rows).toEqual([
        ['closed', 0, 20, 20],
        ['reading', 10, 25, 15],
      ])
      expect(warnings.join()).toMatch(/10 records of partition 0 that the log lost \(offsets 10 to 19 .*still counted/)
    }

    // the old leader comes back as a follower: nothing more to decide
    await nodeOf(1).restart()
    await waitForInSync(topic, 1, 2)
    await send(topic, 1, 1000)
    const sum = sumOf(20) + sumOf(15, 100) + 1000
    for (const name of ['halting', 'accepting']) await waitForCount(service, name, 36, sum)
    await waitForCount(stopped, 'stopped', 36, sum)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a decision that fails because the brokers are away leaves the other shards reading',
  async () => {
    const topic = uniqueTopic('decision')
    await clients.createTopic(topic, 2)
    const service = await start(createData())
    await service.createRollup('decision', SQL, topic)
    for (const partition of [0, 1]) await clients.send(topic, ['{"i":1}'], partition)
    await waitForCount(service, 'decision', 2, 2)
    await service.api.call('POST', '/v1/rollups/decision/pause')
    await clients.send(topic, ['{"i":10}', '{"i":100}'], 0)
    await clients.removeBelow(topic, 2)
    await service.api.call('POST', '/v1/rollups/decision/resume')
    await waitUntil(
      'halted',
      () => service.rollup('decision'),
      (rollup) => rollup.reason?.code === 'lost',
      DEADLINE_MS,
    )

    await Promise.all(cluster.brokers.map((node) => node.kill()))
    const resume = () => service.api.call('POST', '/v1/rollups/decision/resume', { accept: ['lost'] })
    await expect(resume()).rejects.toMatchObject({ code: 'broker_away' })
    await Promise.all(cluster.brokers.map((node) => node.restart()))
    const sendOne = () =>
      clients.send(topic, ['{"i":1000}'], 1).then(
        () => true,
        () => false,
      )
    await waitUntil('sent', sendOne, (isSent) => isSent, DEADLINE_MS)

    // what is stored is known some milliseconds before what a shard does now
    await waitUntil(
      'the other shard reads',
      () => service.rollup('decision'),
      ({ counts, shards: [first, second] }) =>
        counts.aggregated === 3 && first?.status === 'halted' && second?.status === 'reading',
      DEADLINE_MS,
    )
    await resume()
    const { counts } = await waitForCount(service, 'decision', 4, 1102)
    expect(counts.lost).toBe(1)
  },
  TEST_TIMEOUT_MS,
)
