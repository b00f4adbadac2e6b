/** Previews over HTTP and from the command line, on a running service: what they answer, what they refuse, and that they leave nothing behind. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd } from '../support/running-service.ts'
import { createSend, type Send } from './http-client.ts'

const CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
const PATH = '/v1/rollups/preview'
const SQL = `SELECT country, COUNT(*) AS views, AVG(ms) AS mean, APPROX_DISTINCT("userId") AS users
FROM _input WHERE ok GROUP BY country HAVING COUNT(*) > 30`
const PARTITIONS = 2
const RECORDS_PER_PARTITION = 500

const data = createDataFolder()
const files = createDataFolder()
let service: RunningService
let send: Send

beforeAll(async () => {
  service = await startRollupd({ data: data.path })
  send = createSend(service.url)
  await service.createTopic('events', PARTITIONS)
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const lines = Array.from({ length: RECORDS_PER_PARTITION }, (_, index) =>
      JSON.stringify({
        country: `c${(index * (partition + 1)) % 20}`,
        ms: index % 50 === 0 ? 'slow' : index / 8,
        userId: index % 90,
        ok: index % 7 !== 0,
      }),
    )
    await service.produce('events', lines, partition)
  }
  writeFileSync(join(files.path, 'views.sql'), SQL)
})

afterAll(async () => {
  await service.stop()
  data.remove()
  files.remove()
})

/** Shared memory of readers (-shm) is no data: SQLite keeps there which reader looks at what. */
function hashFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(names.map((name) => [name, createHash('sha256').update(readFileSync(name)).digest('hex')]))
}

test('a preview of all records is what the rollup then answers, and leaves no trace', async () => {
  const before = hashFiles(data.path)
  const topicsBefore = (await send('GET', '/v1/topics')).text
  const body = { sql: SQL, source: { topic: 'events', start: 'earliest' }, sample: 1000, steps: true }
  const { status, json, headers } = await send('POST', PATH, body)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(Object.keys(json)).toEqual([
    'plan',
    'source_rows',
    'groups',
    'hidden_groups',
    'steps',
    'rejected',
    'filtered',
    'fields',
    'warnings',
  ])
  expect(json.source_rows).toHaveLength(PARTITIONS * RECORDS_PER_PARTITION)
  expect(json.steps).toHaveLength(PARTITIONS * RECORDS_PER_PARTITION)
  expect(json.warnings).toEqual([])
  expect(hashFiles(data.path)).toEqual(before)
  expect((await send('GET', '/v1/topics')).text).toBe(topicsBefore)
  expect((await send('GET', '/v1/rollups')).json).toEqual({ rollups: [] })

  const created = await service.createRollup('views', SQL, 'events')
  expect(json.plan).toMatchObject({
    ingest_sql: created.ingest_sql,
    wrap_sql: created.wrap_sql,
    columns: created.columns,
    partials: created.partials,
  })
  const at_least = { events: { '0': RECORDS_PER_PARTITION, '1': RECORDS_PER_PARTITION } }
  const visible = await service.query('SELECT * FROM views ORDER BY country', { at_least })
  const all = await service.query('SELECT * FROM unfiltered(views) ORDER BY country')
  expect(json.groups).toEqual(visible.rows)
  expect(json.groups.length).toBeGreaterThan(0)
  expect(json.hidden_groups.length).toBeGreaterThan(0)
  expect([...json.groups, ...json.hidden_groups]).toHaveLength(all.row_count)
  const { counts } = await service.rollup('views')
  expect(json.filtered).toBe(counts.filtered)
  expect(json.rejected).toHaveLength(counts.dead)
})

test.each<[object, number, string]>([
  [{ sql: SQL }, 400, 'bad_request'],
  [{ sql: SQL, records: [], source: { topic: 'events' } }, 400, 'bad_request'],
  [{ sql: SQL, source: { topic: 'events' }, sample: 10_001 }, 400, 'bad_request'],
  [{ sql: SQL, source: { topic: 'events' }, sample: 0 }, 400, 'bad_request'],
  [{ sql: SQL, source: { topic: 'events', start: 'soon' } }, 400, 'bad_request'],
  [{ sql: SQL, source: { topic: 'events' }, name: 'x' }, 400, 'bad_request'],
  [{ sql: SQL, records: [{ a: 1 }] }, 400, 'bad_request'],
  [{ sql: SQL, records: ['\uD800'] }, 400, 'bad_request'],
  [{ sql: SQL, source: { topic: 'events' }, on_error: 'halt' }, 400, 'bad_request'],
  [{ sql: SQL, source: {} }, 400, 'bad_request'],
  [{ sql: SQL, source: { topic: 'events', rollup: 'views' } }, 400, 'bad_request'],
  [{ sql: SQL, source: { topic: 'evnts' } }, 404, 'unknown_topic'],
  [{ sql: SQL, source: { topic: 'events', start: { offsets: { '0': 9999 } } } }, 422, 'start_out_of_range'],
  [{ sql: SQL, source: { topic: 'events', start: { timestamp: 'soon' } } }, 422, 'bad_parameter'],
  [{ sql: 'SELECT nope FROM _input', records: [] }, 422, 'sql_invalid'],
  [{ sql: `SELECT 1 ${' '.repeat(100_000)}`, records: [] }, 413, 'statement_too_long'],
])('%j is refused', async (body, status, code) => {
  const answer = await send('POST', PATH, body)
  expect({ status: answer.status, code: answer.json.error?.code }).toEqual({ status, code })
  if (code === 'sql_invalid') expect(answer.json.error.position).toBe(8)
  if (code === 'unknown_topic') expect(answer.json.error.hint).toBe('Did you mean events?')
})

