/** Requests that are wrong in every way: each gets its status and an error of one shape, and the server goes on. */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'
import { type Answer, createSend, JSON_TYPE, NDJSON, type Send } from './http-client.ts'

const data = createDataFolder()
/** The default of limits.body_bytes. */
const BODY_BYTES_MAX = 64 * 1024 * 1024
const SQL = 'SELECT k, COUNT(*) AS n FROM _input GROUP BY k'
let service: RunningService
let send: Send

beforeAll(async () => {
  // a zone far from UTC: it must have no influence
  service = await startRollupd({ data: data.path, env: { TZ: 'Asia/Tokyo' } })
  send = createSend(service.url)
  await service.createTopic('events', 2)
  await service.createRollup('counts', SQL, 'events')
})

afterAll(async () => {
  await service.stop()
  data.remove()
})

function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, ...answer.json }).toMatchObject({
    status,
    error: { code, message: expect.any(String) },
  })
  expect(answer.json.error.message).toMatch(/^[^\n]+$/)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
}

test.each([
  ['PUT', '/v1/rollups', 'GET, HEAD, POST'],
  ['POST', '/v1/rollups/counts', 'DELETE, GET, HEAD'],
  ['GET', '/v1/rollups/counts/pause', 'POST'],
  ['GET', '/v1/query', 'POST'],
  ['DELETE', '/v1/topics', 'GET, HEAD, POST'],
  ['PATCH', '/v1/topics/events/records', 'POST'],
  ['POST', '/metrics', 'GET, HEAD'],
  ['DELETE', '/healthz', 'GET, HEAD'],
  ['POST', '/openapi.json', 'GET, HEAD'],
])('%s %s is not allowed', async (method, path, allowed) => {
  const answer = await send(method, path)
  expectError(answer, 405, 'method_not_allowed')
  expect(answer.headers.get('allow')).toBe(allowed)
})

test('paths that do not exist, or cannot', async () => {
  expectError(await send('GET', '/v1/nothing'), 404, 'not_found')
  expectError(await send('GET', '/v1/rollups/%ff'), 400, 'bad_request')
  expectError(await send('GET', `/v1/rollups/${'x'.repeat(301)}`), 404, 'not_found')
  expectError(await send('GET', '/v1/rollups/%00'), 404, 'unknown_rollup')
  expectError(await send('GET', '/v1/rollups/..%2fcounts'), 404, 'unknown_rollup')
})

test('what is not HTTP gets an error of the same shape', async () => {
  const { hostname, port } = new URL(service.url)
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write('NOT HTTP\r\n\r\n'))
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
  const [head, body] = text.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(body ?? '')).toMatchObject({ error: { code: 'bad_request' } })
})

