/**
 * Owns one reader of many shards over its life: its long polls at the brokers (fetch-lane.ts), and what is known of each
 * shard's log. One call of fetch() is fetch-call.ts.
 */
import { assert } from '../../core/assert.ts'
import { type Shard, toShardKey } from '../../core/shard.ts'
import { NO_BYTES, toErrorAnswer } from '../../tailer/error-answer.ts'
import type { FetchAnswer, FetchOptions, FetchRequest, RecordReader } from '../../tailer/record-source.ts'
import type { ClusterClient } from './cluster-client.ts'
import { FetchCall } from './fetch-call.ts'
import { FetchLane } from './fetch-lane.ts'
import type { TopicRoutes } from './topic-routes.ts'

export interface KafkaReaderParts {
  readonly client: ClusterClient
  readonly routes: TopicRoutes
  readonly now: () => number
  /** When the source is closed. */
  readonly ended: AbortSignal
  /** First offset and high watermark. Errors: broker_away. */
  readonly findBounds: (topic: string, shard: Shard) => Promise<{ startOffset: number; endOffset: number }>
}

export class KafkaReader implements RecordReader {
  readonly #parts: KafkaReaderParts
  readonly #lanes = new Map<number, FetchLane>()
  /** The last answer of each shard without its bytes: told again while the shard's broker is still waiting for records. */
  readonly #latest = new Map<string, FetchAnswer>()
  readonly #ended = new AbortController()
  #fetching = false

  constructor(parts: KafkaReaderParts) {
    this.#parts = parts
    parts.ended.addEventListener('abort', this.#end, { once: true })
  }

  async fetch(requests: readonly FetchRequest[], options: FetchOptions): Promise<FetchAnswer[]> {
    assert(!this.#fetching, 'a reader is asked by one caller at a time')
    assert(
      new Set(requests.map((each) => toShardKey(each.shard))).size === requests.length,
      'a shard is asked for twice',
    )
    this.#fetching = true
    const signals = options.signal === undefined ? [this.#ended.signal] : [this.#ended.signal, options.signal]
    try {
      const call = new FetchCall(
        this.#parts,
        { findLane: (nodeId) => this.#findLane(nodeId), latest: this.#latest },
        requests,
        options,
      )
      await call.run(AbortSignal.any(signals))
      const answers = call.collect()
      return await Promise.all(answers.map((answer, index) => this.#complete(answer, requests[index]?.topic ?? '')))
    } finally {
      this.#fetching = false
    }
  }

  async close(): Promise<void> {
    this.#parts.ended.removeEventListener('abort', this.#end)
    this.#end()
  }

  readonly #end = (): void => {
    this.#ended.abort()
    for (const lane of this.#lanes.values()) lane.close()
  }

  /** The polls at a broker of the last metadata; a broker that moved gets a new lane. */
  #findLane(nodeId: number): FetchLane | undefined {
    const address = this.#parts.client.findAddress(nodeId)
    const lane = this.#lanes.get(nodeId)
    if (lane !== undefined && address?.host === lane.address.host && address.port === lane.address.port) return lane
    lane?.close()
    this.#lanes.delete(nodeId)
    if (address === undefined || this.#ended.signal.aborted) return undefined
    const fresh = new FetchLane(this.#parts.client.config, address, this.#parts.now)
    this.#lanes.set(nodeId, fresh)
    return fresh
  }

  async #complete(answer: FetchAnswer, topic: string): Promise<FetchAnswer> {
    const key = toShardKey(answer.shard)
    if (answer.error === undefined) {
      this.#latest.set(key, answer.bytes.length === 0 ? answer : { ...answer, bytes: NO_BYTES, aborted: [] })
      return answer
    }
    this.#latest.delete(key)
    if (answer.error.code !== 'out_of_range') return answer
    // Brokers answer this error without the log's bounds, which the reader needs to say what is lost.
    try {
      const { startOffset, endOffset } = await this.#parts.findBounds(topic, answer.shard)
      return { ...answer, logStartOffset: startOffset, highWatermark: endOffset, lastStableOffset: endOffset }
    } catch (error) {
      return toErrorAnswer(answer.shard, 'broker_away', error instanceof Error ? error.message : String(error))
    }
  }
}
