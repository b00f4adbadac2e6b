/**
 * What each aggregate and each family of functions costs at ingest: nanoseconds a record over a rollup with COUNT(*) alone, folding and sealing
 * one batch, and the bytes that its state adds to a group of the batch. CPU time of one thread; all take turns in each round, and the figure is the
 * median of their differences in a round, so that other work on the machine matters little: `./dev bench sql [NAME...] [--rounds N]`.
 */
import { parseArgs } from 'node:util'
import { IngestFold } from '../src/aggregator/ingest-fold.ts'
import { AGGREGATES } from '../src/aggregates/aggregate-table.ts'
import type { AggregateDefinition } from '../src/aggregates/aggregate.ts'
import { toTopicId } from '../src/core/shard.ts'
import { planRollup } from '../src/planner/plan-rollup.ts'
import { RecordBatchDecoder } from '../src/records/record-batch-decoder.ts'
import { loadParser } from '../src/sql/parse-statement.ts'
import { runAsOneFile } from './support/as-one-file.ts'
import { BenchReport } from './support/bench-report.ts'
import { buildAnswers, threadMs, type EventAnswer } from './support/event-answers.ts'
import { median } from './support/median.ts'

const ROUNDS_DEFAULT = '5'
/** As the tailer commits while catching up: one batch. */
const EVENTS = 250_000
const SHARD = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAQ'), partition: 0 }

/** Of 42 minutes of events: 1,670 groups, and 100,000 of which some 92,000 occur. */
const WORKLOADS = {
  coarse: "time_bucket('15 seconds', ts::timestamptz), country",
  fine: "time_bucket('50 seconds', ts::timestamptz), country, path",
} as const
type Workload = keyof typeof WORKLOADS

const NUMBER_ARGUMENTS = 'latency_ms'
const PAIR_ARGUMENTS = 'latency_ms, bytes'
const DISTINCT_ARGUMENT = 'user_id'
/** Where neither of the two fits. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  count: '*',
  approx_distinct: DISTINCT_ARGUMENT,
  bool_and: 'ok',
  bool_or: 'ok',
  every: 'ok',
  bit_and: 'user_id',
  bit_or: 'user_id',
  bit_xor: 'user_id',
  approx_percentile: 'latency_ms, 0.95',
  approx_top_k: 'path, 10',
  string_agg: "path, ','",
  percentile_cont: '0.95',
  percentile_disc: '0.95',
  mode: '',
}

/** Read and computed for each record, and counted: the cost of COUNT(x) and of the field is in it. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  'field: number': 'latency_ms',
  'field: text': 'path',
  'field: path': 'device.os',
  arithmetic: 'latency_ms * 2 + bytes',
  comparison: 'latency_ms < 500',
  logic: "latency_ms < 500 AND path <> 'x'",
  case: "CASE WHEN latency_ms < 500 THEN 'fast' ELSE 'slow' END",
  coalesce: 'COALESCE(nothing, latency_ms)',
  in: "country IN ('DE', 'FR', 'US')",
  'cast to bigint': 'bytes::bigint',
  'cast to numeric': 'latency_ms::numeric',
  'numeric arithmetic': 'latency_ms::numeric * 1.19::numeric',
  'division of numerics': 'latency_ms::numeric / 7::numeric',
  'rounding of numerics': 'round(latency_ms::numeric, 1)',
  'a constant interval': "ts::timestamptz + interval '1 hour' * 2",
  'cast to text': 'latency_ms::text',
  'cast to timestamptz': 'ts::timestamptz',
  round: 'round(latency_ms, 1)',
  'double math': 'sqrt(latency_ms)',
  power: 'power(latency_ms, 2)',
  'integer math': 'gcd(bytes::bigint, 12)',
  'bits of an integer': 'bytes::bigint & 255',
  width_bucket: 'width_bucket(latency_ms, 0, 1000, 20)',
  greatest: 'greatest(latency_ms, bytes)',
  'case of text': 'upper(path)',
  'parts of text': "split_part(path, '/', 2)",
  'fill of text': "lpad(country, 5, ' ')",
  'join of text': 'country || path',
  concat: "concat(country, '-', path)",
  like: "path LIKE '/page/1%'",
  'regular expression': "path ~ '^/page/1[0-9]$'",
  regexp_replace: "regexp_replace(path, '[0-9]+', 'n')",
  hash: 'md5(path)',
  date_trunc: "date_trunc('hour', ts::timestamptz)",
  'date_trunc in a zone': "date_trunc('day', ts::timestamptz, 'Europe/Berlin')",
  extract: 'extract(hour FROM ts::timestamptz)',
}

function callOf({ name, form, signature, withinGroup }: AggregateDefinition): string {
  const isPair = signature.includes(', ') && !signature.includes(' or ')
  const args = ARGUMENTS[name] ?? (isPair ? PAIR_ARGUMENTS : NUMBER_ARGUMENTS)
  if (withinGroup === true) return `${name}(${args}) WITHIN GROUP (ORDER BY ${NUMBER_ARGUMENTS})`
  if (form !== 'distinct') return `${name}(${args})`
  return `${name}(DISTINCT ${args === '*' ? DISTINCT_ARGUMENT : args})`
}

interface Item {
  readonly name: string
  readonly fold: IngestFold
  /** Of each round: CPU time and bytes of the batch. */
  readonly ms: number[]
  bytes: number
  groups: number
}

