/** Walks every route of the contract on a running service: statuses, types of content, and the exact fields of every answer. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'
import { type Answer, createSend, JSON_TYPE, NDJSON, type Send } from './http-client.ts'

const TOKEN = 'a secret of the test'
const SQL = `SELECT country, COUNT(*) AS views, AVG(latency) AS mean, COUNT(*) * AVG(latency) AS both
FROM _input WHERE ok GROUP BY country HAVING COUNT(*) > 1`
const COUNTS = [
  'aggregated',
  'filtered',
  'dead',
  'tombstones',
  'markers',
  'aborted',
  'holes',
  'lost',
  'expired',
  'kind_mismatch',
  'dead_letters_dropped',
  'unnested',
]
const number = expect.any(Number)
const text = expect.any(String)

const data = createDataFolder()
let service: RunningService
let send: Send
/** The next offset of partition 0 that the posts got. */
let next = 0

beforeAll(async () => {
  service = await startRollupd({ data: data.path, env: { ROLLUPD_TOKEN: TOKEN } })
  send = createSend(service.url, TOKEN)
})

afterAll(async () => {
  expect(await service.stop()).toBe(0)
  expect(service.log).toBe('')
  data.remove()
})

/** The status, and the answer without what a caller need not know. */
function expectAnswer(answer: Answer, status: number, type: string | null = 'application/json'): void {
  const shown = { status: answer.status, type: answer.headers.get('content-type')?.split(';')[0] ?? null }
  expect(shown, answer.text).toEqual({ status, type })
}

function expectFields(value: object, fields: readonly string[]): void {
  expect(Object.keys(value).toSorted()).toEqual(fields.toSorted())
}

function expectRollup(rollup: {
  counts: Record<string, number>
  shards: { start_offset: number; next_offset: number; counts: Record<string, number> }[]
  pruned: object
}): void {
  expect(rollup).toMatchObject({
    name: text,
    version: number,
    sql: SQL,
    source: { topic: 'events', start: 'earliest' },
    on_error: 'dead_letter',
    status: expect.stringMatching(/^(running|paused|halted)$/),
    columns: [
      { name: 'country', type: 'any', role: 'group' },
      { name: 'views', type: 'bigint', role: 'aggregate' },
      { name: 'mean', type: 'double precision', role: 'aggregate' },
      { name: 'both', type: 'double precision', role: 'expression' },
    ],
    ingest_sql: expect.stringContaining('FROM _input'),
    wrap_sql: expect.stringContaining('SELECT'),
    partials: expect.arrayContaining([{ column: text, call: 'COUNT(*)', state: text }]),
    warnings: [],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    groups: number,
    bytes: number,
  })
  expectFields(rollup.counts, COUNTS)
  expectFields(rollup.pruned, ['shards', 'passed', 'counts'])
  expect(rollup.shards).toHaveLength(2)
  for (const shard of rollup.shards) {
    expectFields(shard, [
      'topic_id',
      'partition',
      'status',
      'start_offset',
      'next_offset',
      'high_watermark',
      'lag',
      'lag_seconds',
      'blocked_by_transaction',
      'counts',
    ])
    expectFields(shard.counts, COUNTS)
    // law 6: the last two stand outside the sum
    const passed = COUNTS.slice(0, -2).reduce((sum, name) => sum + (shard.counts[name] ?? Number.NaN), 0)
    expect(passed).toBe(shard.next_offset - shard.start_offset)
  }
}

test('all but health asks for the token', async () => {
  const bare = createSend(service.url)
  for (const path of ['/healthz', '/readyz', '/healthz?x=1']) expectAnswer(await bare('GET', path), 200)
  for (const [method, path] of [
    ['GET', '/v1/rollups'],
    ['PUT', '/v1/rollups'],
    ['POST', '/v1/query'],
    ['GET', '/metrics'],
    ['GET', '/openapi.json'],
    ['GET', '/docs'],
    ['GET', '/docs/static/index.html'],
    ['GET', '/v1/nothing'],
    ['GET', '/healthz/'],
  ] as const) {
    const refused = await bare(method, path)
    expectAnswer(refused, 401)
    expect(refused.json).toMatchObject({ error: { code: 'unauthorized', message: text, hint: text } })
    expect((await createSend(service.url, `${TOKEN}x`)(method, path)).status).toBe(401)
  }
})

