/**
 * Owns the way of records into a leaf and back in the properties: batches in any split, ranges that come again or stand elsewhere, a leaf
 * that is closed and opened again between; then the group rows as they are stored, and the answer of the real query path.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import { IngestFold } from '../../src/aggregator/ingest-fold.ts'
import { decodePartialBatch } from '../../src/aggregator/partial-batch-codec.ts'
import type { OnError } from '../../src/core/policy.ts'
import { toTopicId, type Shard } from '../../src/core/shard.ts'
import { openLeafReader } from '../../src/leaf/leaf-database.ts'
import type { RangeOutcome } from '../../src/leaf/leaf-store.ts'
import { SqliteLeaf } from '../../src/leaf/sqlite-leaf.ts'
import type { RollupPlan } from '../../src/planner/plan.ts'
import { planRollup } from '../../src/planner/plan-rollup.ts'
import type { SourceRollup } from '../../src/planner/source-scopes.ts'
import type { AnswerBody, CellErrorNote } from '../../src/query/query-request.ts'
import { QueryRunner } from '../../src/query/query-runner.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { TOPIC, type SourceRecord } from './naive-expressions.ts'

/** Making and dropping thousands of rollups is synced; on a disk that takes three quarters of the time. */
const MEMORY_FOLDER = '/dev/shm'
const TOPIC_ID = toTopicId('AAAAAAAAAAAAAAAAAAAAAQ')
const DEAD_LETTERS_MAX = 10_000
const MEMORY_BYTES_MAX = 2 ** 30
const STATEMENT_BYTES_MAX = 1 << 20
const ROWS_MAX = 100_000
const ANSWER_BYTES_MAX = 2 ** 26

function shardOf(partition: number): Shard {
  return { topicId: TOPIC_ID, partition }
}

export function plan(sql: string): RollupPlan {
  return planRollup(sql, { versions: { timeZones: '', unicode: '' }, statementBytesMax: STATEMENT_BYTES_MAX })
}

/** Of a statement that reads another rollup. */
export function planOver(sql: string, source: SourceRollup): RollupPlan {
  return planRollup(sql, {
    versions: { timeZones: '', unicode: '' },
    statementBytesMax: STATEMENT_BYTES_MAX,
    source,
  })
}

export interface Stored {
  /** Every group row, all columns but the epoch, as text. */
  readonly rows: readonly string[]
  /** Partition, offset and code. */
  readonly deadLetters: readonly string[]
  readonly aggregated: number
  readonly filtered: number
  readonly kindMismatches: number
  readonly groups: number
}

export interface Answer {
  /** Each row as JSON. */
  readonly lines: readonly string[]
  readonly errors: readonly CellErrorNote[]
}

/** How a rollup gets its records: all at once, or at random, with the leaf closed and opened again before so many of the batches. */
export type Arrival = 'whole' | { readonly random: SeededRandom; readonly restartChance: number }

export interface FoldOptions {
  readonly onError: OnError
  /** Fewer than 128 bits make groups share their ids. */
  readonly idBits?: number
}

/** One leaf file for many rollups, each dropped after its run. */
export class LeafBench {
  readonly #directory: string
  readonly #runner: QueryRunner
  #leaf: SqliteLeaf
  #reader: BetterSqlite3.Database | undefined
  #count = 0

  private constructor(directory: string, runner: QueryRunner) {
    this.#directory = directory
    this.#runner = runner
    this.#leaf = openLeaf(directory)
  }

