/** Shards are read by several threads: how many there are changes no answer and loses nothing. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../support/running-service.ts'

const PARTITIONS = 5
const SQL = `SELECT k, COUNT(*) AS n, SUM(v) AS s, FIRST(v) AS f, LAST(v) AS l, STRING_AGG(t, ',') AS ts, APPROX_PERCENTILE(v, 0.9) AS p
FROM _input WHERE v > 3 GROUP BY k`

async function startWith(threads: number, data: string, env: Record<string, string> = {}): Promise<RunningService> {
  const file = join(data, `${threads}.yml`)
  writeFileSync(file, `limits:\n  ingest_threads: ${threads}\n`)
  return await startRollupd({ data, args: ['--config', file], env })
}

function toLines(partition: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const value = (index * 7919 + partition * 104_729) % 1000
    return `{"k":"g${value % 7}","v":${value / 10},"t":"${partition}-${index}"}`
  })
}

test('answers are the same with one, two and more threads than partitions', { timeout: 90_000 }, async () => {
  const answers: unknown[] = []
  for (const threads of [1, 2, 7]) {
    const data = createDataFolder()
    const service = await startWith(threads, data.path)
    await service.createTopic('events', PARTITIONS)
    await service.createRollup('r', SQL, 'events')
    const atLeast: Record<string, number> = {}
    for (let partition = 0; partition < PARTITIONS; partition++) {
      atLeast[partition] = await service.produce('events', toLines(partition, 300 + partition), partition)
    }
    const { rows } = await service.query('SELECT * FROM r ORDER BY k', { at_least: { events: atLeast } })
    const { counts, shards } = await service.rollup('r')
    expect(shards.map(({ next_offset }) => next_offset)).toEqual([300, 301, 302, 303, 304])
    answers.push([withoutProduceTimes(rows), counts])
    expect(await service.stop()).toBe(0)
    data.remove()
  }
  expect(answers[0]).toMatchObject([{ length: 7 }, { aggregated: expect.any(Number) as number }])
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
})

/** FIRST, LAST and the order of a list are by the broker's time, which differs from run to run. */
function withoutProduceTimes(rows: readonly Record<string, unknown>[]): unknown[] {
  return rows.map(({ f: _f, l: _l, ts, ...row }) => ({ ...row, ts: String(ts).split(',').toSorted() }))
}

test('a full disk that several threads meet, and resume goes on exactly', { timeout: 90_000 }, async () => {
  const data = createDataFolder()
  const small = await startWith(3, data.path, { ROLLUPD_LEAF_MAX_PAGES: '120' })
  await small.createTopic('events', PARTITIONS)
  await small.createRollup('r', 'SELECT t, COUNT(*) AS n FROM _input GROUP BY t', 'events')
  for (let partition = 0; partition < PARTITIONS; partition++) {
    await small.produce('events', toLines(partition, 10_000), partition)
  }
  await waitUntil(
    'halted',
    () => small.rollup('r'),
    ({ status }) => status === 'halted',
  )
  expect(await small.stop()).toBe(0)

  const large = await startWith(2, data.path)
  await large.api.call('POST', '/v1/rollups/r/resume')
  const at_least = { events: Object.fromEntries(Array.from({ length: PARTITIONS }, (_, one) => [one, 10_000])) }
  const all = await large.query('SELECT COUNT(*) AS groups, SUM(n) AS n FROM r', { at_least })
  expect(all.rows).toEqual([{ groups: PARTITIONS * 10_000, n: PARTITIONS * 10_000 }])
  expect(await large.stop()).toBe(0)
  data.remove()
})

test(
  'a rollup of as many groups as records goes to one thread, and counts each once',
  { timeout: 90_000 },
  async () => {
    const data = createDataFolder()
    const service = await startWith(3, data.path)
    await service.createTopic('events', PARTITIONS)
    const count = 60_000
    for (let partition = 0; partition < PARTITIONS; partition++) {
      await service.produce('events', toLines(partition, count), partition)
    }
    const sql = 'SELECT t, COUNT(*) AS n FROM _input GROUP BY t'
    await service.createRollup('r', sql, 'events')
    await waitUntil(
      'the rollup has read all',
      async () => await service.rollup('r'),
      ({ shards }) => shards.every(({ next_offset }) => next_offset === count),
    )
    const { rows } = await service.query('SELECT COUNT(*) AS groups, SUM(n) AS records, MAX(n) AS most FROM r')
    expect(rows).toEqual([{ groups: PARTITIONS * count, records: PARTITIONS * count, most: 1 }])
    expect(await service.stop()).toBe(0)
    data.remove()
  },
)