test('POST, GET /v1/topics', async () => {
  const partitions = [0, 1].map((partition) => ({ partition, start_offset: 0, end_offset: 0 }))
  const created = await send('POST', '/v1/topics', { topic: 'events', partitions: 2 })
  expectAnswer(created, 201)
  expect(created.json).toEqual({ topic: 'events', id: text, partitions })
  const listed = await send('GET', '/v1/topics')
  expectAnswer(listed, 200)
  expect(listed.json).toEqual({ topics: [created.json] })
  expectAnswer(await send('POST', '/v1/topics', { topic: 'events', partitions: 2 }), 409)
})

test('POST /v1/rollups', async () => {
  const request = { name: 'views', sql: SQL, source: { topic: 'events' }, indexes: [['country']] }
  const created = await send('POST', '/v1/rollups', request)
  expectAnswer(created, 201)
  expectRollup(created.json)
  expect(created.json.shards).toMatchObject([0, 1].map(() => ({ high_watermark: 0, lag: 0, lag_seconds: 0 })))
  expectAnswer(await send('POST', '/v1/rollups', request), 409)
  expectAnswer(await send('POST', '/v1/rollups', { ...request, name: 'other', source: { topic: 'evnts' } }), 404)
  const wrong = await send('POST', '/v1/rollups', { ...request, name: 'other', sql: 'SELECT nope FROM _input' })
  expectAnswer(wrong, 422)
  expect(wrong.json.error).toEqual({ code: 'sql_invalid', message: text, hint: text, position: 8 })
  const below = { topic: 'events', start: { offsets: { '0': 7 } } }
  expectAnswer(await send('POST', '/v1/rollups', { ...request, name: 'other', source: below }), 422)
})

test('PUT, GET, DELETE /v1/views', async () => {
  const sql = 'SELECT country, mean FROM views'
  const put = await send('PUT', '/v1/views/means', { sql })
  expectAnswer(put, 201)
  const columns = [
    { name: 'country', type: 'any' },
    { name: 'mean', type: 'double precision' },
  ]
  expect(put.json).toEqual({ name: 'means', sql, columns, reads: ['views'], created_at: text })
  expectAnswer(await send('PUT', '/v1/views/means', { sql }), 200)
  expect((await send('GET', '/v1/views')).json).toEqual({ views: [put.json] })
  expectAnswer(await send('DELETE', '/v1/rollups/views'), 409)
  expectAnswer(await send('DELETE', '/v1/views/means'), 204, null)
  expectAnswer(await send('GET', '/v1/views/means'), 404)
})

test('POST /v1/topics/{t}/records', async () => {
  const path = '/v1/topics/events/records'
  const line = (country: string | null, latency: unknown) => JSON.stringify({ country, latency, ok: true })
  const lines = [line('de', 1), line('de', 2), '', ' \r', line('fr', 3), line(null, 'slow'), '{"ok":false}', 'not JSON']
  const posted = await send('POST', `${path}?partition=0`, `${lines.join('\n')}\n`, NDJSON)
  expectAnswer(posted, 200)
  expect(posted.json).toEqual({ offsets: { '0': { first: 0, last: 5, next: 6 } } })
  const envelopes = [
    { value: null, key: 'k' },
    { value: line('fr', 4), headers: { h: 'x' }, timestamp: '2026-01-01T00:00:00Z', partition: 0 },
    { value_base64: Buffer.from([0xff, 0xfe]).toString('base64'), key_base64: 'AAE=', partition: 0 },
  ]
  const body = envelopes.map((envelope) => JSON.stringify(envelope)).join('\n')
  const key = { 'idempotency-key': 'first' }
  const first = await send('POST', `${path}?format=envelope&partition=0`, body, { ...NDJSON, ...key })
  expect(first.json).toEqual({ offsets: { '0': { first: 6, last: 8, next: 9 } } })
  const again = await send('POST', `${path}?format=envelope&partition=0`, body, { ...NDJSON, ...key })
  expect(again.text).toBe(first.text)
  expect((await send('POST', path, '\n', NDJSON)).json).toEqual({ offsets: {} })
  const spread = await send('POST', path, `${line('de', 9)}\n${line('de', 9)}`, NDJSON)
  expect(spread.json.offsets['1']).toEqual({ first: 0, last: 0, next: 1 })
  next = spread.json.offsets['0'].next
  expectAnswer(await send('POST', '/v1/topics/none/records', '{}', NDJSON), 404)
})

