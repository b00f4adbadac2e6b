/**
 * Owns one rollup's group rows: merges a batch's groups into them. Groups behind the last stored time are new and are inserted several at
 * once; others are upserted one by one; and a row whose stored key is another one, or which has a sum that SQLite can't add, is read,
 * merged and written here.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { StateValue } from '../aggregates/aggregate.ts'
import { toStateValue } from '../aggregates/state-value.ts'
import type { BatchGroup, PartialBatch } from '../aggregator/partial-batch.ts'
import { assert } from '../core/assert.ts'
import { HASH_BYTES } from '../core/murmur3.ts'
import type { Cell } from '../core/scalar-type.ts'
import { type ChangedSpans, spanOf } from './changed-spans.ts'
import {
  columnsOf,
  type LeafSchema,
  NOTE_UPDATE_FUNCTION,
  toInsertNewSql,
  toInsertOverflowSql,
  toSelectEpochSql,
  toSelectLastBucketSql,
  toSelectOverflowSql,
  toSelectSql,
  toUpdateSql,
  toUpsertSql,
} from './leaf-schema.ts'
import { mergedGroups, mergeStates } from './merged-groups.ts'
import type { MergeFunctions } from './merge-functions.ts'
import { rowBytes, valuesBytes } from './row-bytes.ts'

/**
 * Groups of one insert. Measured with an index: 4.0 us of CPU a row one by one, 2.7 by 8, no less by 64. An upsert of several is none faster: as
 * it calls functions of ours, SQLite copies each page before the statement changes it.
 */
const INSERT_ROWS = 8

type Statement = BetterSqlite3.Statement<Cell[], unknown[]>

/** Sets of columns that are the same in all rows are few: those whose aggregate didn't need them. */
const NEW_INSERTS_MAX = 16

/** An insert of several rows, without the columns that are 0 or NULL in all of them: binding is half of a row's cost. */
interface NewInsert {
  readonly statement: Statement
  /** Literals by their places in a row. */
  readonly constants: ReadonlyMap<number, string>
  /** Of `#cells`. */
  readonly bound: readonly number[]
  readonly cells: Cell[]
}

