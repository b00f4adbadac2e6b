/** A rollup's life as a user drives it: what each answer says at once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'
import { createSend, type Send } from './http-client.ts'

const data = createDataFolder()
let service: RunningService
let send: Send

beforeAll(async () => {
  service = await startRollupd({ data: data.path })
  send = createSend(service.url)
})

afterAll(async () => {
  await service.stop()
  data.remove()
})

test('the high watermark is known through a pause', async () => {
  await service.createTopic('events')
  await service.createRollup('counts', 'SELECT COUNT(*) AS n FROM _input', 'events')
  const next = await service.produce('events', ['{}', '{}', '{}'])
  expect(await service.rows('SELECT n FROM counts', 'events', next)).toEqual([{ n: 3 }])
  // the first fetch of a resumed rollup has not answered yet
  const known = { status: 'waiting', next_offset: 3, high_watermark: 3, lag: 0 }
  for (const action of ['pause', 'resume', 'resume']) {
    const { json } = await send('POST', `/v1/rollups/counts/${action}`)
    expect(json.shards).toMatchObject([known])
  }
})

test('a topic goes once nothing reads it', async () => {
  await service.createTopic('read')
  await service.createRollup('reader', 'SELECT COUNT(*) AS n FROM _input', 'read')
  const refused = await send('DELETE', '/v1/topics/read')
  expect(refused).toMatchObject({ status: 409, json: { error: { code: 'topic_in_use' } } })
  expect(refused.json.error.message).toContain('reader')
  await send('DELETE', '/v1/rollups/reader')
  expect((await send('DELETE', '/v1/topics/read')).status).toBe(204)
})
