/** Owns the rows of rollups and their figures. Caller has the transaction. */
import type BetterSqlite3 from 'better-sqlite3'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { OnError, OnLoss } from '../core/policy.ts'
import type { HaltCode, HaltReason } from '../core/shard.ts'
import type { RollupPlan } from '../planner/plan.ts'
import type { RollupDefinition, StoredRollup, StoredStatus } from './leaf-store.ts'

/** The catalog's part of a stored rollup. */
export type CatalogRollup = Omit<StoredRollup, 'shards' | 'pruned'>

/** What a commit adds to a rollup's figures. */
export interface FigureChanges {
  readonly groups: number
  readonly overflowGroups: number
  readonly bytes: number
  readonly deadLetters: number
  readonly deadLetterBytes: number
}

interface RollupRow {
  readonly id: number
  readonly name: string
  readonly version: number
  readonly plan_json: string
  readonly topic: string
  readonly start_json: string
  readonly on_error: OnError
  readonly on_loss: OnLoss
  readonly indexes_json: string
  readonly status: StoredStatus
  readonly reason_code: HaltCode | null
  readonly reason_message: string | null
  readonly warnings_json: string
  readonly created_at: string
  readonly groups: number
  readonly overflow_groups: number
  readonly bytes: number
  readonly dead_letters: number
  readonly source_id: number | null
  readonly source_name: string | null
}

/** A name has one version at a time; a dropped one begins again. */
const FIRST_VERSION = 1
/** Oldest first out: a shard that is truncated again and again must not grow its rollup's row without end. */
const WARNINGS_MAX = 100

export class CatalogTable {
  readonly #insert: BetterSqlite3.Statement
  readonly #insertFigures: BetterSqlite3.Statement<[number]>
  readonly #insertPruned: BetterSqlite3.Statement<[number]>
  readonly #list: BetterSqlite3.Statement<[], RollupRow>
  readonly #byName: BetterSqlite3.Statement<[string], RollupRow>
  readonly #warnings: BetterSqlite3.Statement<[number], string>
  readonly #setWarnings: BetterSqlite3.Statement<[string, number]>
  readonly #setStatus: BetterSqlite3.Statement
  readonly #state: BetterSqlite3.Statement<[number], Pick<RollupRow, 'status' | 'reason_code' | 'reason_message'>>
  readonly #sourceOf: BetterSqlite3.Statement<[number], number | null>
  readonly #followers: BetterSqlite3.Statement<[number], string>
  readonly #addFigures: BetterSqlite3.Statement<number[]>
  readonly #deletes: readonly BetterSqlite3.Statement<[number]>[]
  /** Plans don't change, and a list of rollups is asked for again and again. */
  readonly #plans = new Map<number, RollupPlan>()

