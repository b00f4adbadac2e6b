/** Retention of the embedded log goes past a paused rollup: the loss is told with its size, never passed over by itself. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDataFolder, startRollupd, waitUntil } from '../support/running-service.ts'
import { assertConservation } from '../support/rollup-checks.ts'

const POSTS = 20
const LINES = Array.from({ length: 50 }, (_, index) => `{"v":${index},"text":"${'x'.repeat(20)}"}`)

test('records that are gone before they are read', async () => {
  const data = createDataFolder()
  const config = join(data.path, 'rollupd.yml')
  writeFileSync(config, 'embedded_log: {retention_bytes: 10000}\nlimits: {dead_letters: 3}\n')
  const service = await startRollupd({ data: data.path, args: ['--config', config] })
  await service.createTopic('events')
  await service.createRollup('counts', 'SELECT COUNT(*) AS n, SUM(v) AS s FROM _input', 'events')
  const first = await service.produce('events', ['{"v":1}', 'bad 1', 'bad 2', 'bad 3', 'bad 4', 'bad 5'])
  expect(await service.rows('SELECT n FROM counts', 'events', first)).toEqual([{ n: 1 }])
  const letters = await service.api.callJson<{ dead_letters: { value: string }[] }>(
    'GET',
    '/v1/rollups/counts/dead-letters',
  )
  expect(letters.dead_letters.map(({ value }) => value)).toEqual(['bad 3', 'bad 4', 'bad 5'])

  await service.api.call('POST', '/v1/rollups/counts/pause')
  let next = first
  for (let post = 0; post < POSTS; post++) next = await service.produce('events', LINES)
  await service.api.call('POST', '/v1/rollups/counts/resume')
  // the halt is stored at once, what was heard of the log comes a moment later
  const halted = await waitUntil(
    'the halt',
    async () => await service.rollup('counts'),
    ({ status, shards }) => status === 'halted' && shards[0]?.high_watermark === next,
  )
  const shard = { status: 'halted', next_offset: first, high_watermark: next, lag: next - first }
  expect(halted).toMatchObject({ reason: { code: 'lost' }, shards: [{ ...shard, reason: { code: 'lost' } }] })

  await service.api.call('POST', '/v1/rollups/counts/resume', { accept: ['lost'] })
  const [row] = await service.rows('SELECT n FROM counts', 'events', next)
  const rollup = await service.rollup('counts')
  const { status, counts, warnings } = rollup
  expect({ status, dead: counts.dead, dropped: counts.dead_letters_dropped }).toEqual({
    status: 'running',
    dead: 5,
    dropped: 2,
  })
  expect(counts.lost).toBeGreaterThan(0)
  expect(row?.['n']).toBe(next - 5 - counts.lost)
  expect(warnings).toHaveLength(1)
  assertConservation(rollup)
  await service.stop()
  data.remove()
})
