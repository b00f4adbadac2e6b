/**
 * Owns one rollup's group rows: merges a batch's groups into them. One upsert per group is the fast way; a row whose stored
 * key is another one, or which has a sum that SQLite can't add, is read, merged and written here.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { StateValue } from '../aggregates/aggregate.ts'
import { toStateValue } from '../aggregates/state-value.ts'
import type { BatchGroup, PartialBatch } from '../aggregator/partial-batch.ts'
import { assert } from '../core/assert.ts'
import type { Cell } from '../core/scalar-type.ts'
import { type ChangedSpans, spanOf } from './changed-spans.ts'
import {
  columnsOf,
  type LeafSchema,
  NOTE_UPDATE_FUNCTION,
  toInsertOverflowSql,
  toSelectOverflowSql,
  toSelectSql,
  toUpdateSql,
  toUpsertSql,
} from './leaf-schema.ts'
import type { MergeFunctions } from './merge-functions.ts'
import { rowBytes, valuesBytes } from './row-bytes.ts'

type Statement = BetterSqlite3.Statement<Cell[], unknown[]>

/** How a batch changed a rollup's figures. */
export interface GroupChanges {
  groups: number
  overflowGroups: number
  bytes: number
}

/** Counts the rows that upserts updated: SQLite says of an upsert only that it changed a row. One per connection. */
export class UpdateNote {
  updates = 0

  constructor(connection: BetterSqlite3.Database) {
    // measured: no visible cost, where RETURNING or a trigger cost 3 us a row
    connection.function(NOTE_UPDATE_FUNCTION, (epoch: number) => {
      this.updates++
      return epoch
    })
  }
}

export class GroupTable {
  readonly #schema: LeafSchema
  readonly #note: UpdateNote
  readonly #functions: MergeFunctions
  /** Undefined: no time tells the groups apart. */
  readonly #spans: ChangedSpans | undefined
  readonly #upsert: Statement
  readonly #select: Statement
  readonly #update: Statement
  readonly #insertOverflow: Statement
  readonly #selectOverflow: Statement
  readonly #updateOverflow: Statement
  /** Bound to the upsert again and again: bucket, id, key, values, records, states, epoch. */
  readonly #row: Cell[]
  /** Places in `#row`. */
  readonly #recordsAt: number
  readonly #statesAt: number
  readonly #epochAt: number
  /** Bytes of an index entry beside its columns: the primary key. */
  readonly #indexCount: number

  constructor(
    connection: BetterSqlite3.Database,
    schema: LeafSchema,
    indexCount: number,
    note: UpdateNote,
    functions: MergeFunctions,
    spans: ChangedSpans | undefined,
  ) {
    for (const partial of schema.partials) functions.register(partial)
    this.#functions = functions
    this.#spans = spans
    this.#schema = schema
    this.#note = note
    this.#indexCount = indexCount
    this.#upsert = connection.prepare(toUpsertSql(schema))
    this.#select = connection.prepare<Cell[], unknown[]>(toSelectSql(schema)).raw(true).safeIntegers(true)
    this.#update = connection.prepare(toUpdateSql(schema, schema.table))
    this.#insertOverflow = connection.prepare(toInsertOverflowSql(schema))
    this.#selectOverflow = connection
      .prepare<Cell[], unknown[]>(toSelectOverflowSql(schema))
      .raw(true)
      .safeIntegers(true)
    this.#updateOverflow = connection.prepare(toUpdateSql(schema, schema.overflowTable))
    this.#row = Array.from<Cell>({ length: columnsOf(schema).length }).fill(null)
    this.#recordsAt = 3 + schema.groupColumns.length
    this.#statesAt = this.#recordsAt + 1
    this.#epochAt = this.#statesAt + schema.stateColumns.length
  }

