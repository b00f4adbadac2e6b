/** Owns the shape of a split rollup: plain frozen data that can be printed, stored and compiled. */
import type { ScalarType } from '../core/scalar-type.ts'
import type { AggregateOrder, Expression } from '../sql/expression.ts'

export const PLAN_FORMAT = 1

/** A grouping expression. Its column in the leaf is k0, k1, ... */
export interface GroupColumn {
  readonly column: string
  readonly expression: Expression
  readonly type: ScalarType
  /** The output's name where it is selected, else undefined. */
  readonly output: string | undefined
}

/** An aggregate call whose state is kept per group; equal calls are one. Its columns in the leaf are p0_x, p0_y, ... */
export interface PartialColumn {
  /** p0, p1, ... */
  readonly column: string
  readonly aggregate: string
  readonly args: readonly Expression[]
  readonly argTypes: readonly ScalarType[]
  readonly filter: Expression | null
  readonly distinct: boolean
  /** ORDER BY inside the call. */
  readonly order?: readonly AggregateOrder[]
  /** Type of the finalized value. */
  readonly type: ScalarType
  /** The call as SQL that a person can read: SUM(bytes) FILTER (WHERE ok) */
  readonly call: string
}

/** One of several grouping sets; its number is its place in the list. */
export interface GroupingSetPlan {
  /** Indexes of the grouping columns that it groups by; the others are NULL in its groups. */
  readonly columns: readonly number[]
  /** GROUPING over all grouping columns. */
  readonly grouping: number
}

/** An array of the record, each of whose elements makes a row of it. */
export interface UnnestPlan {
  readonly path: readonly (string | number)[]
  /** LEFT JOIN: a record without elements makes a row all the same, with NULL as its element. */
  readonly isLeft: boolean
  /** Names in FROM: `AS alias(element, ordinality)`. */
  readonly alias: string
  readonly element: string
  /** Absent: not asked for. */
  readonly ordinality?: string
}

/** Runs on every record. */
export interface IngestHalf {
  /** Absent: a record is a row. */
  readonly unnest?: UnnestPlan
  readonly where: Expression | null
  /** With grouping sets the last column is GROUPING over the others: a group's set, which no record has. */
  readonly groupBy: readonly GroupColumn[]
  /** Absent: one set, of all columns. */
  readonly groupingSets?: readonly GroupingSetPlan[]
  readonly partials: readonly PartialColumn[]
}

/** The columns that a record has values for. */
export function valueColumnsOf({ groupBy, groupingSets }: IngestHalf): readonly GroupColumn[] {
  return groupingSets === undefined ? groupBy : groupBy.slice(0, -1)
}

export interface OutputColumn {
  readonly name: string
  readonly type: ScalarType
  readonly role: 'group' | 'aggregate' | 'expression'
  /** Over `group` and `partial` nodes. */
  readonly expression: Expression
}

/** Runs at read time, as a view over the stored states. */
export interface WrapHalf {
  readonly outputs: readonly OutputColumn[]
  readonly having: Expression | null
}

/** The rollup that is read instead of records. */
export interface PlanSource {
  readonly rollup: string
  /** Of each partial, its index among the source's: its states are merged. */
  readonly partials: readonly number[]
}

export interface RollupPlan {
  readonly format: typeof PLAN_FORMAT
  readonly sql: string
  /** Absent: records are read. With it the ingest half is over `group` nodes, the source's grouping values, and partials have no arguments. */
  readonly source?: PlanSource
  readonly ingest: IngestHalf
  readonly wrap: WrapHalf
  /** Both halves as SQL that a person can read. */
  readonly ingestSql: string
  readonly wrapSql: string
  /** Of the tables that decide results (law 4). */
  readonly versions: { readonly timeZones: string; readonly unicode: string }
  readonly warnings: readonly string[]
}
