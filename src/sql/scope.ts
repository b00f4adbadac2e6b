/**
 * Owns what an expression may name where it stands: fields of records in a rollup, columns of rollups in a query. The analyser
 * asks the scope for names, parameters and subqueries, and lets it treat calls of its own (aggregates, MEASURE) first.
 */
import type { Expression } from './expression.ts'
import type { FuncCall, Node, SubLink } from './parse-statement.ts'

/** `a.b[1]` is ['a', 'b', 0]: names as text (unquoted ones are folded already), subscripts as zero-based numbers. */
export type NamePath = readonly [string, ...(string | number)[]]

export interface Scope {
  /** For messages: `WHERE`, `GROUP BY`, `HAVING`, `SELECT`. */
  readonly clause: string

  /**
   * The expression that a name stands for. Subscripts and names behind the first part that the scope can't take as a path itself
   * are the scope's to refuse. Errors: sql_unknown_column, sql_ambiguous, sql_unsupported, sql_invalid.
   */
  column(path: NamePath, position: number): Expression

  /**
   * Treats a call itself, before the function table is asked: aggregates, MEASURE, window functions. Undefined: an ordinary
   * function. The analyser refuses OVER, DISTINCT, FILTER, ORDER BY, WITHIN GROUP and `*` of calls that no scope takes.
   */
  call?(site: CallSite): Expression | undefined

  /** Names that `call` treats, for suggestions when a function is unknown. */
  readonly callNames?: readonly string[]

  /** A scalar subquery, EXISTS, IN (SELECT ...). Absent: refused. */
  subquery?(node: SubLink, position: number, analyser: Analyser): Expression

  /** $number, from 1. Absent: refused. */
  parameter?(number: number, position: number): Expression

  /** Any node of an expression that the scope wants to treat itself, asked before all else (whole grouping expressions). */
  node?(node: Node, position: number, analyser: Analyser): Expression | undefined
}

export interface CallSite {
  /** Lower case, without schema. */
  readonly name: string
  readonly node: FuncCall
  readonly position: number
  readonly analyser: Analyser
}

/** The analyser as a scope's hooks see it. */
export interface Analyser {
  readonly scope: Scope
  /** Analyses a part; quoted and NULL literals may come back with type unknown (see settle). */
  analyse(node: Node): Expression
  /** As analyse, with literals settled: a lone quoted literal is text, a number with a point is double. */
  analyseSettled(node: Node): Expression
  /** As analyseSettled; must be boolean (or any, checked at run time). `what` is for the message: `WHERE`. Errors: sql_type_mismatch. */
  analyseCondition(node: Node, what: string): Expression
  /** The same statement's analyser in another scope. */
  within(scope: Scope): Analyser
  /** 1-based character of a node's location; 0 where it has none. */
  positionOf(location: number | undefined): number
}
