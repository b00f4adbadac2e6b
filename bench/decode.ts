/**
 * How fast records are read from batches in memory: `./dev bench decode [EVENTS] [CODEC]`. No broker, no folding: the
 * part of the hot path that src/records owns. Of each answer the best of some rounds counts, because other work on the machine
 * can only slow it down.
 */
import { parseArgs } from 'node:util'
import { zeroCounts } from '../src/core/shard.ts'
import type { Codec } from '../src/records/codecs.ts'
import { JSON_OUTCOME, type JsonPath } from '../src/core/json-field.ts'
import { JsonFieldReader } from '../src/records/json-field-reader.ts'
import { RecordBatchDecoder } from '../src/records/record-batch-decoder.ts'
import { encodeBatch, type EncodableRecord } from '../src/records/record-batch-encoder.ts'
import type { RecordVisitor } from '../src/records/record-visitor.ts'
import { runAsOneFile } from './support/as-one-file.ts'
import { BenchReport } from './support/bench-report.ts'
import { EVENT_STEP_MS, FIRST_EVENT_MS, PageViews } from './support/page-views.ts'

const ROUNDS = 7
/** What a producer makes of its default 16 kB batch.size at full load is less; 1 MB answers hold many. */
const RECORDS_PER_BATCH = 500
/** As the tailer fetches. */
const ANSWER_BYTES = 1024 * 1024

const SIX_FIELDS: readonly JsonPath[] = [['ts'], ['country'], ['path'], ['latency_ms'], ['bytes'], ['ok']]
const TWO_FIELDS: readonly JsonPath[] = [['country'], ['ok']]
const NESTED_FIELDS: readonly JsonPath[] = [['ts'], ['device', 'os'], ['latency_ms']]

class CountingVisitor implements RecordVisitor {
  records = 0
  valueBytes = 0
  beginBatch(): void {}
  record(_offset: number, _timestampMs: number, _ks: number, _ke: number, valueStart: number, valueEnd: number): void {
    this.records++
    this.valueBytes += valueEnd - valueStart
  }
}

class JsonVisitor implements RecordVisitor {
  records = 0
  readonly #reader: JsonFieldReader
  #bytes: Uint8Array = new Uint8Array()
  constructor(paths: readonly JsonPath[]) {
    this.#reader = new JsonFieldReader(paths)
  }
  beginBatch(bytes: Uint8Array): void {
    this.#bytes = bytes
  }
  record(_offset: number, _timestampMs: number, _ks: number, _ke: number, valueStart: number, valueEnd: number): void {
    if (this.#reader.read(this.#bytes, valueStart, valueEnd) !== JSON_OUTCOME.OK) throw new Error('unreadable event')
    this.records++
  }
}

/** Batches in answers of about ANSWER_BYTES, as a fetch gives them. */
function buildAnswers(events: number, codec: Codec): Uint8Array[] {
  const views = new PageViews()
  const answers: Uint8Array[] = []
  let batches: Uint8Array[] = []
  let size = 0
  for (let base = 0; base < events; base += RECORDS_PER_BATCH) {
    const records: EncodableRecord[] = []
    for (let index = base; index < Math.min(base + RECORDS_PER_BATCH, events); index++) {
      const value = Buffer.from(JSON.stringify(views.next()))
      records.push({ key: null, value, timestampMs: FIRST_EVENT_MS + index * EVENT_STEP_MS })
    }
    const batch = encodeBatch({ baseOffset: base, records, codec })
    batches.push(batch)
    size += batch.length
    if (size >= ANSWER_BYTES || base + RECORDS_PER_BATCH >= events) {
      answers.push(Buffer.concat(batches))
      batches = []
      size = 0
    }
  }
  return answers
}

function measure(
  title: string,
  answers: readonly Uint8Array[],
  makeVisitor: () => RecordVisitor & { records: number },
): void {
  const decoder = new RecordBatchDecoder()
  const bestMs = answers.map(() => Infinity)
  let records = 0
  for (let round = 0; round < ROUNDS; round++) {
    const visitor = makeVisitor()
    const counts = zeroCounts()
    let next = 0
    for (const [index, bytes] of answers.entries()) {
      const startMs = performance.now()
      next = decoder.decode({ bytes, aborted: [] }, next, visitor, counts).next
      bestMs[index] = Math.min(bestMs[index]!, performance.now() - startMs)
    }
    records = visitor.records
  }
  const totalMs = bestMs.reduce((sum, ms) => sum + ms, 0)
  report.figure(title, records / totalMs / 1000, 'M events/s', 'higher')
}

function main(): void {
  const { positionals } = parseArgs({ allowPositionals: true })
  const events = Number(positionals[0] ?? 1_000_000)
  const codec = (positionals[1] ?? 'none') as Codec
  const answers = buildAnswers(events, codec)
  const bytes = answers.reduce((sum, answer) => sum + answer.length, 0)
  console.log(
    `${process.version}, ${events} events, codec ${codec}, ${(bytes / events).toFixed(0)} bytes each in batches`,
  )
  measure('decode with checksum', answers, () => new CountingVisitor())
  measure('decode + 6 JSON fields', answers, () => new JsonVisitor(SIX_FIELDS))
  measure('decode + 2 JSON fields', answers, () => new JsonVisitor(TWO_FIELDS))
  measure('decode + 3 JSON fields, one nested', answers, () => new JsonVisitor(NESTED_FIELDS))
}

await runAsOneFile('decode', import.meta.url)
const report = new BenchReport('decode')
main()
report.end()
