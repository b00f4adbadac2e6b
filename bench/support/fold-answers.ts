/** Owns one pass of the fold over answers in memory, with the CPU time of its parts. */
import type { IngestFold } from '../../src/aggregator/ingest-fold.ts'
import { toTopicId } from '../../src/core/shard.ts'
import { RecordBatchDecoder } from '../../src/records/record-batch-decoder.ts'
import { type EventAnswer, threadMs } from './event-answers.ts'

/** Characters of 16 bytes. */
const TOPIC_ID_LENGTH = 22
/** As the tailer commits while catching up. */
const EVENTS_PER_SEAL = 250_000

export interface FoldResult {
  readonly groups: number
  /** Decoding, checksums, fields and fold. */
  readonly foldMs: number
  readonly sealMs: number
  readonly bytes: number
  readonly buffers: readonly ArrayBuffer[]
}

/** Sealing as the tailer does; each round is of a shard of its own. */
export function foldAnswers(fold: IngestFold, answers: readonly EventAnswer[], round: number): FoldResult {
  const decoder = new RecordBatchDecoder()
  const shard = { topicId: toTopicId(String(round).padEnd(TOPIC_ID_LENGTH, 'A')), partition: 0 }
  const buffers: ArrayBuffer[] = []
  let [next, sealedAt, groups, foldMs, sealMs, bytes] = [0, 0, 0, 0, 0, 0]
  for (const answer of answers) {
    const startedAt = threadMs()
    const counts = fold.beginRange(shard, 'page_views', next)
    const result = decoder.decode({ bytes: answer.bytes, aborted: [] }, next, fold, counts)
    fold.endRange(result.next, result.leaderEpoch, result.maxTimestampMs)
    next = result.next
    foldMs += threadMs() - startedAt
    if (next - sealedAt < EVENTS_PER_SEAL && answer !== answers.at(-1)) continue
    groups += fold.groupCount
    sealedAt = next
    const sealingAt = threadMs()
    const buffer = fold.seal()
    sealMs += threadMs() - sealingAt
    if (buffer === undefined) throw new Error('nothing was folded')
    bytes += buffer.byteLength
    buffers.push(buffer)
  }
  return { groups, foldMs, sealMs, bytes, buffers }
}
