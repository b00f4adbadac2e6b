/**
 * How many records become partial batches in a second of one thread's CPU time, from record batches in memory: `./dev bench fold
 * [coarse|fine] [EVENTS]`, both where none is named. Checksums, the validation of every document and exact sums are in it; no broker and no
 * leaf. `by hand` folds the same answers with code that knows the statement, as the goal of what is compiled; it neither validates nor sums exactly.
 */
import { parseArgs } from 'node:util'
import { decodePartialBatch } from '../src/aggregator/partial-batch-codec.ts'
import { IngestFold } from '../src/aggregator/ingest-fold.ts'
import { zeroCounts } from '../src/core/shard.ts'
import { planRollup } from '../src/planner/plan-rollup.ts'
import { RecordBatchDecoder } from '../src/records/record-batch-decoder.ts'
import { loadParser } from '../src/sql/parse-statement.ts'
import { runAsOneFile } from './support/as-one-file.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildAnswers, threadMs, type EventAnswer } from './support/event-answers.ts'
import { foldAnswers, type FoldResult } from './support/fold-answers.ts'
import { HandFold } from './support/hand-fold.ts'
import { type Workload, WORKLOADS } from './support/workloads.ts'

const ROUNDS = 5
/** Of the coarse statement: decoding, fields and fold. */
const MILLIONS_BAR = 2

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
  for (const buffer of buffers) for (const group of decodePartialBatch(buffer).groups()) records += group.records
  if (records === 0) throw new Error('nothing was read back')
  return threadMs() - startedAt
}

function measure(name: Workload, answers: readonly EventAnswer[]): void {
  const plan = planRollup(WORKLOADS[name], { versions: { timeZones: '', unicode: '' } })
  const events = answers.at(-1)?.next ?? 0
  const fold = new IngestFold({ rollupId: 1, plan, onError: 'dead_letter', deadLettersMax: 100 })
  const results: FoldResult[] = []
  let bestHandMs = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    results.push(foldAnswers(fold, answers, round))
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
if (name !== undefined && !(name in WORKLOADS)) throw new Error(`no workload "${name}": coarse or fine`)
const names = (name === undefined ? Object.keys(WORKLOADS) : [name]) as Workload[]
const report = new BenchReport('fold')
await loadParser()
const answers = buildAnswers(Number(count))
for (const each of names) measure(each, answers)
report.end()
