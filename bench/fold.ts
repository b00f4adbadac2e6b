/**
 * How many records become partial batches in a second of one thread's CPU time, from record batches in memory: `node bench/fold.ts [coarse|fine]
 * [EVENTS]`. Checksums, the validation of every document and exact sums are in it; no broker and no leaf. `by hand` folds the
 * same answers with code that knows the statement, as the goal of what is compiled; it neither validates nor sums exactly.
 */
import { parseArgs } from 'node:util'
import { decodePartialBatch } from '../src/aggregator/partial-batch-codec.ts'
import { IngestFold } from '../src/aggregator/ingest-fold.ts'
import { toTopicId, zeroCounts } from '../src/core/shard.ts'
import { planRollup } from '../src/planner/plan-rollup.ts'
import { RecordBatchDecoder } from '../src/records/record-batch-decoder.ts'
import { loadParser } from '../src/sql/parse-statement.ts'
import { buildAnswers, threadMs, type EventAnswer } from './support/event-answers.ts'
import { HandFold } from './support/hand-fold.ts'

const ROUNDS = 5
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

const { positionals } = parseArgs({ allowPositionals: true })
const [name = 'coarse', count = '500000'] = positionals
const statement = STATEMENTS[name]
if (statement === undefined) throw new Error(`no statement "${name}": coarse or fine`)
await loadParser()
const plan = planRollup(statement, { versions: { timeZones: '', unicode: '' } })
const answers = buildAnswers(Number(count))
const events = answers.at(-1)?.next ?? 0
const rate = (ms: number): string => `${(events / ms / 1000).toFixed(2)} M events/s`
const fold = new IngestFold({ rollupId: 1, plan, onError: 'dead_letter', deadLettersMax: 100 })
let best: Result | undefined
let bestHandMs = Infinity
for (let round = 0; round < ROUNDS; round++) {
  const result = foldAll(fold, answers, String(round).padEnd(TOPIC_ID_LENGTH, 'A'))
  if (best === undefined || result.foldMs < best.foldMs) best = result
  bestHandMs = Math.min(bestHandMs, handAll(answers, name === 'fine'))
}
if (best === undefined) throw new Error('no round')
const { groups, foldMs, sealMs, bytes, buffers } = best
const readMs = readBack(buffers)
console.log(
  `${name}: ${events} events, ${groups} groups in ${buffers.length} batches, ${Math.round(bytes / groups)} bytes a group`,
)
console.log(`fold            ${rate(foldMs)}`)
console.log(`fold and seal   ${rate(foldMs + sealMs)}, sealing ${((sealMs * 1000) / groups).toFixed(2)} us a group`)
console.log(`reading back    ${((readMs * 1000) / groups).toFixed(2)} us a group`)
console.log(`by hand         ${rate(bestHandMs)}, ratio ${(bestHandMs / foldMs).toFixed(2)}`)
