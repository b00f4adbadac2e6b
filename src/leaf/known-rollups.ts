/**
 * Owns what batches go to: the group tables of the rollups that there are, and for each rollup of a rollup the way from its source's groups
 * to its own. Caller has the transaction.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { PartialBatch } from '../aggregator/partial-batch.ts'
import { Regroup } from '../aggregator/regroup.ts'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import type { RollupPlan } from '../planner/plan.ts'
import type { CatalogRollup, CatalogTable } from './catalog-table.ts'
import { ChangedSpans } from './changed-spans.ts'
import type { FailPoint } from './fail-point.ts'
import { scanGroups } from './group-scan.ts'
import { GroupTable, UpdateNote } from './group-table.ts'
import { toLeafSchema } from './leaf-schema.ts'
import type { RollupDefinition } from './leaf-store.ts'
import { MergeFunctions } from './merge-functions.ts'
import { resolveIndexes } from './search-index.ts'

export interface KnownRollup {
  readonly id: number
  readonly plan: RollupPlan
  readonly groups: GroupTable
  /** Of a rollup of a rollup. */
  readonly follows?: { readonly sourceId: number; readonly regroup: Regroup }
}

/** Groups that are held before they are merged, while a rollup of a rollup is created. */
const COPIED_GROUPS_MAX = 50_000

export class KnownRollups {
  readonly #connection: BetterSqlite3.Database
  readonly #catalog: CatalogTable
  readonly #failPoint: FailPoint | undefined
  readonly #note: UpdateNote
  readonly #mergeFunctions: MergeFunctions
  /** A dropped one isn't in it. */
  readonly #rollups = new Map<number, KnownRollup>()

  constructor(connection: BetterSqlite3.Database, catalog: CatalogTable, failPoint: FailPoint | undefined) {
    this.#connection = connection
    this.#catalog = catalog
    this.#failPoint = failPoint
    this.#note = new UpdateNote(connection)
    this.#mergeFunctions = new MergeFunctions(connection)
  }

  /** A source is known before what reads it. */
  know({ id, plan, indexes, source }: Pick<CatalogRollup, 'id' | 'plan' | 'indexes' | 'source'>): void {
    const rollup = { id, plan, groups: this.#openGroups(id, plan, indexes) }
    const follows = source === undefined ? undefined : this.#follow(id, plan, source.id)
    this.#rollups.set(id, follows === undefined ? rollup : { ...rollup, follows })
  }

  #openGroups(id: number, plan: RollupPlan, indexes: RollupDefinition['indexes']): GroupTable {
    const schema = toLeafSchema(id, plan)
    const indexCount = resolveIndexes(schema, plan, indexes).length
    const spans = schema.bucketGroup < 0 ? undefined : new ChangedSpans(this.#connection, id)
    return new GroupTable(this.#connection, schema, indexCount, this.#note, this.#mergeFunctions, spans)
  }

  #follow(id: number, plan: RollupPlan, sourceId: number): NonNullable<KnownRollup['follows']> {
    return { sourceId, regroup: new Regroup(id, plan, this.require(sourceId).plan) }
  }

  forget(id: number): void {
    this.#rollups.delete(id)
  }

  /** Undefined: it was dropped. */
  get(id: number): KnownRollup | undefined {
    return this.#rollups.get(id)
  }

  /** Errors: unknown_rollup. */
  require(id: number): KnownRollup {
    const rollup = this.#rollups.get(id)
    if (rollup === undefined) throw new RollupdError('unknown_rollup', `rollup ${id} does not exist`)
    return rollup
  }

  /** Brings a rollup that is being created all groups that its source has. Errors: unknown_rollup for the source. */
  copy(id: number, { plan, indexes }: RollupDefinition, sourceId: number, epoch: number): void {
    const source = this.require(sourceId)
    const groups = this.#openGroups(id, plan, indexes)
    const { regroup } = this.#follow(id, plan, sourceId)
    scanGroups(this.#connection, toLeafSchema(sourceId, source.plan), (group) => {
      regroup.add(group)
      if (regroup.groupCount >= COPIED_GROUPS_MAX) this.#mergeRegrouped(id, groups, regroup, epoch)
    })
    this.#mergeRegrouped(id, groups, regroup, epoch)
  }

  /** What batches have changed goes to the rollups of the rollup, and from them to theirs. */
  mergeFollowers(sourceId: number, batches: readonly PartialBatch[], epoch: number): void {
    for (const { id, groups, follows } of this.#rollups.values()) {
      if (follows?.sourceId !== sourceId) continue
      this.#failPoint?.reach('commit:children')
      const { regroup } = follows
      // of a commit that failed
      regroup.discard()
      for (const batch of batches) for (const group of batch.groups()) regroup.add(group)
      const regrouped = this.#mergeRegrouped(id, groups, regroup, epoch)
      if (regrouped !== undefined) this.mergeFollowers(id, [regrouped], epoch)
    }
  }

  /** Merges what was regrouped since the last time; gives it for those who follow. */
  #mergeRegrouped(id: number, groups: GroupTable, regroup: Regroup, epoch: number): PartialBatch | undefined {
    const batch = regroup.seal()
    // also of a group whose condition failed, which passed nothing
    const failure = regroup.takeFailure()
    if (failure !== undefined) this.#catalog.addWarningOnce(id, `${failure}; where it fails the value is NULL`)
    if (batch === undefined) return undefined
    assert(batch.rollupId === id, 'a regrouped batch is of the rollup that follows')
    const changes = groups.merge([batch], epoch, () => undefined)
    this.#catalog.addFigures(id, changes)
    return batch
  }
}
