/** Which rollups are read together, and that none of them notices: what halts, stops or refuses one leaves the others as they would be alone. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { sumConserved, toShardKey, type Counts, type HaltReason } from '../../src/core/shard.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import type { IngestRollup } from '../../src/tailer/ingest-messages.ts'
import { IngestSets } from '../../src/tailer/ingest-sets.ts'
import { planOf } from '../support/plan-of.ts'
import { waitUntil } from '../support/running-service.ts'
import { PlayedLeaf, PlayedLog, shardOf } from './played-log.ts'

/** Each takes a second or two; a machine that is busy with other work is slow, not dead. */
vi.setConfig({ testTimeout: 90_000 })

beforeAll(loadParser)

const RECORDS = 4_000
const PACE = { commitAfterMs: 5, commitAfterMsCatchingUp: 20, firstCommitAfterMs: 20, fetchBytes: 40_000 }
const STATEMENTS = [
  'SELECT k, COUNT(*) AS n FROM _input GROUP BY k',
  'SELECT k, SUM(v) AS s FROM _input GROUP BY k',
  'SELECT COUNT(*) AS n, MAX(v) AS m FROM _input WHERE v > 10',
  'SELECT k, AVG(v) AS a FROM _input WHERE v < 50 GROUP BY k',
]

const valueAt = (index: number): string => `{"k":"k${index % 7}","v":${index % 100}}`

interface Told {
  readonly halts: { readonly id: number; readonly reason: HaltReason; readonly nextOffset: number }[]
  readonly ends: { readonly id: number; readonly code: string }[]
}

class Bench {
  readonly log: PlayedLog
  readonly leaf = new PlayedLeaf()
  readonly told: Told = { halts: [], ends: [] }
  readonly sets: IngestSets
  /** Batches that the test lets the leaf refuse. */
  refused = 0

  constructor(log = new PlayedLog(2)) {
    this.log = log
    const clock = (): number => performance.now()
    this.sets = new IngestSets({
      source: this.log.source,
      committer: this.leaf,
      deadLettersMax: 100,
      clock,
      pace: PACE,
    })
  }

  fill(count = RECORDS): void {
    for (const { partition } of this.log.shards) {
      const first = this.log.endOf(partition)
      this.log.append(
        partition,
        Array.from({ length: count }, (_, index) => valueAt(first + index)),
      )
    }
  }

  get end(): number {
    return this.log.shards.reduce((sum, { partition }) => sum + this.log.endOf(partition), 0)
  }

  start(id: number, sql = STATEMENTS[id % STATEMENTS.length] ?? '', more: Partial<IngestRollup> = {}): void {
    const shards = this.log.shards.map((shard) => {
      const nextOffset = this.leaf.rollup(id).next.get(toShardKey(shard)) ?? 0
      return { shard, nextOffset, leaderEpoch: -1 }
    })
    const rollup = { id, topic: 't', plan: planOf(sql), onError: 'dead_letter' as const, shards, ...more }
    this.sets.start(rollup, {
      shardHalted: (_, reason, nextOffset) => this.told.halts.push({ id, reason, nextOffset }),
      rollupHalted: ({ code }) => this.told.ends.push({ id, code }),
      committed: () => {},
    })
  }

  togetherOf(id: number): number {
    return Math.max(0, ...this.sets.report(id).map(({ readTogether = 0 }) => readTogether))
  }

  async waitForEnd(...ids: number[]): Promise<void> {
    await waitUntil(
      'all is stored',
      async () => ids.map((id) => this.leaf.passedOf(id)),
      (passed) => passed.every((one) => one === this.end),
    )
  }

  async waitTogether(count: number, ...ids: number[]): Promise<void> {
    await waitUntil(
      `${count} are read together`,
      async () => ids.map((id) => this.togetherOf(id)),
      (counts) => counts.every((one) => one === count),
    )
  }