/** How a batch changed a rollup's figures. */
export interface GroupChanges {
  groups: number
  overflowGroups: number
  /** An estimate. */
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
  /** By their constants. */
  readonly #newInserts = new Map<string, NewInsert>()
  /** The last one of a merge. */
  #newInsert: NewInsert | undefined
  readonly #connection: BetterSqlite3.Database
  readonly #select: Statement
  readonly #selectEpoch: Statement
  readonly #update: Statement
  readonly #insertOverflow: Statement
  readonly #selectOverflow: Statement
  readonly #updateOverflow: Statement
  /** No stored group has a larger bucket; one may have none so large, where a commit failed. */
  #lastBucket: number | bigint
  /** Bound again and again, row after row: bucket, id, key, values, records, states, epoch. */
  readonly #cells: Cell[]
  /** The ids in `#cells`. */
  readonly #ids: readonly Uint8Array[]
  /** Cells of a row. */
  readonly #width: number
  /** Places in a row. */
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
    const select = (sql: string): Statement => connection.prepare<Cell[], unknown[]>(sql).raw(true).safeIntegers(true)
    this.#upsert = connection.prepare(toUpsertSql(schema))
    this.#connection = connection
    this.#select = select(toSelectSql(schema))
    this.#selectEpoch = select(toSelectEpochSql(schema))
    this.#update = connection.prepare(toUpdateSql(schema, schema.table))
    this.#insertOverflow = connection.prepare(toInsertOverflowSql(schema))
    this.#selectOverflow = select(toSelectOverflowSql(schema))
    this.#updateOverflow = connection.prepare(toUpdateSql(schema, schema.overflowTable))
    const [lastBucket] = select(toSelectLastBucketSql(schema)).get() as [bigint | null]
    this.#lastBucket = lastBucket ?? -Infinity
    this.#width = columnsOf(schema).length
    this.#cells = Array.from<Cell>({ length: this.#width * INSERT_ROWS }).fill(null)
    this.#ids = Array.from({ length: INSERT_ROWS }, () => new Uint8Array(HASH_BYTES))
    this.#recordsAt = 3 + schema.groupColumns.length
    this.#statesAt = this.#recordsAt + 1
    this.#epochAt = this.#statesAt + schema.stateColumns.length
  }

  /**
   * Merges all groups of the batches; `halfway` is called once, before the middle group. Caller has the transaction. A group is in the
   * batches of one call as often as it likes, and in those of several calls of one epoch too.
   */
  merge(batches: readonly PartialBatch[], epoch: number, halfway: () => void): GroupChanges {
    const changes: GroupChanges = { groups: 0, overflowGroups: 0, bytes: 0 }
    let untilHalf = batches.reduce((sum, { groupCount }) => sum + groupCount, 0) >> 1
    const spans = this.#spans
    let span: number | undefined
    let bucket: number | bigint | undefined
    const grownBefore = this.#functions.grownBytes
    const storedUntil = this.#lastBucket
    this.#newInsert = undefined
    let newRows = 0
    // a group of several batches comes once, so a new one is new until the end
    for (const group of mergedGroups(batches, this.#schema.partials)) {
      if (untilHalf-- === 0) halfway()
      // groups come in the order of their buckets, so a span is noted once, mostly
      if (spans !== undefined && group.bucket !== bucket) {
        const next = spanOf(group.bucket)
        if (next !== span) spans.note((span = next), epoch)
      }
      bucket = group.bucket
      this.#put(newRows, group, epoch)
      if (bucket <= storedUntil) this.#upsertRow(this.#rowAt(0), changes)
      else if (++newRows === INSERT_ROWS) {
        this.#insertRows(changes)
        newRows = 0
      }
    }
    for (let row = 0; row < newRows; row++) this.#upsertRow(this.#rowAt(row), changes)
    if (bucket !== undefined && bucket > storedUntil) this.#lastBucket = bucket
    // keys are views of the batch
    this.#cells.fill(null)
    for (const { cells } of this.#newInserts.values()) cells.fill(null)
    changes.bytes += this.#functions.grownBytes - grownBefore
    return changes
  }

  #put(row: number, group: BatchGroup, epoch: number): void {
    const { values, states } = group
    const { length: valueCount } = this.#schema.groupColumns
    const { length: stateCount } = this.#schema.stateColumns
    assert(
      values.length === valueCount && states.length === stateCount,
      `a batch for ${this.#schema.table} has other columns than its table`,
    )
    const cells = this.#cells
    const id = this.#ids[row]!
    for (let index = 0; index < HASH_BYTES; index++) id[index] = group.id[index]!
    let at = row * this.#width
    cells[at++] = group.bucket
    cells[at++] = id
    cells[at++] = group.key
    for (let index = 0; index < valueCount; index++) cells[at++] = values[index] as Cell
    cells[at++] = group.records
    for (let index = 0; index < stateCount; index++) cells[at++] = states[index] as Cell
    cells[at] = epoch
  }

  #rowAt(row: number): readonly Cell[] {
    return this.#cells.slice(row * this.#width, (row + 1) * this.#width)
  }

  /** All rows in `#cells`, which are new, save where the id is another key's. */
  #insertRows(changes: GroupChanges): void {
    const { statement, bound, cells } = this.#chooseNewInsert()
    for (let index = 0; index < bound.length; index++) cells[index] = this.#cells[bound[index]!] as Cell
    // spread, binding is a tenth cheaper than of one array
    const { changes: inserted } = statement.run(...cells)
    const left = inserted === INSERT_ROWS ? [] : this.#rowsLeft()
    assert(inserted + left.length === INSERT_ROWS, `a new row of ${this.#schema.table} is inserted or left`)
    let bytes = 0
    for (let row = 0; row < INSERT_ROWS; row++) bytes += this.#storedBytes(this.#cells, row * this.#width)
    for (const row of left) bytes -= this.#storedBytes(row, 0)
    changes.groups += inserted
    changes.bytes += bytes
    for (const row of left) this.#mergeSlowly(row, changes)
  }

  /** That of the chunk before, mostly. */
  #chooseNewInsert(): NewInsert {
    const last = this.#newInsert
    if (last !== undefined && this.#areConstant(last.constants)) return last
    const constants = new Map<number, string>()
    for (let place = this.#statesAt; place < this.#epochAt; place++) {
      const literal = this.#literalAt(place)
      if (literal !== undefined && this.#areConstant(new Map([[place, literal]]))) constants.set(place, literal)
    }
    const known = this.#newInserts.get([...constants].join())
    if (known === undefined && this.#newInserts.size >= NEW_INSERTS_MAX) constants.clear()
    return (this.#newInsert = known ?? this.#newInserts.get([...constants].join()) ?? this.#createNewInsert(constants))
  }

  /** Whether all rows of `#cells` have these values. */
  #areConstant(constants: ReadonlyMap<number, string>): boolean {
    for (const [place, literal] of constants) {
      const first = this.#cells[place] as Cell
      if (this.#literalAt(place) !== literal) return false
      for (let at = place + this.#width; at < this.#cells.length; at += this.#width)
        if (!Object.is(this.#cells[at], first)) return false
    }
    return true
  }

  /** What stores the same as binding the first row's state does; undefined: it is bound. */
  #literalAt(place: number): string | undefined {
    const cell = this.#cells[place] as Cell
    if (cell === null) return 'NULL'
    const isInteger = this.#schema.stateColumns[place - this.#statesAt]?.storage === 'INTEGER'
    return isInteger && Object.is(cell, 0) ? '0' : undefined
  }

  #createNewInsert(constants: ReadonlyMap<number, string>): NewInsert {
    const bound = [...this.#cells.keys()].filter((place) => !constants.has(place % this.#width))
    const statement = this.#connection.prepare<Cell[], unknown[]>(toInsertNewSql(this.#schema, INSERT_ROWS, constants))
    const insert = { statement, constants, bound, cells: bound.map(() => null) }
    this.#newInserts.set([...constants].join(), insert)
    return insert
  }

  /** Those that an insert has ignored. */
  #rowsLeft(): (readonly Cell[])[] {
    return this.#ids
      .map((_, row) => this.#rowAt(row))
      .filter((row) => {
        const [key, epoch] = this.#selectEpoch.get(row[0]!, row[1]!) as [Uint8Array, bigint]
        return Buffer.compare(key, row[2] as Uint8Array) !== 0 || epoch !== BigInt(row[this.#epochAt] as number)
      })
  }

  #upsertRow(row: readonly Cell[], changes: GroupChanges): void {
    const updatesBefore = this.#note.updates
    const { changes: rows } = this.#upsert.run(...row)
    if (rows === 0) this.#mergeSlowly(row, changes)
    else if (this.#note.updates === updatesBefore) {
      changes.groups++
      changes.bytes += this.#storedBytes(row, 0)
    }
  }

  /** What the upsert left: a guard that didn't hold, or another key under this id. */
  #mergeSlowly(row: readonly Cell[], changes: GroupChanges): void {
    const [bucket, id, key] = row as readonly [Cell, Cell, Uint8Array]
    const stored = this.#select.get(bucket, id)
    assert(stored !== undefined, `${this.#schema.table} refused a row that isn't there`)
    if (Buffer.compare(stored[0] as Uint8Array, key) === 0) {
      this.#writeMerged(this.#update, stored, row, changes)
      return
    }
    const overflowed = this.#selectOverflow.get(bucket, id, key)
    if (overflowed !== undefined) {
      this.#writeMerged(this.#updateOverflow, overflowed, row, changes)
      return
    }
    this.#insertOverflow.run(...row)
    changes.groups++
    changes.overflowGroups++
    changes.bytes += this.#storedBytes(row, 0)
  }

  #writeMerged(update: Statement, stored: unknown[], row: readonly Cell[], changes: GroupChanges): void {
    const storedStates = stored.slice(1).map((cell) => toStateValue(cell as StateValue))
    const states = row.slice(this.#statesAt, this.#epochAt) as StateValue[]
    const merged = mergeStates(storedStates, states, this.#schema.partials)
    assert(merged.length === storedStates.length, 'a merged state has all of its columns')
    const result = update.run(row[this.#recordsAt]!, ...merged, row[this.#epochAt]!, ...row.slice(0, 3))
    assert(result.changes === 1, 'a merged row is written')
    changes.bytes += valuesBytes(merged, 0, merged.length) - valuesBytes(storedStates, 0, storedStates.length)
  }

  /** Of the row that begins there, with its index entries: those hold about half of the grouping values and the primary key. */
  #storedBytes(cells: readonly Cell[], first: number): number {
    const own = rowBytes(cells, first, first + this.#width)
    if (this.#indexCount === 0) return own
    const entryBytes = INDEX_KEY_BYTES + valuesBytes(cells, first + 3, first + this.#recordsAt) / 2
    return own + Math.round(this.#indexCount * entryBytes)
  }
}

/** Bytes of (bucket, id) with its headers at the end of an index entry. */
const INDEX_KEY_BYTES = 28
