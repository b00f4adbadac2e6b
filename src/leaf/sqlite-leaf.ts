/**
 * Owns the leaf on SQLite: which transaction does what. Each method is one transaction, with the owner check (law 8) and a number
 * of its own; states, positions, dead letters and counters change together (law 1). What stands in which table is the table
 * classes' knowledge.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { PartialBatch } from '../aggregator/partial-batch.ts'
import { assert, at } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { HaltReason, Shard } from '../core/shard.ts'
import { type CatalogRollup, CatalogTable } from './catalog-table.ts'
import { DEAD_LETTER_LIMITS, type DeadLetterLimits, DeadLetterTable } from './dead-letter-table.ts'
import type { FailPoint } from './fail-point.ts'
import { createGlobalGroups } from './global-groups.ts'
import { DURABILITY, LeafDatabase, type LeafLimits } from './leaf-database.ts'
import { toCreateSql, toDropSql, toLeafSchema } from './leaf-schema.ts'
import type {
  BatchResult,
  CommitResult,
  LeafFigures,
  LeafStore,
  RangeOutcome,
  RollupDefinition,
  ShardChange,
  StartPosition,
  StoredDeadLetter,
  StoredRollup,
  StoredStatus,
  StoredView,
  ViewDefinition,
} from './leaf-store.ts'
import { KnownRollups } from './known-rollups.ts'
import { resolveIndexes } from './search-index.ts'
import { assertConserved, ShardTable } from './shard-table.ts'
import { ViewTable } from './view-table.ts'

export interface SqliteLeafOptions {
  /** Milliseconds since 1970, for created_at. */
  readonly now: () => number
  /** May change while the leaf is open. */
  readonly limits?: LeafLimits
  readonly deadLetterLimits?: DeadLetterLimits
  /** Tests only. */
  readonly failPoint?: FailPoint
}

/** Pages of WAL (8 MB) that an idle moment copies into the database: a fraction of a commit while catching up; fewer aren't worth two syncs. */
const IDLE_CHECKPOINT_PAGES = 1000

export class SqliteLeaf implements LeafStore {
  readonly #options: SqliteLeafOptions
  readonly #database: LeafDatabase
  readonly #catalog: CatalogTable
  readonly #views: ViewTable
  readonly #shards: ShardTable
  readonly #deadLetters: DeadLetterTable
  /** What batches go to; a dropped one isn't in it. */
  readonly #rollups: KnownRollups
  #duplicateRanges = 0
  #refusedRanges = 0

  /** Opens, migrates and takes over `path`. Errors: config_invalid for a newer schema, disk_full, data_in_use. */
  constructor(path: string, options: SqliteLeafOptions) {
    this.#options = options
    this.#database = new LeafDatabase(path, options.limits ?? {})
    const { connection } = this.#database
    this.#catalog = new CatalogTable(connection)
    this.#views = new ViewTable(connection)
    this.#shards = new ShardTable(connection)
    this.#deadLetters = new DeadLetterTable(connection, options.deadLetterLimits ?? DEAD_LETTER_LIMITS)
    this.#rollups = new KnownRollups(connection, this.#catalog, options.failPoint)
    // a source is older than what reads it
    for (const rollup of this.#catalog.list().toSorted((left, right) => left.id - right.id)) this.#rollups.know(rollup)
  }

  /** For queries of a leaf in memory (`:memory:`), which no other connection can see. */
  get connection(): BetterSqlite3.Database {
    return this.#database.connection
  }

  createRollup(definition: RollupDefinition): StoredRollup {
    const { connection } = this.#database
    const rollup = this.#change((epoch) => {
      if (this.#views.find(definition.name) !== undefined) throw nameTaken('view', definition.name)
      const id = this.#catalog.insert(definition, new Date(this.#options.now()).toISOString())
      const schema = toLeafSchema(id, definition.plan)
      const indexes = resolveIndexes(schema, definition.plan, definition.indexes)
      for (const statement of toCreateSql(schema, indexes)) connection.exec(statement)
      const groups = createGlobalGroups(connection, schema, definition.plan.ingest, epoch)
      this.#catalog.addFigures(id, { groups })
      this.#shards.add(id, definition.shards)
      if (definition.sourceId !== undefined) this.#rollups.copy(id, definition, definition.sourceId, epoch)
      const stored = this.#catalog.find(definition.name)
      assert(stored !== undefined, 'a created rollup is in the catalog')
      return this.#withShards(stored)
    })
    this.#rollups.know(rollup)
    return rollup
  }

