/**
 * Whole-table aggregation over a leaf of a million groups (7 days by minute, country and path), against DuckDB on the same finished rows:
 *   ./dev bench queries [--groups N] [--rounds N] [--ingest]
 * Both answer in this process, in turn; their answers are compared. `--ingest`: between two rounds a batch of new and late events is committed.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { IngestFold } from '../src/aggregator/ingest-fold.ts'
import { decodePartialBatch } from '../src/aggregator/partial-batch-codec.ts'
import { toTopicId } from '../src/core/shard.ts'
import { SqliteLeaf } from '../src/leaf/sqlite-leaf.ts'
import { planRollup } from '../src/planner/plan-rollup.ts'
import type { ProcessRequest } from '../src/query/query-request.ts'
import { QueryRunner } from '../src/query/query-runner.ts'
import { loadParser } from '../src/sql/parse-statement.ts'
import { REQUEST_DEFAULTS } from '../test/query/query-fixture.ts'
import { runAsOneFile } from './support/as-one-file.ts'
import { BenchReport } from './support/bench-report.ts'
import { median } from './support/median.ts'
import { FIRST_EVENT_MS, PageViews } from './support/page-views.ts'

const MINUTES = 7 * 24 * 60
const MINUTE_MS = 60_000
const EVENTS_PER_COMMIT = 100_000
/** Of these the fold keeps about one group each: 2,000 pairs of country and path a minute. */
const EVENTS_PER_GROUP = 1.06
/** Of a batch between two rounds: the last two minutes, and minutes anywhere. */
const FRESH_EVENTS = 500
const LATE_EVENTS = 20
const RATIO_BAR = 10
/** Of a sum of doubles that DuckDB adds up one after another. */
const TOLERANCE = 1e-9
const SHARD = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAQ'), partition: 0 }
const STATEMENT = `SELECT date_trunc('minute', ts::timestamptz) AS minute, country, path,
  COUNT(*) AS n, SUM(bytes) AS bytes, AVG(latency_ms) AS latency, MAX(latency_ms) AS slowest FROM _input WHERE ok GROUP BY 1, 2, 3`

/** What is asked: of rollupd, and of DuckDB over the finished rows. */
const QUERIES = [
  {
    name: 'country, SUM(n)',
    sql: 'SELECT country, SUM(n) AS n FROM views GROUP BY country ORDER BY country',
    duck: 'SELECT country, SUM(n) AS n FROM views GROUP BY country ORDER BY country',
  },
  {
    name: 'country, MEASURE(latency)',
    sql: 'SELECT country, MEASURE(latency) AS latency FROM views GROUP BY country ORDER BY country',
    duck: 'SELECT country, SUM(latency * n) / SUM(n) AS latency FROM views GROUP BY country ORDER BY country',
  },
  {
    name: 'ten top paths',
    sql: 'SELECT path, SUM(n) AS n FROM views GROUP BY path ORDER BY n DESC, path LIMIT 10',
    duck: 'SELECT path, SUM(n) AS n FROM views GROUP BY path ORDER BY n DESC, path LIMIT 10',
  },
] as const

await runAsOneFile('queries', import.meta.url)
const report = new BenchReport('queries')
const { values: flags } = parseArgs({
  options: {
    groups: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
    ingest: { type: 'boolean', default: false },
  },
})
const events = Math.round(Number(flags.groups) * EVENTS_PER_GROUP)
const rounds = Number(flags.rounds)

await loadParser()
const directory = mkdtempSync(join(tmpdir(), 'rollupd-bench-'))
const leafPath = join(directory, 'leaf.db')
const spoolDirectory = join(directory, 'spool')
mkdirSync(spoolDirectory)
const leaf = new SqliteLeaf(leafPath, { now: () => 0 })
const views = new PageViews()
const plan = planRollup(STATEMENT, { versions: { timeZones: '', unicode: '' } })
const { id } = leaf.createRollup({
  name: 'views',
  plan,
  topic: 'page_views',
  start: 'earliest',
  onError: 'dead_letter',
  onLoss: 'halt',
  indexes: [],
  shards: [{ shard: SHARD, startOffset: 0 }],
})
const fold = new IngestFold({ rollupId: id, plan, onError: 'dead_letter', deadLettersMax: 10 })
let offset = 0

function commit(minutes: readonly number[]): void {
  fold.beginRange(SHARD, 'page_views', offset)
  for (const minute of minutes) {
    const ts = new Date(FIRST_EVENT_MS + minute * MINUTE_MS).toISOString()
    const bytes = Buffer.from(JSON.stringify({ ...views.next(), ts }))
    fold.beginBatch(bytes)
    fold.record(offset++, 0, -1, -1, 0, bytes.length, 0, 0)
  }
  fold.endRange(offset, 0, 0)
  const batch = fold.seal()
  if (batch !== undefined) leaf.commit([decodePartialBatch(batch)])
}