  static async create(): Promise<LeafBench> {
    await loadParser()
    const directory = mkdtempSync(join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'rollupd-property-'))
    const spoolDirectory = join(directory, 'spool')
    mkdirSync(spoolDirectory)
    const runner = await QueryRunner.create({
      leafPath: join(directory, 'leaf.db'),
      spoolDirectory,
      memoryBytesMax: MEMORY_BYTES_MAX,
      statementBytesMax: STATEMENT_BYTES_MAX,
    })
    return new LeafBench(directory, runner)
  }

  /** Makes a rollup, brings it the records, and hands its name to `body`; then it is dropped. */
  withRollup<T>(
    rollup: RollupPlan,
    records: readonly SourceRecord[],
    arrival: Arrival,
    options: FoldOptions,
    body: (name: string) => T,
  ): T {
    const name = `r${this.#count++}`
    const partitions = [...new Set([0, ...records.map(({ partition }) => partition)])]
    const { id } = this.#leaf.createRollup({
      name,
      plan: rollup,
      topic: TOPIC,
      start: 'earliest',
      onError: options.onError,
      onLoss: 'halt',
      indexes: [],
      shards: partitions.map((partition) => ({ shard: shardOf(partition), startOffset: 0 })),
    })
    try {
      this.#deliver(id, rollup, records, arrival, options)
      return body(name)
    } finally {
      this.#leaf.dropRollup(name)
    }
  }

  /** Brings records to a rollup that is there. */
  deliver(
    name: string,
    rollup: RollupPlan,
    records: readonly SourceRecord[],
    arrival: Arrival,
    options: FoldOptions,
  ): void {
    const { id = 0, shards = [] } = this.#leaf.findRollup(name) ?? {}
    const known = new Set(shards.map(({ shard }) => shard.partition))
    const missing = [...new Set(records.map(({ partition }) => partition))].filter((partition) => !known.has(partition))
    this.#leaf.addShards(
      id,
      missing.map((partition) => ({ shard: shardOf(partition), startOffset: 0 })),
    )
    this.#deliver(id, rollup, records, arrival, options)
  }

  #deliver(
    id: number,
    rollup: RollupPlan,
    records: readonly SourceRecord[],
    arrival: Arrival,
    options: FoldOptions,
  ): void {
    const way = new RecordWay(this, id, rollup, records, options)
    if (arrival === 'whole') way.deliverWhole()
    else way.deliverRandomly(arrival)
  }

  /** Makes a rollup of a rollup that is there, and drops it behind `body`. */
  withFollower<T>(rollup: RollupPlan, sourceName: string, body: (name: string, plan: RollupPlan) => T): T {
    const name = `r${this.#count++}`
    const source = this.#leaf.findRollup(sourceName)
    if (source === undefined) throw new Error(`no rollup ${sourceName}`)
    this.#leaf.createRollup({
      name,
      plan: rollup,
      topic: TOPIC,
      start: null,
      onError: 'null',
      onLoss: 'halt',
      indexes: [],
      shards: [],
      sourceId: source.id,
    })
    try {
      return body(name, rollup)
    } finally {
      this.#leaf.dropRollup(name)
    }
  }

  get leaf(): SqliteLeaf {
    return this.#leaf
  }

  /** As after the end of a process. */
  restart(): void {
    this.#leaf.close()
    this.#leaf = openLeaf(this.#directory)
  }

  stored(name: string): Stored {
    const rollup = this.#leaf.findRollup(name)
    if (rollup === undefined) throw new Error(`no rollup ${name}`)
    this.#reader ??= openLeafReader(join(this.#directory, 'leaf.db'))
    const rows = ['', '_overflow'].flatMap((suffix) =>
      (this.#reader as BetterSqlite3.Database)
        .prepare<[], Record<string, unknown>>(`SELECT * FROM g${rollup.id}${suffix}`)
        .safeIntegers()
        .all()
        .map(showRow),
    )
    const counts = (which: 'aggregated' | 'filtered' | 'kind_mismatch'): number =>
      rollup.shards.reduce((sum, shard) => sum + shard.counts[which], 0)
    return {
      rows: rows.toSorted(),
      deadLetters: this.#leaf
        .listDeadLetters(rollup.id, DEAD_LETTERS_MAX, 0)
        .map(({ partition, offset, code }) => `${partition}:${offset} ${code}`)
        .toSorted(),
      aggregated: counts('aggregated'),
      filtered: counts('filtered'),
      kindMismatches: counts('kind_mismatch'),
      groups: rollup.groups,
    }
  }

  query(sql: string): Answer {
    const { body, meta } = this.#runner.run({
      sql,
      params: [],
      rowsMax: ROWS_MAX,
      bytesMax: ANSWER_BYTES_MAX,
      onCellError: 'null',
      bigNumbers: 'number',
      format: 'ndjson',
      receivedAtMs: 0,
    })
    const lines = readBody(body).toString('utf8').trimEnd().split('\n').slice(0, -1)
    return { lines, errors: meta.errors ?? [] }
  }

  close(): void {
    this.#reader?.close()
    this.#runner.close()
    this.#leaf.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** Padded texts make some answers so large that they stand in a file. */
function readBody(body: AnswerBody): Buffer {
  if ('bytes' in body) return Buffer.from(body.bytes)
  const bytes = readFileSync(body.path)
  rmSync(body.path)
  return bytes
}

function openLeaf(directory: string): SqliteLeaf {
  return new SqliteLeaf(join(directory, 'leaf.db'), {
    now: () => 0,
    deadLetterLimits: { countMax: DEAD_LETTERS_MAX, bytesMax: MEMORY_BYTES_MAX },
  })
}

function showRow(row: Record<string, unknown>): string {
  const cells = Object.entries(row).filter(([name]) => name !== 'epoch')
  return cells
    .map(
      ([name, value]) =>
        `${name}=${value instanceof Uint8Array ? `x${Buffer.from(value).toString('hex')}` : `${typeof value} ${String(value)}`}`,
    )
    .join(' ')
}

const HALTING_DISTURBANCES = ['batch again', 'discard', 'restart'] as const
const DISTURBANCES = [...HALTING_DISTURBANCES, 'records again', 'gap', 'overlap'] as const

/** The records of one rollup on their way: a fold, and where each shard stands. */
class RecordWay {
  readonly #bench: LeafBench
  readonly #id: number
  readonly #plan: RollupPlan
  readonly #options: FoldOptions
  readonly #records: ReadonlyMap<number, readonly SourceRecord[]>
  /** Behind the last record of each partition. */
  readonly #ends: ReadonlyMap<number, number>
  readonly #next: Map<number, number>
  /** Failing records that a person has looked at, by partition. */
  readonly #accepted = new Map<number, number>()
  #fold: IngestFold
  #last: ArrayBuffer | undefined

  constructor(
    bench: LeafBench,
    id: number,
    rollup: RollupPlan,
    records: readonly SourceRecord[],
    options: FoldOptions,
  ) {
    this.#bench = bench
    this.#id = id
    this.#plan = rollup
    this.#options = options
    this.#records = Map.groupBy(records, ({ partition }) => partition)
    this.#ends = new Map([...this.#records].map(([partition, list]) => [partition, (list.at(-1)?.offset ?? -1) + 1]))
    this.#next = new Map([...this.#ends.keys()].map((partition) => [partition, 0]))
    this.#fold = this.#createFold()
  }

  #createFold(): IngestFold {
    const { onError, idBits } = this.#options
    return new IngestFold({
      rollupId: this.#id,
      plan: this.#plan,
      onError,
      deadLettersMax: DEAD_LETTERS_MAX,
      ...(idBits === undefined ? {} : { idBits }),
    })
  }

  deliverWhole(): void {
    for (const [partition, end] of this.#ends) this.#foldRange(partition, 0, end)
    this.#commit('accepted')
  }

  deliverRandomly({ random, restartChance }: Exclude<Arrival, 'whole'>): void {
    for (;;) {
      const waiting = [...this.#ends].filter(([partition, end]) => (this.#next.get(partition) as number) < end)
      if (waiting.length === 0) break
      if (random.chance(0.25)) this.#disturb(random)
      if (restartChance > 0 && random.chance(restartChance)) this.#restart()
      this.#deliverSome(random, waiting)
    }
    if (this.#ends.size > 0 && random.chance(0.3)) this.#disturb(random)
  }

  /** A batch of some ranges of some shards. */
  #deliverSome(random: SeededRandom, waiting: readonly (readonly [number, number])[]): void {
    const pieces = 1 + random.below(3)
    const positions = new Map(this.#next)
    for (let piece = 0; piece < pieces; piece++) {
      const [partition, end] = random.pick(waiting)
      const first = positions.get(partition) as number
      if (first === end) continue
      const next = first + 1 + random.below(random.chance(0.3) ? end - first : Math.min(end - first, 4))
      positions.set(partition, this.#foldRange(partition, first, next))
    }
    this.#commit('accepted')
    for (const [partition, next] of positions) this.#next.set(partition, next)
  }

  /** Something that must change nothing. */
  #disturb(random: SeededRandom): void {
    const [partition, end] = random.pick([...this.#ends])
    const next = this.#next.get(partition) as number
    // a range that halts ends elsewhere than it is asked to
    const kinds = this.#options.onError === 'halt' ? HALTING_DISTURBANCES : DISTURBANCES
    switch (random.pick(kinds)) {
      case 'batch again':
        if (this.#last !== undefined) this.#send(this.#last, 'duplicate')
        return
      // perhaps cut elsewhere
      case 'records again':
        if (next === 0) return
        this.#foldRange(partition, 0, 1 + random.below(next))
        this.#commit('duplicate')
        return
      case 'gap':
        if (next + 1 >= end) return
        this.#foldRange(partition, next + 1, end)
        this.#commit('refused')
        return
      // begins before the position and ends behind it
      case 'overlap':
        if (next === 0 || next === end) return
        this.#foldRange(partition, next - 1, end)
        this.#commit('refused')
        return
      case 'discard':
        if (next < end) this.#foldRange(partition, next, end)
        this.#fold.discard()
        return
      case 'restart':
        this.#restart()
    }
  }

  #restart(): void {
    this.#bench.restart()
    this.#fold = this.#createFold()
  }

  /**
   * Folds [first, next) and says how far it came: under on_error halt up to a record that fails, which is accepted when the range after
   * begins with it. Offsets without a record count as holes.
   */
  #foldRange(partition: number, first: number, next: number): number {
    const fold = this.#fold
    const isHalting = this.#options.onError === 'halt'
    const counts = fold.beginRange(
      shardOf(partition),
      TOPIC,
      first,
      isHalting ? (this.#accepted.get(partition) ?? -1) : -1,
    )
    let count = 0
    for (const record of this.#records.get(partition) ?? []) {
      if (record.offset < first || record.offset >= next) continue
      count++
      const key = Buffer.from(record.key ?? '')
      const value = Buffer.from(record.text)
      // values stand anywhere in a fetched buffer
      fold.beginBatch(Buffer.concat([Buffer.from('<'), key, value, Buffer.from('>')]))
      const keyStart = record.key === null ? -1 : 1
      const valueStart = 1 + key.length
      fold.record(
        record.offset,
        record.timestampMs,
        keyStart,
        keyStart < 0 ? -1 : valueStart,
        valueStart,
        valueStart + value.length,
        0,
        0,
      )
      const halted = fold.haltedRecord
      if (halted === undefined) continue
      this.#accepted.set(partition, halted.offset)
      counts.holes += halted.offset - first - count + 1
      fold.endRange(halted.offset, 0, 0)
      return halted.offset
    }
    counts.holes += next - first - count
    fold.endRange(next, 0, 0)
    return next
  }

  #commit(expected: RangeOutcome['outcome']): void {
    const batch = this.#fold.seal()
    if (batch === undefined) return
    this.#send(batch, expected)
    if (expected === 'accepted') this.#last = batch
  }

  #send(batch: ArrayBuffer, expected: RangeOutcome['outcome']): void {
    const { batches } = this.#bench.leaf.commit([decodePartialBatch(batch.slice(0))])
    const outcomes = batches[0]?.ranges.map(({ outcome }) => outcome) ?? []
    if (outcomes.some((outcome) => outcome !== expected)) {
      throw new Error(`ranges were ${outcomes.join(', ')}, expected ${expected}`)
    }
  }
}
