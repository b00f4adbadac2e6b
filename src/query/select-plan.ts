/** Owns what a compiled SELECT is: typed outputs, and text that is made last. */
import type { ScalarType } from '../core/scalar-type.ts'
import type { Literal } from '../sql/expression.ts'
import type { GroupSource, MeasureSource } from './relation.ts'

export interface PlanColumn {
  readonly name: string
  readonly type: ScalarType
  readonly canFail: boolean
  /** NULL or a quoted text, written out: a set operation gives it the other side's type. */
  readonly open?: Literal | undefined
}

/** Grouping values that name the group of an answer's row; columns behind the outputs. */
export type RowLabels = readonly { readonly name: string; readonly type: ScalarType }[]

export interface SelectPlan {
  readonly columns: readonly PlanColumn[]
  /** Gives the outputs the types that a set operation unified them to; `comparesRows`: it gives each row once. */
  coerce(types: readonly ScalarType[], comparesRows: boolean): void
  /** See Relation.measureSource; its texts are names of columns that the plan then exports. */
  measureSource(index: number): MeasureSource | undefined
  /** See Relation.groupSource; as above. */
  groupSource(): GroupSource | undefined
  /** Adds columns that name each row's group; empty where rows have none. */
  addRowLabels(): RowLabels
  /** Whether it can stand in a set operation without brackets. */
  readonly isPlain: boolean
  /** Whether it gives one row at most. */
  readonly isSingleRow: boolean
  /** Columns are c0, c1, ... */
  render(): string
}
