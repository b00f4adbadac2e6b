/** Owns what a query reads of the leaf's fixed tables: which rollups there are, their plans, and how far each has read. */
import type BetterSqlite3 from 'better-sqlite3'
import { assert } from '../core/assert.ts'
import { toLeafSchema, type LeafSchema } from '../leaf/leaf-schema.ts'
import { NULL_BUCKET } from '../planner/bucket.ts'
import type { RollupPlan } from '../planner/plan.ts'
import { PreparedStatements } from './prepared-statements.ts'

export interface CatalogRollup {
  readonly id: number
  readonly name: string
  readonly topic: string
  readonly plan: RollupPlan
  readonly schema: LeafSchema
  /** How many there are. */
  readonly groups: number
  /** Groups whose hash is another group's: nearly always none, and then the table isn't read. */
  readonly hasOverflow: boolean
}

/** A SELECT under a name; its names are none of a rollup's. */
export interface CatalogView {
  readonly name: string
  readonly sql: string
}

/** What the compiler needs to know. All answers are of one commit. */
export interface QueryCatalog {
  /** Whether a group has no time: the bucket of such groups isn't in the order of an answer. */
  hasNullBucket(rollup: CatalogRollup): boolean
  /** The least and the greatest bucket of groups that have a time; undefined: there are none. */
  bucketEnds(rollup: CatalogRollup): readonly [first: bigint, last: bigint] | undefined
  find(name: string): CatalogRollup | undefined
  findView(name: string): CatalogView | undefined
  /** Of rollups and views, for suggestions. */
  names(): readonly string[]
}

/** Plans of so many rollups stay parsed. */
const PLANS_KEPT_MAX = 256

type ParsedPlan = Pick<CatalogRollup, 'plan' | 'schema'>

interface RollupRow {
  readonly id: bigint
  readonly topic: string
  readonly groups: bigint
  readonly overflow_groups: bigint
}

/** Reads inside the caller's transaction. */
export class LeafCatalog implements QueryCatalog {
  readonly #statements: PreparedStatements
  readonly #find: BetterSqlite3.Statement<[string], RollupRow>
  readonly #planJson: BetterSqlite3.Statement<[number], string>
  readonly #view: BetterSqlite3.Statement<[string], CatalogView>
  readonly #names: BetterSqlite3.Statement<[], string>
  readonly #epoch: BetterSqlite3.Statement<[], bigint>
  readonly #shards: BetterSqlite3.Statement<[number], { partition: bigint; next_offset: bigint }>
  /** By rollup id: a plan never changes under its id. */
  readonly #plans = new Map<number, ParsedPlan>()

  /** A connection that gives integers as bigint. */
  constructor(connection: BetterSqlite3.Database, statements = new PreparedStatements(connection)) {
    this.#statements = statements
    this.#find = connection.prepare(
      `SELECT id, topic, groups, overflow_groups FROM rollups JOIN rollup_figures ON rollup_id = id WHERE name = ?`,
    )
    this.#planJson = connection.prepare<[number], string>('SELECT plan_json FROM rollups WHERE id = ?').pluck()
    this.#view = connection.prepare('SELECT name, sql FROM views WHERE name = ?')
    this.#names = connection
      .prepare<[], string>('SELECT name FROM rollups UNION SELECT name FROM views ORDER BY name')
      .pluck()
    this.#epoch = connection.prepare<[], bigint>('SELECT epoch FROM leaf_state').pluck()
    // a rollup of a rollup stands where the one at the top of the line does
    this.#shards = connection.prepare(
      `WITH RECURSIVE line (id, source_id) AS (
         SELECT id, source_id FROM rollups WHERE id = ?
         UNION ALL SELECT above.id, above.source_id FROM line JOIN rollups AS above ON above.id = line.source_id
       )
       SELECT partition, next_offset FROM shards
       WHERE rollup_id = (SELECT id FROM line WHERE source_id IS NULL) AND closed = 0 ORDER BY partition`,
    )
  }

  find(name: string): CatalogRollup | undefined {
    const row = this.#find.get(name)
    if (row === undefined) return undefined
    const id = Number(row.id)
    const { topic, groups, overflow_groups: overflowGroups } = row
    return { id, name, topic, groups: Number(groups), hasOverflow: overflowGroups > 0n, ...this.#planOf(id) }
  }

  findView(name: string): CatalogView | undefined {
    return this.#view.get(name)
  }

  names(): readonly string[] {
    return this.#names.all()
  }

  hasNullBucket({ schema }: CatalogRollup): boolean {
    const exists = (table: string): string => `EXISTS (SELECT 1 FROM ${table} WHERE bucket = ${NULL_BUCKET})`
    const sql = `SELECT ${exists(schema.table)} OR ${exists(schema.overflowTable)}`
    return Number(this.#statements.take<[], bigint>(sql).pluck().get()) === 1
  }

  bucketEnds({ schema }: CatalogRollup): readonly [first: bigint, last: bigint] | undefined {
    const end = (order: string): string =>
      `(SELECT bucket FROM ${schema.table} WHERE bucket > ${NULL_BUCKET} ORDER BY bucket ${order} LIMIT 1)`
    const sql = `SELECT ${end('ASC')}, ${end('DESC')}`
    const [first, last] = this.#statements.take<[], [bigint | null, bigint | null]>(sql).raw().get() ?? []
    return typeof first === 'bigint' && typeof last === 'bigint' ? [first, last] : undefined
  }

  /** Number of the commit that the transaction sees. */
  epoch(): number {
    return Number(this.#epoch.get())
  }

  /** Next offsets by partition, of the shards that can still get records: those of the present topic id. */
  nextOffsets(rollupId: number): Record<string, number> {
    const rows = this.#shards.all(rollupId)
    return Object.fromEntries(rows.map(({ partition, next_offset }) => [String(partition), Number(next_offset)]))
  }

  #planOf(id: number): ParsedPlan {
    const known = this.#plans.get(id)
    if (known !== undefined) return known
    const json = this.#planJson.get(id)
    assert(json !== undefined, `rollup ${id} has no plan`)
    const plan = JSON.parse(json) as RollupPlan
    const parsed = { plan, schema: toLeafSchema(id, plan) }
    if (this.#plans.size >= PLANS_KEPT_MAX) this.#plans.clear()
    this.#plans.set(id, parsed)
    return parsed
  }
}