test('the path takes POST alone, and is described', async () => {
  const refused = await send('GET', PATH)
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
  const { paths } = (await send('GET', '/openapi.json')).json
  const { post } = paths[PATH]
  expect(Object.keys(post.requestBody.content['application/json'].schema.properties)).toEqual([
    'sql',
    'source',
    'records',
    'sample',
    'steps',
    'on_error',
  ])
  expect(post.responses['200'].content['application/json'].schema.properties).toHaveProperty('hidden_groups')
})

test('of a statement over another rollup a query tells what it would hold', async () => {
  const sql = 'SELECT ok, MEASURE(n) FROM by_country GROUP BY ok'
  await service.createRollup(
    'by_country',
    'SELECT country, ok, COUNT(*) AS n FROM _input GROUP BY country, ok HAVING COUNT(*) > 1',
    'events',
  )
  const { status, json } = await send('POST', PATH, { sql, source: { rollup: 'by_country' } })
  expect([status, json.error.message]).toEqual([400, 'body/source: a preview takes records, "rollup" names groups'])
  expect(json.error.hint).toContain('Send the statement to /v1/query instead, with FROM unfiltered(by_country)')
  const at_least = { events: { '0': RECORDS_PER_PARTITION, '1': RECORDS_PER_PARTITION } }
  const asked = await service.query(`${sql.replace('by_country', 'unfiltered(by_country)')} ORDER BY ok`, { at_least })
  const created = await send('POST', '/v1/rollups', { name: 'by_ok', sql, source: { rollup: 'by_country' } })
  expect(created.status).toBe(201)
  const { rows } = await service.query('SELECT * FROM by_ok ORDER BY ok')
  expect(rows).toEqual(asked.rows)
  expect(rows.length).toBeGreaterThan(0)
})

test('previews at once are answered one after the other', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      send('POST', PATH, { sql: 'SELECT SUM(a) AS s FROM _input', records: [`{"a":${index}}`] }),
    ),
  )
  expect(answers.map(({ json }) => json.groups)).toEqual(answers.map((_, index) => [{ s: index }]))
})

function run(
  args: readonly string[],
  input = '',
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ROLLUPD_URL: service.url, NO_COLOR: '1' }
    const child = execFile(
      process.execPath,
      [CLI, 'preview', ...args],
      { cwd: files.path, env },
      (_error, stdout, stderr) => resolve({ exitCode: child.exitCode, stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

test('the command shows source rows beside groups', async () => {
  const shown = await run(
    ['views.sql', '--records', '-', '--steps'],
    '{"country":"de","ok":true,"userid":1}\n\nbroken\n',
  )
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^ +0 +0 +\{"country":"de","ok":true,"userid":1\} +aggregated +de$/m)
  expect(shown.stdout).toMatch(/^ +0 +1 +broken +rejected, invalid_json: not JSON at byte 0$/m)
  expect(shown.stdout).toMatch(/^1 group hidden by HAVING:\n +country +views +mean +users\n.*\n +de +1 +NULL +0$/m)
  expect(shown.stdout).toMatch(/^warning: no record of the sample has the field "userId"; the data has userid$/m)
  const json = await run(['views.sql', '--topic', 'events', '--sample', '5', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ source_rows: { length: 5 } })
})

test('the command says what it lacks', async () => {
  expect(await run(['views.sql'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--topic nor --records'),
  })
  expect(await run(['views.sql', '--topic', 'evnts'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Did you mean events?'),
  })
  expect(await run(['views.sql', '--records', 'none.ndjson'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('there is no such file'),
  })
  const { stdout } = await run(['--help'])
  for (const option of ['--topic', '--start', '--records', '--sample', '--steps', '--json', '--url']) {
    expect(stdout).toContain(option)
  }
})
