/** Owns which topic names and partition counts both logs take: Kafka's rule for names. */
import { RollupdError } from './errors.ts'

export const TOPIC_NAME_LENGTH_MAX = 249
/** A Kafka cluster of any size takes this; each is a shard that is read and counted by itself. */
export const PARTITIONS_MAX = 10_000

/** Errors: bad_parameter. */
export function checkTopicName(name: string): void {
  if (/^[a-zA-Z0-9._-]+$/.test(name) && name.length <= TOPIC_NAME_LENGTH_MAX && name !== '.' && name !== '..') return
  throw new RollupdError('bad_parameter', `"${name.slice(0, TOPIC_NAME_LENGTH_MAX)}" can't be the name of a topic`, {
    hint: `Use 1 to ${TOPIC_NAME_LENGTH_MAX} letters, digits, dots, hyphens and underscores, and not only one or two dots.`,
  })
}

/** Errors: bad_parameter. */
export function checkPartitionCount(partitions: number): void {
  if (Number.isInteger(partitions) && partitions >= 1 && partitions <= PARTITIONS_MAX) return
  throw new RollupdError('bad_parameter', `a topic can't have ${partitions} partitions`, {
    hint: `Ask for 1 to ${PARTITIONS_MAX}.`,
  })
}
