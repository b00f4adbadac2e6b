/** Transactions on a real broker through the whole service: only committed records are counted, and nothing stands still. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { RollupAnswer } from '../../../src/service/rollup-answer.ts'
import { sharedKafka, uniqueTopic } from '../../support/kafka-broker.ts'
import { KafkaClients } from '../../support/kafka-producers.ts'
import { readPositions } from '../../support/leaf-positions.ts'
import { assertConservation, isCaughtUp } from '../../support/rollup-checks.ts'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../../support/running-service.ts'
import { TRANSACTION_CASES, type TransactionCase } from '../../support/transaction-cases.ts'

const TEST_TIMEOUT_MS = 120_000
const DEADLINE_MS = 60_000
const SQL = 'SELECT v, COUNT(*) AS n FROM _input GROUP BY v'
/** Each fetch brings one record batch, and each is committed by itself. */
const ONE_BATCH_A_COMMIT = { ROLLUPD_FETCH_BYTES: '1', ROLLUPD_COMMIT_AFTER_MS: '0' }

const data = createDataFolder()
let service: RunningService
let clients: KafkaClients
const ends: (() => Promise<void>)[] = []
let rollups = 0

beforeAll(async () => {
  clients = new KafkaClients(sharedKafka())
  service = await startRollupd({ data: data.path, kafka: sharedKafka() })
}, TEST_TIMEOUT_MS)
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
afterAll(async () => {
  await service.stop()
  await clients.close()
  data.remove()
}, TEST_TIMEOUT_MS)

async function createTopic(label: string): Promise<string> {
  const topic = uniqueTopic(label)
  await clients.createTopic(topic)
  return topic
}

async function createRollup(topic: string, start = 0): Promise<string> {
  const name = `transactions_${++rollups}`
  await service.createRollup(name, SQL, topic, { source: { topic, start: { offsets: { '0': start } } } })
  return name
}

async function rowsOf(from: RunningService, name: string): Promise<Record<string, unknown>[]> {
  const { rows } = await from.query(`SELECT v, n FROM ${name} ORDER BY v`)
  return rows
}

const once = (values: readonly string[]) => values.toSorted().map((v) => ({ v, n: 1 }))

/** Reading has reached `next` and the end of the log. */
async function reach(from: RunningService, name: string, next: number): Promise<RollupAnswer> {
  const rollup = await waitUntil(
    `rollup ${name} at offset ${next}`,
    () => from.rollup(name),
    (answer) => answer.shards[0]?.next_offset === next && answer.shards[0].status === 'reading' && isCaughtUp(answer),
    DEADLINE_MS,
  )
  assertConservation(rollup)
  expect(rollup.shards[0]).toMatchObject({
    lag: 0,
    high_watermark: next,
    status: 'reading',
    blocked_by_transaction: false,
  })
  return rollup
}

function endOf({ committed, aborted, markers, start }: TransactionCase): number {
  return start + committed.length + aborted + markers
}

test.each(Object.entries(TRANSACTION_CASES))(
  '%s',
  async (letter, one) => {
    const topic = await createTopic(`case-${letter}`)
    // one reads what comes as it comes, the other all of it at once
    const live = one.start === 0 ? [await createRollup(topic)] : []
    await one.produce(clients, topic)
    for (const name of [...live, await createRollup(topic, one.start)]) {
      const { counts } = await reach(service, name, endOf(one))
      expect(await rowsOf(service, name), one.title).toEqual(once(one.committed))
      expect(counts).toMatchObject({
        aggregated: one.committed.length,
        aborted: one.aborted,
        markers: one.markers,
        holes: 0,
        dead: 0,
      })
    }
  },
  TEST_TIMEOUT_MS,
)

async function seeBlocked(name: string, next: number, lag: number): Promise<void> {
  const blocked = await waitUntil(
    'blocked by a transaction',
    () => service.rollup(name),
    ({ shards: [shard] }) => shard?.blocked_by_transaction === true && shard.next_offset === next && shard.lag === lag,
    DEADLINE_MS,
  )
  expect(blocked.status).toBe('running')
  expect(blocked.shards[0]?.status).toBe('reading')
  assertConservation(blocked)
}

test.each(['abort', 'commit'] as const)(
  'D: an open transaction is shown, and reading goes on after its %s',
  async (end) => {
    const topic = await createTopic('open')
    const name = await createRollup(topic)
    await clients.send(topic, ['{"v":"before"}'])
    const open = await (await clients.openTransactional()).begin(topic, '{"v":"open"}')
    await clients.send(topic, ['{"v":"behind"}'])
    await seeBlocked(name, 1, 2)
    expect(await rowsOf(service, name)).toEqual(once(['before']))
    await open[end]()
    await reach(service, name, 4)
    expect(await rowsOf(service, name)).toEqual(once(['before', 'behind', ...(end === 'commit' ? ['open'] : [])]))
  },
  TEST_TIMEOUT_MS,
)

test(
  'D: a transaction that its producer left open ends by its time-out',
  async () => {
    const topic = await createTopic('left-open')
    const name = await createRollup(topic)
    await (await clients.openTransactional(8_000)).begin(topic, '{"v":"left open"}')
    await clients.send(topic, ['{"v":"good"}'])
    await seeBlocked(name, 0, 2)
    const { counts } = await reach(service, name, 3)
    expect(counts).toMatchObject({ aggregated: 1, aborted: 1, markers: 1 })
    expect(await rowsOf(service, name)).toEqual(once(['good']))
  },
  TEST_TIMEOUT_MS,
)

test.each(['ABC', 'DEF'])(
  'G: cases %s behind one another, the service killed after each fetch',
  async (letters) => {
    const topic = await createTopic(`case-g-${letters}`)
    const cases = Object.entries(TRANSACTION_CASES)
      .filter(([letter]) => letters.includes(letter))
      .map(([, one]) => one)
    for (const one of cases) await one.produce(clients, topic)
    const sum = (of: (one: TransactionCase) => number) => cases.reduce((total, one) => total + of(one), 0)
    // read from the start: what C's own reader doesn't see counts here
    const aborted = sum((one) => one.aborted + one.start)
    const next = aborted + sum((one) => one.committed.length + one.markers)

    const folder = createDataFolder()
    const start = async (env: Record<string, string>) => {
      const life = await startRollupd({ data: folder.path, kafka: sharedKafka(), env })
      ends.push(() => life.kill())
      return life
    }
    const killed = { ...ONE_BATCH_A_COMMIT, ROLLUPD_FAIL_POINT: 'commit:after' }
    let position = 0
    let lives = 0
    for (; position < next; lives++) {
      const life = await start(killed)
      if (lives === 0) await life.createRollup('g', SQL, topic)
      await waitUntil(
        'a commit',
        async () => life.log,
        (log) => log.includes('fail point'),
        DEADLINE_MS,
      )
      await life.kill()
      const before = position
      position = readPositions(folder.path).get(0) ?? 0
      expect(position).toBeGreaterThan(before)
    }
    expect(lives).toBe(sum((one) => one.batches))

    const life = await start({})
    const rollup = await reach(life, 'g', next)
    expect(rollup.counts).toMatchObject({ aborted, markers: sum((one) => one.markers) })
    const counts = new Map<string, number>()
    for (const v of cases.flatMap((one) => one.committed)) counts.set(v, (counts.get(v) ?? 0) + 1)
    expect(await rowsOf(life, 'g')).toEqual([...counts.keys()].toSorted().map((v) => ({ v, n: counts.get(v) })))
    await life.kill()
    folder.remove()
  },
  2 * TEST_TIMEOUT_MS,
)
