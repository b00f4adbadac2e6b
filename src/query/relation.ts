/**
 * Owns what stands in FROM: something with an alias of its own and typed columns. Its text is made last, when the statement knows
 * which columns it reads.
 */
import type { ScalarType } from '../core/scalar-type.ts'
import type { SqlFragment } from '../sql/expression.ts'
import type { CatalogRollup } from './query-catalog.ts'

export interface RelationColumn {
  readonly name: string
  readonly type: ScalarType
  readonly canFail: boolean
  /** Can be named, but isn't part of `*`. */
  readonly hidden: boolean
}

export interface Relation {
  /** Unique in the statement: t0, t1, ... */
  readonly alias: string
  readonly columns: readonly RelationColumn[]
  /** Reads a column, which the relation exports from now on. */
  column(index: number, position: number): SqlFragment
  /** The rollup whose column this is, unchanged and one row per group; undefined where it is computed or merged. Absent: there is no rollup. */
  measureSource?(index: number): MeasureSource | undefined
  /** The rollups behind the rows, for messages that name a group. Absent: there are none. */
  groupSource?(): GroupSource | undefined
  /** Columns that put the rows into one order, where no ORDER BY does; absent: the order in which they come. */
  rowOrder?(): readonly string[]
  /**
   * A HAVING that can fail, as a column for the statement's WHERE: there other conditions come first, so that a group which they exclude
   * can't fail the query. Undefined, or absent: the relation applies its HAVING itself, if it has one.
   */
  deferHaving?(): DeferredHaving | undefined
  /** Item of FROM, with its alias. */
  render(): string
}

export interface DeferredHaving {
  readonly condition: SqlFragment
  /** For messages: `HAVING of pageviews`. */
  readonly what: string
}

/** The way to the states behind a column, exported by the relation it was asked of. */
export interface MeasureSource {
  readonly rollup: CatalogRollup
  /** Index among the rollup's outputs. */
  readonly output: number
  /** State columns of a partial, as columns of the relation. */
  states(partial: number): readonly string[]
  /** The relation's column that is a grouping value, if it has it. */
  group(index: number): SqlFragment | undefined
  /** Which grouping set a row's group is of; undefined: the rollup has one. */
  readonly groupingSet: GroupingSetSource | undefined
  /** Names the row's group, as a column of the relation; NULL in a row that an outer join made up. */
  identity(): string
  /** Whether a group may stand in several rows, or in none but made-up ones: behind a join. */
  readonly mayRepeat: boolean
  /** The rollup at the bottom of the relation, where HAVING hides groups. */
  readonly hiding: HidesGroups
}

/** Groups of two sets hold the same records: only those of one may be merged. */
export interface GroupingSetSource {
  /** The set, as a column of the relation. */
  readonly text: () => string
  /** Whether the statement has read a column that tells the sets apart. */
  readonly isRead: () => boolean
  /** The column that tells them apart. */
  readonly column: string
}

export interface HidesGroups {
  readonly hasHaving: boolean
  readonly name: string
  /** From the next render on: shows the groups that HAVING hides, instead of the others. */
  showHidden(shown: boolean): void
  /** Text of a statement that counts its groups: all that it shows. */
  countAll(): string
}

/** Grouping values of a row's group. */
export interface GroupSource {
  readonly columns: readonly { readonly name: string; readonly type: ScalarType }[]
  /** Texts of the values, one for each column. */
  texts(): readonly string[]
}
