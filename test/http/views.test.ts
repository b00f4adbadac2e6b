/** Views over HTTP: made, replaced, read, kept through a restart, and what is refused while they are read. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'
import { createSend, type Send } from './http-client.ts'

const data = createDataFolder()
let service: RunningService
let send: Send

beforeAll(async () => {
  service = await startRollupd({ data: data.path })
  send = createSend(service.url)
  await service.createTopic('events')
  await service.createRollup('counts', 'SELECT city, COUNT(*) AS n FROM _input GROUP BY city', 'events')
})

afterAll(async () => {
  await service.stop()
  data.remove()
})

const put = async (name: string, sql: string) => await send('PUT', `/v1/views/${name}`, { sql })

test('a view is made, read, replaced and dropped', async () => {
  const sql = "SELECT city, n FROM counts WHERE city = 'Bonn'"
  const made = await put('bonn', sql)
  expect(made).toMatchObject({ status: 201, json: { name: 'bonn', sql, reads: ['counts'] } })
  expect(made.json.columns).toEqual([
    { name: 'city', type: 'any' },
    { name: 'n', type: 'bigint' },
  ])
  const next = await service.produce('events', ['{"city":"Bonn"}', '{"city":"Rome"}', '{"city":"Bonn"}'])
  // at_least is of the topics behind the view
  const query = { sql: 'SELECT * FROM bonn', at_least: { events: { '0': next } } }
  expect((await send('POST', '/v1/query', query)).json).toMatchObject({
    rows: [{ city: 'Bonn', n: 2 }],
    as_of: { counts: { events: { '0': next } } },
  })
  const replaced = await put('bonn', 'SELECT city, n, n * 2 AS twice FROM counts')
  expect(replaced).toMatchObject({ status: 200, json: { created_at: made.json.created_at } })
  expect((await send('GET', '/v1/views/bonn')).json).toEqual(replaced.json)
  expect((await send('GET', '/v1/views')).json).toEqual({ views: [replaced.json] })
  expect((await send('DELETE', '/v1/views/bonn')).status).toBe(204)
  expect(await send('GET', '/v1/views/bonn')).toMatchObject({ status: 404, json: { error: { code: 'unknown_view' } } })
  expect((await send('DELETE', '/v1/views/bonn')).json.error.code).toBe('unknown_view')
})

test('what a view reads stays', async () => {
  await put('first', 'SELECT city, n FROM counts')
  await put('second', 'SELECT city FROM first')
  const conflicts = [
    await send('DELETE', '/v1/rollups/counts'),
    await send('DELETE', '/v1/views/first'),
    await put('first', 'SELECT n FROM counts'),
  ]
  expect(conflicts.map(({ status, json }) => `${status} ${json.error.code}: ${json.error.message}`)).toEqual([
    '409 rollup_in_use: rollup "counts" is read by the view "first"',
    '409 rollup_in_use: view "first" is read by the view "second"',
    '409 conflict: view "first" is read by the view "second", and the new one has no column "city" of type any',
  ])
  expect((await put('first', 'SELECT city, n, 1 AS one FROM counts')).status).toBe(200)
})

test('a view that reads itself is refused with the path', async () => {
  const circle = await put('first', 'SELECT city, 1 AS n FROM second')
  expect(circle).toMatchObject({ status: 422, json: { error: { code: 'sql_invalid' } } })
  expect(circle.json.error.message).toContain('reads itself: first -> second -> first')
  expect((await put('alone', 'SELECT * FROM alone')).json.error.code).toBe('unknown_rollup')
})

test.each([
  ['counts', 'SELECT 1 AS one', 409, 'already_exists', undefined],
  ['Counts', 'SELECT 1 AS one', 422, 'bad_parameter', undefined],
  ['param', 'SELECT city FROM counts WHERE n > $1', 422, 'sql_unsupported', 35],
  ['param', 'SELECT city FROM counts WHERE n > :least', 422, 'sql_unsupported', 35],
  ['explained', 'EXPLAIN SELECT 1 AS one', 422, 'sql_unsupported', 1],
  ['twice', 'SELECT n, n FROM counts', 422, 'sql_invalid', undefined],
  ['wrong', 'SELECT nn FROM counts', 422, 'sql_unknown_column', 8],
])('%s as %s is refused', async (name, sql, status, code, position) => {
  const { status: got, json } = await put(name, sql)
  expect([got, json.error.code, json.error.position]).toEqual([status, code, position])
})

test('a rollup does not take the name of a view', async () => {
  const create = { name: 'first', sql: 'SELECT COUNT(*) AS n FROM _input', source: { topic: 'events' } }
  const { status, json } = await send('POST', '/v1/rollups', create)
  expect([status, json.error.message]).toEqual([409, 'there is a view "first" already'])
})

test('views are there after a restart', async () => {
  await service.stop()
  service = await startRollupd({ data: data.path })
  send = createSend(service.url)
  const { json } = await send('GET', '/v1/views')
  expect(json.views.map((view: { name: string }) => view.name)).toEqual(['first', 'second'])
})
