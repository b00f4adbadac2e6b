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

const MINUTES = `SELECT date_trunc('minute', ts::timestamptz) AS minute, country, COUNT(*) AS views, AVG(ms) AS mean,
  APPROX_DISTINCT(u) AS users FROM _input GROUP BY minute, country HAVING COUNT(*) > 1`
const HOURS = `SELECT date_trunc('hour', minute) AS hour, MEASURE(views), MEASURE(mean), MEASURE(users) * 10 AS tenfold
  FROM minutes WHERE country <> 'XX' GROUP BY hour HAVING MEASURE(views) > 1`

test('a rollup of a rollup follows it', async () => {
  await service.createTopic('views')
  await service.createRollup('minutes', MINUTES, 'views')
  const view = (ts: string, country: string, ms: number, u: string) => JSON.stringify({ ts, country, ms, u })
  let next = await service.produce('views', [
    view('2026-01-01T10:00:00Z', 'DE', 10, 'a'),
    view('2026-01-01T10:30:00Z', 'US', 20, 'a'),
    view('2026-01-01T10:30:00Z', 'XX', 90, 'x'),
  ])
  await service.rows('SELECT views FROM minutes', 'views', next)
  const created = await send('POST', '/v1/rollups', { name: 'hours', sql: HOURS, source: { rollup: 'minutes' } })
  expect(created).toMatchObject({
    status: 201,
    json: {
      source: { rollup: 'minutes', topic: 'views' },
      ingest_sql:
        "SELECT date_trunc('hour', minute) AS k0, merge(p0) AS p0, merge(p1) AS p1, merge(p2) AS p2 FROM minutes WHERE country <> 'XX' GROUP BY 1",
      groups: 1,
      shards: [{ next_offset: next }],
    },
  })
  // what the source's HAVING hides is in it
  const answer = 'SELECT hour, views, mean, tenfold FROM hours'
  expect(await service.rows(answer, 'views', next)).toEqual([
    { hour: '2026-01-01T10:00:00Z', views: 2, mean: 15, tenfold: 10 },
  ])
  const days = 'SELECT MEASURE(views), MEASURE(tenfold) FROM hours'
  await send('POST', '/v1/rollups', { name: 'ever', sql: days, source: { rollup: 'hours' } })
  next = await service.produce('views', [view('2026-01-01T10:59:00Z', 'FR', 60, 'b'), '{"ts":"soon"}'])
  expect(await service.rows(answer, 'views', next)).toEqual([
    { hour: '2026-01-01T10:00:00Z', views: 3, mean: 30, tenfold: 20 },
  ])
  expect(await service.rows('SELECT * FROM ever', 'views', next)).toEqual([{ views: 3, tenfold: 20 }])
  // both are of one commit, and stand where the one at the top does
  const joined = await send('POST', '/v1/query', { sql: 'SELECT COUNT(*) AS n FROM hours, ever' })
  expect(joined.json.as_of).toEqual({ hours: { views: { '0': next } }, ever: { views: { '0': next } } })
  const shown = await send('GET', '/v1/rollups/ever')
  expect(shown.json).toMatchObject({
    status: 'running',
    counts: { aggregated: 4, dead: 1 },
    source: { rollup: 'hours' },
  })
})

test('what follows a rollup is kept, stands still with it, and goes first', async () => {
  const inUse = await send('DELETE', '/v1/rollups/minutes')
  expect(inUse).toMatchObject({ status: 409, json: { error: { code: 'rollup_in_use' } } })
  expect(inUse.json.error.message).toBe('rollup "minutes" is the source of "hours"')
  for (const action of ['pause', 'resume', 'shards/prune']) {
    expect(await send('POST', `/v1/rollups/hours/${action}`)).toMatchObject({
      status: 409,
      json: { error: { code: 'conflict', message: 'rollup "hours" reads no topic: it follows rollup "minutes"' } },
    })
  }
  await send('POST', '/v1/rollups/minutes/pause')
  expect((await send('GET', '/v1/rollups/ever')).json).toMatchObject({ status: 'paused' })
  await send('POST', '/v1/rollups/minutes/resume')
  expect((await send('GET', '/v1/rollups/ever')).json).toMatchObject({ status: 'running' })
  const metrics = (await send('GET', '/metrics')).text
  expect(metrics).toContain('rollupd_groups{rollup="ever"} 1')
  expect(metrics).toContain('rollupd_records_total{rollup="minutes",outcome="aggregated"} 4')
  expect(metrics).not.toContain('rollupd_records_total{rollup="ever"')
  for (const name of ['ever', 'hours', 'minutes']) {
    expect((await send('DELETE', `/v1/rollups/${name}`)).status).toBe(204)
  }
})

test.each([
  [{ rollup: 'minute' }, 404, 'unknown_rollup', 'rollup "minute" does not exist'],
  [{ rollup: 'counts', topic: 'events' }, 400, 'bad_request', 'body/source: "topic" and "rollup" are given'],
  [{ rollup: 'counts', start: 'latest' }, 400, 'bad_request', 'body/source: "start" goes with "topic" only'],
  [{}, 400, 'bad_request', 'body/source: the field "topic" is missing'],
])('a source %j is refused', async (source, status, code, message) => {
  const sql = 'SELECT MEASURE(n) FROM counts'
  const answer = await send('POST', '/v1/rollups', { name: 'x', sql, source })
  expect(answer).toMatchObject({ status, json: { error: { code, message } } })
})

test('policies go with a topic', async () => {
  const body = { name: 'x', sql: 'SELECT MEASURE(n) FROM counts', source: { rollup: 'counts' }, on_error: 'null' }
  expect((await send('POST', '/v1/rollups', body)).json.error).toMatchObject({ code: 'bad_parameter' })
})

test('an expression that fails over a group is NULL, with a warning', async () => {
  await service.createTopic('codes')
  await service.createRollup('codes', 'SELECT code, COUNT(*) AS n FROM _input GROUP BY code', 'codes')
  const sql = 'SELECT code::bigint AS number, MEASURE(n) FROM codes GROUP BY number'
  await send('POST', '/v1/rollups', { name: 'numbers', sql, source: { rollup: 'codes' } })
  const next = await service.produce('codes', ['{"code":"1"}', '{"code":"x"}', '{"code":null}', '{"code":1}'])
  expect(await service.rows('SELECT * FROM numbers ORDER BY number', 'codes', next)).toEqual([
    { number: 1, n: 2 },
    { number: null, n: 2 },
  ])
  const { warnings } = (await send('GET', '/v1/rollups/numbers')).json
  expect(warnings).toEqual([expect.stringMatching(/^GROUP BY number: .*; where it fails the value is NULL$/)])
})