test('many requests at once on one connection', async () => {
  const { hostname, port } = new URL(service.url)
  const body = '{"sql":"SELECT 1 AS a"}'
  const request = `POST /v1/query HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const socket = connect(Number(port), hostname, () => socket.write(request.repeat(30)))
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString()))
  // what they do to the service is seen on its standard error, at the end
  await expect.poll(() => received.match(/HTTP\/1\.1 200/g)?.length, { timeout: 15_000 }).toBe(30)
  socket.destroy()
})

test('bodies of other types, without type and without content', async () => {
  const body = '{"topic":"t","partitions":1}'
  expectError(await send('POST', '/v1/topics', body, { 'content-type': 'text/plain' }), 415, 'unsupported_media_type')
  expectError(await send('POST', '/v1/topics', '<t/>', { 'content-type': 'text/xml' }), 415, 'unsupported_media_type')
  expectError(await send('POST', '/v1/topics', '{}', NDJSON), 415, 'unsupported_media_type')
  expectError(await send('POST', '/v1/topics/events/records', '{}', JSON_TYPE), 415, 'unsupported_media_type')
  expectError(await send('POST', '/v1/topics/events/records'), 415, 'unsupported_media_type')
  expectError(await send('POST', '/v1/topics'), 400, 'bad_request')
  for (const headers of [{}, JSON_TYPE, { 'content-type': 'application/x-www-form-urlencoded' }]) {
    expect((await send('POST', '/v1/rollups/counts/resume', '', headers)).status).toBe(200)
  }
})

test('compressed bodies are not taken for records', async () => {
  const headers = { ...NDJSON, 'content-encoding': 'gzip' }
  const answer = await send('POST', '/v1/topics/events/records', gzipSync('{"k":1}'), headers)
  expectError(answer, 415, 'unsupported_media_type')
})

test('a body over the limit: whoever still sends it gets the answer', async () => {
  const answer = await send('POST', '/v1/topics/events/records', Buffer.alloc(BODY_BYTES_MAX + 1, 'a'), NDJSON)
  expectError(answer, 413, 'body_too_large')
  expect((await send('GET', '/healthz')).status).toBe(200)
})

test('JSON that is broken or not quite JSON', async () => {
  const post = async (body: string | Uint8Array) => await send('POST', '/v1/query', body, JSON_TYPE)
  for (const body of ['{"sql":', '[]', 'null', '5', '"x"', '']) expectError(await post(body), 400, 'bad_request')
  const invalidText = Buffer.concat([Buffer.from(`{"sql":"SELECT '`), Buffer.from([0xff]), Buffer.from(`' AS a"}`)])
  expectError(await post(invalidText), 400, 'bad_request')
  const deep = await post(`{"sql":"SELECT 1 AS a","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
  expectError(deep, 400, 'bad_request')
  expect(deep.json.error.message).toContain('nested too deeply')
  const long = await post(`{"sql":"SELECT $1 AS a","params":[${'1'.repeat(5_000_000)}]}`)
  expectError(long, 400, 'bad_request')
  expect(long.json.error.message).toContain('1000 digits')
  expectError(await post('{"sql":"SELECT 1 AS a","__proto__":{"limit":0}}'), 400, 'bad_request')
})

test.each([
  [{ start: 'soon' }, 'body/source/start: must be "earliest", "latest", {"timestamp": ...} or {"offsets": ...}'],
  [{ start: {} }, 'body/source/start: must be "earliest", "latest", {"timestamp": ...} or {"offsets": ...}'],
  [{ start: { offsets: { '0': -1 } } }, 'body/source/start/offsets/0: must be >= 0'],
  [{ tpoic: 'x' }, 'body/source: unknown field "tpoic"'],
])('a source %j says what is wrong', async (source, message) => {
  const answer = await send('POST', '/v1/rollups', { name: 'x', sql: SQL, source: { topic: 'events', ...source } })
  expectError(answer, 400, 'bad_request')
  expect(answer.json.error.message).toBe(message)
})

test('choices are named, unknown fields refused everywhere', async () => {
  const create = { name: 'x', sql: SQL, source: { topic: 'events' } }
  const answer = await send('POST', '/v1/rollups', { ...create, on_error: 'skip' })
  expect(answer.json.error.message).toBe('body/on_error: must be "dead_letter", "null" or "halt"')
  for (const [path, body] of [
    ['/v1/rollups', create],
    ['/v1/rollups/counts/pause', {}],
    ['/v1/rollups/counts/resume', {}],
    ['/v1/rollups/counts/shards/prune', {}],
    ['/v1/query', { sql: 'SELECT 1 AS a' }],
    ['/v1/topics', { topic: 't', partitions: 1 }],
  ] as const) {
    const refused = await send('POST', path, { ...body, extra: 1 })
    expectError(refused, 400, 'bad_request')
    expect(refused.json.error.message).toBe('body: unknown field "extra"')
  }
})

test('names of rollups', async () => {
  const create = async (name: string) =>
    await send('POST', '/v1/rollups', { name, sql: SQL, source: { topic: 'events' } })
  for (const name of ['A', '1a', 'a-b', '_a', 'a\n', 'ä', `a${'b'.repeat(63)}`, 'preview']) {
    expectError(await create(name), 422, 'bad_parameter')
  }
  for (const name of ['a', `a${'b'.repeat(62)}`, 'select', 'unfiltered', 'sqlite_master', 'constructor']) {
    expect((await create(name)).status).toBe(201)
    const query = await send('POST', '/v1/query', { sql: `SELECT COUNT(*) AS n FROM "${name}"` })
    expect({ name, rows: query.json.rows }).toEqual({ name, rows: [{ n: 0 }] })
    expect((await send('DELETE', `/v1/rollups/${name}`)).status).toBe(204)
  }
})

test('start positions: only what can be one', async () => {
  const create = async (start: unknown) =>
    await send('POST', '/v1/rollups', { name: 'x', sql: SQL, source: { topic: 'events', start } })
  for (const timestamp of ['2026-13-01T00:00:00Z', '2026-02-30', '2026-01-01 (or so)', 'now', '', '1767225600']) {
    expectError(await create({ timestamp }), 422, 'bad_parameter')
  }
  expectError(await create({ offsets: { '00': 0 } }), 422, 'start_out_of_range')
  expectError(await create({ offsets: { '2': 0 } }), 422, 'start_out_of_range')
  expectError(await create({ offsets: { '0': 1_000_000 } }), 422, 'start_out_of_range')
})

test('envelopes: all of them are well, or none is taken', async () => {
  const post = async (...lines: unknown[]) =>
    await send(
      'POST',
      '/v1/topics/events/records?format=envelope',
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
      NDJSON,
    )
  const before = (await send('GET', '/v1/topics')).text
  for (const line of [
    {},
    [],
    null,
    '{',
    { key: 'k' },
    { value: 5 },
    { value: 'a', value_base64: 'AA==' },
    { value_base64: 'AA' },
    { value: 'a', key: 1 },
    { value: 'a', headers: { a: null } },
    { value: 'a', partition: -1 },
    { value: 'a', partition: '0' },
    { value: 'a', extra: 1 },
    { value: 'a', timestamp: 5 },
    { value: 'a', timestamp: '1969-12-31T23:59:59Z' },
    { value: 'a', timestamp: '2026-02-30T00:00:00Z' },
    { value: 'a', timestamp: '2026-01-01 (or so)' },
    '{"value":"\\ud800"}',
    '{"value":"a","key":"\\udc00"}',
    '{"value":"a","headers":{"h":"\\ud800"}}',
  ]) {
    const answer = await post({ value: 'good' }, line)
    expectError(answer, 400, 'bad_request')
    expect(answer.json.error.message).toMatch(/^line 2: /)
  }
  expectError(await post({ value: 'good' }, { value: 'a', partition: 2 }), 422, 'bad_parameter')
  expect((await send('GET', '/v1/topics')).text).toBe(before)
})

test('times without a zone are UTC, wherever the process runs', async () => {
  await service.createTopic('times')
  await service.createRollup('times', 'SELECT _meta.timestamp AS t FROM _input GROUP BY 1', 'times')
  const line = JSON.stringify({ value: '{}', timestamp: '2026-01-01T00:00:00' })
  const posted = await send('POST', '/v1/topics/times/records?format=envelope', line, NDJSON)
  const rows = await service.rows('SELECT t FROM times', 'times', posted.json.offsets['0'].next)
  expect(rows).toEqual([{ t: '2026-01-01T00:00:00Z' }])
})

test('an idempotency key under which other records come is refused: they would be lost', async () => {
  await service.createTopic('keyed', 2)
  const post = async (body: string, query = '') =>
    await send('POST', `/v1/topics/keyed/records${query}`, body, { ...NDJSON, 'idempotency-key': 'k' })
  const first = await post('{"a":1}\n{"a":2}')
  expect(first.status).toBe(200)
  expect((await post('{"a":1}\n\n{"a":2}\n')).text).toBe(first.text)
  expectError(await post('{"a":1}\n{"a":3}'), 409, 'conflict')
  expectError(await post('{"a":1}'), 409, 'conflict')
  expectError(await post('{"a":1}\n{"a":2}', '?partition=1'), 409, 'conflict')
  expect((await post('{"a":1}\n{"a":2}')).text).toBe(first.text)
  expectError(
    await send('POST', '/v1/topics/keyed/records', '{}', { ...NDJSON, 'idempotency-key': '' }),
    422,
    'bad_parameter',
  )
})

test('a paused rollup short of at_least answers at once', async () => {
  await send('POST', '/v1/rollups/counts/pause')
  const startedAtMs = performance.now()
  const query = { sql: 'SELECT n FROM counts', at_least: { events: { '0': 1_000 } }, timeout_ms: 60_000 }
  expectError(await send('POST', '/v1/query', query), 409, 'not_reading')
  expect(performance.now() - startedAtMs).toBeLessThan(150)
  await send('POST', '/v1/rollups/counts/resume')
})

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['application/x-ndjson;q=0.1, application/json', 'application/json'],
  ['text/csv;q=0, */*', 'application/json'],
  ['TEXT/CSV', 'text/csv'],
  ['text/*, image/png', 'text/csv'],
])('Accept: %s gives %s', async (accept, type) => {
  const answer = await send('POST', '/v1/query', { sql: 'SELECT 1 AS a' }, accept === undefined ? {} : { accept })
  expect({ status: answer.status, type: answer.headers.get('content-type')?.split(';')[0] }).toEqual({
    status: 200,
    type,
  })
})

test('Accept without anything that is given', async () => {
  expectError(await send('POST', '/v1/query', { sql: 'SELECT 1 AS a' }, { accept: 'text/html' }), 400, 'bad_request')
  expectError(await send('POST', '/v1/query', { sql: 'SELECT 1 AS a' }, { accept: 'text/csv;q=0' }), 400, 'bad_request')
})

test('parameters that have no place in SQL', async () => {
  const query = async (params: string) =>
    await send('POST', '/v1/query', `{"sql":"SELECT $1 AS a","params":[${params}]}`, JSON_TYPE)
  for (const params of ['["\\ud800"]', '{"\\u0000":1}', '[[1e400]]', '"\\ud800"', '"\\u0000"', '', '1e400']) {
    expectError(await query(params), 422, 'bad_parameter')
  }
  expect((await query('1e400')).json.error.message).toContain('outside the range')
  expect((await query('123456789012345678901234567890')).text).toContain('{"a":123456789012345678901234567890}')
})

test('the service has said nothing on standard error', () => {
  expect(service.log).toBe('')
})
