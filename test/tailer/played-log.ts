/** Owns a topic in memory and a leaf that takes what is folded of it, for tests of who reads what. */
import { setTimeout as delay } from 'node:timers/promises'
import { decodePartialBatch } from '../../src/aggregator/partial-batch-codec.ts'
import { RollupdError } from '../../src/core/errors.ts'
import { addCounts, type Counts, type Shard, toShardKey, toTopicId, zeroCounts } from '../../src/core/shard.ts'
import { encodeBatch } from '../../src/records/record-batch-encoder.ts'
import type { BatchAnswer, BatchCommitter } from '../../src/tailer/ingest-events.ts'
import type { FetchAnswer, FetchRequest, RecordSource } from '../../src/tailer/record-source.ts'

const TOPIC_ID = toTopicId('AAAAAAAAAAAAAAAAAAAAAQ')
const WAIT_MS = 2
const BATCH_RECORDS = 100
const ANSWER_BATCHES_MAX = 200

export const shardOf = (partition: number): Shard => ({ topicId: TOPIC_ID, partition })

async function pause(): Promise<void> {
  await delay(WAIT_MS)
}

export class PlayedLog {
  readonly #batches: { readonly base: number; readonly next: number; readonly bytes: Uint8Array }[][]
  /** Bytes that were read, by whoever. */
  bytesRead = 0
  /** Of readers, numbered in the order of their opening: how many answers they still get. Absent: all. */
  readonly answersLeft = new Map<number, number>()
  #opened = 0

  constructor(partitions: number) {
    this.#batches = Array.from({ length: partitions }, () => [])
  }

  get shards(): Shard[] {
    return this.#batches.map((_, partition) => shardOf(partition))
  }

  endOf(partition: number): number {
    return this.#batches[partition]?.at(-1)?.next ?? 0
  }

  /** Values as JSON, in batches. */
  append(partition: number, values: readonly string[]): void {
    for (let at = 0; at < values.length; at += BATCH_RECORDS) {
      const base = this.endOf(partition)
      const records = values.slice(at, at + BATCH_RECORDS).map((value, index) => {
        return { key: null, value: Buffer.from(value), timestampMs: base + index }
      })
      const bytes = new Uint8Array(encodeBatch({ baseOffset: base, records }))
      this.#batches[partition]?.push({ base, next: base + records.length, bytes })
    }
  }

  get source(): RecordSource {
    return {
      openReader: () => {
        const reader = ++this.#opened
        return {
          fetch: (requests, { maxWaitMs, signal }) => this.#fetch(reader, requests, maxWaitMs, signal),
          close: async () => {},
        }
      },
      findEndOfEpoch: async () => ({ epoch: 0, endOffset: Number.MAX_SAFE_INTEGER }),
      close: async () => {},
    } as Partial<RecordSource> as RecordSource
  }

  async #fetch(
    reader: number,
    requests: readonly FetchRequest[],
    maxWaitMs: number,
    signal?: AbortSignal,
  ): Promise<FetchAnswer[]> {
    for (; this.answersLeft.get(reader) === 0; await pause()) if (signal?.aborted === true) break
    const left = this.answersLeft.get(reader)
    if (left !== undefined) this.answersLeft.set(reader, left - 1)
    const endsAtMs = performance.now() + maxWaitMs
    for (;;) {
      const answers = requests.map((request) => this.#answer(request))
      const isOver = performance.now() >= endsAtMs || signal?.aborted === true
      if (isOver || answers.some(({ bytes }) => bytes.length > 0)) return answers
      await pause()
    }
  }

  #answer({ shard, offset, maxBytes }: FetchRequest): FetchAnswer {
    const parts: Uint8Array[] = []
    let length = 0
    // no batch has more records, so none before it reaches the offset
    const first = Math.floor(offset / BATCH_RECORDS)
    for (const { next, bytes } of this.#batches[shard.partition]?.slice(first, first + ANSWER_BATCHES_MAX) ?? []) {
      if (next <= offset) continue
      if (parts.length > 0 && length + bytes.length > maxBytes) break
      parts.push(bytes)
      length += bytes.length
    }
    this.bytesRead += length
    const end = this.endOf(shard.partition)
    const common = { highWatermark: end, lastStableOffset: end, logStartOffset: 0, leaderEpoch: 0, aborted: [] }
    return { shard, bytes: new Uint8Array(Buffer.concat(parts)), ...common }
  }
}

/** What a rollup has in the leaf. */
export interface StoredRollup {
  readonly next: Map<string, number>
  readonly counts: Counts
  /** Records by group key, as hexadecimal. */
  readonly groups: Map<string, number>
  batches: number
}

export class PlayedLeaf implements BatchCommitter {
  readonly #rollups = new Map<number, StoredRollup>()
  /** Rollups whose next batch is refused as if the leaf stood elsewhere. */
  readonly refusing = new Map<number, ReadonlyMap<string, number>>()
  /** Batches that were not taken. */
  refusals = 0
  /** Rollups for whose batches there is no room. */
  readonly full = new Set<number>()

  rollup(id: number): StoredRollup {
    const known = this.#rollups.get(id) ?? { next: new Map(), counts: zeroCounts(), groups: new Map(), batches: 0 }
    this.#rollups.set(id, known)
    return known
  }

  async commit(bytes: ArrayBuffer): Promise<BatchAnswer> {
    const batch = decodePartialBatch(bytes)
    await pause()
    if (this.full.has(batch.rollupId)) throw new RollupdError('disk_full', 'there is no room')
    const rollup = this.rollup(batch.rollupId)
    const forced = this.refusing.get(batch.rollupId)
    if (forced !== undefined) {
      this.refusing.delete(batch.rollupId)
      for (const [key, next] of forced) rollup.next.set(key, next)
    }
    const positionOf = (shard: Shard): number => rollup.next.get(toShardKey(shard)) ?? 0
    const taken = batch.ranges.every(({ shard, first }) => first === positionOf(shard))
    if (taken) {
      rollup.batches++
      for (const { shard, next, counts } of batch.ranges) {
        rollup.next.set(toShardKey(shard), next)
        addCounts(rollup.counts, counts)
      }
      for (const { key, records } of batch.groups()) {
        const name = Buffer.from(key).toString('hex')
        rollup.groups.set(name, (rollup.groups.get(name) ?? 0) + records)
      }
    }
    if (!taken) this.refusals++
    const outcome = taken ? 'accepted' : 'refused'
    const ranges = batch.ranges.map(({ shard }) => ({ shard, outcome, nextOffset: positionOf(shard) }) as const)
    return { taken, ranges, records: 0, groups: 0 }
  }

  /** What the rollup has passed of all shards. */
  passedOf(id: number): number {
    return [...this.rollup(id).next.values()].reduce((sum, next) => sum + next, 0)
  }
}
