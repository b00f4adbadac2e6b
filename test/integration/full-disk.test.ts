/** A disk that gets full under the service: the rollups halt, queries go on, and with room again everything is exact. */
import { expect, test } from 'vitest'
import { createDataFolder, startRollupd, waitUntil } from '../support/running-service.ts'

/** The log of the records fits, the groups that they make do not. */
const FILE_BYTES_MAX = 2 << 20
const RECORDS = 12_000
const POSTS = 6
const ROLLUPS = ['r0', 'r1', 'r2', 'r3']

test('a full disk', { timeout: 90_000 }, async () => {
  const data = createDataFolder()
  const small = await startRollupd({ data: data.path, fileBytesMax: FILE_BYTES_MAX })
  await small.createTopic('events')
  for (const name of ROLLUPS) {
    await small.createRollup(
      name,
      "SELECT v, v::text || '-a-longer-text' AS t, COUNT(*) AS n FROM _input GROUP BY 1, 2",
      'events',
    )
  }
  let next = 0
  for (let post = 0; post < POSTS; post++) {
    const lines = Array.from({ length: RECORDS / POSTS }, (_, index) => `{"v":${post * (RECORDS / POSTS) + index}}`)
    next = await small.produce('events', lines)
  }
  expect(next).toBe(RECORDS)
  const halted = await waitUntil(
    'a halt',
    async () => await Promise.all(ROLLUPS.map((name) => small.rollup(name))),
    (rollups) => rollups.some(({ status }) => status === 'halted'),
  )
  expect(halted.find(({ status }) => status === 'halted')?.reason?.code).toBe('disk_full')

  // what can still be done is done, what can't is said
  for (const name of ROLLUPS) {
    const { rows } = await small.query(`SELECT SUM(n) AS n, COUNT(*) AS groups FROM ${name}`)
    expect(rows[0]?.['n'] ?? 0).toBe(rows[0]?.['groups'])
  }
  const sql =
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100000) SELECT i, 'a text of some length' AS t FROM c"
  await expect(small.query(sql, { limit: 1_000_000 })).rejects.toMatchObject({ code: 'disk_full' })
  for (const name of ROLLUPS) {
    await small.api.call('POST', `/v1/rollups/${name}/resume`).catch(expectDiskFull)
    await waitUntil(
      'what is short of the end to be halted again',
      async () => await small.rollup(name),
      ({ status, shards }) =>
        shards[0]?.next_offset === RECORDS || (status === 'halted' && shards[0]?.status === 'halted'),
    )
  }
  expect((await small.api.callJson<{ status: string }>('GET', '/readyz')).status).toBe('ready')
  expect(await small.stop()).toBe(0)

  const large = await startRollupd({ data: data.path })
  for (const name of ROLLUPS) {
    const rows = await large.rows(`SELECT SUM(n) AS n, COUNT(*) AS groups, MAX(n) AS most FROM ${name}`, 'events', next)
    expect(rows).toEqual([{ n: RECORDS, groups: RECORDS, most: 1 }])
    const { status, counts } = await large.rollup(name)
    expect({ status, aggregated: counts.aggregated }).toEqual({ status: 'running', aggregated: RECORDS })
  }
  expect(await large.stop()).toBe(0)
  data.remove()
})

function expectDiskFull(error: unknown): void {
  expect(error).toMatchObject({ code: 'disk_full' })
}