  dropRollup(name: string): void {
    const id = this.#change(() => {
      const rollup = this.#catalog.find(name)
      if (rollup === undefined) {
        throw new RollupdError('unknown_rollup', `rollup ${JSON.stringify(name)} does not exist`)
      }
      refuseInUse(name, this.#catalog.followersOf(rollup.id))
      this.#views.refuseReaders('rollup', name)
      this.#catalog.remove(rollup.id)
      // measured: 75 ms for a million groups in 135 MB, where deleting them in steps took 100 times as long in all
      for (const statement of toDropSql(rollup.id)) this.#database.connection.exec(statement)
      return rollup.id
    })
    this.#rollups.forget(id)
  }

  putView(view: ViewDefinition): StoredView {
    return this.#change(() => {
      if (this.#catalog.find(view.name) !== undefined) throw nameTaken('rollup', view.name)
      for (const name of view.reads) this.#requireName(name)
      this.#views.refuseLostColumns(view)
      this.#views.put(view, new Date(this.#options.now()).toISOString())
      const stored = this.#views.find(view.name)
      assert(stored !== undefined, 'a view that was put is there')
      return stored
    })
  }

  dropView(name: string): void {
    this.#change(() => {
      this.#views.refuseReaders('view', name)
      if (this.#views.remove(name)) return name
      throw new RollupdError('unknown_view', `view ${JSON.stringify(name)} does not exist`)
    })
  }

  listViews(): StoredView[] {
    return this.#views.list()
  }

  setStatus(id: number, status: StoredStatus, reason?: HaltReason): void {
    this.#change(() => {
      this.#catalog.setStatus(id, status, reason)
      return id
    })
  }

  listRollups(): StoredRollup[] {
    return this.#catalog.list().map((rollup) => this.#withShards(rollup))
  }

  findRollup(name: string): StoredRollup | undefined {
    const rollup = this.#catalog.find(name)
    return rollup === undefined ? undefined : this.#withShards(rollup)
  }

  addShards(id: number, shards: readonly StartPosition[], warning?: string): void {
    this.#change(() => {
      this.#rollups.require(id)
      this.#shards.add(id, shards)
      if (warning !== undefined) this.#catalog.addWarning(id, warning)
      return id
    })
  }

  changeShard(id: number, shard: Shard, change: ShardChange, warning?: string): void {
    this.#change(() => {
      this.#rollups.require(id)
      this.#shards.change(id, shard, change)
      if (warning !== undefined) this.#catalog.addWarning(id, warning)
      return id
    })
  }

  pruneShards(id: number, shards: readonly Shard[]): void {
    this.#change(() => {
      this.#rollups.require(id)
      this.#shards.prune(id, shards)
      return id
    })
  }

  commit(batches: readonly PartialBatch[]): CommitResult {
    for (const { ranges } of batches) ranges.forEach(assertConserved)
    this.#options.failPoint?.reach('commit:before')
    let outcomes: BatchResult[] = []
    const epoch = this.#database.transact(DURABILITY.ingest, (number) => {
      outcomes = batches.map((batch) => this.#take(batch))
      const taken = batches.filter((_, index) => at(outcomes, index).taken)
      for (const [rollupId, own] of Map.groupBy(taken, (batch) => batch.rollupId)) this.#merge(rollupId, own, number)
      return taken.length > 0 ? number : undefined
    })
    this.#options.failPoint?.reach('commit:after')
    this.#countRefusals(outcomes)
    return { epoch: epoch ?? this.#database.epoch, batches: outcomes }
  }

  /** All of the batch but its groups. */
  #take(batch: PartialBatch): BatchResult {
    const { rollupId, deadLetters } = batch
    const rollup = this.#rollups.get(rollupId)
    const ranges = batch.ranges.map((range): RangeOutcome =>
      rollup === undefined ? { shard: range.shard, outcome: 'gone' } : this.#shards.judge(rollupId, range),
    )
    if (rollup === undefined || ranges.some(({ outcome }) => outcome !== 'accepted'))
      return { taken: false, ranges, records: 0, groups: 0 }
    for (const range of batch.ranges) this.#shards.advance(rollupId, range)
    const letters = this.#deadLetters.append(rollupId, deadLetters)
    for (const { shard, count } of letters.dropped) this.#shards.countDroppedLetters(rollupId, shard, count)
    this.#catalog.addFigures(rollupId, { deadLetters: letters.count, deadLetterBytes: letters.bytes })
    const records = batch.ranges.reduce((sum, { counts }) => sum + counts.aggregated, 0)
    return { taken: true, ranges, records, groups: batch.groupCount }
  }

  /** Batches of several ingest threads: a group is written once for all of them. */
  #merge(rollupId: number, batches: readonly PartialBatch[], epoch: number): void {
    const { groups } = this.#rollups.require(rollupId)
    const changes = groups.merge(batches, epoch, () => this.#options.failPoint?.reach('commit:middle'))
    this.#catalog.addFigures(rollupId, changes)
    this.#rollups.mergeFollowers(rollupId, batches, epoch)
  }

  #countRefusals(batches: readonly BatchResult[]): void {
    for (const { ranges } of batches) {
      for (const { outcome } of ranges) {
        if (outcome === 'duplicate') this.#duplicateRanges++
        if (outcome === 'refused') this.#refusedRanges++
      }
    }
  }

  listDeadLetters(id: number, limit: number, after: number): StoredDeadLetter[] {
    return this.#deadLetters.list(id, limit, after)
  }

  figures(): LeafFigures {
    return {
      epoch: this.#database.epoch,
      fileBytes: this.#database.fileBytes,
      duplicateRanges: this.#duplicateRanges,
      refusedRanges: this.#refusedRanges,
    }
  }

  /** Copies the WAL into the database; for idle moments, so that commits rarely do it. */
  maintain(): void {
    if (this.#database.walPages >= IDLE_CHECKPOINT_PAGES) this.#database.checkpoint()
  }

  close(): void {
    this.#database.close()
  }

  /** A transaction that a request caused: synced before its answer. */
  #change<T>(body: (epoch: number) => NonNullable<T>): NonNullable<T> {
    const result = this.#database.transact(DURABILITY.synced, body)
    assert(result !== undefined, 'a change has a result')
    return result
  }

  /** Of what a view reads: it may have been dropped since the statement was compiled. */
  #requireName(name: string): void {
    if (this.#catalog.find(name) !== undefined || this.#views.find(name) !== undefined) return
    throw new RollupdError('conflict', `${JSON.stringify(name)} was dropped meanwhile`)
  }

  #withShards(rollup: CatalogRollup): StoredRollup {
    const topId = rollup.source?.topId ?? rollup.id
    const own = { shards: this.#shards.list(topId), pruned: this.#shards.prunedSums(topId) }
    if (topId === rollup.id) return { ...rollup, ...own }
    const { reason: _, ...rest } = rollup
    return { ...rest, ...this.#catalog.stateOf(topId), ...own }
  }
}

function refuseInUse(name: string, followers: readonly string[]): void {
  if (followers.length === 0) return
  throw new RollupdError(
    'rollup_in_use',
    `rollup "${name}" is the source of ${followers.map((one) => `"${one}"`).join(', ')}`,
    {
      hint: followers.length === 1 ? 'Drop that rollup first.' : 'Drop those rollups first.',
    },
  )
}

/** Rollups and views stand in one FROM. */
function nameTaken(what: 'rollup' | 'view', name: string): RollupdError {
  return new RollupdError('already_exists', `there is a ${what} ${JSON.stringify(name)} already`, {
    hint: 'Rollups and views share their names: choose another.',
  })
}
