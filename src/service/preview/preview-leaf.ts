/**
 * Owns the leaf of one preview: a leaf in memory, with the tables, merges and views that a rollup of that statement has. Beside all
 * groups it holds a rollup of one group, the one that a record changed last, so that a step costs the same however many groups
 * there are.
 */
import type { PartialBatch } from '../../aggregator/partial-batch.ts'
import { assert } from '../../core/assert.ts'
import type { Cell } from '../../core/scalar-type.ts'
import { toLeafSchema } from '../../leaf/leaf-schema.ts'
import type { StartPosition } from '../../leaf/leaf-store.ts'
import { SqliteLeaf } from '../../leaf/sqlite-leaf.ts'
import type { RollupPlan } from '../../planner/plan.ts'
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

export class PreviewLeaf {
  readonly rollupId: number
  readonly #leaf: SqliteLeaf
  readonly #plan: RollupPlan
  readonly #opened: OpenedLeaf
  readonly #changedId: number
  #step: CompiledQuery | undefined

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

  /** Merges them, in one transaction. */
  commit(batches: readonly PartialBatch[]): void {
    const { batches: taken } = this.#leaf.commit(batches)
    assert(
      taken.every((batch) => batch.taken),
      'the ranges of a sample tile',
    )
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

  /** The group as it stands after the last commit. All steps come before `groups`. */
  step({ bucket, id }: TouchedGroup): GroupRow {
    const { connection } = this.#opened
    const all = toLeafSchema(this.rollupId, this.#plan).table
    const changed = toLeafSchema(this.#changedId, this.#plan).table
    connection.prepare(`DELETE FROM ${changed}`).run()
    connection.prepare(`INSERT INTO ${changed} SELECT * FROM ${all} WHERE bucket = ? AND id = ?`).run(bucket, id)
    // one statement for both, since a connection has the functions of one statement
    this.#step ??= this.#compile(
      `SELECT u._id, u.*, p._id IS NULL AS "is hidden" FROM unfiltered(${CHANGED}) u LEFT JOIN ${CHANGED} p ON true`,
    )
    const [row] = this.#run(this.#step).rows
    assert(row !== undefined, 'a record changes a group that is there')
    return { id: row[0] ?? '', cells: row.slice(1, -1), isHidden: row.at(-1) === 'true' }
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
