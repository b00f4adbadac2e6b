/** Queries in their processes: answers, deadlines, queues, and that nothing is left running. */
import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type QueryAnswer, QueryService, type QueryLimits } from '../../src/query/query-service.ts'
import { QueryFixture } from './query-fixture.ts'

const LIMITS: QueryLimits = {
  rows: 1_000_000,
  rows_default: 10_000,
  query_timeout_ms: 60_000,
  query_timeout_ms_default: 10_000,
  query_processes: 1,
  queries_waiting: 2,
  statement_characters: 100_000,
}
const PROCESS_URL = new URL('../../src/main/query-process.ts', import.meta.url)
const ENDLESS =
  'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3000000000) SELECT count(*) AS c FROM t'
const LONG_ROWS =
  'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 30000) SELECT n, repeat_me FROM t, (SELECT MAX(k) AS repeat_me FROM r) AS x'
const GONE_MS_MAX = 5_000

let fixture: QueryFixture
let service: QueryService

function start(limits: Partial<QueryLimits> = {}, processBytesMax?: number): QueryService {
  return new QueryService({
    processUrl: PROCESS_URL,
    leafPath: fixture.options.leafPath,
    spoolDirectory: fixture.options.spoolDirectory,
    limits: { ...LIMITS, ...limits },
    processBytesMax,
  })
}

beforeEach(async () => {
  fixture = await QueryFixture.create()
  fixture.rollup('r', 'SELECT k, COUNT(*) AS n FROM _input GROUP BY k')
  fixture.ingest('r', [{ k: 'a' }, { k: 'b' }, { k: 'a' }])
})

afterEach(() => {
  service.close()
  fixture.close()
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function waitUntil(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + GONE_MS_MAX
  while (!condition()) {
    expect(performance.now(), 'the deadline of the wait').toBeLessThan(deadline)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function textOf({ body }: QueryAnswer): Promise<string> {
  return Buffer.isBuffer(body) ? body.toString() : await text(body)
}

test('an answer has rows, the position it contains, and its length', async () => {
  service = start()
  const answer = await service.run({ sql: 'SELECT k, n FROM r WHERE k = :k', params: { k: 'a' } })
  const body = await textOf(answer)
  expect(Buffer.byteLength(body)).toBe(answer.byteLength)
  expect(JSON.parse(body)).toMatchObject({
    columns: [
      { name: 'k', type: 'any' },
      { name: 'n', type: 'bigint' },
    ],
    rows: [{ k: 'a', n: 2 }],
    row_count: 1,
    truncated: false,
    as_of: { r: { events: { 0: 3 } } },
  })
})

test('a query sees what was committed before it was asked', async () => {
  service = start()
  for (let round = 1; round <= 5; round++) {
    fixture.ingest('r', [{ k: 'new' }])
    const answer = await service.run({ sql: "SELECT n FROM r WHERE k = 'new'" })
    expect(JSON.parse(await textOf(answer))).toMatchObject({
      rows: [{ n: round }],
      as_of: { r: { events: { 0: 3 + round } } },
    })
  }
})

test('a query that would run for ever ends at its deadline with its process, others go on', async () => {
  service = start()
  await service.run({ sql: 'SELECT 1 AS one' })
  const before = [...service.processIds]
  const startedAt = performance.now()
  const endless = service.run({ sql: ENDLESS, timeoutMs: 300 })
  const other = service.run({ sql: 'SELECT n FROM r' })
  await expect(endless).rejects.toMatchObject({ code: 'query_timeout' })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect((await other).meta.row_count).toBe(2)
  await waitUntil(() => before.every((pid) => !isAlive(pid)))
  expect((await service.run({ sql: 'SELECT n FROM r' })).meta.row_count).toBe(2)
})

test('an aborted query ends its process', async () => {
  service = start()
  await service.run({ sql: 'SELECT 1 AS one' })
  const [pid = 0] = service.processIds
  const controller = new AbortController()
  const running = service.run({ sql: ENDLESS }, controller.signal)
  controller.abort(new Error('the client left'))
  await expect(running).rejects.toThrow('the client left')
  await waitUntil(() => !isAlive(pid))
})

test('past the queue a query is refused at once', async () => {
  service = start()
  const busy = Array.from({ length: 4 }, () => service.run({ sql: ENDLESS, timeoutMs: 1_500 }))
  const outcomes = Promise.allSettled(busy)
  const waiting = [service.run({ sql: 'SELECT 1 AS one' }), service.run({ sql: 'SELECT 1 AS one' })]
  await expect(service.run({ sql: 'SELECT 1 AS one' })).rejects.toMatchObject({ code: 'too_many_queries' })
  for (const answer of await Promise.all(waiting)) expect(answer.meta.row_count).toBe(1)
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true)
})

test('a large answer is spooled in a file that is gone once it is opened', async () => {
  service = start()
  fixture.ingest('r', [{ k: 'z'.repeat(200) }])
  const answer = await service.run({ sql: LONG_ROWS, limit: 20_000, format: 'ndjson' })
  expect(readdirSync(fixture.options.spoolDirectory)).toEqual([])
  const lines = (await textOf(answer)).trimEnd().split('\n')
  expect(lines.length).toBe(20_001)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ result: { row_count: 20_000, truncated: true } })
  expect(lines.every((line) => line.startsWith('{') && line.endsWith('}'))).toBe(true)
})

test('a process that takes too much memory ends, and says why', async () => {
  service = start({}, 10 * 2 ** 20)
  await expect(service.run({ sql: ENDLESS })).rejects.toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('MB of memory') as string,
  })
})

