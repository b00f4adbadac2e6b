/** Damaged record batches: the shard halts, nothing of them is counted, and accepting the loss goes on behind them (laws 6 and 7). */
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { createDataFolder, type RunningService, startRollupd, waitUntil } from '../support/running-service.ts'

const data = createDataFolder()
let service: RunningService | undefined

afterEach(async () => {
  await service?.kill()
})

/** Changes one byte of a stored batch while nobody has the log open. */
function damage(batchIndex: number, at: number): void {
  const log = new BetterSqlite3(join(data.path, 'log.db'))
  const row = log.prepare('SELECT batch_id, batch FROM batches ORDER BY batch_id LIMIT 1 OFFSET ?').get(batchIndex) as {
    batch_id: number
    batch: Buffer
  }
  row.batch[at] = (row.batch[at] ?? 0) ^ 1
  log.prepare('UPDATE batches SET batch = ? WHERE batch_id = ?').run(row.batch, row.batch_id)
  log.close()
}

test('a flipped bit in a batch, and one in the offset of a batch, halt the shard', async () => {
  service = await startRollupd({ data: data.path })
  await service.createTopic('t')
  for (const value of [1, 2, 3]) await service.produce('t', [`{"v":${value}}`, `{"v":${value}}`])
  await service.stop()
  // byte 70 of the second batch belongs to a record, byte 5 of the third to its base offset, which no checksum covers
  damage(1, 70)
  damage(2, 5)
  service = await startRollupd({ data: data.path })
  const running = service
  await running.createRollup('r', 'SELECT COUNT(*) AS n, SUM(v) AS s FROM _input', 't')
  const isHalted = ({ status }: { status: string }) => status === 'halted'
  const first = await waitUntil('halted at the second batch', () => running.rollup('r'), isHalted)
  expect(first.reason?.code).toBe('corrupt')
  expect(first.counts).toMatchObject({ aggregated: expect.any(Number), lost: 0 })
  expect(first.shards[0]?.next_offset).toBe(first.counts.aggregated)

  const accept = () => running.api.call('POST', '/v1/rollups/r/resume', { accept: ['corrupt'] })
  await waitUntil(
    'the end of the log',
    async () => {
      const seen = await running.rollup('r')
      if (isHalted(seen)) await accept()
      return seen
    },
    ({ shards }) => shards[0]?.next_offset === 6,
  )
  const rollup = await running.rollup('r')
  expect(rollup.counts).toMatchObject({ aggregated: 2, lost: 4, holes: 0 })
  const { rows } = await running.query('SELECT n, s FROM r')
  expect(rows).toEqual([{ n: 2, s: 2 }])
  data.remove()
})
