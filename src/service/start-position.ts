/** Owns where a new rollup begins to read: `start` of the request becomes one offset per partition, before anything is stored. */
import { RollupdError } from '../core/errors.ts'
import { parseIsoTime } from '../core/iso-time.ts'
import type { StartPosition } from '../leaf/leaf-store.ts'
import type { RecordSource, Topic } from '../tailer/record-source.ts'

export type Start =
  'earliest' | 'latest' | { readonly timestamp: string } | { readonly offsets: Readonly<Record<string, number>> }

/** Partitions that `offsets` doesn't name begin at their first offset. Errors: start_out_of_range, bad_parameter, broker_away. */
export async function resolveStart(source: RecordSource, topic: Topic, start: Start): Promise<StartPosition[]> {
  const timestampMs = typeof start === 'object' && 'timestamp' in start ? parseTimestamp(start.timestamp) : 0
  const offsets = typeof start === 'object' && 'offsets' in start ? parseOffsets(topic, start.offsets) : undefined
  return await Promise.all(
    topic.partitions.map(async ({ partition, startOffset, endOffset }) => {
      const shard = { topicId: topic.id, partition }
      if (start === 'latest') return { shard, startOffset: endOffset }
      if (start === 'earliest') return { shard, startOffset }
      if (offsets === undefined) return { shard, startOffset: await source.findOffset(topic.name, shard, timestampMs) }
      const asked = offsets.get(partition) ?? startOffset
      checkRange(topic.name, partition, asked, startOffset, endOffset)
      return { shard, startOffset: asked }
    }),
  )
}

function parseTimestamp(text: string): number {
  const timestampMs = parseIsoTime(text)
  if (timestampMs === undefined) {
    throw new RollupdError('bad_parameter', `source.start.timestamp "${text}" is not an ISO 8601 time`, {
      hint: 'Write it like 2026-01-01T00:00:00Z.',
    })
  }
  return timestampMs
}

function parseOffsets(topic: Topic, offsets: Readonly<Record<string, number>>): Map<number, number> {
  const byPartition = new Map<number, number>()
  for (const [key, offset] of Object.entries(offsets)) {
    const partition = Number(key)
    if (String(partition) !== key || !topic.partitions.some((known) => known.partition === partition)) {
      throw new RollupdError(
        'start_out_of_range',
        `source.start.offsets names partition ${key}, which topic "${topic.name}" doesn't have`,
        {
          hint: `It has partitions 0 to ${topic.partitions.length - 1}.`,
        },
      )
    }
    byPartition.set(partition, offset)
  }
  return byPartition
}

function checkRange(topic: string, partition: number, asked: number, startOffset: number, endOffset: number): void {
  if (asked >= startOffset && asked <= endOffset) return
  const side = asked < startOffset ? `below the log's start ${startOffset}` : `above the log's end ${endOffset}`
  throw new RollupdError(
    'start_out_of_range',
    `offset ${asked} of partition ${partition} of topic "${topic}" is ${side}`,
    {
      hint: `Offsets ${startOffset} to ${endOffset} can be read.`,
    },
  )
}
