/**
 * Owns all that changes the embedded log: topics, appends, retention, and the idempotency keys of appends. The records are kept
 * as Kafka keeps them, in batches of format v2, so that reading is the same for both.
 */
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import { RollupdError } from '../../core/errors.ts'
import { type TopicId, toTopicId } from '../../core/shard.ts'
import { noTopic, topicExists } from '../../core/topic-message.ts'
import { type EncodableRecord, encodeBatch } from '../../records/record-batch-encoder.ts'
import type { NewRecord, ProducedRange, RecordSink, Topic } from '../../tailer/record-source.ts'
import { checkNewRecords, cutIntoBatches } from '../../records/batch-cutting.ts'
import { groupByPartition } from '../../records/partition-choice.ts'
import { checkPartitionCount, checkTopicName } from '../../core/topic-name.ts'
import { openForWriting, translateFull } from './log-database.ts'
import { fingerprintRecords } from './records-fingerprint.ts'
import { wakeReaders } from './wake-counter.ts'

/** Answers to idempotency keys are kept this long ... */
export const IDEMPOTENCY_KEY_AGE_MS_MAX = 24 * 60 * 60 * 1_000
/** ... and at most so many of them, the oldest going first. */
const IDEMPOTENCY_KEYS_MAX = 100_000
const IDEMPOTENCY_KEY_LENGTH_MAX = 255
/** How often batches that have become too old are looked for while nothing is appended. */
const RETENTION_INTERVAL_MS = 30_000
/** Batches that one transaction removes: about 1 GB of the largest, deleted within some 100 ms. */
const REMOVED_BATCHES_MAX = 1_000
const UUID_BYTES = 16

/** What of a topic is kept, for each of its partitions. Absent: all. Whole batches go, the oldest first. */
export interface Retention {
  /** Bytes of batches that a partition may hold; at least its last batch stays. */
  readonly bytesMax?: number
  /** Time since the append (not by the records' own times, which may be of the past). Milliseconds. */
  readonly ageMsMax?: number
}

export interface EmbeddedLogWriterOptions {
  /** The file; created where there is none. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Of topics created from now on. Default: everything is kept. */
  readonly retention?: Retention
  /** Counter of wake-counter.ts, shared with the readers. Absent: they look by themselves each few milliseconds. */
  readonly wake?: SharedArrayBuffer
  /** Bound of the file; past it, appends fail with disk_full. Default: the disk. */
  readonly fileBytesMax?: number
}

interface TopicRow {
  readonly topic: number
  readonly name: string
  readonly id: string
  readonly retention_bytes: number | null
  readonly retention_ms: number | null
}

interface PartitionRow {
  readonly partition: number
  readonly start_offset: number
  readonly end_offset: number
  readonly bytes: number
}

/** The log's one writer; a second one in another process must be kept out by its caller. Errors of all calls: disk_full. */
export class EmbeddedLogWriter implements RecordSink {
  readonly #options: EmbeddedLogWriterOptions
  readonly #database: Database
  readonly #statements: Statements
  readonly #wake: Int32Array | undefined
  readonly #timer: NodeJS.Timeout
  #turn = 0

