/** Owns topics as users see them: create, delete, list, and records posted to them. */
import { RollupdError } from '../core/errors.ts'
import type { NewRecord, ProducedRange, RecordSink, RecordSource, Topic } from '../tailer/record-source.ts'
import { didYouMean } from '../sql/nearest-name.ts'
import type { AsyncLeaf } from '../leaf/async-leaf.ts'

export interface TopicServiceOptions {
  readonly source: RecordSource
  readonly sink: RecordSink
  readonly leaf: Pick<AsyncLeaf, 'listRollups'>
}

export class TopicService {
  readonly #options: TopicServiceOptions

  constructor(options: TopicServiceOptions) {
    this.#options = options
  }

  async list(): Promise<Topic[]> {
    return await this.#options.source.listTopics()
  }

  async create(name: string, partitions: number): Promise<Topic> {
    return await this.#options.sink.createTopic(name, partitions)
  }

  /** Errors: unknown_topic, topic_in_use naming the rollups that read it, broker_away. */
  async delete(name: string): Promise<void> {
    const readers = (await this.#options.leaf.listRollups()).filter((rollup) => rollup.topic === name)
    if (readers.length > 0) {
      const names = readers.map((rollup) => `"${rollup.name}"`).join(', ')
      throw new RollupdError('topic_in_use', `topic "${name}" is read by rollup ${names}`, {
        hint: 'Drop what reads it first.',
      })
    }
    try {
      await this.#options.sink.deleteTopic(name)
    } catch (error) {
      throw await this.#withNearest(error, name)
    }
  }

  /** Returns when the records are durable. Errors: unknown_topic, bad_parameter, broker_away, disk_full. */
  async produce(name: string, records: readonly NewRecord[], idempotencyKey?: string): Promise<ProducedRange[]> {
    try {
      return await this.#options.sink.produce(name, records, idempotencyKey)
    } catch (error) {
      throw await this.#withNearest(error, name)
    }
  }

  async #withNearest(error: unknown, name: string): Promise<unknown> {
    if (!(error instanceof RollupdError) || error.code !== 'unknown_topic') return error
    const names = (await this.#options.source.listTopics()).map((topic) => topic.name)
    return new RollupdError('unknown_topic', error.message, { hint: didYouMean(name, names), cause: error })
  }
}