test('POST /v1/query', async () => {
  const query = {
    sql: 'SELECT country, views, mean FROM views WHERE views >= $1 ORDER BY country',
    params: [1],
    at_least: { events: { '0': next, '1': 1 } },
    timeout_ms: 10_000,
  }
  const answer = await send('POST', '/v1/query', query)
  expectAnswer(answer, 200)
  const rows = [
    { country: 'de', views: 4, mean: 5.25 },
    { country: 'fr', views: 2, mean: 3.5 },
  ]
  const result = {
    columns: [
      { name: 'country', type: 'any' },
      { name: 'views', type: 'bigint' },
      { name: 'mean', type: 'double precision' },
    ],
    row_count: 2,
    truncated: false,
    elapsed_ms: number,
    epoch: number,
    as_of: { views: { events: { '0': next, '1': 1 } } },
  }
  expect(answer.json).toEqual({ ...result, rows })
  const cut = await send('POST', '/v1/query', { ...query, limit: 1 })
  expect(cut.json).toMatchObject({ row_count: 1, truncated: true, rows: rows.slice(0, 1) })
  const named = { sql: 'SELECT :a AS a', params: { a: 'x' } }
  expect((await send('POST', '/v1/query', named)).json).toMatchObject({ rows: [{ a: 'x' }], as_of: {} })

  const lines = await send('POST', '/v1/query', query, { accept: 'application/x-ndjson' })
  expectAnswer(lines, 200, 'application/x-ndjson')
  const [last, ...others] = lines.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
    .toReversed()
  expect(others.toReversed()).toEqual(rows)
  expect(last).toEqual({ result })
  const csv = await send('POST', '/v1/query', query, { accept: 'text/csv' })
  expectAnswer(csv, 200, 'text/csv')
  expect(csv.text.split(/\r?\n/)).toEqual(['country,views,mean', 'de,4,5.25', 'fr,2,3.5', ''])
})

test('values that JSON has no numbers for', async () => {
  const sql = "SELECT 12345678901234567890 AS big, 9007199254740993 AS odd, 'NaN'::double precision AS nan, 1/0 AS cell"
  expectAnswer(await send('POST', '/v1/query', { sql }), 422)
  const nulled = await send('POST', '/v1/query', { sql, on_cell_error: 'null' })
  expect(nulled.text).toContain('{"big":12345678901234567890,"odd":9007199254740993,"nan":"NaN","cell":null}')
  expect(nulled.json.errors).toMatchObject([{ column: 'cell', message: 'division by zero' }])
  const strings = await send('POST', '/v1/query', { sql, on_cell_error: 'null', big_numbers: 'string' })
  expect(strings.json.rows).toEqual([{ big: '12345678901234567890', odd: '9007199254740993', nan: 'NaN', cell: null }])
})