  constructor(connection: BetterSqlite3.Database) {
    this.#insert = connection.prepare(
      `INSERT INTO rollups (name, version, plan_json, topic, start_json, on_error, on_loss, indexes_json, status, warnings_json, created_at, source_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?)`,
    )
    this.#insertFigures = connection.prepare('INSERT INTO rollup_figures (rollup_id) VALUES (?)')
    this.#insertPruned = connection.prepare('INSERT INTO pruned_shards (rollup_id) VALUES (?)')
    const select = `SELECT rollups.*, rollup_figures.*, source.name AS source_name FROM rollups
       JOIN rollup_figures ON rollup_id = rollups.id LEFT JOIN rollups AS source ON source.id = rollups.source_id`
    this.#list = connection.prepare(`${select} ORDER BY rollups.name`)
    this.#byName = connection.prepare(`${select} WHERE rollups.name = ?`)
    this.#warnings = connection.prepare<[number], string>('SELECT warnings_json FROM rollups WHERE id = ?').pluck()
    this.#setWarnings = connection.prepare('UPDATE rollups SET warnings_json = ? WHERE id = ?')
    this.#state = connection.prepare('SELECT status, reason_code, reason_message FROM rollups WHERE id = ?')
    this.#sourceOf = connection.prepare<[number], number | null>('SELECT source_id FROM rollups WHERE id = ?').pluck()
    this.#followers = connection
      .prepare<[number], string>('SELECT name FROM rollups WHERE source_id = ? ORDER BY name')
      .pluck()
    this.#setStatus = connection.prepare(
      'UPDATE rollups SET status = ?, reason_code = ?, reason_message = ? WHERE id = ?',
    )
    this.#addFigures = connection.prepare(
      `UPDATE rollup_figures SET groups = groups + ?, overflow_groups = overflow_groups + ?, bytes = bytes + ?,
         dead_letters = dead_letters + ?, dead_letter_bytes = dead_letter_bytes + ? WHERE rollup_id = ?`,
    )
    this.#deletes = ['dead_letters', 'shards', 'pruned_shards', 'rollup_figures', 'changed_spans']
      .map((table) => `DELETE FROM ${table} WHERE rollup_id = ?`)
      .concat('DELETE FROM rollups WHERE id = ?')
      .map((sql) => connection.prepare(sql))
  }

  /** Gives the id. Errors: already_exists. */
  insert(definition: RollupDefinition, createdAt: string): number {
    const { name, plan, topic, start, onError, onLoss, indexes, sourceId = null } = definition
    if (this.#byName.get(name) !== undefined) {
      throw new RollupdError('already_exists', `rollup ${JSON.stringify(name)} exists already`, {
        hint: 'Drop it first, or choose another name.',
      })
    }
    const json = [plan, start, indexes, plan.warnings].map((value) => JSON.stringify(value ?? null))
    const { lastInsertRowid } = this.#insert.run(
      name,
      FIRST_VERSION,
      json[0],
      topic,
      json[1],
      onError,
      onLoss,
      json[2],
      json[3],
      createdAt,
      sourceId,
    )
    const id = Number(lastInsertRowid)
    this.#insertFigures.run(id)
    this.#insertPruned.run(id)
    return id
  }

  list(): CatalogRollup[] {
    return this.#list.all().map((row) => this.#toRollup(row))
  }

  find(name: string): CatalogRollup | undefined {
    const row = this.#byName.get(name)
    return row === undefined ? undefined : this.#toRollup(row)
  }

  /** Errors: unknown_rollup. */
  setStatus(id: number, status: StoredStatus, reason: HaltReason | undefined): void {
    const { changes } = this.#setStatus.run(status, reason?.code ?? null, reason?.message ?? null, id)
    if (changes === 0) throw unknownRollup(id)
  }

  /** Errors: unknown_rollup. */
  addWarning(id: number, warning: string): void {
    const text = this.#warnings.get(id)
    if (text === undefined) throw unknownRollup(id)
    const warnings = [...(JSON.parse(text) as string[]), warning]
    this.#setWarnings.run(JSON.stringify(warnings.slice(-WARNINGS_MAX)), id)
  }

  /** As addWarning, unless it is there already. Errors: unknown_rollup. */
  addWarningOnce(id: number, warning: string): void {
    const text = this.#warnings.get(id)
    if (text === undefined) throw unknownRollup(id)
    if (!(JSON.parse(text) as string[]).includes(warning)) this.addWarning(id, warning)
  }

  /** Whether a rollup that others follow is read, and why not. */
  stateOf(id: number): Pick<CatalogRollup, 'status' | 'reason'> {
    const row = this.#state.get(id)
    assert(row !== undefined, `rollup ${id} is in the catalog`)
    return toState(row)
  }

  /** Names of the rollups that read this one. */
  followersOf(id: number): string[] {
    return this.#followers.all(id)
  }

  addFigures(id: number, changes: Partial<FigureChanges>): void {
    const { groups = 0, overflowGroups = 0, bytes = 0, deadLetters = 0, deadLetterBytes = 0 } = changes
    const result = this.#addFigures.run(groups, overflowGroups, bytes, deadLetters, deadLetterBytes, id)
    assert(result.changes === 1, `rollup ${id} has figures`)
  }

  /** Removes every row of the rollup in the fixed tables. */
  remove(id: number): void {
    for (const statement of this.#deletes) statement.run(id)
    this.#plans.delete(id)
  }

  /** The rollup at the end of the line of sources. */
  #topOf(id: number): number {
    const sourceId = this.#sourceOf.get(id)
    return sourceId === undefined || sourceId === null ? id : this.#topOf(sourceId)
  }

  #toRollup(row: RollupRow): CatalogRollup {
    let plan = this.#plans.get(row.id)
    if (plan === undefined) this.#plans.set(row.id, (plan = JSON.parse(row.plan_json) as RollupPlan))
    return {
      id: row.id,
      version: row.version,
      name: row.name,
      plan,
      topic: row.topic,
      ...(row.source_id === null
        ? {}
        : { source: { id: row.source_id, name: row.source_name ?? '', topId: this.#topOf(row.source_id) } }),
      start: JSON.parse(row.start_json) as unknown,
      onError: row.on_error,
      onLoss: row.on_loss,
      indexes: JSON.parse(row.indexes_json) as string[][],
      ...toState(row),
      createdAt: row.created_at,
      groups: row.groups,
      overflowGroups: row.overflow_groups,
      bytes: row.bytes,
      deadLetters: row.dead_letters,
      warnings: JSON.parse(row.warnings_json) as string[],
    }
  }
}

function toState(
  row: Pick<RollupRow, 'status' | 'reason_code' | 'reason_message'>,
): Pick<CatalogRollup, 'status' | 'reason'> {
  const { status, reason_code: code, reason_message: message } = row
  return code === null ? { status } : { status, reason: { code, message: message ?? '' } }
}

function unknownRollup(id: number): RollupdError {
  return new RollupdError('unknown_rollup', `rollup ${id} does not exist`)
}
