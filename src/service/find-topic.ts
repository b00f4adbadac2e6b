/** Owns finding a topic by its name, or saying which names are near. */
import { RollupdError } from '../core/errors.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { RecordSource, Topic } from '../tailer/record-source.ts'

/** Errors: unknown_topic, naming the nearest; broker_away. */
export async function findTopic(source: RecordSource, name: string): Promise<Topic> {
  const topic = await source.findTopic(name)
  if (topic !== undefined) return topic
  const names = (await source.listTopics()).map((known) => known.name)
  throw new RollupdError('unknown_topic', `topic "${name}" does not exist in ${source.description}`, {
    hint: didYouMean(name, names),
  })
}
