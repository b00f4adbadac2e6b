/** What a rollup's reading makes of a broker's answers, with a source and a leaf that the test plays. */
import { beforeAll, expect, test } from 'vitest'
import { IngestFold } from '../../src/aggregator/ingest-fold.ts'
import { decodePartialBatch } from '../../src/aggregator/partial-batch-codec.ts'
import { type HaltReason, type Shard, toTopicId } from '../../src/core/shard.ts'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import { encodeBatch } from '../../src/records/record-batch-encoder.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import type { FetchAnswer, RecordSource } from '../../src/tailer/record-source.ts'
import { READING_PACE } from '../../src/tailer/reading-pace.ts'
import { ShardCursor } from '../../src/tailer/shard-cursor.ts'
import { TopicIngest } from '../../src/tailer/topic-ingest.ts'
import { planOf } from '../support/plan-of.ts'
import { waitUntil } from '../support/running-service.ts'

const SHARD: Shard = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAQ'), partition: 0 }

beforeAll(loadParser)

/** A log of one shard whose leader tells these watermarks, one an answer, the last one for ever. */
function createIngest(batches: readonly Uint8Array[], watermarks: readonly number[]) {
  const halts: { reason: HaltReason; nextOffset: number }[] = []
  let asked = 0
  let stored = 0
  const answer = async (offset: number): Promise<FetchAnswer> => {
    const highWatermark = watermarks[Math.min(asked++, watermarks.length - 1)] as number
    const bytes = Buffer.concat(batches.slice(offset))
    if (bytes.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const common = { highWatermark, lastStableOffset: highWatermark, logStartOffset: 0, leaderEpoch: 0, aborted: [] }
    return { shard: SHARD, bytes, ...common }
  }
  const source = {
    openReader: () => ({
      fetch: (requests) => Promise.all(requests.map(({ offset }) => answer(offset))),
      close: async () => {},
    }),
    findEndOfEpoch: async () => ({ epoch: 0, endOffset: Number.MAX_SAFE_INTEGER }),
  } as Partial<RecordSource> as RecordSource
  const plan = planOf('SELECT COUNT(*) AS n FROM _input')
  const ingest = new TopicIngest({
    topic: 't',
    cursors: [new ShardCursor({ shard: SHARD, nextOffset: 0, leaderEpoch: -1 }, READING_PACE.fetchBytes)],
    source,
    fold: new IngestFold({ rollupId: 1, plan, onError: 'dead_letter', deadLettersMax: 10 }),
    decoder: new RecordBatchDecoder(),
    committer: {
      commit: async (bytes) => {
        stored = decodePartialBatch(bytes).ranges[0]?.next ?? stored
        const ranges = [{ shard: SHARD, outcome: 'accepted', nextOffset: stored } as const]
        return { taken: true, ranges, records: 0, groups: 0 }
      },
    },
    events: [
      {
        shardHalted: (_, reason, nextOffset) => halts.push({ reason, nextOffset }),
        rollupHalted: () => {},
        committed: () => {},
      },
    ],
    clock: () => performance.now(),
  })
  return { ingest, halts, stored: () => stored }
}

const batchAt = (baseOffset: number) =>
  encodeBatch({ baseOffset, records: [{ key: null, value: Buffer.from('{}'), timestampMs: 0 }] })

test('a watermark that was taken before the bytes were read is no damage', async () => {
  const batches = [batchAt(0), batchAt(1), batchAt(2), batchAt(3)]
  const { ingest, halts, stored } = createIngest(batches, [1, 2, 2, 3, 3, 3, 4])
  ingest.start()
  await waitUntil(
    'all stored',
    async () => stored(),
    (next) => next === 4,
  )
  await ingest.stop()
  expect(halts).toEqual([])
})

test('a batch that stays beyond the end of the log halts the shard before it', async () => {
  const { ingest, halts, stored } = createIngest([batchAt(0), batchAt(70)], [2])
  ingest.start()
  await waitUntil(
    'the halt',
    async () => halts.length,
    (count) => count === 1,
  )
  await ingest.stop()
  expect(stored()).toBe(1)
  expect(halts).toMatchObject([{ nextOffset: 1, reason: { code: 'corrupt', goOnAt: 2 } }])
})
