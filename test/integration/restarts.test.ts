/** Cases C58, C60 and C62 of test/cases/steps.md: restarts, a full disk, drop and create again. On the embedded log. */
import { afterEach, expect, test, vi } from 'vitest'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../support/running-service.ts'

// each test starts the service several times, seconds each where the machine does much else
vi.setConfig({ testTimeout: 120_000 })

const folders: { remove: () => void }[] = []
const services: RunningService[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.kill()
  for (const folder of folders.splice(0)) folder.remove()
})

function createData(): string {
  const folder = createDataFolder()
  folders.push(folder)
  return folder.path
}

async function start(data: string, env: Record<string, string> = {}): Promise<RunningService> {
  const service = await startRollupd({ data, env })
  services.push(service)
  return service
}

test.each(['SIGTERM', 'SIGKILL'] as const)('C58: restarts by %s add nothing', async (signal) => {
  const data = createData()
  let service = await start(data)
  await service.createTopic('t')
  await service.createRollup('r', 'SELECT COUNT(*) AS n, SUM(v) AS s FROM _input', 't')
  const restart = async () => {
    await service.end(signal)
    service = await start(data)
  }
  // nothing read yet
  await restart()
  let next = await service.produce('t', ['{"v":5}'])
  expect(await service.rows('SELECT n, s FROM r', 't', next)).toEqual([{ n: 1, s: 5 }])
  await restart()
  expect(await service.rows('SELECT n, s FROM r', 't', next)).toEqual([{ n: 1, s: 5 }])
  next = await service.produce('t', ['{"v":7}'])
  await service.rows('SELECT n, s FROM r', 't', next)
  for (let times = 0; times < 3; times++) await restart()
  expect(await service.rows('SELECT n, s FROM r', 't', next)).toEqual([{ n: 2, s: 12 }])
})

test('SIGTERM stores what was read and ends with code 0 within 10 s', async () => {
  const data = createData()
  const service = await start(data)
  await service.createTopic('t', 4)
  await service.createRollup('r', 'SELECT k, COUNT(*) AS n FROM _input GROUP BY k', 't')
  const lines = Array.from({ length: 20_000 }, (_, index) => `{"k":${index % 1000}}`)
  for (const partition of [0, 1, 2, 3]) await service.produce('t', lines, partition)
  const startedAtMs = performance.now()
  expect(await service.stop()).toBe(0)
  expect(performance.now() - startedAtMs).toBeLessThan(10_000)
  const again = await start(data)
  const rollup = await waitUntil(
    'all read',
    () => again.rollup('r'),
    ({ counts }) => counts.aggregated === 80_000,
  )
  expect(rollup.groups).toBe(1000)
})

test('C60: a full disk halts the rollup, queries go on, resume goes on exactly', async () => {
  const data = createData()
  const sql = 'SELECT id, COUNT(*) AS n FROM _input GROUP BY id'
  let service = await start(data, { ROLLUPD_LEAF_MAX_PAGES: '120' })
  await service.createTopic('t')
  await service.createRollup('r', sql, 't')
  const lines = Array.from({ length: 50_000 }, (_, index) => `{"id":${index}}`)
  await service.produce('t', lines)
  const halted = await waitUntil(
    'halted',
    () => service.rollup('r'),
    ({ status }) => status === 'halted',
  )
  expect(halted.reason?.code).toBe('disk_full')
  // nothing half written: what is stored is a prefix, and its counters say so
  const { rows } = await service.query('SELECT COUNT(*) AS g, SUM(n) AS t FROM r')
  expect(Number(rows[0]?.['t'] ?? 0)).toBe(halted.counts.aggregated)
  expect(halted.shards[0]?.next_offset).toBe(halted.counts.aggregated)
  await service.stop()
  service = await start(data)
  await service.api.call('POST', '/v1/rollups/r/resume')
  expect(await service.rows('SELECT COUNT(*) AS g, SUM(n) AS t FROM r', 't', 50_000)).toEqual([
    { g: 50_000, t: 50_000 },
  ])
})

test('C62: a dropped rollup does not come back, and its state does not leak', async () => {
  const data = createData()
  let service = await start(data)
  await service.createTopic('t')
  await service.createRollup('r', 'SELECT k, SUM(a) AS s FROM _input GROUP BY k', 't')
  const next = await service.produce('t', ['{"k":"x","a":1,"b":10}'])
  expect(await service.rows('SELECT s FROM r', 't', next)).toEqual([{ s: 1 }])
  await expect(service.createRollup('r', 'SELECT COUNT(*) AS n FROM _input', 't')).rejects.toMatchObject({
    code: 'already_exists',
  })
  await service.api.call('DELETE', '/v1/rollups/r')
  await expect(service.rollup('r')).rejects.toMatchObject({ code: 'unknown_rollup' })
  await service.createRollup('r', 'SELECT k, SUM(b) AS s FROM _input GROUP BY k', 't')
  expect(await service.rows('SELECT s FROM r', 't', next)).toEqual([{ s: 10 }])
  await service.kill()
  service = await start(data)
  expect(await service.rows('SELECT s FROM r', 't', next)).toEqual([{ s: 10 }])
  const { rollups } = await service.api.callJson<{ rollups: unknown[] }>('GET', '/v1/rollups')
  expect(rollups).toHaveLength(1)
})

test('a second process on the same data refuses to start, and one after SIGKILL starts at once', async () => {
  const data = createData()
  const first = await start(data)
  await expect(start(data)).rejects.toThrow(/ended with 4/)
  await first.kill()
  await start(data)
})