  /** Groups and counts of a statement over the whole log, read by it alone. */
  async alone(sql: string): Promise<{ readonly groups: Map<string, number>; readonly counts: Counts }> {
    const other = new Bench(this.log)
    other.start(1, sql)
    await other.waitForEnd(1)
    await other.sets.close()
    const { groups, counts } = other.leaf.rollup(1)
    return { groups, counts }
  }

  async expectExact(id: number, sql = STATEMENTS[id % STATEMENTS.length] ?? ''): Promise<void> {
    const { groups, counts } = this.leaf.rollup(id)
    const expected = await this.alone(sql)
    expect(Object.fromEntries(groups)).toEqual(Object.fromEntries(expected.groups))
    expect(counts).toEqual(expected.counts)
    expect(sumConserved(counts)).toBe(this.end)
    // ranges tile by themselves: none is folded again because it began elsewhere
    expect(this.leaf.refusals).toBe(this.refused)
  }
}

let bench: Bench
afterEach(async () => bench.sets.close())

test('rollups that are created one after the other end in one reader, with what each has alone', async () => {
  bench = new Bench()
  bench.fill()
  const ids = Array.from({ length: 10 }, (_, id) => id)
  for (const id of ids) {
    bench.start(id)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  await bench.waitTogether(10, ...ids)
  bench.fill(1_000)
  const readBefore = bench.log.bytesRead
  await bench.waitForEnd(...ids)
  // what came afterwards was read once or, where two fetches overlapped, twice
  expect(bench.log.bytesRead - readBefore).toBeLessThan(3 * 1_000 * 2 * 60)
  for (const id of ids) await bench.expectExact(id)
})

test('a record that halts one rollup halts it alone', async () => {
  bench = new Bench()
  bench.fill()
  const sums = 'SELECT SUM(v) AS s FROM _input'
  bench.start(0)
  bench.start(1)
  bench.start(2, sums, { onError: 'halt' })
  await bench.waitTogether(3, 0, 1, 2)
  await bench.waitForEnd(0, 1, 2)
  bench.log.append(0, [valueAt(0), valueAt(1), '{"k":"k1","v":"x"}', valueAt(3)])
  bench.log.append(1, [valueAt(0)])
  await bench.waitForEnd(0, 1)
  await waitUntil(
    'the halt',
    async () => bench.told.halts.length,
    (count) => count > 0,
  )
  const at = RECORDS + 2
  expect(bench.told.halts).toMatchObject([{ id: 2, nextOffset: at, reason: { code: 'record_error', goOnAt: at } }])
  expect(bench.leaf.rollup(2).next.get(toShardKey(shardOf(0)))).toBe(at)
  await bench.waitTogether(2, 0, 1)
  // its other shard goes on
  await waitUntil(
    'the other shard',
    async () => bench.leaf.rollup(2).next.get(toShardKey(shardOf(1))),
    (next) => next === RECORDS + 1,
  )
  expect(bench.sets.report(2).map(({ status, readTogether }) => [status, readTogether])).toEqual([
    ['halted', 1],
    ['reading', 1],
  ])
  // as a resume that accepts the record does
  await bench.sets.addShards(2, [{ shard: shardOf(0), nextOffset: at, leaderEpoch: 0, acceptedErrorOffset: at }])
  await bench.waitForEnd(2)
  await bench.waitTogether(3, 0, 1, 2)
  await bench.expectExact(0)
  await bench.expectExact(1)
  await bench.expectExact(2, sums)
  expect(bench.told.halts).toHaveLength(1)
})

test('a rollup that stops leaves the others reading, and meets them again', async () => {
  bench = new Bench()
  bench.fill()
  for (const id of [0, 1, 2]) bench.start(id)
  await bench.waitTogether(3, 0, 1, 2)
  const reports = await bench.sets.stop(1)
  expect(reports).toHaveLength(2)
  expect(bench.sets.report(1)).toEqual([])
  const passed = bench.leaf.passedOf(1)
  bench.fill(2_000)
  await bench.waitForEnd(0, 2)
  expect(bench.leaf.passedOf(1)).toBe(passed)
  expect(bench.togetherOf(0)).toBe(2)
  bench.start(1)
  await bench.waitForEnd(0, 1, 2)
  await bench.waitTogether(3, 0, 1, 2)
  for (const id of [0, 1, 2]) await bench.expectExact(id)
})

test('a rollup whose batch is refused goes where the leaf wants it, the others go on', async () => {
  bench = new Bench()
  bench.fill()
  for (const id of [0, 1, 2]) bench.start(id)
  await bench.waitTogether(3, 0, 1, 2)
  await bench.waitForEnd(0, 1, 2)
  const batches = bench.leaf.rollup(1).batches
  // as after a restore: all of it again
  const { counts, groups } = bench.leaf.rollup(1)
  for (const name of Object.keys(counts)) counts[name as keyof Counts] = 0
  groups.clear()
  bench.refused = 1
  bench.leaf.refusing.set(1, new Map(bench.log.shards.map((shard) => [toShardKey(shard), 0])))
  bench.fill(1_000)
  await bench.waitForEnd(0, 1, 2)
  expect(bench.leaf.rollup(1).batches).toBeGreaterThan(batches)
  await bench.waitTogether(3, 0, 1, 2)
  for (const id of [0, 1, 2]) await bench.expectExact(id)
  expect(bench.told).toEqual({ halts: [], ends: [] })
})

test('a rollup that finds no room ends alone', async () => {
  bench = new Bench()
  bench.fill()
  for (const id of [0, 1]) bench.start(id)
  await bench.waitTogether(2, 0, 1)
  await bench.waitForEnd(0, 1)
  bench.leaf.full.add(1)
  bench.fill(500)
  await bench.waitForEnd(0)
  await waitUntil(
    'the end',
    async () => bench.told.ends.length,
    (count) => count > 0,
  )
  expect(bench.told.ends).toEqual([{ id: 1, code: 'disk_full' }])
  await bench.expectExact(0)
  bench.leaf.full.clear()
  await bench.sets.stop(1)
  bench.start(1)
  await bench.waitForEnd(0, 1)
  await bench.waitTogether(2, 0, 1)
  await bench.expectExact(1)
})

test('rollups that read rows of a record read alone', async () => {
  bench = new Bench(new PlayedLog(1))
  bench.fill()
  bench.start(0)
  bench.start(1)
  bench.start(2, 'SELECT COUNT(*) AS n FROM _input, UNNEST(v) AS i')
  await bench.waitTogether(2, 0, 1)
  await bench.waitForEnd(0, 1, 2)
  expect(bench.togetherOf(2)).toBe(1)
})

test('one that does not arrive keeps the others waiting for a moment only', async () => {
  bench = new Bench(new PlayedLog(1))
  bench.fill()
  bench.start(0)
  await bench.waitForEnd(0)
  bench.log.answersLeft.set(2, 1)
  bench.start(1)
  await waitUntil(
    'it reads',
    async () => bench.leaf.passedOf(1),
    (passed) => passed > 0,
  )
  bench.fill(1_000)
  await bench.waitForEnd(0)
  expect(bench.leaf.passedOf(1)).toBeLessThan(bench.end)
  bench.log.answersLeft.clear()
  await bench.waitForEnd(0, 1)
  await bench.waitTogether(2, 0, 1)
  for (const id of [0, 1]) await bench.expectExact(id)
})

test('one that is far behind reads alone until it is near', async () => {
  bench = new Bench(new PlayedLog(1))
  const near = 100_000
  for (let filled = 0; filled < 3 * near; filled += near) bench.fill(near)
  bench.start(0)
  await bench.waitForEnd(0)
  bench.start(1)
  let together = 0
  await waitUntil(
    'they meet',
    async () => {
      together ||= bench.togetherOf(1) === 2 ? bench.leaf.passedOf(1) : 0
      return together
    },
    (passed) => passed > 0,
  )
  // 200,000 of its 300,000 records at most were left when they agreed to meet
  expect(together).toBeGreaterThanOrEqual(near)
  await bench.waitForEnd(0, 1)
})
