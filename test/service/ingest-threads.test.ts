import { expect, test } from 'vitest'
import type { IngestThreadEvents } from '../../src/service/ingest-control.ts'
import { IngestThreads, type ThreadControl } from '../../src/service/ingest-threads.ts'
import { toTopicId } from '../../src/core/shard.ts'
import { FirstReports } from '../../src/service/first-reports.ts'
import type { CommittedBatch, ShardReport } from '../../src/tailer/ingest-events.ts'
import type { StoredRollup } from '../../src/leaf/leaf-store.ts'
import type { ShardStart } from '../../src/tailer/shard-cursor.ts'

/** Notes what it is told. */
class NotedThread implements ThreadControl {
  readonly calls: string[] = []
  events: IngestThreadEvents | undefined

  listen(events: IngestThreadEvents): void {
    this.events = events
  }
  prepare(): void {
    this.#note('prepare', [])
  }
  async start(rollup: StoredRollup): Promise<void> {
    this.#note(`start ${rollup.id}`, rollup.shards)
  }
  async stop(rollupId: number): Promise<void> {
    this.#note(`stop ${rollupId}`, [])
  }
  async addShards(rollupId: number, shards: readonly ShardStart[]): Promise<void> {
    this.#note(`add ${rollupId}`, shards)
  }
  report(): [] {
    return []
  }
  async close(): Promise<void> {
    this.#note('close', [])
  }
  #note(what: string, shards: readonly Pick<ShardStart, 'shard'>[]): void {
    this.calls.push([what, ...shards.map(({ shard }) => `${shard.topicId}/${shard.partition}`)].join(' '))
  }
}

const startAt = (topicId: string, partition: number): ShardStart => ({
  shard: { topicId: toTopicId(topicId), partition },
  nextOffset: 0,
  leaderEpoch: -1,
})

/** `groups` of 30,000 records for each shard. */
function rollupOf(id: number, starts: readonly ShardStart[], groups = 0, topic = `t${id}`): StoredRollup {
  const shards = starts.map((start) => ({ ...start, counts: { aggregated: 30_000 } }))
  return { id, topic, shards, groups } as unknown as StoredRollup
}

const batchOf = (records: number, groups: number): CommittedBatch => ({
  positions: [],
  maxTimestampMs: -1,
  elapsedMs: 1,
  records,
  groups,
})

function startThreads(count: number): { threads: NotedThread[]; all: IngestThreads; told: string[] } {
  const threads = Array.from({ length: count }, () => new NotedThread())
  const all = new IngestThreads(threads)
  const told: string[] = []
  all.listen({
    committed: (rollupId) => told.push(`committed ${rollupId}`),
    shardHalted: (rollupId, { partition }) => told.push(`shard ${rollupId}/${partition}`),
    rollupHalted: (rollupId, { code }) => told.push(`rollup ${rollupId} ${code}`),
    restartWanted: (rollupId) => told.push(`restart ${rollupId}`),
  })
  return { threads, all, told }
}

test('each shard is read by one thread, the same for every rollup', async () => {
  const { threads, all } = startThreads(2)
  const shards = [0, 1, 2, 3].map((partition) => startAt('a', partition))
  await all.start(rollupOf(1, shards))
  await all.start(rollupOf(2, shards))
  await all.addShards(1, [startAt('a', 4)])
  // the letter's code is odd
  expect(threads.map(({ calls }) => calls)).toEqual([
    ['start 1 a/1 a/3', 'start 2 a/1 a/3'],
    ['start 1 a/0 a/2', 'start 2 a/0 a/2', 'add 1 a/4'],
  ])
})

test('a rollup of many groups for its records is read by one thread, when that is seen', async () => {
  const { threads, all, told } = startThreads(2)
  const shards = [0, 1].map((partition) => startAt('a', partition))
  await all.start(rollupOf(1, shards))
  // of few records, and of few groups
  threads[0]?.events?.committed(1, batchOf(1_000, 900))
  threads[0]?.events?.committed(1, batchOf(100_000, 2_000))
  expect(told).toEqual(['committed 1', 'committed 1'])
  threads[0]?.events?.committed(1, batchOf(100_000, 30_000))
  threads[1]?.events?.committed(1, batchOf(100_000, 30_000))
  expect(told.slice(2)).toEqual(['committed 1', 'restart 1', 'committed 1'])
  await all.stop(1)
  await all.start(rollupOf(1, shards))
  // known from before
  await all.start(rollupOf(2, shards, 20_000))
  await all.addShards(1, [startAt('a', 2)])
  expect(threads.map(({ calls }) => calls)).toEqual([
    ['start 1 a/1', 'stop 1', 'start 1', 'start 2'],
    ['start 1 a/0', 'stop 1', 'start 1 a/0 a/1', 'start 2 a/0 a/1', 'add 1 a/2'],
  ])
})

test('rollups of one topic are read by all threads, whatever their groups: they share its reading', async () => {
  const { threads, all, told } = startThreads(2)
  const shards = [0, 1].map((partition) => startAt('a', partition))
  await all.start(rollupOf(1, shards, 0, 'views'))
  await all.start(rollupOf(2, shards, 60_000, 'views'))
  threads[0]?.events?.committed(1, batchOf(100_000, 30_000))
  expect(told).toEqual(['committed 1'])
  expect(threads.map(({ calls }) => calls)).toEqual([
    ['start 1 a/1', 'start 2 a/1'],
    ['start 1 a/0', 'start 2 a/0'],
  ])
  await all.stop(1)
  await all.stop(2)
  await all.start(rollupOf(2, shards, 60_000, 'views'))
  expect(threads.map(({ calls }) => calls.at(-1))).toEqual(['start 2', 'start 2 a/0 a/1'])
})

test('a shard of which no thread has told yet is as it was at the creation', () => {
  const first = new FirstReports()
  const partitions = [0, 1].map((partition) => ({ partition, startOffset: 0, endOffset: 10 + partition }))
  first.start(1, { id: toTopicId('a'), name: 't', partitions })
  const told: ShardReport = {
    shard: startAt('a', 1).shard,
    status: 'reading',
    highWatermark: null,
    isBlockedByTransaction: false,
    lastTimestampMs: 5,
  }
  const reports = first.complete(1, [told])
  expect(reports.map(({ shard, status, highWatermark }) => [shard.partition, status, highWatermark])).toEqual([
    [0, 'waiting', 10],
    [1, 'reading', 11],
  ])
})

test('what halts a rollup in one thread stops it in all, and is told once', async () => {
  const { threads, all, told } = startThreads(3)
  await all.start(rollupOf(7, []))
  threads[1]?.events?.rollupHalted(7, { code: 'disk_full', message: 'm' })
  threads[2]?.events?.rollupHalted(7, { code: 'disk_full', message: 'm' })
  expect(told).toEqual(['rollup 7 disk_full'])
  for (const { calls } of threads) expect(calls).toEqual(['start 7', 'stop 7'])
  await all.start(rollupOf(7, []))
  threads[0]?.events?.rollupHalted(7, { code: 'disk_full', message: 'm' })
  expect(told).toEqual(['rollup 7 disk_full', 'rollup 7 disk_full'])
})
