/**
 * How many records become partial batches in a second of one thread's CPU time, from record batches in memory: `./dev bench fold
 * [coarse|fine] [EVENTS]`, both where none is named. Checksums, the validation of every document and exact sums are in it; no broker and no leaf. `by hand` folds the
 * same answers with code that knows the statement, as the goal of what is compiled; it neither validates nor sums exactly.
 */
import { parseArgs } from 'node:util'
import { decodePartialBatch } from '../src/aggregator/partial-batch-codec.ts'
import { IngestFold } from '../src/aggregator/ingest-fold.ts'
import { toTopicId, zeroCounts } from '../src/core/shard.ts'
import { planRollup } from '../src/planner/plan-rollup.ts'
import { RecordBatchDecoder } from '../src/records/record-batch-decoder.ts'
import { loadParser } from '../src/sql/parse-statement.ts'
import { runAsOneFile } from './support/as-one-file.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildAnswers, threadMs, type EventAnswer } from './support/event-answers.ts'
import { HandFold } from './support/hand-fold.ts'

const ROUNDS = 5
/** Of the coarse statement: decoding, fields and fold. */
const MILLIONS_BAR = 2
/** Characters of 16 bytes. */
const TOPIC_ID_LENGTH = 22
/** As the tailer commits while catching up. */
const EVENTS_PER_SEAL = 250_000

const SELECTED =
  'COUNT(*) AS views, SUM(bytes) AS bytes, AVG(latency_ms) AS avg_latency, MAX(latency_ms) AS max_latency'
const MINUTE = "date_trunc('minute', ts::timestamptz) AS minute"
const STATEMENTS: Readonly<Record<string, string>> = {
  coarse: `SELECT ${MINUTE}, country, ${SELECTED} FROM _input WHERE ok GROUP BY minute, country`,
  fine: `SELECT ${MINUTE}, country, path, ${SELECTED} FROM _input WHERE ok GROUP BY minute, country, path`,
}

interface Result {
  readonly groups: number
  readonly foldMs: number
  readonly sealMs: number
  readonly bytes: number
  readonly buffers: readonly ArrayBuffer[]
}

/** One pass over the answers, sealing as the tailer does. */
function foldAll(fold: IngestFold, answers: readonly EventAnswer[], topicId: string): Result {
  const decoder = new RecordBatchDecoder()
  const shard = { topicId: toTopicId(topicId), partition: 0 }
  const buffers: ArrayBuffer[] = []
  let [next, sealedAt, groups, foldMs, sealMs, bytes] = [0, 0, 0, 0, 0, 0]
  for (const answer of answers) {
    const startedAt = threadMs()
    const counts = fold.beginRange(shard, 'page_views', next)
    const result = decoder.decode({ bytes: answer.bytes, aborted: [] }, next, fold, counts)
    fold.endRange(result.next, result.leaderEpoch, result.maxTimestampMs)
    next = result.next
    foldMs += threadMs() - startedAt
    if (next - sealedAt < EVENTS_PER_SEAL && answer !== answers.at(-1)) continue
    groups += fold.groupCount
    sealedAt = next
    const sealingAt = threadMs()
    const buffer = fold.seal()
    sealMs += threadMs() - sealingAt
    if (buffer === undefined) throw new Error('nothing was folded')
    bytes += buffer.byteLength
    buffers.push(buffer)
  }
  return { groups, foldMs, sealMs, bytes, buffers }
}

function handAll(answers: readonly EventAnswer[], isFine: boolean): number {
  const decoder = new RecordBatchDecoder()
  const fold = new HandFold(isFine)
  const startedAt = threadMs()
  let next = 0
  for (const answer of answers)
    next = decoder.decode({ bytes: answer.bytes, aborted: [] }, next, fold, zeroCounts()).next
  return threadMs() - startedAt
}

function readBack(buffers: readonly ArrayBuffer[]): number {
  const startedAt = threadMs()
  let records = 0
  for (const buffer of buffers) decodePartialBatch(buffer).readGroups((group) => (records += group.records))
  if (records === 0) throw new Error('nothing was read back')
  return threadMs() - startedAt
}

function measure(name: string, statement: string, answers: readonly EventAnswer[]): void {
  const plan = planRollup(statement, { versions: { timeZones: '', unicode: '' } })
  const events = answers.at(-1)?.next ?? 0
  const fold = new IngestFold({ rollupId: 1, plan, onError: 'dead_letter', deadLettersMax: 100 })
  const results: Result[] = []
  let bestHandMs = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    results.push(foldAll(fold, answers, String(round).padEnd(TOPIC_ID_LENGTH, 'A')))
    bestHandMs = Math.min(bestHandMs, handAll(answers, name === 'fine'))
  }
  const [best] = results.toSorted((a, b) => a.foldMs - b.foldMs)
  if (best === undefined) throw new Error('no round')
  const { groups, foldMs, sealMs, bytes, buffers } = best
  const millions = (ms: number): number => events / ms / 1000
  console.log(`${name}: ${events} events, ${groups} groups in ${buffers.length} batches`)
  report.figure(`${name}: fold`, millions(foldMs), 'M events/s', 'higher')
  report.figure(`${name}: fold and seal`, millions(foldMs + sealMs), 'M events/s', 'higher')
  report.figure(`${name}: sealing`, (sealMs * 1000) / groups, 'us a group', 'lower')
  report.figure(`${name}: reading back`, (readBack(buffers) * 1000) / groups, 'us a group', 'lower')
  report.figure(`${name}: size in a batch`, bytes / groups, 'bytes a group', 'lower')
  report.figure(`${name}: by hand`, millions(bestHandMs), 'M events/s')
  if (name === 'coarse')
    report.bar('coarse: decode, fields and fold', millions(foldMs), { atLeast: MILLIONS_BAR, unit: 'M events/s' })
}

const { positionals } = parseArgs({ allowPositionals: true })
const [name, count = '500000'] = positionals
await runAsOneFile('fold', import.meta.url)
const names = name === undefined ? Object.keys(STATEMENTS) : [name]
const report = new BenchReport('fold')
await loadParser()
const answers = buildAnswers(Number(count))
for (const each of names) {
  const statement = STATEMENTS[each]
  if (statement === undefined) throw new Error(`no statement "${each}": coarse or fine`)
  measure(each, statement, answers)
}
report.end()