test('errors come with code, position and hint', async () => {
  service = start()
  await expect(service.run({ sql: 'SELECT kk FROM r' })).rejects.toMatchObject({
    code: 'sql_unknown_column',
    position: 8,
    hint: 'Did you mean k?',
  })
  await expect(service.run({ sql: 'SELECT 1 AS one FROM rr' })).rejects.toMatchObject({
    code: 'unknown_rollup',
    hint: 'Did you mean r?',
  })
  await expect(service.run({ sql: 'SELECT 1 AS one', limit: 2_000_000 })).rejects.toMatchObject({
    code: 'bad_parameter',
  })
  await expect(service.run({ sql: 'SELECT 1 AS one', timeoutMs: 70_000 })).rejects.toMatchObject({
    code: 'bad_parameter',
  })
})

test('a cell that would count records twice has a code', async () => {
  fixture.rollup('sets', 'SELECT k, COUNT(*) AS n FROM _input GROUP BY ROLLUP (k)')
  fixture.ingest('sets', [{ k: 'a' }])
  service = start()
  const sql = 'SELECT MEASURE(n) FROM sets WHERE _grouping IN (0, 1)'
  const { meta } = await service.run({ sql, onCellError: 'null' })
  expect(meta.errors).toMatchObject([{ code: 'mixed_grouping_sets' }])
})

test('the rollups that a statement reads are known without running it', async () => {
  service = start()
  const sql =
    'WITH x AS (SELECT * FROM r) SELECT 1 AS one FROM x, unfiltered(s) WHERE EXISTS (SELECT 1 FROM q JOIN r ON true)'
  expect(await service.rollupsOf(sql)).toEqual(['r', 's', 'q'])
})

test('no process outlives a service that is killed in the middle of a query', async () => {
  service = start()
  const parent = fork(
    new URL('./service-process.ts', import.meta.url),
    [JSON.stringify({ ...fixture.options, sql: ENDLESS })],
    { execArgv: [] },
  )
  const pids = await new Promise<number[]>((resolve) =>
    parent.once('message', (message) => resolve(message as number[])),
  )
  expect(pids.length).toBeGreaterThan(0)
  expect(pids.every(isAlive)).toBe(true)
  parent.kill('SIGKILL')
  await waitUntil(() => pids.every((pid) => !isAlive(pid)))
})
