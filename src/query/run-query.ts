/**
 * Owns the run of one compiled query on a connection: its rows with failed cells made null or refused, its warnings, and what it says of
 * itself. Where rows go is the caller's; so are the transaction and the errors of SQLite.
 */
import type BetterSqlite3 from 'better-sqlite3'
import { RollupdError } from '../core/errors.ts'
import { readErrorCell } from '../core/key-bytes.ts'
import type { Cell } from '../core/scalar-type.ts'
import { isErrorCell } from './cell-codec.ts'
import type { CompiledQuery } from './compile-query.ts'
import { describeGroup } from './group-name.ts'
import { describeProbe, holdsOtherKinds } from './kind-probe.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { LeafCatalog } from './query-catalog.ts'
import type { CellErrorNote, ProcessRequest, ResultMeta } from './query-request.ts'
import { ERRORS_MAX, QuerySession } from './query-session.ts'
import { SqliteFunctions } from './sqlite-functions.ts'

/** A connection with what queries on it share. */
export interface OpenedLeaf {
  readonly connection: BetterSqlite3.Database
  readonly statements: PreparedStatements
  readonly catalog: LeafCatalog
  readonly functions: SqliteFunctions
  readonly session: QuerySession
}

export function openQueries(connection: BetterSqlite3.Database): OpenedLeaf {
  const session = new QuerySession()
  const statements = new PreparedStatements(connection)
  return {
    connection,
    statements,
    session,
    catalog: new LeafCatalog(connection, statements),
    functions: new SqliteFunctions(connection, session),
  }
}

export interface RowSink {
  /** What was taken; past the request's bound the answer is cut. */
  readonly byteLength: number
  /** The first cells are the columns' own; caller uses the array again. */
  row(cells: readonly Cell[], index: number): void
}

export type RunOptions = Pick<ProcessRequest, 'rowsMax' | 'bytesMax' | 'onCellError' | 'receivedAtMs'>

/** Runs it inside the caller's transaction. Errors: cell_error; those of SQLite as they are. */
export function runQuery(options: RunOptions, compiled: CompiledQuery, opened: OpenedLeaf, sink: RowSink): ResultMeta {
  const columns = compiled.columns.map(({ name, type }) => ({ name, type }))
  const errors = new CellErrors(options, compiled)
  let rowCount = 0
  let truncated = false
  let cut = false
  const statement = opened.statements.take<unknown[], Cell[]>(compiled.sqlText).raw().safeIntegers()
  for (const cells of statement.iterate(compiled.bindings)) {
    cut = sink.byteLength > options.bytesMax
    truncated = rowCount === options.rowsMax || cut
    if (truncated) break
    if (compiled.rowLabels.length > 0 || errors.canFail) errors.take(cells, rowCount)
    sink.row(cells, rowCount)
    rowCount += 1
  }
  errors.takeNoted(opened.session)
  const warnings = [
    ...warningsOf(compiled, opened),
    ...(cut ? [`the answer was cut at ${options.bytesMax} bytes`] : []),
  ]
  return {
    columns,
    row_count: rowCount,
    truncated,
    ...placeOf(options, compiled, opened),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(errors.notes.length === 0 ? {} : { errors: errors.notes }),
  }
}

/** Which state of the leaf an answer shows, and how long it took until now. */
export function placeOf(
  { receivedAtMs }: Pick<RunOptions, 'receivedAtMs'>,
  { rollups }: CompiledQuery,
  { catalog }: OpenedLeaf,
): Pick<ResultMeta, 'elapsed_ms' | 'epoch' | 'as_of'> {
  return {
    elapsed_ms: Math.max(0, Date.now() - receivedAtMs),
    epoch: catalog.epoch(),
    as_of: Object.fromEntries(rollups.map(({ id, name, topic }) => [name, { [topic]: catalog.nextOffsets(id) }])),
  }
}

function warningsOf(
  { hiddenGroups, probes }: CompiledQuery,
  { connection, statements, session }: OpenedLeaf,
): string[] {
  const warnings: string[] = []
  if (session.kindMismatches > 0) {
    const times = session.kindMismatches === 1 ? 'one comparison' : `${session.kindMismatches} comparisons`
    warnings.push(`${times} met values of two kinds (such as a number and a text) and counted as null`)
  }
  warnings.push(...session.warnings)
  for (const probe of probes) {
    const warning = describeProbe(probe)
    if (!warnings.includes(warning) && holdsOtherKinds(connection, probe)) warnings.push(warning)
  }
  for (const { rollup, sqlText } of hiddenGroups) {
    const count = Number(statements.take<[], bigint>(sqlText).pluck().get())
    if (count === 0) continue
    const groups = count === 1 ? 'group' : 'groups'
    const warning = `HAVING of "${rollup}" hid ${count} ${groups} from MEASURE; FROM unfiltered(${rollup}) has them`
    if (!warnings.includes(warning)) warnings.push(warning)
  }
  return warnings
}

/** Failed cells of the answer, and the errors that ended in conditions and sort keys. */
class CellErrors {
  readonly notes: CellErrorNote[] = []
  readonly canFail: boolean
  readonly #options: RunOptions
  readonly #compiled: CompiledQuery

  constructor(options: RunOptions, compiled: CompiledQuery) {
    this.#options = options
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
    if (this.#options.onCellError === 'fail') throw toCellError(note)
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