function createItem(name: string, call: string, workload: Workload): Item {
  const keys = WORKLOADS[workload]
  const statement = `SELECT ${keys}, COUNT(*) AS n, ${call} AS x FROM _input WHERE ok GROUP BY ${keys}`
  const plan = planRollup(statement, { versions: { timeZones: '', unicode: '' } })
  const fold = new IngestFold({ rollupId: 1, plan, onError: 'dead_letter', deadLettersMax: 100 })
  return { name, fold, ms: [], bytes: 0, groups: 0 }
}

function run(item: Item, answers: readonly EventAnswer[]): void {
  const { fold } = item
  const decoder = new RecordBatchDecoder()
  const start = threadMs()
  let next = 0
  for (const answer of answers) {
    const counts = fold.beginRange(SHARD, 'page_views', next)
    const result = decoder.decode({ bytes: answer.bytes, aborted: [] }, next, fold, counts)
    fold.endRange(result.next, result.leaderEpoch, result.maxTimestampMs)
    if (counts.dead > 0) throw new Error(`${item.name}: ${counts.dead} records were dead letters`)
    next = result.next
  }
  item.groups = fold.groupCount
  const batch = fold.seal()
  item.ms.push(threadMs() - start)
  item.bytes = batch?.byteLength ?? 0
}

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string' } } })
const rounds = Number(options.rounds ?? ROUNDS_DEFAULT)
const isAsked = (name: string): boolean => positionals.length === 0 || positionals.some((word) => name.includes(word))
await runAsOneFile('sql', import.meta.url)
const report = new BenchReport('sql')
await loadParser()
const answers = buildAnswers(EVENTS)
const calls = [
  ...AGGREGATES.map((definition) => ({ name: callOf(definition), call: callOf(definition) })),
  ...Object.entries(FUNCTIONS).map(([name, expression]) => ({ name, call: `COUNT(${expression})` })),
].filter(({ name }) => name !== 'count(*)' && isAsked(name))
for (const workload of Object.keys(WORKLOADS) as Workload[]) {
  const count = createItem('COUNT(*)', 'COUNT(*)', workload)
  const items = calls.map(({ name, call }) => createItem(name, call, workload))
  // the first round is for the compiler
  for (let round = 0; round <= rounds; round++) {
    for (const item of [count, ...items]) run(item, answers)
  }
  const over = (item: Item): number =>
    (median(item.ms.slice(1).map((ms, round) => ms - (count.ms[round + 1] as number))) * 1e6) / EVENTS
  console.log(`${workload}: ${EVENTS} events, ${count.groups} groups`)
  const alone = (median(count.ms.slice(1)) * 1e6) / EVENTS
  report.figure(`${workload}, COUNT(*) alone`, alone, 'ns a record', 'lower')
  for (const item of items) {
    const bytes = (item.bytes - count.bytes) / item.groups
    report.figure(`${workload}, ${item.name}`, over(item), 'ns a record', 'lower')
    report.figure(`${workload}, ${item.name}: state`, bytes, 'bytes a group', 'lower')
  }
}
report.end()
