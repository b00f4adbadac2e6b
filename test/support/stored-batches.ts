/** What a broker really keeps of a partition: the headers of its record batches, so that a test knows that its premise holds. */
import { KafkaLog } from '../../src/adapters/kafka/kafka-log.ts'
import { CODEC_ID, type Codec } from '../../src/records/codecs.ts'
import {
  ATTRIBUTE,
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  LENGTH_PREFIX_BYTES,
  readInt32,
  readInt64,
} from '../../src/records/record-format.ts'

export interface StoredBatch {
  readonly baseOffset: number
  /** The offset behind it. */
  readonly next: number
  /** 0: compaction took them all. */
  readonly records: number
  readonly codec: Codec
}

const CODECS = Object.keys(CODEC_ID) as Codec[]
const FETCH_BYTES = 1 << 20

/** All batches of a partition from its start to its end; committed data only. */
export async function readStoredBatches(bootstrap: string, topicName: string, partition = 0): Promise<StoredBatch[]> {
  const log = new KafkaLog({ brokers: bootstrap.split(','), clientId: 'rollupd-test' }, Date.now)
  const reader = log.openReader()
  try {
    const topic = await log.findTopic(topicName)
    const bounds = topic?.partitions.find((each) => each.partition === partition)
    if (topic === undefined || bounds === undefined) throw new Error(`no partition ${partition} of ${topicName}`)
    const batches: StoredBatch[] = []
    for (let offset = bounds.startOffset; offset < bounds.endOffset;) {
      const request = { topic: topicName, shard: { topicId: topic.id, partition }, offset, maxBytes: FETCH_BYTES }
      const [answer] = await reader.fetch([request], { maxWaitMs: 500 })
      // what was kept of an earlier batch comes with it
      const found = readHeaders(answer?.bytes ?? new Uint8Array(0)).filter((batch) => batch.next > offset)
      batches.push(...found)
      offset = found.at(-1)?.next ?? offset
    }
    return batches
  } finally {
    await reader.close()
    await log.close()
  }
}

function readHeaders(bytes: Uint8Array): StoredBatch[] {
  const batches: StoredBatch[] = []
  for (let at = 0; at + BATCH_HEADER_BYTES <= bytes.length;) {
    const end = at + LENGTH_PREFIX_BYTES + readInt32(bytes, at + BATCH_FIELD.batchLength)
    const baseOffset = readInt64(bytes, at + BATCH_FIELD.baseOffset)
    // the low byte of the int16
    const attributes = bytes[at + BATCH_FIELD.attributes + 1] ?? 0
    const codec = CODECS.find((name) => CODEC_ID[name] === (attributes & ATTRIBUTE.codecMask)) ?? 'none'
    batches.push({
      baseOffset,
      next: baseOffset + readInt32(bytes, at + BATCH_FIELD.lastOffsetDelta) + 1,
      records: readInt32(bytes, at + BATCH_FIELD.recordCount),
      codec,
    })
    if (end > bytes.length) break
    at = end
  }
  return batches
}
