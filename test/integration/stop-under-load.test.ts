/** A stop while requests come: each gets an answer of the contract or none at all, and what was acknowledged is there afterwards. */
import { expect, test } from 'vitest'
import { createSend } from '../http/http-client.ts'
import { createDataFolder, startRollupd } from '../support/running-service.ts'

const LINES = '{"v":1}\n'.repeat(100)
const CLIENTS = 8
const STOP_MS_MAX = 10_000

test('SIGTERM while a query runs, one waits and a client does not read', { timeout: 60_000 }, async () => {
  const data = createDataFolder()
  const service = await startRollupd({ data: data.path })
  await service.createTopic('events')
  await service.createRollup('counts', 'SELECT COUNT(*) AS n FROM _input', 'events')
  const send = createSend(service.url)
  const count = (to: number) =>
    `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ${to}) SELECT i FROM c`
  const slow = await fetch(`${service.url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: count(1_000_000), limit: 1_000_000, timeout_ms: 60_000 }),
  })
  expect(slow.status).toBe(200)
  const answers = [
    send('POST', '/v1/query', { sql: `SELECT MAX(i) AS m FROM (${count(3_000_000_000)}) x`, timeout_ms: 60_000 }),
    send('POST', '/v1/query', { sql: 'SELECT n FROM counts', at_least: { events: { '0': 9 } }, timeout_ms: 60_000 }),
  ]
  // both are on their way when a later request has its answer
  expect((await service.query('SELECT n FROM counts')).rows).toEqual([{ n: 0 }])
  const startedAtMs = performance.now()
  expect(await service.stop()).toBe(0)
  expect(performance.now() - startedAtMs).toBeLessThan(STOP_MS_MAX)
  for (const { status, json } of await Promise.all(answers)) {
    expect({ status, ...json }).toMatchObject({ status: 503, error: { code: 'shutting_down' } })
  }
  // a stop that took too long would have said so
  expect(service.log).toBe('')
  await slow.body?.cancel().catch(() => undefined)
  data.remove()
})

test('SIGTERM under load', { timeout: 60_000 }, async () => {
  const data = createDataFolder()
  const service = await startRollupd({ data: data.path })
  await service.createTopic('events', 2)
  await service.createRollup('counts', 'SELECT COUNT(*) AS n FROM _input', 'events')
  const send = createSend(service.url)
  const others: unknown[] = []
  let acknowledged = 0
  let ended = 0
  const run = async (client: number) => {
    for (;;) {
      try {
        const isQuery = client % 2 === 0
        const answer = isQuery
          ? await send('POST', '/v1/query', { sql: 'SELECT n FROM counts' })
          : await send('POST', '/v1/topics/events/records', LINES, { 'content-type': 'application/x-ndjson' })
        if (answer.status !== 200) others.push({ status: answer.status, ...answer.json })
        else if (!isQuery) acknowledged++
      } catch {
        // the connection is gone
        ended++
        return
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) => run(client))
  await expect.poll(() => acknowledged, { timeout: STOP_MS_MAX }).toBeGreaterThan(5)
  const startedAtMs = performance.now()
  expect(await service.stop()).toBe(0)
  expect(performance.now() - startedAtMs).toBeLessThan(STOP_MS_MAX)
  await Promise.all(clients)
  expect(ended).toBe(CLIENTS)
  for (const other of others) expect(other).toMatchObject({ status: 503, error: { code: 'shutting_down' } })
  expect(service.log).toBe('')

  const again = await startRollupd({ data: data.path })
  const topics = await createSend(again.url)('GET', '/v1/topics')
  const ends = topics.json.topics[0].partitions.map((partition: { end_offset: number }) => partition.end_offset)
  const at_least = { events: Object.fromEntries(ends.map((end: number, partition: number) => [partition, end])) }
  const { rows } = await again.query('SELECT n FROM counts', { at_least })
  const logged = ends.reduce((sum: number, end: number) => sum + end, 0)
  expect(rows).toEqual([{ n: logged }])
  expect(logged).toBeGreaterThanOrEqual(acknowledged * 100)
  await again.stop()
  data.remove()
})
