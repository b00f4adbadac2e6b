/** Owns how a rollup's shards differ from its topic's partitions: those that came, and those that can't get records any more. */
import { toShardKey } from '../core/shard.ts'
import type { StartPosition, StoredRollup, StoredShard } from '../leaf/leaf-store.ts'
import type { Topic } from '../tailer/record-source.ts'

export interface PrunedShard {
  readonly topic_id: string
  readonly partition: number
  readonly start_offset: number
  readonly next_offset: number
}

/** With their first offsets. */
export function findNewPartitions(rollup: StoredRollup, topic: Topic): StartPosition[] {
  const known = new Set(rollup.shards.map(({ shard }) => toShardKey(shard)))
  return topic.partitions
    .map(({ partition, startOffset }) => ({ shard: { topicId: topic.id, partition }, startOffset }))
    .filter(({ shard }) => !known.has(toShardKey(shard)))
}

/** `topic`: as it is now, undefined where it is gone. */
export function findEndedShards(rollup: StoredRollup, topic: Topic | undefined): StoredShard[] {
  return rollup.shards.filter(({ closed, shard }) => closed || shard.topicId !== topic?.id)
}

export function toPrunedShard({ shard, startOffset, nextOffset }: StoredShard): PrunedShard {
  return {
    topic_id: shard.topicId,
    partition: shard.partition,
    start_offset: startOffset,
    next_offset: nextOffset,
  }
}
