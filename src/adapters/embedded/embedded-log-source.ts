/**
 * Owns reading the embedded log, through a connection that can't write: as many sources as there are threads that read. Each call
 * sees one commit; nothing stays open between calls.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import { RollupdError } from '../../core/errors.ts'
import { type Shard, toTopicId } from '../../core/shard.ts'
import { noPartition, noTopic, topicIsAnother } from '../../core/topic-message.ts'
import { RecordColumns } from '../../records/record-columns.ts'
import { BATCH_FIELD, readInt32, readInt64 } from '../../records/record-format.ts'
import { NO_BYTES, toErrorAnswer, UNKNOWN } from '../../tailer/error-answer.ts'
import type {
  FetchAnswer,
  FetchErrorCode,
  FetchOptions,
  FetchRequest,
  RecordReader,
  RecordSource,
  Topic,
} from '../../tailer/record-source.ts'
import { openForReading } from './log-database.ts'
import { waitForWake } from './wake-counter.ts'

/** How often a long poll looks by itself: a look takes some microseconds. */
const LOOK_INTERVAL_MS = 5
/** There is one writer, and it never changes its mind. */
const LEADER_EPOCH = 0

export interface EmbeddedLogSourceOptions {
  /** The file that an EmbeddedLogWriter has created. */
  readonly path: string
  /** The writer's counter (wake-counter.ts). Absent: long polls look each few milliseconds. */
  readonly wake?: SharedArrayBuffer
}

interface PartitionRow {
  readonly name: string
  readonly id: string
  /** Null: the topic has no such partition. */
  readonly partition: number | null
  readonly topic: number
  readonly start_offset: number
  readonly end_offset: number
}

/** Why a shard can't be read. */
interface Refusal {
  readonly code: FetchErrorCode
  readonly message: string
}

/** Topics and records of one log.db. Calls are synchronous inside and never wait for the writer. */
export class EmbeddedLogSource implements RecordSource {
  readonly description = 'embedded log'
  readonly #database: Database
  readonly #statements: Statements
  readonly #wake: Int32Array | undefined
  readonly #ended = new AbortController()

  constructor(options: EmbeddedLogSourceOptions) {
    this.#database = openForReading(options.path)
    this.#statements = prepareStatements(this.#database)
    this.#wake = options.wake === undefined ? undefined : new Int32Array(options.wake)
  }

  async listTopics(): Promise<Topic[]> {
    const rows = this.#statements.listPartitions.all()
    return [...Map.groupBy(rows, (row) => row.name)].map(([name, partitions]) => toTopic(name, partitions))
  }

  async findTopic(name: string): Promise<Topic | undefined> {
    const rows = this.#statements.listPartitionsOf.all(name)
    return rows.length === 0 ? undefined : toTopic(name, rows)
  }

