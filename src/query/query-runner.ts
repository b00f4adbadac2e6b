/**
 * Owns the running of queries on one read-only connection: each in one read transaction, from the catalog over the compiled
 * statement to the spooled answer. Runs on the main thread of a query process.
 */
import { rmSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { RollupdError } from '../core/errors.ts'
import { openLeafReader } from '../leaf/leaf-database.ts'
import { loadParser } from '../sql/parse-statement.ts'
import { createAnswerText } from './answer-writer.ts'
import { ColumnCopies } from './column-copies.ts'
import type { MayFold } from './compile-context.ts'
import { compileQuery, type CompiledQuery } from './compile-query.ts'
import { explainLines, PLAN_COLUMN } from './explain-query.ts'
import type { ProcessAnswer, ProcessOptions, ProcessRequest, ResultMeta } from './query-request.ts'
import { openQueries, type OpenedLeaf, placeOf, runQuery } from './run-query.ts'
import { SpoolFile } from './spool-file.ts'

export class QueryRunner {
  readonly #options: ProcessOptions
  readonly #copies: ColumnCopies
  #opened: OpenedLeaf | undefined
  #answerCount = 0

  private constructor(options: ProcessOptions, copies: ColumnCopies) {
    this.#options = options
    this.#copies = copies
  }

  /** Loads the parser; the leaf is opened by the first query. */
  static async create(options: ProcessOptions, copies = new ColumnCopies()): Promise<QueryRunner> {
    await loadParser()
    return new QueryRunner(options, copies)
  }

  /** Errors: those of compileQuery; cell_error; query_failed. */
  run(request: ProcessRequest): ProcessAnswer {
    const opened = this.#open()
    const { connection } = opened
    connection.exec('BEGIN')
    try {
      return this.#runFolded(request, opened) ?? this.#answer(request, this.#compile(request, opened), opened)
    } catch (error) {
      throw toQueryError(error)
    } finally {
      if (connection.inTransaction) connection.exec('COMMIT')
    }
  }

  /** The answer out of copies of columns; undefined: the statement is to be run over the groups themselves. */
  #runFolded(request: ProcessRequest, opened: OpenedLeaf): ProcessAnswer | undefined {
    // a view is only compiled
    if (request.view !== undefined) return undefined
    const compiled = this.#compile(request, opened, this.#copies.mayFold)
    const { connection, catalog, functions, session } = opened
    if (compiled.folds.length === 0) return this.#answer(request, compiled, opened)
    const run = { connection, tables: functions.folded, bindings: compiled.bindings }
    const folds = this.#copies.fold(run, catalog.epoch(), compiled.folds)
    if (folds === undefined) return undefined
    functions.folded.set(folds)
    let answer: ProcessAnswer
    try {
      answer = this.#answer(request, compiled, opened)
    } catch (error) {
      // a cell's error may name one of the groups
      if (error instanceof RollupdError && error.code === 'cell_error') return undefined
      throw error
    }
    // what is counted or named for each group has been met for several at once
    if (session.noted.length === 0 && session.kindMismatches === 0) return answer
    discard(answer)
    return undefined
  }

  #compile(request: ProcessRequest, { session, catalog, functions }: OpenedLeaf, mayFold?: MayFold): CompiledQuery {
    session.reset()
    return compileQuery(request.sql, request.params, catalog, functions, {
      statementBytesMax: this.#options.statementBytesMax,
      view: request.view,
      mayFold,
    })
  }

  #open(): OpenedLeaf {
    try {
      return (this.#opened ??= openQueries(openLeafReader(this.#options.leafPath)))
    } catch (error) {
      throw toQueryError(error)
    }
  }

  close(): void {
    this.#opened?.connection.close()
    this.#opened = undefined
  }

  #answer(request: ProcessRequest, compiled: CompiledQuery, opened: OpenedLeaf): ProcessAnswer {
    const spool = new SpoolFile(this.#options.spoolDirectory, `answer-${process.pid}-${this.#answerCount++}`)
    try {
      const meta = writerOf(request, compiled)(request, compiled, opened, spool)
      return { body: spool.finish(), meta }
    } catch (error) {
      spool.discard()
      throw error
    }
  }
}

/** An answer that isn't given. */
function discard({ body }: ProcessAnswer): void {
  if ('path' in body) rmSync(body.path)
}

type WriteAnswer = (
  request: ProcessRequest,
  compiled: CompiledQuery,
  opened: OpenedLeaf,
  spool: SpoolFile,
) => ResultMeta

function writerOf({ view }: ProcessRequest, { explain }: CompiledQuery): WriteAnswer {
  if (view !== undefined) return writeColumns
  return explain === undefined ? writeRows : writePlan
}

/** Of a view that is only to be checked. */
function writeColumns(request: ProcessRequest, compiled: CompiledQuery, opened: OpenedLeaf): ResultMeta {
  const columns = compiled.columns.map(({ name, type }) => ({ name, type }))
  return { columns, row_count: 0, truncated: false, ...placeOf(request, compiled, opened) }
}

function writeRows(request: ProcessRequest, compiled: CompiledQuery, opened: OpenedLeaf, spool: SpoolFile): ResultMeta {
  const text = createAnswerText(
    request.format,
    compiled.columns.map(({ name, type }) => ({ name, type })),
    request.bigNumbers,
  )
  spool.append(text.head)
  const meta = runQuery(request, compiled, opened, {
    get byteLength() {
      return spool.byteLength
    },
    row: (cells, index) => spool.append(text.row(cells, index)),
  })
  spool.append(text.tail(meta))
  return meta
}

/** EXPLAIN's own rows; with ANALYZE the query is run too, and its rows are counted. */
function writePlan(request: ProcessRequest, compiled: CompiledQuery, opened: OpenedLeaf, spool: SpoolFile): ResultMeta {
  const lines = explainLines(compiled, opened)
  if (compiled.explain === 'analyze') {
    const startedAtMs = performance.now()
    const { row_count: count } = runQuery(request, compiled, opened, { byteLength: 0, row: () => {} })
    lines.push(`${count} ${count === 1 ? 'row' : 'rows'} in ${(performance.now() - startedAtMs).toFixed(1)} ms`)
  }
  const text = createAnswerText(request.format, [PLAN_COLUMN], request.bigNumbers)
  spool.append(text.head)
  lines.forEach((line, index) => spool.append(text.row([line], index)))
  const place = placeOf(request, compiled, opened)
  const meta = { columns: [PLAN_COLUMN], row_count: lines.length, truncated: false, ...place }
  spool.append(text.tail(meta))
  return meta
}

function toQueryError(error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  if (/too (large|many|long|complex|deep)|maximum depth|stack overflow|recursion limit/i.test(error.message)) {
    return new RollupdError('sql_unsupported', `the statement is too complex for SQLite: ${error.message}`, {
      hint: 'Split it, or shorten its lists.',
      cause: error,
    })
  }
  // sorts and groups that don't fit in memory go to files
  if (error.code === 'SQLITE_FULL' || error.code.startsWith('SQLITE_IOERR_WRITE')) {
    return new RollupdError('disk_full', `no room for the query on the disk of the data directory: ${error.message}`, {
      hint: 'Make room there, or narrow the query.',
      cause: error,
    })
  }
  return new RollupdError('query_failed', `the query failed in SQLite: ${error.message}`, { cause: error })
}
