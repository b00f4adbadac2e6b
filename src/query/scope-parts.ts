/** Owns what a scope of a query is made of, for the parts that treat calls and subqueries in it. */
import type { Expression } from '../sql/expression.ts'
import type { Node } from '../sql/parse-statement.ts'
import type { Scope } from '../sql/scope.ts'
import type { CompileContext, OuterNames, Surroundings } from './compile-context.ts'
import type { Namespace } from './namespace.ts'
import type { GroupingSets } from './query-grouping-sets.ts'
import type { HidesGroups } from './relation.ts'
import type { WindowClause } from './window-clause.ts'

/** An expression of GROUP BY. */
export interface GroupItem {
  readonly name: string
  readonly node: Node
  /** NULL in groups of a grouping set that lacks it. */
  readonly expression: Expression
  /** Text of its value in the rows. */
  readonly value: string
}

/** Which expressions have one value per group. */
export interface Grouping {
  readonly items: readonly GroupItem[]
  /** Undefined: one set, of all items. */
  readonly sets: GroupingSets | undefined
  /** Rollups of which MEASURE merged groups although HAVING hides some; with the group's identity where it may stand in several rows. */
  readonly measured: Map<HidesGroups, string | undefined>
}

export interface ScopeParts {
  readonly context: CompileContext
  readonly namespace: Namespace
  readonly surroundings: Surroundings
}

/** A scope as the treatment of its calls sees it. */
export interface CallScope extends OuterNames, Scope {
  readonly parts: ScopeParts
  /** Undefined: rows, not groups. */
  readonly grouping: Grouping | undefined
  /** Undefined: window functions are refused. */
  readonly windows: WindowClause | undefined
  /** Whether columns of FROM were read by it, and those of the queries around. */
  readonly reads: { own: boolean; outer: boolean }
  /** The same names, rows instead of groups: arguments of aggregates. */
  ofRows(clause: string): CallScope
  /** The same names and groups: what stands inside a call with OVER. */
  withoutWindows(clause: string): CallScope
}
