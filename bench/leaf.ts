/**
 * Measures the leaf alone: microseconds per group row, new and stored ones, and what commit sizes make of it.
 *   ./dev bench leaf [EVENTS]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BatchGroup, PartialBatch } from '../src/aggregator/partial-batch.ts'
import { HASH_BYTES, hashKey } from '../src/core/murmur3.ts'
import { toTopicId } from '../src/core/shard.ts'
import { openLeafReader } from '../src/leaf/leaf-database.ts'
import { SqliteLeaf } from '../src/leaf/sqlite-leaf.ts'
import { definitionOf, rangeOf } from '../test/leaf/leaf-fixture.ts'
import { runAsOneFile } from './support/as-one-file.ts'
import { BenchReport } from './support/bench-report.ts'

const EVENTS = Number(process.argv[2] ?? 1_000_000)
const EVENTS_PER_MINUTE = 6000
const COUNTRIES = ['US', 'DE', 'FR', 'IN', 'BR', 'GB', 'JP', 'KE', 'ZA', 'MX']
const PATHS = 200
const MICROSECONDS_PER_MINUTE = 60_000_000
const SHARD = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAQ'), partition: 0 }

/** minute, country[, path], COUNT(*), SUM(bytes), AVG(latency), MAX(latency). */
function sketchOf(fine: boolean): Parameters<typeof definitionOf>[1] {
  return {
    groupBy: [
      { name: 'minute', type: 'timestamptz' },
      { name: 'country', type: 'text' },
      ...(fine ? [{ name: 'path', type: 'text' as const }] : []),
    ],
    partials: [
      { name: 'views', aggregate: 'count' },
      { name: 'bytes', aggregate: 'sum', type: 'bigint' },
      { name: 'latency', aggregate: 'avg', type: 'double precision' },
      { name: 'slowest', aggregate: 'max', type: 'double precision' },
    ],
  }
}

function makeRandom(): () => number {
  let state = 1
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) / 0x7fffffff
}

/** Batches of `perCommit` events each, folded as the aggregator would. */
function* batchesOf(rollupId: number, fine: boolean, perCommit: number): Generator<PartialBatch> {
  const random = makeRandom()
  const ids = new Map<string, Uint8Array>()
  for (let first = 0; first < EVENTS; first += perCommit) {
    const next = Math.min(EVENTS, first + perCommit)
    const groups = new Map<string, BatchGroup>()
    for (let event = first; event < next; event++) {
      const bucket = (29_400_000 + Math.floor(event / EVENTS_PER_MINUTE)) * MICROSECONDS_PER_MINUTE
      const country = COUNTRIES[Math.floor(random() * COUNTRIES.length)] as string
      const path = fine ? `/page/${Math.floor(random() * PATHS)}` : ''
      const key = `${bucket}|${country}|${path}`
      const known = groups.get(key)
      if (known !== undefined) {
        known.records++
        continue
      }
      let id = ids.get(key)
      if (id === undefined) {
        const bytes = Buffer.from(key)
        ids.set(key, (id = new Uint8Array(HASH_BYTES)))
        hashKey(bytes, 0, bytes.length, id, 0)
      }
      const values = fine ? [bucket, country, path] : [bucket, country]
      groups.set(key, { bucket, id, key: new Uint8Array(Buffer.from(key)), values, records: 1, states: [] })
    }
    const sorted = [...groups.values()].toSorted(
      (a, b) => Number(a.bucket) - Number(b.bucket) || Buffer.compare(a.id, b.id),
    )
    for (const group of sorted) {
      const n = group.records
      group.states = [n, n, n * 1500, null, n, n * 90, n * 1000, 0, null, 250.5]
    }
    yield {
      rollupId,
      ranges: [rangeOf({ shard: SHARD, first, next })],
      deadLetters: [],
      groupCount: sorted.length,
      groups: () => sorted,
    }
  }
}

function run(fine: boolean, perCommit: number): void {
  const directory = mkdtempSync(join(tmpdir(), 'rollupd-bench-'))
  const path = join(directory, 'leaf.db')
  const leaf = new SqliteLeaf(path, { now: () => 0 })
  const { id } = leaf.createRollup(definitionOf('r', sketchOf(fine), { shards: [{ shard: SHARD, startOffset: 0 }] }))
  let [rows, elapsedMs, longestMs] = [0, 0, 0]
  let cpuMicroseconds = 0
  for (const batch of batchesOf(id, fine, perCommit)) {
    const startMs = performance.now()
    const cpuBefore = process.threadCpuUsage()
    leaf.commit([batch])
    const cpu = process.threadCpuUsage(cpuBefore)
    cpuMicroseconds += cpu.user + cpu.system
    const commitMs = performance.now() - startMs
    rows += batch.groupCount
    elapsedMs += commitMs
    longestMs = Math.max(longestMs, commitMs)
  }
  const stored = leaf.findRollup('r')
  const reader = openLeafReader(path)
  const counted = reader.prepare<[], bigint>(`SELECT count(*) FROM g${id}`).pluck().get()
  reader.close()
  const megabytes = leaf.figures().fileBytes / 2 ** 20
  const dropStartMs = performance.now()
  leaf.dropRollup('r')
  const dropMs = performance.now() - dropStartMs
  leaf.close()
  const title = `${fine ? 'fine' : 'coarse'}, ${perCommit} events a commit`
  console.log(`${title}: ${rows} rows into ${stored?.groups} groups (${counted} counted)`)
  report.figure(`${title}: wall time`, (elapsedMs * 1000) / rows, 'us a row', 'lower')
  report.figure(`${title}: CPU`, cpuMicroseconds / rows, 'us a row', 'lower')
  report.figure(title, (EVENTS / elapsedMs) * 1000, 'events/s', 'higher')
  report.figure(`${title}: longest commit`, longestMs, 'ms', 'lower')
  report.figure(`${title}: file`, megabytes, 'MiB', 'lower')
  report.figure(`${title}: content`, (stored?.bytes ?? 0) / 2 ** 20, 'MiB', 'lower')
  report.figure(`${title}: dropping the rollup`, dropMs, 'ms', 'lower')
  rmSync(directory, { recursive: true })
}

await runAsOneFile('leaf', import.meta.url)
const report = new BenchReport('leaf')
for (const fine of [false, true]) for (const perCommit of [50_000, 250_000]) run(fine, perCommit)
report.end()
