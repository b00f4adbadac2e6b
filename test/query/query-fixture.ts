/** A leaf on a file of its own, filled by the real planner and fold, and queries on it in this process. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IngestFold } from '../../src/aggregator/ingest-fold.ts'
import { decodePartialBatch } from '../../src/aggregator/partial-batch-codec.ts'
import { toTopicId, type Shard } from '../../src/core/shard.ts'
import { SqliteLeaf } from '../../src/leaf/sqlite-leaf.ts'
import { openLeafReader } from '../../src/leaf/leaf-database.ts'
import { compileQuery } from '../../src/query/compile-query.ts'
import { LeafCatalog } from '../../src/query/query-catalog.ts'
import type { ProcessAnswer, ProcessOptions, ProcessRequest } from '../../src/query/query-request.ts'
import { QuerySession } from '../../src/query/query-session.ts'
import { QueryRunner } from '../../src/query/query-runner.ts'
import { rollupNamesOf } from '../../src/query/rollup-names.ts'
import { SqliteFunctions } from '../../src/query/sqlite-functions.ts'
import { loadParser, parseStatement } from '../../src/sql/parse-statement.ts'
import { planOf } from '../support/plan-of.ts'

const SHARD: Shard = { topicId: toTopicId('AAAAAAAAAAAAAAAAAAAAAQ'), partition: 0 }
const MEMORY_BYTES_MAX = 2 ** 30
const STATEMENT_BYTES_MAX = 1 << 16

export interface CreateOptions {
  readonly indexes?: readonly (readonly string[])[]
  /** Fewer than 128 bits make groups share their ids. */
  readonly idBits?: number
}

export class QueryFixture {
  readonly directory: string
  readonly leaf: SqliteLeaf
  readonly runner: QueryRunner
  readonly #folds = new Map<string, { readonly fold: IngestFold; next: number }>()

  private constructor(directory: string, leaf: SqliteLeaf, runner: QueryRunner) {
    this.directory = directory
    this.leaf = leaf
    this.runner = runner
  }

  static async create(): Promise<QueryFixture> {
    await loadParser()
    const directory = mkdtempSync(join(tmpdir(), 'rollupd-query-'))
    const options = optionsIn(directory)
    mkdirSync(options.spoolDirectory)
    const leaf = new SqliteLeaf(options.leafPath, { now: () => 0 })
    return new QueryFixture(directory, leaf, await QueryRunner.create(options))
  }

  get options(): ProcessOptions {
    return optionsIn(this.directory)
  }

  /** A rollup on topic events. */
  rollup(name: string, sql: string, { indexes = [], idBits }: CreateOptions = {}): void {
    const plan = planOf(sql)
    const { id } = this.leaf.createRollup({
      name,
      plan,
      topic: 'events',
      start: 'earliest',
      onError: 'dead_letter',
      onLoss: 'halt',
      indexes,
      shards: [{ shard: SHARD, startOffset: 0 }],
    })
    const weakened = idBits === undefined ? {} : { idBits }
    const fold = new IngestFold({ rollupId: id, plan, onError: 'dead_letter', deadLettersMax: 10, ...weakened })
    this.#folds.set(name, { fold, next: 0 })
  }

  /** A rollup of a rollup. */
  follower(name: string, sql: string, sourceName: string): void {
    const source = this.leaf.findRollup(sourceName)
    if (source === undefined) throw new Error(`no rollup ${sourceName}`)
    this.leaf.createRollup({ ...source, name, plan: planOf(sql, source), indexes: [], shards: [], sourceId: source.id })
  }

  /** Folds and commits one batch of records. */
  ingest(name: string, records: readonly (string | object)[]): void {
    const state = this.#folds.get(name)
    if (state === undefined) throw new Error(`no rollup ${name}`)
    state.fold.beginRange(SHARD, 'events', state.next)
    for (const record of records) {
      const bytes = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
      state.fold.beginBatch(bytes)
      state.fold.record(state.next, 0, -1, -1, 0, bytes.length, 0, 0)
      state.next += 1
    }
    state.fold.endRange(state.next, 0, 0)
    const batch = state.fold.seal()
    if (batch !== undefined) this.leaf.commit([decodePartialBatch(batch)])
  }

  /** A view, compiled and stored as the service does it. */
  view(name: string, sql: string): void {
    const { meta } = this.runner.run({ ...REQUEST_DEFAULTS, sql, view: name })
    const reads = rollupNamesOf(parseStatement(sql).select)
    this.leaf.putView({ name, sql, reads, columns: meta.columns })
  }

  /** The whole answer as text. */
  run(sql: string, more: Partial<ProcessRequest> = {}): { readonly text: string; readonly answer: ProcessAnswer } {
    const answer = this.runner.run({ ...REQUEST_DEFAULTS, sql, ...more })
    if (!('bytes' in answer.body)) throw new Error('the answer is in a file')
    return { text: Buffer.from(answer.body.bytes).toString('utf8'), answer }
  }

  /** The answer's rows as JSON lines, digits as they are. */
  lines(sql: string, more: Partial<ProcessRequest> = {}): string[] {
    return this.run(sql, { ...more, format: 'ndjson' })
      .text.trimEnd()
      .split('\n')
      .slice(0, -1)
  }

  /** SQLite's plan of the compiled statement. */
  plan(sql: string): string[] {
    const connection = openLeafReader(this.options.leafPath)
    const functions = new SqliteFunctions(connection, new QuerySession())
    const { sqlText, bindings } = compileQuery(sql, [], new LeafCatalog(connection), functions)
    const rows = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sqlText}`).all(bindings)
    connection.close()
    return rows.map(({ detail }) => detail)
  }

  close(): void {
    this.runner.close()
    this.leaf.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** Of a request that says no more than its statement. */
export const REQUEST_DEFAULTS: Omit<ProcessRequest, 'sql'> = {
  params: [],
  rowsMax: 10_000,
  bytesMax: 2 ** 20,
  onCellError: 'fail',
  bigNumbers: 'number',
  format: 'json',
  receivedAtMs: 0,
}

function optionsIn(directory: string): ProcessOptions {
  return {
    leafPath: join(directory, 'leaf.db'),
    spoolDirectory: join(directory, 'spool'),
    memoryBytesMax: MEMORY_BYTES_MAX,
    statementBytesMax: STATEMENT_BYTES_MAX,
  }
}