  /** Merges all groups of the batch; `halfway` is called once, before the middle group. Caller has the transaction. */
  merge(batch: PartialBatch, epoch: number, halfway: () => void): GroupChanges {
    const changes: GroupChanges = { groups: 0, overflowGroups: 0, bytes: 0 }
    const row = this.#row
    const { length: valueCount } = this.#schema.groupColumns
    const { length: stateCount } = this.#schema.stateColumns
    let untilHalf = batch.groupCount >> 1
    const spans = this.#spans
    let span: number | undefined
    let lastBucket: number | bigint | undefined
    row[this.#epochAt] = epoch
    const grownBefore = this.#functions.grownBytes
    batch.readGroups((group) => {
      assert(
        group.values.length === valueCount && group.states.length === stateCount,
        `a batch for ${this.#schema.table} has other columns than its table`,
      )
      if (untilHalf-- === 0) halfway()
      // groups come in the order of their buckets, so a span is noted once, mostly
      if (spans !== undefined && group.bucket !== lastBucket) {
        lastBucket = group.bucket
        const next = spanOf(group.bucket)
        if (next !== span) spans.note((span = next), epoch)
      }
      row[0] = group.bucket
      row[1] = group.id
      row[2] = group.key
      for (let index = 0; index < valueCount; index++) row[3 + index] = group.values[index] as Cell
      row[this.#recordsAt] = group.records
      for (let index = 0; index < stateCount; index++) row[this.#statesAt + index] = group.states[index] as Cell
      this.#mergeRow(group, epoch, changes)
    })
    changes.bytes += this.#functions.grownBytes - grownBefore
    return changes
  }

  #mergeRow(group: BatchGroup, epoch: number, changes: GroupChanges): void {
    const updatesBefore = this.#note.updates
    // binding is half of a row's cost; spread, it is a tenth cheaper than as one array
    const { changes: rows } = this.#upsert.run(...this.#row)
    if (rows === 0) this.#mergeSlowly(group, epoch, changes)
    else if (this.#note.updates === updatesBefore) {
      changes.groups++
      changes.bytes += this.#storedBytes()
    }
  }

  /** What the upsert left: a guard that didn't hold, or another key under this id. */
  #mergeSlowly(group: BatchGroup, epoch: number, changes: GroupChanges): void {
    const { bucket, id, key } = group
    const stored = this.#select.get(bucket, id)
    assert(stored !== undefined, `${this.#schema.table} refused a row that isn't there`)
    if (Buffer.compare(stored[0] as Uint8Array, key) === 0) {
      this.#writeMerged(this.#update, stored, group, epoch, changes)
      return
    }
    const overflowed = this.#selectOverflow.get(bucket, id, key)
    if (overflowed !== undefined) {
      this.#writeMerged(this.#updateOverflow, overflowed, group, epoch, changes)
      return
    }
    this.#insertOverflow.run(...this.#row)
    changes.groups++
    changes.overflowGroups++
    changes.bytes += this.#storedBytes()
  }

  #writeMerged(update: Statement, stored: unknown[], group: BatchGroup, epoch: number, changes: GroupChanges): void {
    const storedStates = stored.slice(1).map((cell) => toStateValue(cell as StateValue))
    const merged: StateValue[] = []
    for (const { aggregate, columns, first } of this.#schema.partials) {
      const end = first + columns.length
      merged.push(...aggregate.merge(storedStates.slice(first, end), group.states.slice(first, end)))
    }
    assert(merged.length === storedStates.length, 'a merged state has all of its columns')
    const result = update.run(group.records, ...merged, epoch, group.bucket, group.id, group.key)
    assert(result.changes === 1, 'a merged row is written')
    changes.bytes += valuesBytes(merged, 0, merged.length) - valuesBytes(storedStates, 0, storedStates.length)
  }

  /** Of the row that is bound, with its index entries: those hold about half of the grouping values and the primary key. */
  #storedBytes(): number {
    const row = this.#row
    const entryBytes = this.#indexCount === 0 ? 0 : INDEX_KEY_BYTES + valuesBytes(row, 3, this.#recordsAt) / 2
    return rowBytes(row) + Math.round(this.#indexCount * entryBytes)
  }
}

/** Bytes of (bucket, id) with its headers at the end of an index entry. */
const INDEX_KEY_BYTES = 28