  constructor(options: EmbeddedLogWriterOptions) {
    this.#options = options
    this.#wake = options.wake === undefined ? undefined : new Int32Array(options.wake)
    this.#database = openForWriting(options.path, options.fileBytesMax)
    this.#statements = prepareStatements(this.#database)
    // What a deletion left behind when the process ended.
    while (this.#removeSlice()) continue
    this.#timer = setInterval(() => this.#tryRetention(), RETENTION_INTERVAL_MS).unref()
  }

  async createTopic(name: string, partitions: number): Promise<Topic> {
    checkTopicName(name)
    checkPartitionCount(partitions)
    const id = toTopicId(randomBytes(UUID_BYTES).toString('base64url'))
    const { bytesMax, ageMsMax } = this.#options.retention ?? {}
    this.#write(() => {
      if (this.#statements.findTopic.get(name) !== undefined) {
        throw new RollupdError('already_exists', topicExists(name))
      }
      const { lastInsertRowid } = this.#statements.addTopic.run(name, id, bytesMax ?? null, ageMsMax ?? null)
      for (let partition = 0; partition < partitions; partition += 1) {
        this.#statements.addPartition.run(lastInsertRowid, partition)
      }
    })
    return this.#describe(name, id)
  }

  /** The topic is gone for readers at once; its bytes are freed before this returns. */
  async deleteTopic(name: string): Promise<void> {
    this.#write(() => {
      const { topic } = this.#getTopic(name)
      this.#statements.unnameTopic.run(topic)
      this.#statements.removeKeys.run(topic)
    })
    while (this.#removeSlice()) await nextTurn()
  }

  /** Changes what of a topic is kept, and removes what is not. Errors: unknown_topic. */
  setRetention(name: string, retention: Retention): void {
    this.#write(() => {
      const { topic } = this.#getTopic(name)
      this.#statements.setRetention.run(retention.bytesMax ?? null, retention.ageMsMax ?? null, topic)
    })
    this.applyRetention()
  }

  async produce(topic: string, records: readonly NewRecord[], idempotencyKey?: string): Promise<ProducedRange[]> {
    checkNewRecords(records)
    checkIdempotencyKey(idempotencyKey)
    const fingerprint = idempotencyKey === undefined ? undefined : fingerprintRecords(records)
    return this.#write(() => {
      const row = this.#getTopic(topic)
      const before = idempotencyKey === undefined ? undefined : this.#statements.findKey.get(row.topic, idempotencyKey)
      if (before !== undefined) return repeatAnswer(before, fingerprint, idempotencyKey)
      const partitions = this.#statements.listPartitions.all(row.topic)
      const groups = groupByPartition(topic, records, partitions.length, this.#turn)
      this.#turn = (this.#turn + records.length) % partitions.length
      const ranges = partitions.flatMap((partition) => {
        const group = groups.get(partition.partition)
        return group === undefined ? [] : this.#append(row, partition, cutIntoBatches(group, this.#options.now()))
      })
      if (idempotencyKey !== undefined) this.#keepKey(row.topic, idempotencyKey, ranges, fingerprint)
      return ranges
    })
  }

  /** Removes batches past their topic's retention; runs by itself with each append and each half minute. */
  applyRetention(): void {
    for (const topic of this.#statements.listRetained.all()) {
      for (const { partition } of this.#statements.listPartitions.all(topic.topic)) {
        while (this.#write(() => this.#trim(topic, partition)) === REMOVED_BATCHES_MAX) continue
      }
    }
  }

  /** Removing takes room as well, for its transaction: on a full disk it waits for the next time. */
  #tryRetention(): void {
    try {
      this.applyRetention()
    } catch (error) {
      if (!(error instanceof RollupdError)) throw error
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#database.close()
  }

  #append(topic: TopicRow, partition: PartitionRow, batches: readonly EncodableRecord[][]): ProducedRange {
    const first = partition.end_offset
    const nowMs = this.#options.now()
    let next = first
    let added = 0
    for (const records of batches) {
      const batch = encodeBatch({ baseOffset: next, records })
      const maxTimestampMs = records.reduce((most, record) => Math.max(most, record.timestampMs), 0)
      const base = next
      next += records.length
      added += batch.length
      this.#statements.addBatch.run(
        topic.topic,
        partition.partition,
        base,
        next,
        maxTimestampMs,
        nowMs,
        batch.length,
        batch,
      )
    }
    this.#statements.moveEnd.run(next, added, topic.topic, partition.partition)
    this.#trim(topic, partition.partition)
    return { partition: partition.partition, first, last: next - 1, next }
  }

  /** Removes the oldest batches that the topic need not keep, a bounded number. Caller gets how many. */
  #trim(topic: TopicRow, partition: number): number {
    if (topic.retention_bytes === null && topic.retention_ms === null) return 0
    const row = this.#statements.findPartition.get(topic.topic, partition)
    if (row === undefined) return 0
    const oldestMs = topic.retention_ms === null ? -Infinity : this.#options.now() - topic.retention_ms
    const bytesMax = topic.retention_bytes ?? Infinity
    let { bytes, start_offset: start } = row
    let removed = 0
    for (const batch of this.#statements.listOldest.iterate(topic.topic, partition, REMOVED_BATCHES_MAX)) {
      const isTooMuch = bytes > bytesMax && batch.next_offset < row.end_offset
      if (!isTooMuch && batch.appended_at_ms >= oldestMs) break
      start = batch.next_offset
      bytes -= batch.bytes
      removed += 1
    }
    if (removed === 0) return 0
    this.#statements.removeBelow.run(topic.topic, partition, start)
    this.#statements.moveStart.run(start, row.bytes - bytes, topic.topic, partition)
    return removed
  }

  #keepKey(topic: number, key: string, ranges: readonly ProducedRange[], fingerprint?: Uint8Array): void {
    const nowMs = this.#options.now()
    this.#statements.addKey.run(topic, key, JSON.stringify(ranges), nowMs, fingerprint ?? null)
    this.#statements.removeOldKeys.run(nowMs - IDEMPOTENCY_KEY_AGE_MS_MAX)
    this.#statements.removeExcessKeys.run(IDEMPOTENCY_KEYS_MAX)
  }

  /** Frees a part of the topics that were deleted. Caller gets whether there is more. */
  #removeSlice(): boolean {
    return this.#write(() => {
      const topic = this.#statements.findUnnamed.get()?.topic
      if (topic === undefined) return false
      if (this.#statements.removeSome.run(topic, REMOVED_BATCHES_MAX).changes > 0) return true
      this.#statements.removePartitions.run(topic)
      this.#statements.removeTopic.run(topic)
      return true
    })
  }

  /** Runs one transaction, whole or not at all, and wakes the readers. Errors: disk_full. */
  #write<T>(change: () => T): T {
    const result = translateFull(this.#options.path, () => this.#database.transaction(change).immediate())
    if (this.#wake !== undefined) wakeReaders(this.#wake)
    return result
  }

  #getTopic(name: string): TopicRow {
    const row = this.#statements.findTopic.get(name)
    if (row === undefined) throw new RollupdError('unknown_topic', noTopic(name))
    return row
  }

  #describe(name: string, id: TopicId): Topic {
    const partitions = this.#statements.listPartitions.all(this.#getTopic(name).topic)
    return {
      name,
      id,
      partitions: partitions.map((row) => ({
        partition: row.partition,
        startOffset: row.start_offset,
        endOffset: row.end_offset,
      })),
    }
  }
}

