/**
 * The port through which rollupd meets a log of records: Kafka or the embedded log. Both pass the suite in
 * test/contract/record-source.ts. Offsets are JavaScript numbers (safe integers); a "next offset" is the first not included.
 */
import type { Shard, TopicId } from '../core/shard.ts'
import type { AbortedTransaction } from '../records/aborted-transaction.ts'

export interface Partition {
  readonly partition: number
  /** First offset that the log still holds. */
  readonly startOffset: number
  /** High watermark: the offset that the next record will get (also when an open transaction hides records below it). */
  readonly endOffset: number
}

export interface Topic {
  readonly name: string
  readonly id: TopicId
  readonly partitions: readonly Partition[]
}

export interface FetchRequest {
  readonly topic: string
  readonly shard: Shard
  readonly offset: number
  /** Upper bound of the answer's bytes for this shard; the first batch comes whole even when it is larger. */
  readonly maxBytes: number
}

/**
 * Why a shard's fetch gave no bytes. `recreated`: the topic of that name has another id now. `unknown_topic`: no such topic.
 * `out_of_range`: the offset is below the log's start or above its end. `stale_leader`: passing; the source refreshes its
 * metadata by itself, ask again. `broker_away`: passing; no connection.
 */
export type FetchErrorCode = 'recreated' | 'unknown_topic' | 'out_of_range' | 'stale_leader' | 'broker_away'

export interface FetchAnswer {
  readonly shard: Shard
  readonly error?: { readonly code: FetchErrorCode; readonly message: string }
  /**
   * Record batches in format v2 as they are stored, each decoded from its header on: it may begin with a batch that starts
   * below the asked offset and end with a part of one. Empty: nothing new. Valid until the reader's second
   * fetch() behind the one that gave it, so that one can be folded while the next is on its way.
   */
  readonly bytes: Uint8Array
  readonly highWatermark: number
  /** Last stable offset: records from here on belong to open transactions and are not served. */
  readonly lastStableOffset: number
  readonly logStartOffset: number
  /** The leader's present epoch, -1 where unknown. */
  readonly leaderEpoch: number
  /** Read-committed filter; in any order. */
  readonly aborted: readonly AbortedTransaction[]
}

export interface FetchOptions {
  /** How long the source may wait for the first record when all asked shards are at their end. Milliseconds. */
  readonly maxWaitMs: number
  /** Upper bound of all answers' bytes together, as far as whole batches allow. Absent: the sum of the requests' bounds. */
  readonly maxBytes?: number
  /** Ends the wait at once: the answers are what has arrived until then, mostly nothing. */
  readonly signal?: AbortSignal
}

/** A reader of its own: a long poll of one never delays another's. */
export interface RecordReader {
  /**
   * One answer for each request, in the same order; waits until a shard has something. Where not all fits into `maxBytes`, the first
   * ones get their bytes: a caller lets its shards be first in turn. Never throws for a broker that is away:
   * `broker_away` answers. One call at a time, each shard at most once in it.
   */
  fetch(requests: readonly FetchRequest[], options: FetchOptions): Promise<FetchAnswer[]>
  close(): Promise<void>
}

export interface RecordSource {
  /** For messages: `kafka at 127.0.0.1:9092`, `embedded log`. */
  readonly description: string
  /** All topics that are not internal, by name. Errors: broker_away. */
  listTopics(): Promise<Topic[]>
  /** Errors: broker_away. Caller gets undefined where there is no such topic. */
  findTopic(name: string): Promise<Topic | undefined>
  /** First offset whose record's timestamp is at or after the instant; the end offset where there is none. Errors: broker_away, unknown_topic. */
  findOffset(topic: string, shard: Shard, timestampMs: number): Promise<number>
  /**
   * KIP-320: the end offset of the largest epoch <= leaderEpoch in the leader's log. epoch -1: the log knows none.
   * Errors: broker_away, unknown_topic.
   */
  findEndOfEpoch(topic: string, shard: Shard, leaderEpoch: number): Promise<{ epoch: number; endOffset: number }>
  openReader(): RecordReader
  close(): Promise<void>
}

/** A record to be produced. Bytes are kept as they are. */
export interface NewRecord {
  /** Null: a tombstone. */
  readonly value: Uint8Array | null
  readonly key: Uint8Array | null
  readonly headers: readonly { readonly name: string; readonly value: Uint8Array | null }[]
  /** Milliseconds since 1970; absent: now. */
  readonly timestampMs?: number
  /** Absent: by the key's hash (as Kafka's default partitioner), without a key in turn. */
  readonly partition?: number
}

/** Offsets that a partition's records got. */
export interface ProducedRange {
  readonly partition: number
  readonly first: number
  readonly last: number
  readonly next: number
}

/** What creates topics and writes records. */
export interface RecordSink {
  /** Returns when the topic can be written and read. Errors: already_exists, broker_away, bad_parameter (name, partitions). */
  createTopic(name: string, partitions: number): Promise<Topic>
  /** Returns when the topic is gone. Errors: unknown_topic, broker_away. */
  deleteTopic(name: string): Promise<void>
  /**
   * Appends; returns when the records are durable. With `idempotencyKey` a repeated call answers as the first and adds
   * nothing (embedded log only). Errors: unknown_topic, broker_away, bad_parameter (unknown partition, key with Kafka), disk_full,
   * conflict (the key was used for other records).
   */
  produce(topic: string, records: readonly NewRecord[], idempotencyKey?: string): Promise<ProducedRange[]>
}
