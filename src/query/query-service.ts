/** Owns queries as the service asks them: defaults and bounds, the processes that run them, and their answers, large ones as streams. */
import { openSync, createReadStream, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import { RollupdError } from '../core/errors.ts'
import { loadParser, parseStatement } from '../sql/parse-statement.ts'
import { QueryPool } from './query-pool.ts'
import type { AnswerBody, QueryRequest, ResultMeta } from './query-request.ts'
import { rollupNamesOf } from './rollup-names.ts'

export interface QueryLimits {
  /** Greatest `limit`. */
  readonly rows: number
  /** Rows of a query without a `limit`. */
  readonly rows_default: number
  readonly query_timeout_ms: number
  readonly query_timeout_ms_default: number
  /** Processes kept warm; while all are busy, up to BURST_FACTOR times as many run. */
  readonly query_processes: number
  readonly queries_waiting: number
  readonly statement_characters: number
}

export interface QueryServiceOptions {
  /** Entry point of the process: main/query-process. */
  readonly processUrl: URL
  readonly leafPath: string
  /** Made if missing; what an earlier life left in it is removed. */
  readonly spoolDirectory: string
  readonly limits: QueryLimits
  /** Bytes of an answer; more is cut off and the answer says `truncated`. Default 1 GiB: a disk holds some of them. */
  readonly answerBytesMax?: number | undefined
  /** Resident memory of a query process, bytes. Default 1 GiB; an idle one takes about 80 MB. */
  readonly processBytesMax?: number | undefined
}

/** A few queries that never end must not take all processes until their deadlines. */
const BURST_FACTOR = 4
const PROCESSES_MAX = Math.max(64, availableParallelism())
const ANSWER_BYTES_MAX = 2 ** 30
const PROCESS_BYTES_MAX = 2 ** 30
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const BYTES_PER_CHARACTER_MAX = 3

/** Of a request whose answer's rows nobody reads. */
const WITHOUT_ROWS = {
  params: [],
  rowsMax: 0,
  bytesMax: 0,
  onCellError: 'fail',
  bigNumbers: 'number',
  format: 'json',
} as const

export interface QueryAnswer {
  /** The whole answer in the request's format, a large one as a stream: to be read once; destroying it is enough to give it up. */
  readonly body: Buffer | Readable
  readonly byteLength: number
  readonly meta: ResultMeta
}

export class QueryService {
  readonly #options: QueryServiceOptions
  readonly #pool: QueryPool
  #parserLoaded: Promise<void> | undefined

  /** Starts the warm processes. */
  constructor(options: QueryServiceOptions) {
    this.#options = options
    const { limits, processUrl, leafPath, spoolDirectory } = options
    this.#pool = new QueryPool({
      processUrl,
      leafPath,
      spoolDirectory,
      memoryBytesMax: options.processBytesMax ?? PROCESS_BYTES_MAX,
      statementBytesMax: limits.statement_characters * BYTES_PER_CHARACTER_MAX,
      processesWarm: limits.query_processes,
      processesMax: Math.min(PROCESSES_MAX, limits.query_processes * BURST_FACTOR),
      queueMax: limits.queries_waiting,
    })
  }

  /** Process ids of the pool, for status and tests. */
  get processIds(): readonly number[] {
    return this.#pool.pids
  }

  /** The time that a query gets. Errors: bad_parameter past the greatest. */
  resolveTimeout(timeoutMs: number | undefined): number {
    const { query_timeout_ms: most, query_timeout_ms_default: usual } = this.#options.limits
    if (timeoutMs === undefined) return usual
    if (timeoutMs > 0 && timeoutMs <= most) return timeoutMs
    throw new RollupdError('bad_parameter', `timeout_ms is ${timeoutMs}, it must be from 1 to ${most}`)
  }

  /** Lets the warm process open the leaf and load what every query needs. Caller keeps: the leaf is there. */
  prepare(): void {
    // what fails here is met again, and told, by the first query that somebody asks
    this.#pool
      .prepare({ ...WITHOUT_ROWS, sql: 'SELECT 1', receivedAtMs: Date.now() }, this.resolveTimeout(undefined))
      .catch(() => undefined)
  }

  /**
   * Compiles the statement of a view: its columns, and the names that it reads.
   * Errors: all of sql_*, unknown_rollup; with position.
   */
  async describeView(view: string, sql: string): Promise<Pick<ResultMeta, 'columns'> & { reads: string[] }> {
    const reads = await this.rollupsOf(sql)
    const { meta } = await this.#pool.run(
      { ...WITHOUT_ROWS, sql, view, receivedAtMs: Date.now() },
      this.resolveTimeout(undefined),
    )
    return { columns: meta.columns, reads }
  }

  /** Names of the rollups and views that a statement reads, each once, existing or not. Errors: sql_syntax, sql_unsupported. Cost: a parse. */
  async rollupsOf(sql: string): Promise<string[]> {
    this.#parserLoaded ??= loadParser()
    await this.#parserLoaded
    const statementBytesMax = this.#options.limits.statement_characters * BYTES_PER_CHARACTER_MAX
    return rollupNamesOf(parseStatement(sql, { statementBytesMax, takesExplain: true }).select)
  }

  /**
   * Runs a query to its end; the stream comes when the whole answer is there and no transaction is open any more. Aborting ends the
   * query's process.
   * Errors: all of sql_*, unknown_rollup, bad_parameter, cell_error, query_timeout, too_many_queries, query_failed, shutting_down.
   */
  async run(request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer> {
    const { limits, answerBytesMax } = this.#options
    const timeoutMs = this.resolveTimeout(request.timeoutMs)
    const rowsMax = request.limit ?? Math.min(limits.rows_default, limits.rows)
    if (!Number.isSafeInteger(rowsMax) || rowsMax < 0 || rowsMax > limits.rows) {
      throw new RollupdError('bad_parameter', `limit is ${rowsMax}, it must be from 0 to ${limits.rows}`, {
        hint: 'Narrow the query with WHERE, or page through it by a range of its columns.',
      })
    }
    const { body, meta } = await this.#pool.run(
      {
        sql: request.sql,
        params: request.params ?? [],
        rowsMax,
        bytesMax: answerBytesMax ?? ANSWER_BYTES_MAX,
        onCellError: request.onCellError ?? 'fail',
        bigNumbers: request.bigNumbers ?? 'number',
        format: request.format ?? 'json',
        receivedAtMs: Date.now(),
      },
      timeoutMs,
      signal,
    )
    return { meta, ...openBody(body) }
  }

  close(): void {
    this.#pool.close()
  }
}

/** An open file needs no name: nothing is left over whatever becomes of the reader. */
function openBody(body: AnswerBody): Pick<QueryAnswer, 'body' | 'byteLength'> {
  if ('bytes' in body) {
    const bytes = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength)
    return { body: bytes, byteLength: bytes.length }
  }
  const descriptor = openSync(body.path, 'r')
  rmSync(body.path)
  return { body: createReadStream('', { fd: descriptor }), byteLength: body.byteLength }
}
