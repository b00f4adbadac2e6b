/**
 * Owns the leaf of one preview: a leaf in memory, with the tables, merges and views that a rollup of that statement has. Beside all
 * groups it holds a rollup of one group, the one that a record changed last, so that a step costs the same however many groups
 * there are.
 */
import type { PartialBatch } from '../../aggregator/partial-batch.ts'
import { assert } from '../../core/assert.ts'
import type { Cell, ScalarType } from '../../core/scalar-type.ts'
import { toLeafSchema } from '../../leaf/leaf-schema.ts'
import type { StartPosition } from '../../leaf/leaf-store.ts'
import { SqliteLeaf } from '../../leaf/sqlite-leaf.ts'
import type { RollupPlan } from '../../planner/plan.ts'
import { isErrorCell } from '../../query/cell-codec.ts'
import { compileQuery, type CompiledQuery } from '../../query/compile-query.ts'
import { toJsonText } from '../../query/json-cell.ts'
import type { CellErrorNote, ResultMeta } from '../../query/query-request.ts'
import { openQueries, type OpenedLeaf, runQuery } from '../../query/run-query.ts'
import type { TouchedGroup } from './record-fold.ts'

/** Names of rollups as far as this leaf is concerned. */
const ALL = 'preview'
const CHANGED = 'changed'
const IN_MEMORY = ':memory:'
/** The sample bounds both. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER

export interface GroupRow {
  /** As `_id` in a query. */
  readonly id: string
  /** HAVING doesn't let it through. */
  readonly isHidden: boolean
  /** Of each output, as JSON text. */
  readonly cells: readonly string[]
}

export interface Groups {
  readonly rows: readonly GroupRow[]
  /** Of the rows that are not hidden; `row` counts in `rows`. */
  readonly errors: readonly CellErrorNote[]
  readonly warnings: readonly string[]
}

interface Step {
  readonly empty: Statement
  readonly copy: Statement
  readonly read: Statement<Cell[]>
  readonly columns: CompiledQuery['columns']
}

interface Statement<Row = unknown> {
  run(...values: unknown[]): unknown
  get(...values: unknown[]): Row | undefined
}

export class PreviewLeaf {
  readonly rollupId: number
  readonly #leaf: SqliteLeaf
  readonly #plan: RollupPlan
  readonly #opened: OpenedLeaf
  readonly #changedId: number
  #step: Step | undefined

  /** Caller closes it. */
  constructor(plan: RollupPlan, starts: readonly StartPosition[]) {
    this.#plan = plan
    this.#leaf = new SqliteLeaf(IN_MEMORY, { now: () => 0 })
    const create = (name: string, shards: readonly StartPosition[]): number =>
      this.#leaf.createRollup({
        name,
        plan,
        topic: '',
        start: null,
        onError: 'dead_letter',
        onLoss: 'halt',
        indexes: [],
        shards,
      }).id
    this.rollupId = create(ALL, starts)
    this.#changedId = create(CHANGED, [])
    this.#opened = openQueries(this.#leaf.connection)
  }

  commit(batch: PartialBatch): void {
    const { batches } = this.#leaf.commit([batch])
    assert(batches[0]?.taken === true, 'the ranges of a sample tile')
  }

  /** All groups in the order of their grouping values; the hidden ones among them. */
  groups(): Groups {
    const { outputs } = this.#plan.wrap
    const ordinals = outputs.flatMap(({ role }, index) => (role === 'group' ? [index + 2] : []))
    const order = ordinals.length === 0 ? '' : ` ORDER BY ${ordinals.join(', ')}`
    const { rows, meta } = this.#run(this.#compile(`SELECT _id, * FROM unfiltered(${ALL})${order}`))
    const visible = this.#run(this.#compile(`SELECT _id FROM ${ALL}`))
    const visibleIds = new Set(visible.rows.map(([id]) => id))
    const shown = rows.map(([id = '', ...cells]) => ({ id, isHidden: !visibleIds.has(id), cells }))
    const errors = (meta.errors ?? []).filter(({ row }) => row === undefined || shown[row]?.isHidden === false)
    const warnings = new Set([...(meta.warnings ?? []), ...(visible.meta.warnings ?? [])])
    return { rows: shown, errors: [...errors, ...(visible.meta.errors ?? [])], warnings: [...warnings] }
  }

  /** The group as it stands after the last commit; a cell without a value is null. All steps come before `groups`. */
  step({ bucket, id }: TouchedGroup): GroupRow {
    const { empty, copy, read, columns } = (this.#step ??= this.#prepareStep())
    empty.run()
    copy.run(bucket, id)
    const cells = read.get()
    assert(cells !== undefined, 'a record changes a group that is there')
    const texts = columns.map(({ type }, index) => toShownText(cells[index] ?? null, type))
    return { id: texts[0] ?? '', cells: texts.slice(1, -1), isHidden: texts.at(-1) === 'true' }
  }

  /** Prepared once: that takes longer than to run them. */
  #prepareStep(): Step {
    const { connection } = this.#opened
    const all = toLeafSchema(this.rollupId, this.#plan).table
    const changed = toLeafSchema(this.#changedId, this.#plan).table
    // one statement for both, since a connection has the functions of one statement
    const { sqlText, bindings, columns } = this.#compile(
      `SELECT u._id, u.*, p._id IS NULL AS "is hidden" FROM unfiltered(${CHANGED}) u LEFT JOIN ${CHANGED} p ON true`,
    )
    return {
      empty: connection.prepare(`DELETE FROM ${changed}`),
      copy: connection.prepare(`INSERT INTO ${changed} SELECT * FROM ${all} WHERE bucket = ? AND id = ?`),
      read: connection.prepare<unknown[], Cell[]>(sqlText).bind(bindings).raw().safeIntegers(),
      columns,
    }
  }

  close(): void {
    this.#leaf.close()
  }

  #compile(sql: string): CompiledQuery {
    return compileQuery(sql, [], this.#opened.catalog, this.#opened.functions)
  }

  #run(compiled: CompiledQuery): { rows: string[][]; meta: ResultMeta } {
    this.#opened.session.reset()
    const { columns } = compiled
    const rows: string[][] = []
    const meta = runQuery(
      { rowsMax: UNBOUNDED, bytesMax: UNBOUNDED, onCellError: 'null', receivedAtMs: 0 },
      compiled,
      this.#opened,
      {
        byteLength: 0,
        row: (cells) => rows.push(columns.map(({ type }, index) => toJsonText(cells[index] as Cell, type))),
      },
    )
    return { rows, meta }
  }
}

function toShownText(cell: Cell, type: ScalarType): string {
  return toJsonText(cell !== null && isErrorCell(cell) ? null : cell, type)
}