function checkIdempotencyKey(key: string | undefined): void {
  if (key === undefined || (key.length >= 1 && key.length <= IDEMPOTENCY_KEY_LENGTH_MAX)) return
  throw new RollupdError('bad_parameter', `an idempotency key of ${key.length} characters`, {
    hint: `Use 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`,
  })
}

interface KeptAnswer {
  readonly answer: string
  readonly fingerprint: Uint8Array | null
}

/** Other records under a key that was used would be lost without a word. Errors: conflict. */
function repeatAnswer(kept: KeptAnswer, fingerprint: Uint8Array | undefined, key: string | undefined): ProducedRange[] {
  if (kept.fingerprint !== null && fingerprint !== undefined && !Buffer.from(kept.fingerprint).equals(fingerprint)) {
    throw new RollupdError('conflict', `the idempotency key "${key}" was used for other records`, {
      hint: 'Repeat the request with the same records, or take a new key for new ones.',
    })
  }
  return JSON.parse(kept.answer) as ProducedRange[]
}

interface OldestBatch {
  readonly next_offset: number
  readonly appended_at_ms: number
  readonly bytes: number
}

type Statements = ReturnType<typeof prepareStatements>

function prepareStatements(database: Database) {
  const prepare = <Parameters extends unknown[], Row = unknown>(sql: string): Statement<Parameters, Row> =>
    database.prepare<Parameters, Row>(sql)
  return {
    findTopic: prepare<[string], TopicRow>('SELECT * FROM topics WHERE name = ?'),
    addTopic: prepare<[string, string, number | null, number | null]>(
      'INSERT INTO topics (name, id, retention_bytes, retention_ms) VALUES (?, ?, ?, ?)',
    ),
    setRetention: prepare<[number | null, number | null, number]>(
      'UPDATE topics SET retention_bytes = ?, retention_ms = ? WHERE topic = ?',
    ),
    unnameTopic: prepare<[number]>('UPDATE topics SET name = NULL WHERE topic = ?'),
    findUnnamed: prepare<[], { topic: number }>('SELECT topic FROM topics WHERE name IS NULL LIMIT 1'),
    removeTopic: prepare<[number]>('DELETE FROM topics WHERE topic = ?'),
    listRetained: prepare<[], TopicRow>(
      'SELECT * FROM topics WHERE name IS NOT NULL AND (retention_bytes IS NOT NULL OR retention_ms IS NOT NULL)',
    ),
    addPartition: prepare<[number | bigint, number]>('INSERT INTO partitions VALUES (?, ?, 0, 0, 0)'),
    listPartitions: prepare<[number], PartitionRow>('SELECT * FROM partitions WHERE topic = ? ORDER BY partition'),
    findPartition: prepare<[number, number], PartitionRow>(
      'SELECT * FROM partitions WHERE topic = ? AND partition = ?',
    ),
    removePartitions: prepare<[number]>('DELETE FROM partitions WHERE topic = ?'),
    moveEnd: prepare<[number, number, number, number]>(
      'UPDATE partitions SET end_offset = ?, bytes = bytes + ? WHERE topic = ? AND partition = ?',
    ),
    moveStart: prepare<[number, number, number, number]>(
      'UPDATE partitions SET start_offset = ?, bytes = bytes - ? WHERE topic = ? AND partition = ?',
    ),
    addBatch: prepare<[number, number, number, number, number, number, number, Uint8Array]>(
      `INSERT INTO batches (topic, partition, base_offset, next_offset, max_timestamp_ms, appended_at_ms, bytes, batch)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    listOldest: prepare<[number, number, number], OldestBatch>(
      `SELECT next_offset, appended_at_ms, bytes FROM batches
       WHERE topic = ? AND partition = ? ORDER BY base_offset LIMIT ?`,
    ),
    removeBelow: prepare<[number, number, number]>(
      'DELETE FROM batches WHERE topic = ? AND partition = ? AND base_offset < ?',
    ),
    removeSome: prepare<[number, number]>(
      'DELETE FROM batches WHERE batch_id IN (SELECT batch_id FROM batches WHERE topic = ? LIMIT ?)',
    ),
    findKey: prepare<[number, string], KeptAnswer>(
      'SELECT answer, fingerprint FROM idempotency_keys WHERE topic = ? AND key = ?',
    ),
    addKey: prepare<[number, string, string, number, Uint8Array | null]>(
      'INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?)',
    ),
    removeKeys: prepare<[number]>('DELETE FROM idempotency_keys WHERE topic = ?'),
    removeOldKeys: prepare<[number]>('DELETE FROM idempotency_keys WHERE kept_at_ms < ?'),
    removeExcessKeys: prepare<[number]>(
      `DELETE FROM idempotency_keys WHERE kept_at_ms <
         (SELECT kept_at_ms FROM idempotency_keys ORDER BY kept_at_ms DESC LIMIT 1 OFFSET ?)`,
    ),
  }
}
