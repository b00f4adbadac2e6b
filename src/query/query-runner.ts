/**
 * Owns the running of queries on one read-only connection: each in one read transaction, from the catalog over the compiled
 * statement to the spooled answer. Runs on the worker thread of a query process.
 */
import type { Cell } from '../core/scalar-type.ts'
import BetterSqlite3 from 'better-sqlite3'
import { RollupdError } from '../core/errors.ts'
import { readErrorCell } from '../core/key-bytes.ts'
import { openLeafReader } from '../leaf/leaf-database.ts'
import { loadParser } from '../sql/parse-statement.ts'
import { createAnswerText } from './answer-writer.ts'
import { isErrorCell } from './cell-codec.ts'
import { compileQuery, type CompiledQuery } from './compile-query.ts'
import { describeGroup } from './group-name.ts'
import { describeProbe, holdsOtherKinds } from './kind-probe.ts'
import { LeafCatalog } from './query-catalog.ts'
import type { CellErrorNote, ProcessAnswer, ProcessOptions, ProcessRequest, ResultMeta } from './query-request.ts'
import { ERRORS_MAX, QuerySession } from './query-session.ts'
import { SpoolFile } from './spool-file.ts'
import { SqliteFunctions } from './sqlite-functions.ts'

interface Opened {
  readonly connection: BetterSqlite3.Database
  readonly catalog: LeafCatalog
  readonly functions: SqliteFunctions
  readonly session: QuerySession
}

export class QueryRunner {
  readonly #options: ProcessOptions
  #opened: Opened | undefined
  #answerCount = 0

  private constructor(options: ProcessOptions) {
    this.#options = options
  }

  /** Loads the parser; the leaf is opened by the first query. */
  static async create(options: ProcessOptions): Promise<QueryRunner> {
    await loadParser()
    return new QueryRunner(options)
  }

  /** Errors: those of compileQuery; cell_error; query_failed. */
  run(request: ProcessRequest): ProcessAnswer {
    const opened = this.#open()
    const { connection, session } = opened
    connection.exec('BEGIN')
    try {
      session.reset()
      const compiled = compileQuery(request.sql, request.params, opened.catalog, opened.functions, {
        statementBytesMax: this.#options.statementBytesMax,
      })
      return this.#answer(request, compiled, opened)
    } catch (error) {
      throw toQueryError(error)
    } finally {
      if (connection.inTransaction) connection.exec('COMMIT')
    }
  }

  #open(): Opened {
    try {
      return (this.#opened ??= open(this.#options.leafPath))
    } catch (error) {
      throw toQueryError(error)
    }
  }

  close(): void {
    this.#opened?.connection.close()
    this.#opened = undefined
  }

  #answer(request: ProcessRequest, compiled: CompiledQuery, opened: Opened): ProcessAnswer {
    const spool = new SpoolFile(this.#options.spoolDirectory, `answer-${process.pid}-${this.#answerCount++}`)
    try {
      const meta = writeRows(request, compiled, opened, spool)
      return { body: spool.finish(), meta }
    } catch (error) {
      spool.discard()
      throw error
    }
  }
}

function open(leafPath: string): Opened {
  const connection = openLeafReader(leafPath)
  const session = new QuerySession()
  return {
    connection,
    session,
    catalog: new LeafCatalog(connection),
    functions: new SqliteFunctions(connection, session),
  }
}