test('queries that are refused or end early', async () => {
  const refused: [object, number, string][] = [
    [{ sql: 'SELECT 1 AS a', at_least: { events: { '0': 1 } } }, 422, 'bad_parameter'],
    [{ sql: 'SELECT views FROM views', at_least: { other: { '0': 1 } } }, 422, 'bad_parameter'],
    [{ sql: 'SELECT views FROM views', at_least: { events: { '9': 1 } } }, 422, 'bad_parameter'],
    [{ sql: 'SELECT 1 AS a', timeout_ms: 60_001 }, 422, 'bad_parameter'],
    [{ sql: 'SELECT 1 AS a', limit: 1_000_001 }, 422, 'bad_parameter'],
    [{ sql: 'SELECT x FROM none' }, 404, 'unknown_rollup'],
    [{ sql: 'SELECT none FROM views' }, 422, 'sql_unknown_column'],
    [{ sql: 'DELETE FROM views' }, 422, 'sql_unsupported'],
    [{ sql: `SELECT 1 AS a${' '.repeat(100_000)}` }, 413, 'statement_too_long'],
  ]
  for (const [query, status, code] of refused) {
    const answer = await send('POST', '/v1/query', query)
    expectAnswer(answer, status)
    expect(answer.json.error.code).toBe(code)
  }
  const short = { sql: 'SELECT views FROM views', at_least: { events: { '0': next + 1 } }, timeout_ms: 50 }
  const late = await send('POST', '/v1/query', short)
  expectAnswer(late, 504)
  expect(late.json.error).toMatchObject({ code: 'at_least_timeout', detail: { reached: { '0': next } } })
  const endless =
    'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000000000) SELECT MAX(i) AS m FROM c'
  const ended = await send('POST', '/v1/query', { sql: endless, timeout_ms: 300 })
  expectAnswer(ended, 504)
  expect(ended.json.error.code).toBe('query_timeout')
})

test('GET /v1/rollups, /v1/rollups/{name}', async () => {
  const one = await send('GET', '/v1/rollups/views')
  expectAnswer(one, 200)
  expectRollup(one.json)
  const counts = Object.fromEntries(COUNTS.map((name) => [name, 0]))
  expect(one.json.counts).toEqual({ ...counts, aggregated: 6, filtered: 1, dead: 3, tombstones: 1 })
  expect(one.json.groups).toBe(2)
  const all = await send('GET', '/v1/rollups')
  expectAnswer(all, 200)
  expect(all.json.rollups).toHaveLength(1)
  expectRollup(all.json.rollups[0])
  const unknown = await send('GET', '/v1/rollups/view')
  expectAnswer(unknown, 404)
  expect(unknown.json.error.hint).toContain('views')
})

test('GET /v1/rollups/{name}/dead-letters', async () => {
  const all = await send('GET', '/v1/rollups/views/dead-letters')
  expectAnswer(all, 200)
  const letter = { id: number, topic: 'events', partition: 0, timestamp: text, reason: text }
  expect(all.json).toEqual({
    dead_letters: [
      { ...letter, offset: 3, code: 'wrong_kind', value: '{"country":null,"latency":"slow","ok":true}' },
      { ...letter, offset: 5, code: 'invalid_json', value: 'not JSON' },
      { ...letter, offset: 8, code: 'invalid_json', value_base64: '//4=' },
    ],
  })
  const first = await send('GET', '/v1/rollups/views/dead-letters?limit=2')
  expect(first.json).toEqual({
    dead_letters: all.json.dead_letters.slice(0, 2),
    next_after: all.json.dead_letters[1].id,
  })
  const rest = await send('GET', `/v1/rollups/views/dead-letters?limit=2&after=${first.json.next_after}`)
  expect(rest.json).toEqual({ dead_letters: all.json.dead_letters.slice(2) })
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after=-1', 'offset=1']) {
    expectAnswer(await send('GET', `/v1/rollups/views/dead-letters?${query}`), 400)
  }
})