  async findOffset(topic: string, shard: Shard, timestampMs: number): Promise<number> {
    return this.#snapshot(() => {
      const { topic: key, end_offset: end } = this.#getPartition(topic, shard)
      const found = this.#statements.findBatchAt.get(key, shard.partition, timestampMs)
      if (found === undefined) return end
      const batch = this.#statements.readBatch.get(key, shard.partition, found.base_offset)
      return batch === undefined ? end : findOffsetInBatch(batch.batch, timestampMs)
    })
  }

  async findEndOfEpoch(
    topic: string,
    shard: Shard,
    leaderEpoch: number,
  ): Promise<{ epoch: number; endOffset: number }> {
    const { end_offset: endOffset } = this.#getPartition(topic, shard)
    return leaderEpoch < LEADER_EPOCH ? { epoch: UNKNOWN, endOffset: UNKNOWN } : { epoch: LEADER_EPOCH, endOffset }
  }

  openReader(): RecordReader {
    return new EmbeddedLogReader(this, this.#ended.signal)
  }

  async close(): Promise<void> {
    this.#ended.abort()
    this.#database.close()
  }

  /** Rises with each commit of the writer, and costs no look at a table. */
  version(): number {
    return this.#wake === undefined
      ? Number(this.#database.pragma('data_version', { simple: true }))
      : Atomics.load(this.#wake, 0)
  }

  /** Ends when something was written since `version`, after the time, or soon after the signal. */
  async waitForChange(version: number, timeMs: number, signal: AbortSignal): Promise<void> {
    if (this.#wake !== undefined) return waitForWake(this.#wake, version, timeMs)
    const deadlineMs = performance.now() + timeMs
    while (!signal.aborted && this.version() === version && performance.now() < deadlineMs) {
      await delay(Math.min(LOOK_INTERVAL_MS, timeMs))
    }
  }

  /** Reads each request's batches, all at one commit, the first of them first. */
  read(requests: readonly FetchRequest[], maxBytes: number): Map<FetchRequest, FetchAnswer> {
    return this.#snapshot(() => {
      const answers = new Map<FetchRequest, FetchAnswer>()
      let left = maxBytes
      for (const request of requests) {
        const answer = this.#readShard(request, left)
        left -= answer.bytes.length
        answers.set(request, answer)
      }
      return answers
    })
  }

  #readShard(request: FetchRequest, bytesLeft: number): FetchAnswer {
    const { topic, shard, offset } = request
    const found = this.#findPartition(topic, shard)
    if ('code' in found) return toErrorAnswer(shard, found.code, found.message)
    const { start_offset: logStartOffset, end_offset: highWatermark } = found
    const common = {
      shard,
      highWatermark,
      lastStableOffset: highWatermark,
      logStartOffset,
      leaderEpoch: LEADER_EPOCH,
      aborted: [],
    }
    if (offset < logStartOffset || offset > highWatermark) {
      const message = `offset ${offset} is outside the log, which holds ${logStartOffset} to ${highWatermark}`
      return { ...common, bytes: NO_BYTES, error: { code: 'out_of_range', message } }
    }
    if (offset === highWatermark || bytesLeft <= 0) return { ...common, bytes: NO_BYTES }
    return {
      ...common,
      bytes: this.#readBatches(found.topic, shard.partition, offset, Math.min(request.maxBytes, bytesLeft)),
    }
  }

  /** Whole batches from the one that holds the offset on: the first in any case, more while they fit. */
  #readBatches(topic: number, partition: number, offset: number, maxBytes: number): Uint8Array {
    const first = this.#statements.findBatchOf.get(topic, partition, offset)?.base_offset ?? offset
    let last = first
    let bytes = 0
    // By the index alone: a batch that doesn't fit is not read.
    for (const batch of this.#statements.measureFrom.iterate(topic, partition, first)) {
      if (bytes > 0 && bytes + batch.bytes > maxBytes) break
      bytes += batch.bytes
      last = batch.base_offset
    }
    const batches = this.#statements.readRange.all(topic, partition, first, last).map(({ batch }) => batch)
    const [only] = batches
    return batches.length === 1 && only !== undefined ? only : Buffer.concat(batches, bytes)
  }

  #getPartition(topic: string, shard: Shard): PartitionRow {
    const found = this.#findPartition(topic, shard)
    if (!('code' in found)) return found
    throw new RollupdError('unknown_topic', found.message)
  }

  #findPartition(topic: string, shard: Shard): PartitionRow | Refusal {
    const row = this.#statements.findPartition.get(shard.partition, topic)
    if (row === undefined) return { code: 'unknown_topic', message: noTopic(topic) }
    if (row.id !== shard.topicId) return { code: 'recreated', message: topicIsAnother(topic, row.id) }
    if (row.partition === null) return { code: 'unknown_topic', message: noPartition(topic, shard.partition) }
    return row
  }

  #snapshot<T>(read: () => T): T {
    return this.#database.transaction(read).deferred()
  }
}

/** Long polls over the source's connection: waiting holds nothing, so that readers don't meet each other. */
class EmbeddedLogReader implements RecordReader {
  readonly #source: EmbeddedLogSource
  readonly #ended = new AbortController()
  readonly #signal: AbortSignal
  #turn = 0

  constructor(source: EmbeddedLogSource, sourceEnded: AbortSignal) {
    this.#source = source
    this.#signal = AbortSignal.any([this.#ended.signal, sourceEnded])
  }

