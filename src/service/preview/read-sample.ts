/**
 * Owns reading a sample of a topic over the port of record sources: without a consumer group, without a position that anyone keeps. It
 * ends with the records that are there.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { RollupdError } from '../../core/errors.ts'
import { RecordBatchDecoder } from '../../records/record-batch-decoder.ts'
import type { FetchAnswer, Partition, RecordReader, RecordSource, Topic } from '../../tailer/record-source.ts'
import { findTopic } from '../find-topic.ts'
import { resolveStart } from '../start-position.ts'
import { chooseInTurn, chooseNewest } from './choose-records.ts'
import { PartitionWindow } from './partition-window.ts'
import type { PreviewSource } from './preview-request.ts'
import type { SampledRecord } from './sampled-record.ts'

/** Of one fetch over all partitions. */
const FETCH_BYTES_MAX = 8 << 20
/** How long a fetch waits for records that ought to be there. */
const FETCH_WAIT_MS = 100
/** Fetches in a row that brought nothing: then it is as much as can be had. */
const IDLE_FETCHES_MAX = 10
/** Between two of them, while a partition has no leader. */
const IDLE_MS = 50
/** Reading ends with what it has: a preview is for someone who waits. */
const READ_MS_MAX = 5000
/** Of all kept records, about. */
const SAMPLE_BYTES_MAX = 64 << 20
/** Where most offsets hold no record (compaction, markers), each look back goes so many times as far. */
const LOOK_BACK_FACTOR = 8

export interface Sample {
  readonly topic: string
  readonly records: readonly SampledRecord[]
  readonly warnings: readonly string[]
}

/** `clock`: milliseconds, monotonic. Errors: unknown_topic, start_out_of_range, bad_parameter, broker_away. */
export async function readSample(
  source: RecordSource,
  request: Extract<PreviewSource, { kind: 'topic' }>,
  clock: () => number,
): Promise<Sample> {
  const topic = await findTopic(source, request.topic)
  const reader = source.openReader()
  const run = new SampleRun(topic, reader, request.sample, clock)
  try {
    const { start, sample } = request
    const records =
      start === 'latest'
        ? chooseNewest(await run.readNewest(), sample)
        : chooseInTurn(await run.readFrom(await resolveStart(source, topic, start)), sample)
    return { topic: topic.name, records, warnings: run.warnings }
  } finally {
    await reader.close()
  }
}

class SampleRun {
  readonly warnings: string[] = []
  readonly #topic: Topic
  readonly #reader: RecordReader
  readonly #countMax: number
  readonly #clock: () => number
  readonly #decoder = new RecordBatchDecoder()
  readonly #deadlineMs: number
  #isOver = false

  constructor(topic: Topic, reader: RecordReader, countMax: number, clock: () => number) {
    this.#topic = topic
    this.#reader = reader
    this.#countMax = countMax
    this.#clock = clock
    this.#deadlineMs = clock() + READ_MS_MAX
  }

  async readFrom(starts: Awaited<ReturnType<typeof resolveStart>>): Promise<(readonly SampledRecord[])[]> {
    const ends = new Map(this.#topic.partitions.map(({ partition, endOffset }) => [partition, endOffset]))
    const windows = starts.map(
      ({ shard, startOffset }) =>
        new PartitionWindow(shard, startOffset, ends.get(shard.partition) ?? startOffset, this.#countMax, false),
    )
    await this.#read(windows)
    return windows.map(({ records }) => records)
  }

  /** Of each partition as many as the sample may have; further back where there are fewer records than offsets. */
  async readNewest(): Promise<(readonly SampledRecord[])[]> {
    const found = this.#topic.partitions.map((partition) => ({
      partition,
      from: partition.endOffset,
      records: [] as readonly SampledRecord[],
    }))
    for (let offsets = this.#countMax; !this.#isOver; offsets *= LOOK_BACK_FACTOR) {
      const short = found.filter(({ partition, from, records }) => this.#lacks(partition, from, records.length))
      if (short.length === 0) break
      const windows = short.map(({ partition, from, records }) => {
        const first = Math.max(partition.startOffset, from - offsets)
        const shard = { topicId: this.#topic.id, partition: partition.partition }
        return new PartitionWindow(shard, first, from, this.#countMax - records.length, true)
      })
      const firsts = windows.map(({ next }) => next)
      await this.#read(windows)
      for (const [index, one] of short.entries()) {
        one.from = firsts[index]!
        one.records = [...windows[index]!.records, ...one.records]
      }
    }
    return found.map(({ records }) => records)
  }

  #lacks({ startOffset }: Partition, from: number, count: number): boolean {
    return count < this.#countMax && from > startOffset
  }

  async #read(windows: readonly PartitionWindow[]): Promise<void> {
    for (let idle = 0; idle < IDLE_FETCHES_MAX;) {
      const open = windows.filter(({ isRead }) => !isRead)
      if (open.length === 0) return
      if (this.#mustEnd(windows)) return
      const answers = await this.#reader.fetch(
        open.map(({ shard, next, fetchBytes }) => ({
          topic: this.#topic.name,
          shard,
          offset: next,
          maxBytes: fetchBytes,
        })),
        { maxWaitMs: FETCH_WAIT_MS, maxBytes: FETCH_BYTES_MAX },
      )
      let isIdle = true
      for (const [index, answer] of answers.entries()) if (this.#take(open[index]!, answer)) isIdle = false
      idle = isIdle ? idle + 1 : 0
      if (isIdle) await delay(IDLE_MS)
    }
    this.#end('some partitions gave no records in time')
  }

  #take(window: PartitionWindow, answer: FetchAnswer): boolean {
    if (answer.error === undefined) {
      const led = window.take(answer, this.#decoder)
      if (window.warning !== undefined) this.warnings.push(`reading ended early: ${window.warning}`)
      return led
    }
    const { code, message } = answer.error
    switch (code) {
      case 'broker_away':
        throw new RollupdError('broker_away', message)
      case 'unknown_topic':
      case 'recreated':
        throw new RollupdError('unknown_topic', message)
      case 'out_of_range':
        // what was there a moment ago has expired
        if (answer.logStartOffset <= window.next) window.isRead = true
        else window.skipTo(answer.logStartOffset)
        return true
      case 'stale_leader':
        return false
    }
  }

  #mustEnd(windows: readonly PartitionWindow[]): boolean {
    if (this.#clock() > this.#deadlineMs) return this.#end(`reading took longer than ${READ_MS_MAX} ms`)
    let bytes = 0
    for (const { records } of windows) for (const record of records) bytes += record.bytes.length
    return bytes > SAMPLE_BYTES_MAX && this.#end(`the sample holds more than ${SAMPLE_BYTES_MAX >> 20} MB`)
  }

  #end(why: string): true {
    this.#isOver = true
    this.warnings.push(`${why}: these are the records read until then`)
    return true
  }
}