test('POST /v1/rollups/{name}/pause, resume, shards/prune', async () => {
  const paused = await send('POST', '/v1/rollups/views/pause')
  expectAnswer(paused, 200)
  expectRollup(paused.json)
  expect(paused.json.status).toBe('paused')
  const query = { sql: 'SELECT views FROM views', at_least: { events: { '0': next + 1 } } }
  expectAnswer(await send('POST', '/v1/query', query), 409)
  for (const body of [undefined, {}, { accept: ['lost', 'corrupt', 'truncated', 'recreated', 'record_error'] }]) {
    const resumed = await send('POST', '/v1/rollups/views/resume', body)
    expectAnswer(resumed, 200)
    expectRollup(resumed.json)
    expect(resumed.json.status).toBe('running')
  }
  expectAnswer(await send('POST', '/v1/rollups/views/resume', { accept: ['codec'] }), 422)
  for (const body of [undefined, { dry_run: true }]) {
    const pruned = await send('POST', '/v1/rollups/views/shards/prune', body)
    expectAnswer(pruned, 200)
    expect(pruned.json).toEqual({ dry_run: body !== undefined, removed: [] })
  }
  for (const path of ['pause', 'resume', 'shards/prune']) {
    expectAnswer(await send('POST', `/v1/rollups/none/${path}`), 404)
  }
})

test('DELETE /v1/rollups/{name}, /v1/topics/{t}', async () => {
  expectAnswer(await send('DELETE', '/v1/topics/events'), 409)
  expectAnswer(await send('DELETE', '/v1/rollups/views'), 204, null)
  expectAnswer(await send('DELETE', '/v1/rollups/views'), 404)
  expectAnswer(await send('POST', '/v1/query', { sql: 'SELECT views FROM views' }), 404)
  const again = await send('POST', '/v1/rollups', {
    name: 'views',
    sql: SQL,
    source: { topic: 'events', start: 'latest' },
  })
  expectAnswer(again, 201)
  expect(again.json).toMatchObject({ groups: 0, counts: { aggregated: 0 }, shards: [{ next_offset: next }, {}] })
  expectAnswer(await send('DELETE', '/v1/rollups/views'), 204, null)
  expectAnswer(await send('DELETE', '/v1/topics/events'), 204, null)
  expectAnswer(await send('DELETE', '/v1/topics/events'), 404)
})

test('GET /metrics', async () => {
  await send('POST', '/v1/topics', { topic: 'events', partitions: 1 })
  await send('POST', '/v1/rollups', { name: 'views', sql: SQL, source: { topic: 'events' } })
  const metrics = await send('GET', '/metrics')
  expectAnswer(metrics, 200, 'text/plain')
  for (const name of [
    'rollupd_records_total{rollup="views",outcome="aggregated"}',
    'rollupd_lag_records{rollup="views"}',
    'rollupd_lag_seconds{rollup="views"}',
    'rollupd_commit_seconds_count',
    'rollupd_freshness_seconds_count',
    'rollupd_groups{rollup="views"}',
    'rollupd_query_seconds_count{outcome="ok"}',
    'rollupd_shards{status="halted"}',
    'process_cpu_seconds_total',
  ]) {
    expect(metrics.text).toContain(`\n${name} `)
  }
})

test('GET /openapi.json, /docs', async () => {
  const document = await send('GET', '/openapi.json')
  expectAnswer(document, 200)
  expect(document.json.openapi).toMatch(/^3\./)
  const routes = Object.entries(document.json.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(routes.toSorted()).toEqual(
    [
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /readyz',
      'GET /v1/rollups',
      'POST /v1/rollups',
      'POST /v1/rollups/preview',
      'DELETE /v1/rollups/{name}',
      'GET /v1/rollups/{name}',
      'GET /v1/rollups/{name}/dead-letters',
      'POST /v1/rollups/{name}/pause',
      'POST /v1/rollups/{name}/resume',
      'POST /v1/rollups/{name}/shards/prune',
      'POST /v1/query',
      'GET /v1/views',
      'PUT /v1/views/{name}',
      'GET /v1/views/{name}',
      'DELETE /v1/views/{name}',
      'GET /v1/topics',
      'POST /v1/topics',
      'DELETE /v1/topics/{topic}',
      'POST /v1/topics/{topic}/records',
    ].toSorted(),
  )
  const page = await send('GET', '/docs')
  expectAnswer(page, 200, 'text/html')
  for (const [, file] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect((await send('GET', new URL(file ?? '', `${service.url}/docs/`).pathname)).status).toBe(200)
  }
  expectAnswer(await send('POST', '/v1/query', '{', JSON_TYPE), 400)
})
