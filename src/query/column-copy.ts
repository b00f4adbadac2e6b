/**
 * Owns the copy of some columns of one rollup's groups, in the order of the primary key, in the memory of a query process. It is of one commit: a
 * query brings it to the commit that its transaction sees by reading the spans again that were changed since (leaf/changed-spans.ts).
 */
import type BetterSqlite3 from 'better-sqlite3'
import { assert } from '../core/assert.ts'
import type { Cell } from '../core/scalar-type.ts'
import { bucketsOfSpans, spanOf, spansChangedSince } from '../leaf/changed-spans.ts'
import { LEAF_COLUMN, type LeafSchema } from '../leaf/leaf-schema.ts'
import { NULL_BUCKET } from '../planner/bucket.ts'
import {
  bytesOf,
  type ColumnBuilder,
  type ColumnToCopy,
  type CopiedColumn,
  createBuilder,
  Dictionary,
  readText,
  UnfitForCopy,
} from './copied-column.ts'

/** A double, exactly. */
const NULL_BUCKET_NUMBER = Number(NULL_BUCKET)

/** The groups of the spans from `from` up to the next stretch's. */
export interface Stretch {
  readonly from: number
  readonly rows: number
  readonly columns: ReadonlyMap<string, CopiedColumn>
}

export interface ColumnCopyOptions {
  readonly rollupId: number
  readonly schema: LeafSchema
  /** Groups of a stretch; it ends with a span, so it may have more. */
  readonly stretchRows: number
}

export class ColumnCopy {
  readonly #options: ColumnCopyOptions
  readonly #columns = new Map<string, ColumnToCopy>()
  readonly #dictionaries = new Map<string, Dictionary>()
  /** Ascending, without gaps: the first is from -Infinity, the last has no end. */
  #stretches: Stretch[] = []
  #epoch = -1

  constructor(options: ColumnCopyOptions) {
    this.#options = options
  }

  get stretches(): readonly Stretch[] {
    return this.#stretches
  }

  get bytes(): number {
    let bytes = 0
    for (const { columns } of this.#stretches) for (const column of columns.values()) bytes += bytesOf(column)
    for (const dictionary of this.#dictionaries.values()) bytes += dictionary.bytes
    return bytes
  }

  /** Whether it has the column. */
  holds(name: string): boolean {
    return this.#columns.has(name)
  }

  /** The values behind a column's codes. */
  cellsOf(name: string): readonly Cell[] {
    const dictionary = this.#dictionaries.get(name)
    assert(dictionary !== undefined, `the copy has no dictionary of ${name}`)
    return dictionary.cells
  }

  /**
   * Brings it to the commit `epoch`, which the caller's transaction sees, with these columns among its own. Errors: UnfitForCopy; it can't be
   * used any more then.
   */
  update(connection: BetterSqlite3.Database, epoch: number, wanted: readonly ColumnToCopy[]): void {
    const added = wanted.filter(({ name }) => !this.#columns.has(name))
    if (this.#stretches.length === 0) {
      this.#know(added)
      this.#stretches = this.#read(connection, -Infinity, Infinity)
    } else {
      assert(epoch >= this.#epoch, 'a transaction sees no older commit than the one before it')
      if (epoch > this.#epoch) this.#readChanged(connection)
      if (added.length > 0) this.#add(connection, added)
    }
    this.#epoch = epoch
  }

  #know(added: readonly ColumnToCopy[]): void {
    for (const column of added) {
      this.#columns.set(column.name, column)
      if (column.form === 'code') this.#dictionaries.set(column.name, new Dictionary(column))
    }
  }

  #readChanged(connection: BetterSqlite3.Database): void {
    const spans = spansChangedSince(connection, this.#options.rollupId, this.#epoch)
    let next = 0
    this.#stretches = this.#stretches.flatMap((stretch, index) => {
      const end = this.#stretches[index + 1]?.from ?? Infinity
      const isChanged = next < spans.length && (spans[next] as number) < end
      while (next < spans.length && (spans[next] as number) < end) next++
      return isChanged ? this.#read(connection, stretch.from, end) : [stretch]
    })
  }

  #add(connection: BetterSqlite3.Database, added: readonly ColumnToCopy[]): void {
    this.#know(added)
    const reader = this.#reader(connection, added)
    this.#stretches = this.#stretches.map((stretch, index) => {
      const end = this.#stretches[index + 1]?.from ?? Infinity
      const rows = reader.read(stretch.from, end, () => {})
      assert(rows === stretch.rows, 'two columns of one commit are equally long')
      return { ...stretch, columns: new Map([...stretch.columns, ...reader.finish()]) }
    })
  }

  /** Stretches of the groups between. */
  #read(connection: BetterSqlite3.Database, from: number, end: number): Stretch[] {
    const reader = this.#reader(connection, [...this.#columns.values()])
    const stretches: Stretch[] = []
    let first = from
    let done = 0
    const total = reader.read(from, end, (rows, span) => {
      if (rows - done < this.#options.stretchRows) return
      stretches.push({ from: first, rows: rows - done, columns: reader.finish() })
      first = span
      done = rows
    })
    stretches.push({ from: first, rows: total - done, columns: reader.finish() })
    return stretches
  }

  #reader(connection: BetterSqlite3.Database, columns: readonly ColumnToCopy[]): SpanReader {
    const builders = columns.map((column) => ({
      name: column.name,
      builder: createBuilder(column, this.#dictionaries.get(column.name)),
    }))
    return new SpanReader(connection, this.#options.schema.table, columns, builders)
  }
}

