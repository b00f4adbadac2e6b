/**
 * Owns which partition a new record goes to: the same for the embedded log as for Kafka's Java clients, so that records of one
 * key stay together whoever writes them. Source: org.apache.kafka.clients.producer.internals.BuiltInPartitioner, Utils.murmur2.
 */
import { RollupdError } from '../core/errors.ts'
import { noPartition } from '../core/topic-message.ts'

const SEED = 0x9747b28c
const MULTIPLIER = 0x5bd1e995
const POSITIVE = 0x7fffffff

/** What of a record decides. */
interface Placeable {
  readonly key: Uint8Array | null
  /** Absent: chosen. */
  readonly partition?: number
}

/** MurmurHash2, 32 bit, as Kafka's clients have it. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes
  let hash = SEED ^ length
  const whole = length - (length % 4)
  for (let at = 0; at < whole; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    word = Math.imul(word, MULTIPLIER)
    word ^= word >>> 24
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER)
  }
  const rest = length - whole
  if (rest === 3) hash ^= bytes[whole + 2]! << 16
  if (rest >= 2) hash ^= bytes[whole + 1]! << 8
  if (rest >= 1) hash = Math.imul(hash ^ bytes[whole]!, MULTIPLIER)
  hash ^= hash >>> 13
  hash = Math.imul(hash, MULTIPLIER)
  return hash ^ (hash >>> 15)
}

/**
 * Groups records by partition, each group in the order given: where a record names none, by its key's hash, without a key in turn
 * from `turn` on. Errors: bad_parameter (no such partition).
 */
export function groupByPartition<T extends Placeable>(
  topic: string,
  records: readonly T[],
  partitionCount: number,
  turn: number,
): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  let next = turn
  for (const record of records) {
    let { partition } = record
    if (partition === undefined) {
      partition = record.key === null ? next++ % partitionCount : (murmur2(record.key) & POSITIVE) % partitionCount
    } else if (!Number.isInteger(partition) || partition < 0 || partition >= partitionCount) {
      throw new RollupdError('bad_parameter', noPartition(topic, partition), {
        hint: `Its partitions are 0 to ${partitionCount - 1}.`,
      })
    }
    const group = groups.get(partition)
    if (group === undefined) groups.set(partition, [record])
    else group.push(record)
  }
  return groups
}