const DEFAULTS: Omit<ProcessRequest, 'sql'> = { ...REQUEST_DEFAULTS, format: 'ndjson' }

const runner = await QueryRunner.create({
  leafPath,
  spoolDirectory,
  memoryBytesMax: 2 ** 30,
  statementBytesMax: 1 << 16,
})

function rowsOf(sql: string): unknown[][] {
  const { body } = runner.run({ ...DEFAULTS, sql })
  if (!('bytes' in body)) throw new Error('the answer is in a file')
  const lines = Buffer.from(body.bytes).toString('utf8').trimEnd().split('\n').slice(0, -1)
  return lines.map((line) => Object.values(JSON.parse(line) as object))
}

async function duckTable(): Promise<{ ask: (sql: string) => Promise<unknown[][]>; close: () => void }> {
  const instance = await DuckDBInstance.create(join(directory, 'duck.db'))
  const duck = await instance.connect()
  const columns =
    'minute TIMESTAMP, country VARCHAR, path VARCHAR, n BIGINT, bytes BIGINT, latency DOUBLE, slowest DOUBLE'
  await duck.run(`CREATE TABLE views (${columns})`)
  const csv = join(directory, 'views.csv')
  const answer = runner.run({
    ...DEFAULTS,
    sql: 'SELECT * FROM views',
    format: 'csv',
    rowsMax: 2 ** 31,
    bytesMax: 2 ** 30,
  })
  if ('bytes' in answer.body) throw new Error('the answer is in memory')
  await duck.run(`COPY views FROM '${answer.body.path}' (FORMAT csv, HEADER)`)
  rmSync(answer.body.path)
  rmSync(csv, { force: true })
  const ask = async (sql: string): Promise<unknown[][]> =>
    (await duck.runAndReadAll(sql))
      .getRowsJS()
      .map((row) => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)))
  return { ask, close: () => (duck.closeSync(), instance.closeSync()) }
}

function isSame(left: readonly unknown[][], right: readonly unknown[][]): boolean {
  return (
    left.length === right.length &&
    left.every((row, index) =>
      row.every((cell, column) => {
        const other = right[index]?.[column]
        if (typeof cell !== 'number' || typeof other !== 'number') return cell === other
        return Math.abs(cell - other) <= Math.abs(other) * TOLERANCE
      }),
    )
  )
}

try {
  for (let first = 0; first < events; first += EVENTS_PER_COMMIT) {
    const length = Math.min(EVENTS_PER_COMMIT, events - first)
    commit(Array.from({ length }, (_, index) => Math.floor(((first + index) / events) * MINUTES)))
  }
  const { groups } = leaf.findRollup('views') ?? { groups: 0 }
  const duck = await duckTable()
  const [[threads] = []] = await duck.ask("SELECT current_setting('threads')")
  console.log(`${groups.toLocaleString('en')} groups; DuckDB with ${String(threads)} threads`)
  for (const { name, sql, duck: duckSql } of QUERIES) {
    const ms: number[] = []
    const duckMs: number[] = []
    // the first round is for the compiler, the caches and the copy of the columns
    let firstMs = 0
    for (let round = 0; round <= rounds; round++) {
      const start = performance.now()
      const rows = rowsOf(sql)
      const between = performance.now()
      const expected = await duck.ask(duckSql)
      const end = performance.now()
      if (!flags.ingest && !isSame(rows, expected)) {
        throw new Error(`${name}: ${JSON.stringify(rows)} is not ${JSON.stringify(expected)}`)
      }
      if (round === 0) firstMs = between - start
      else {
        ms.push(between - start)
        duckMs.push(end - between)
      }
      if (!flags.ingest) continue
      const fresh = Array.from({ length: FRESH_EVENTS }, (_, index) => MINUTES - 1 - (index % 2))
      commit([...fresh, ...Array.from({ length: LATE_EVENTS }, (_, index) => (index * 7919) % MINUTES)])
    }
    report.figure(`${name}: rollupd`, median(ms), 'ms', 'lower')
    report.figure(`${name}: DuckDB`, median(duckMs), 'ms')
    report.figure(`${name}: the first time`, firstMs, 'ms', 'lower')
    report.bar(`${name}: times DuckDB's time`, median(ms) / median(duckMs), { atMost: RATIO_BAR })
  }
  duck.close()
} finally {
  runner.close()
  leaf.close()
  rmSync(directory, { recursive: true })
}
report.end()
