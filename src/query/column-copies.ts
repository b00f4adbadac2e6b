/**
 * Owns how groups are folded for a statement: by SQLite, or out of the copies of columns that one query process holds; which rollups may have a
 * copy, and how much memory all of them take.
 */
import type BetterSqlite3 from 'better-sqlite3'
import { LEAF_COLUMN } from '../leaf/leaf-schema.ts'
import { ColumnCopy } from './column-copy.ts'
import { ColumnFold, type Derive, UnfitForFold } from './column-fold.ts'
import { columnsOfFold } from './column-form.ts'
import { type ColumnToCopy, UnfitForCopy } from './copied-column.ts'
import type { FoldRequest } from './fold-request.ts'
import { areFewLeft, deriveCodes, type FoldRun } from './folded-derivation.ts'
import type { FoldedRows } from './folded-table.ts'
import { foldByKey } from './key-fold.ts'
import type { CatalogRollup } from './query-catalog.ts'

export interface ColumnCopiesOptions {
  /** Of all copies together. */
  readonly bytesMax: number
  /** Rollups of fewer groups are read group by group. */
  readonly groupsMin: number
  /** So few, that a range of time leaves of all, are folded by SQLite. */
  readonly byKeyMax: number
  /** See ColumnCopyOptions. */
  readonly stretchRows: number
}

export const COLUMN_COPIES: ColumnCopiesOptions = {
  // a million groups take 3 MB for a key and a count, 11 more for an average
  bytesMax: 64 << 20,
  // SQLite reads so many in 20 ms
  groupsMin: 20_000,
  // about 10 ms
  byKeyMax: 20_000,
  // a changed stretch is read again in 2 ms; ten million groups are 5,000 stretches
  stretchRows: 2048,
}

/** Rollups that are dropped and created again leave theirs behind until others take the room. */
const COPIES_MAX = 256

/** Of one group, as a guess before it is read: most counts are short, most of a limb's bits are in the first of two. */
const FORM_BYTES = { code: 2, number: 3, limb: 4, none: 0 } as const

export class ColumnCopies {
  readonly #options: ColumnCopiesOptions
  /** By rollup id, the one used last at the end. */
  readonly #copies = new Map<number, ColumnCopy>()
  /** Rollups of which a part was asked for. */
  readonly #asked = new Set<number>()
  /** Columns that have values without a place in a copy, as `id name`. */
  readonly #unfit = new Set<string>()

  constructor(options: ColumnCopiesOptions = COLUMN_COPIES) {
    this.#options = options
  }

  /** Whether a rollup is one that copies are for. */
  readonly mayFold = ({ plan, schema, hasOverflow, groups }: CatalogRollup): boolean =>
    plan.ingest.groupingSets === undefined &&
    // the spans that a commit has changed are told by the time
    schema.bucketGroup >= 0 &&
    !hasOverflow &&
    groups >= this.#options.groupsMin

  /** The rows of each request, of the commit `epoch` that the caller's transaction sees; undefined: at least one can't be served. */
  fold(run: FoldRun, epoch: number, requests: readonly FoldRequest[]): readonly FoldedRows[] | undefined {
    const folds: FoldedRows[] = []
    for (const request of requests) {
      const fold = this.#fold(run, epoch, request)
      if (fold === undefined) return undefined
      folds.push(fold)
    }
    return folds
  }

  #fold(run: FoldRun, epoch: number, request: FoldRequest): FoldedRows | undefined {
    const { rollup, share } = request
    const areFew = rollup.groups * share <= this.#options.byKeyMax || areFewLeft(run, request)
    if (areFew || this.#isFirst(request)) return foldByKey(run, request)
    const copy = this.#bringUp(run.connection, epoch, rollup, columnsOfFold(request))
    return copy === undefined ? foldByKey(run, request) : tryFold(request, copy, run)
  }

  /** Where a key may leave SQLite less than all to read, columns are first read for a second statement: it may stay at one. */
  #isFirst(request: FoldRequest): boolean {
    const { id } = request.rollup
    const copy = this.#copies.get(id)
    const isWaiting = request.conditions.length > 0 && columnsOfFold(request).some(({ name }) => !copy?.holds(name))
    if (!isWaiting || this.#asked.has(id)) return false
    this.#asked.add(id)
    return true
  }

  #bringUp(
    connection: BetterSqlite3.Database,
    epoch: number,
    { id, schema, groups }: CatalogRollup,
    columns: readonly ColumnToCopy[],
  ): ColumnCopy | undefined {
    const names = [LEAF_COLUMN.bucket, ...columns.map(({ name }) => name)]
    if (names.some((name) => this.#unfit.has(`${id} ${name}`))) return undefined
    const known = this.#copies.get(id)
    const added = columns.filter(({ name }) => known?.holds(name) !== true)
    const addedBytes = groups * added.reduce((sum, { form }) => sum + FORM_BYTES[form], 0)
    if ((known?.bytes ?? 0) + addedBytes > this.#options.bytesMax) return undefined
    this.#copies.delete(id)
    this.#makeRoom((known?.bytes ?? 0) + addedBytes)
    const copy = known ?? new ColumnCopy({ rollupId: id, schema, stretchRows: this.#options.stretchRows })
    try {
      copy.update(connection, epoch, columns)
    } catch (error) {
      if (!(error instanceof UnfitForCopy)) throw error
      this.#unfit.add(`${id} ${error.column}`)
      return undefined
    }
    this.#copies.set(id, copy)
    return copy
  }

  /** Drops the copies that were used longest ago. */
  #makeRoom(bytes: number): void {
    let total = bytes
    for (const copy of this.#copies.values()) total += copy.bytes
    for (const [id, copy] of this.#copies) {
      if (total <= this.#options.bytesMax && this.#copies.size < COPIES_MAX) return
      total -= copy.bytes
      this.#copies.delete(id)
    }
  }
}

function tryFold(request: FoldRequest, copy: ColumnCopy, run: FoldRun): ColumnFold | undefined {
  const derive: Derive = (...of) => deriveCodes(run, ...of)
  try {
    return new ColumnFold(request, copy, derive)
  } catch (error) {
    if (error instanceof UnfitForFold) return undefined
    throw error
  }
}
