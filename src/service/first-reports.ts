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

  /** The ingest thread's reports, and what they don't know yet. */
  complete(rollupId: number, reports: readonly ShardReport[]): ShardReport[] {
    const first = this.#byRollup.get(rollupId) ?? []
    const firstByShard = new Map(first.map((report) => [toShardKey(report.shard), report]))
    const known = reports.map((report) =>
      report.highWatermark === null
        ? { ...report, highWatermark: firstByShard.get(toShardKey(report.shard))?.highWatermark ?? null }
        : report,
    )
    return known.length > 0 ? known : [...first]
  }
}

function toWaiting({ shard, highWatermark, isBlockedByTransaction, lastTimestampMs }: ShardReport): ShardReport {
  return { shard, status: 'waiting', highWatermark, isBlockedByTransaction, lastTimestampMs }
}
