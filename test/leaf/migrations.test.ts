/** Data directories of older versions: what they hold is read, goes on, and takes what is new. */
import { readFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodePartialBatch } from '../../src/aggregator/partial-batch-codec.ts'
import { IngestFold } from '../../src/aggregator/ingest-fold.ts'
import type { StoredRollup } from '../../src/leaf/leaf-store.ts'
import { SqliteLeaf } from '../../src/leaf/sqlite-leaf.ts'
import { planRollup } from '../../src/planner/plan-rollup.ts'
import { QueryRunner } from '../../src/query/query-runner.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { makeDirectory } from './leaf-fixture.ts'

await loadParser()

let directory: ReturnType<typeof makeDirectory>
let leaf: SqliteLeaf

beforeEach(() => {
  directory = makeDirectory()
  const old = new BetterSqlite3(directory.path('leaf.db'))
  const text = readFileSync(new URL('fixtures/leaf-0001.sql', import.meta.url), 'utf8')
  old.exec(text)
  old.close()
  leaf = new SqliteLeaf(directory.path('leaf.db'), { now: () => 0 })
})

afterEach(() => {
  leaf.close()
  directory.remove()
})

function views(): StoredRollup {
  const rollup = leaf.findRollup('views')
  if (rollup === undefined) throw new Error('the rollup is gone')
  return rollup
}

async function rowsOf(sql: string): Promise<unknown[]> {
  const runner = await QueryRunner.create({
    leafPath: directory.path('leaf.db'),
    spoolDirectory: directory.path(''),
    memoryBytesMax: 2 ** 28,
    statementBytesMax: 10_000,
  })
  const limits = {
    rowsMax: 100,
    bytesMax: 2 ** 20,
    onCellError: 'fail',
    bigNumbers: 'number',
    receivedAtMs: 0,
  } as const
  const { body } = runner.run({ sql, params: [], format: 'ndjson', ...limits })
  runner.close()
  if (!('bytes' in body)) throw new Error('the answer is in a file')
  const lines = Buffer.from(body.bytes).toString('utf8').trimEnd().split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as unknown)
}

test('schema 0001: rollups, positions, counts and groups are as they were', async () => {
  expect(views()).toMatchObject({
    topic: 'page_views',
    groups: 2,
    deadLetters: 1,
    indexes: [['country']],
    shards: [{ startOffset: 0, nextOffset: 5, counts: { aggregated: 3, filtered: 1, dead: 1 } }],
  })
  expect(views().source).toBeUndefined()
  expect(await rowsOf('SELECT * FROM views ORDER BY minute')).toEqual([
    { minute: '2026-01-01T10:00:00Z', country: 'DE', views: 2, mean: 15.25, users: 2 },
    { minute: '2026-01-01T11:00:00Z', country: 'US', views: 1, mean: 7, users: 1 },
  ])
})

test('schema 0001: the rollup goes on, and can be followed', async () => {
  const { id, plan, shards } = views()
  const sql = 'SELECT country, MEASURE(views), MEASURE(mean), MEASURE(users) FROM views GROUP BY country'
  const follower = planRollup(sql, { versions: plan.versions, source: { name: 'views', plan } })
  leaf.createRollup({ ...views(), name: 'countries', plan: follower, indexes: [], shards: [], sourceId: id })
  const fold = new IngestFold({ rollupId: id, plan, onError: 'dead_letter', deadLettersMax: 10 })
  const value = Buffer.from('{"ts":"2026-01-01T10:00:59Z","country":"DE","ms":1,"u":"c"}')
  const shard = shards[0]?.shard
  if (shard === undefined) throw new Error('the shard is gone')
  fold.beginRange(shard, 'page_views', 5)
  fold.beginBatch(value)
  fold.record(5, 2_000, -1, -1, 0, value.length, 0, 0)
  fold.endRange(6, 0, 2_000)
  const batch = fold.seal()
  if (batch === undefined) throw new Error('nothing was folded')
  expect(leaf.commit([decodePartialBatch(batch)]).batches).toMatchObject([{ taken: true }])
  expect(await rowsOf('SELECT * FROM countries ORDER BY country')).toEqual([
    { country: 'DE', views: 3, mean: 10.5, users: 3 },
    { country: 'US', views: 1, mean: 7, users: 1 },
  ])
})