function writeRows(request: ProcessRequest, compiled: CompiledQuery, opened: Opened, spool: SpoolFile): ResultMeta {
  const columns = compiled.columns.map(({ name, type }) => ({ name, type }))
  const text = createAnswerText(request.format, columns, request.bigNumbers)
  const errors = new CellErrors(request, compiled)
  let rowCount = 0
  let truncated = false
  let cut = false
  spool.append(text.head)
  const statement = opened.connection.prepare<unknown[], Cell[]>(compiled.sqlText).raw().safeIntegers()
  for (const cells of statement.iterate(compiled.bindings)) {
    cut = spool.byteLength > request.bytesMax
    truncated = rowCount === request.rowsMax || cut
    if (truncated) break
    if (compiled.rowLabels.length > 0 || errors.canFail) errors.take(cells, rowCount)
    spool.append(text.row(cells, rowCount))
    rowCount += 1
  }
  errors.takeNoted(opened.session)
  const warnings = [
    ...warningsOf(compiled, opened),
    ...(cut ? [`the answer was cut at ${request.bytesMax} bytes`] : []),
  ]
  const meta: ResultMeta = {
    columns,
    row_count: rowCount,
    truncated,
    elapsed_ms: Math.max(0, Date.now() - request.receivedAtMs),
    epoch: opened.catalog.epoch(),
    as_of: Object.fromEntries(
      compiled.rollups.map(({ id, name, topic }) => [name, { [topic]: opened.catalog.nextOffsets(id) }]),
    ),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(errors.notes.length === 0 ? {} : { errors: errors.notes }),
  }
  spool.append(text.tail(meta))
  return meta
}

function warningsOf({ hiddenGroups, probes }: CompiledQuery, { connection, session }: Opened): string[] {
  const warnings: string[] = []
  if (session.kindMismatches > 0) {
    const times = session.kindMismatches === 1 ? 'one comparison' : `${session.kindMismatches} comparisons`
    warnings.push(`${times} met values of two kinds (such as a number and a text) and counted as null`)
  }
  for (const probe of probes) {
    const warning = describeProbe(probe)
    if (!warnings.includes(warning) && holdsOtherKinds(connection, probe)) warnings.push(warning)
  }
  for (const { rollup, sqlText } of hiddenGroups) {
    const count = Number(connection.prepare<[], bigint>(sqlText).pluck().get())
    if (count === 0) continue
    warnings.push(
      `HAVING of "${rollup}" hid ${count} ${count === 1 ? 'group' : 'groups'} from MEASURE; FROM unfiltered(${rollup}) has them`,
    )
  }
  return warnings
}

/** Failed cells of the answer, and the errors that ended in conditions and sort keys. */
class CellErrors {
  readonly notes: CellErrorNote[] = []
  readonly canFail: boolean
  readonly #request: ProcessRequest
  readonly #compiled: CompiledQuery

  constructor(request: ProcessRequest, compiled: CompiledQuery) {
    this.#request = request
    this.#compiled = compiled
    this.canFail = compiled.columns.some(({ canFail }) => canFail)
  }

  /** Makes failed cells null and notes them. Errors: cell_error where the query is to fail. */
  take(cells: Cell[], row: number): void {
    const { columns, rowLabels } = this.#compiled
    for (let index = 0; index < columns.length; index++) {
      const cell = cells[index] as Cell
      if (!isErrorCell(cell)) continue
      const error = readErrorCell(cell)
      const column = columns[index]?.name ?? ''
      const group = rowLabels.length === 0 ? undefined : describeGroup(rowLabels, cells.slice(columns.length))
      cells[index] = null
      this.#add({
        column,
        ...(group === undefined ? {} : { group }),
        row,
        code: error?.code ?? '',
        message: error?.message ?? '',
      })
    }
  }

  takeNoted({ noted }: QuerySession): void {
    for (const { site, error, group } of noted) {
      this.#add({
        column: site.what,
        ...(group === undefined ? {} : { group }),
        code: error.code,
        message: error.message,
      })
    }
  }

  #add(note: CellErrorNote): void {
    if (this.#request.onCellError === 'fail') throw toCellError(note)
    if (this.notes.length < ERRORS_MAX) this.notes.push(note)
  }
}

function toCellError(note: CellErrorNote): RollupdError {
  const { column, group, row, message } = note
  const what = row === undefined ? column : `the column "${column}"`
  const isNamed = group !== undefined && group !== ''
  const where = isNamed ? ` for the group ${group}` : row === undefined ? '' : ` in row ${row + 1}`
  return new RollupdError('cell_error', `${what} has no value${where}: ${message}`, {
    hint: `Exclude the ${isNamed ? 'group' : 'row'}, or send "on_cell_error": "null" to get null and a list of errors.`,
    detail: note,
  })
}

function toQueryError(error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  if (/too (large|many|long|complex)|maximum depth|stack overflow/i.test(error.message)) {
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
