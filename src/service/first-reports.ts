/**
 * Owns what is told of shards before the ingest thread has asked the broker: high watermarks from the creation or before a pause, which stand in
 * until the first fetch has answered.
 */
import { toShardKey } from '../core/shard.ts'
import type { ShardReport } from '../tailer/ingest-events.ts'
import type { Topic } from '../tailer/record-source.ts'

export class FirstReports {
  readonly #byRollup = new Map<number, readonly ShardReport[]>()

  /** As the topic was at the creation. */
  start(rollupId: number, topic: Topic): void {
    this.#byRollup.set(
      rollupId,
      topic.partitions.map(({ partition, endOffset }) => ({
        shard: { topicId: topic.id, partition },
        status: 'waiting',
        highWatermark: endOffset,
        isBlockedByTransaction: false,
        lastTimestampMs: -1,
      })),
    )
  }

  /** What was last heard, before reading starts again. */
  keep(rollupId: number, reports: readonly ShardReport[]): void {
    this.#byRollup.set(rollupId, this.complete(rollupId, reports).map(toWaiting))
  }

  forget(rollupId: number): void {
    this.#byRollup.delete(rollupId)
  }

  /** The ingest threads' reports, and what they don't know yet: each tells of its own shards when it has begun to read them. */
  complete(rollupId: number, reports: readonly ShardReport[]): ShardReport[] {
    const first = this.#byRollup.get(rollupId) ?? []
    const byShard = new Map(first.map((report) => [toShardKey(report.shard), report]))
    for (const report of reports) {
      const key = toShardKey(report.shard)
      const highWatermark = report.highWatermark ?? byShard.get(key)?.highWatermark ?? null
      byShard.set(key, { ...report, highWatermark })
    }
    return [...byShard.values()]
  }
}

function toWaiting({ shard, highWatermark, isBlockedByTransaction, lastTimestampMs }: ShardReport): ShardReport {
  return { shard, status: 'waiting', highWatermark, isBlockedByTransaction, lastTimestampMs }
}