  async fetch(requests: readonly FetchRequest[], options: FetchOptions): Promise<FetchAnswer[]> {
    const signal = options.signal === undefined ? this.#signal : AbortSignal.any([this.#signal, options.signal])
    const deadlineMs = performance.now() + options.maxWaitMs
    // Each shard gets to be first where the bytes are bounded.
    this.#turn = requests.length === 0 ? 0 : (this.#turn + 1) % requests.length
    const order = [...requests.slice(this.#turn), ...requests.slice(0, this.#turn)]
    let answers = new Map<FetchRequest, FetchAnswer>()
    while (!this.#signal.aborted) {
      const version = this.#source.version()
      answers = this.#source.read(order, options.maxBytes ?? Number.MAX_SAFE_INTEGER)
      const leftMs = deadlineMs - performance.now()
      const hasNews = [...answers.values()].some((answer) => answer.bytes.length > 0 || answer.error !== undefined)
      if (hasNews || leftMs <= 0 || signal.aborted) break
      await this.#wait(version, leftMs, signal)
    }
    return requests.map((request) => {
      return answers.get(request) ?? toErrorAnswer(request.shard, 'broker_away', 'the embedded log was closed')
    })
  }

  async close(): Promise<void> {
    this.#ended.abort()
  }

  /** Ends with a change, the time or the signal. */
  async #wait(version: number, timeMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = () => resolve()
    // Atomics.waitAsync alone doesn't keep the process alive.
    const timer = setTimeout(end, timeMs)
    signal.addEventListener('abort', end, { once: true })
    void this.#source.waitForChange(version, timeMs, signal).then(end)
    await promise
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

function toTopic(name: string, rows: readonly PartitionRow[]): Topic {
  return {
    name,
    id: toTopicId(rows[0]?.id ?? ''),
    partitions: rows.map((row) => ({
      partition: row.partition ?? 0,
      startOffset: row.start_offset,
      endOffset: row.end_offset,
    })),
  }
}

/** The batch's greatest time is at or after the instant: one of its records is the first. */
function findOffsetInBatch(batch: Uint8Array, timestampMs: number): number {
  const base = readInt64(batch, BATCH_FIELD.baseOffset)
  const columns = new RecordColumns()
  columns.parse(
    batch,
    BATCH_FIELD.records,
    batch.length,
    readInt32(batch, BATCH_FIELD.recordCount),
    readInt32(batch, BATCH_FIELD.lastOffsetDelta),
    readInt64(batch, BATCH_FIELD.baseTimestamp),
  )
  for (let index = 0; index < columns.count; index += 1) {
    if ((columns.timestamp[index] ?? 0) >= timestampMs) return base + (columns.offsetDelta[index] ?? 0)
  }
  return base
}

type Statements = ReturnType<typeof prepareStatements>

function prepareStatements(database: Database) {
  const prepare = <Parameters extends unknown[], Row>(sql: string): Statement<Parameters, Row> =>
    database.prepare<Parameters, Row>(sql)
  const partitions =
    'SELECT name, id, partition, topic, start_offset, end_offset FROM topics JOIN partitions USING (topic)'
  return {
    listPartitions: prepare<[], PartitionRow>(`${partitions} WHERE name IS NOT NULL ORDER BY name, partition`),
    listPartitionsOf: prepare<[string], PartitionRow>(`${partitions} WHERE name = ? ORDER BY partition`),
    findPartition: prepare<[number, string], PartitionRow>(
      `SELECT name, id, partition, topics.topic, start_offset, end_offset
       FROM topics LEFT JOIN partitions ON partitions.topic = topics.topic AND partition = ? WHERE name = ?`,
    ),
    findBatchAt: prepare<[number, number, number], { base_offset: number }>(
      `SELECT base_offset FROM batches
       WHERE topic = ? AND partition = ? AND max_timestamp_ms >= ? ORDER BY base_offset LIMIT 1`,
    ),
    findBatchOf: prepare<[number, number, number], { base_offset: number }>(
      `SELECT base_offset FROM batches
       WHERE topic = ? AND partition = ? AND base_offset <= ? ORDER BY base_offset DESC LIMIT 1`,
    ),
    readBatch: prepare<[number, number, number], { batch: Buffer }>(
      'SELECT batch FROM batches WHERE topic = ? AND partition = ? AND base_offset = ?',
    ),
    measureFrom: prepare<[number, number, number], { base_offset: number; bytes: number }>(
      'SELECT base_offset, bytes FROM batches WHERE topic = ? AND partition = ? AND base_offset >= ? ORDER BY base_offset',
    ),
    readRange: prepare<[number, number, number, number], { batch: Buffer }>(
      'SELECT batch FROM batches WHERE topic = ? AND partition = ? AND base_offset BETWEEN ? AND ? ORDER BY base_offset',
    ),
  }
}