/** Reads columns of spans into builders. */
class SpanReader {
  readonly #statement: BetterSqlite3.Statement<[bigint, bigint], Cell[]>
  readonly #builders: readonly { readonly name: string; readonly builder: ColumnBuilder }[]

  constructor(
    connection: BetterSqlite3.Database,
    table: string,
    columns: readonly ColumnToCopy[],
    builders: readonly { readonly name: string; readonly builder: ColumnBuilder }[],
  ) {
    const { bucket, id } = LEAF_COLUMN
    const texts = columns.map(readText)
    this.#statement = connection
      .prepare<[bigint, bigint], Cell[]>(
        `SELECT ${[bucket, ...texts].join(', ')} FROM ${table} WHERE ${bucket} BETWEEN ? AND ? ORDER BY ${bucket}, ${id}`,
      )
      .raw()
      // bigints would cost as much as all else
      .safeIntegers(false)
    this.#builders = builders
  }

  /** Gives how many rows there were; `border` is called between two spans, with the rows so far and the span that follows. */
  read(from: number, end: number, border: (rows: number, span: number) => void): number {
    const builders = this.#builders.map(({ builder }) => builder)
    let rows = 0
    let lastBucket: number | undefined
    let span: number | undefined
    for (const cells of this.#statement.iterate(...(bucketsOfSpans(from, end) as [bigint, bigint]))) {
      const bucket = cells[0] as number
      if (bucket !== lastBucket) {
        lastBucket = bucket
        if (!Number.isSafeInteger(bucket) && bucket !== NULL_BUCKET_NUMBER) {
          // it is rounded here: its span isn't sure
          throw new UnfitForCopy(LEAF_COLUMN.bucket, 'a time beyond 2^53 microseconds')
        }
        const next = spanOf(bucket)
        if (span !== undefined && next !== span) border(rows, next)
        span = next
      }
      for (let index = 0; index < builders.length; index++) builders[index]?.add(cells[index + 1] as Cell)
      rows++
    }
    return rows
  }

  /** The columns of the rows since the last time. */
  finish(): Map<string, CopiedColumn> {
    return new Map(this.#builders.map(({ name, builder }) => [name, builder.finish()]))
  }
}
