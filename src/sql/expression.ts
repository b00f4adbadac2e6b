/**
 * Owns the typed expression tree: what the parser's tree becomes after names, types and functions are resolved. Plain frozen
 * data, JSON-serialisable, so that a plan can be stored. One tree for the ingest half, the wrap half and queries.
 */
import type { ScalarType } from '../core/scalar-type.ts'
import type { SortDirection } from './sort-direction.ts'

/**
 * bigint, numeric: decimal digits as text; timestamptz, timestamp: microseconds since 1970 as decimal text; date: days since 1970 as
 * decimal text; interval: as PostgreSQL prints it; double precision: a number, or 'NaN', 'Infinity', '-Infinity'; text: text; jsonb: JSON
 * text; boolean: a boolean; NULL of any type: null.
 */
export type LiteralValue = null | boolean | number | string

interface Node {
  readonly type: ScalarType
  /** 1-based character of the statement where the expression begins; 0 where it stands in no statement. */
  readonly position: number
}

export interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: LiteralValue
}

/** A field of the record: object keys, and zero-based indexes of arrays. Type any. */
export interface Field extends Node {
  readonly kind: 'field'
  readonly path: readonly (string | number)[]
  /** Of an element of the array that FROM unnests, by its name there; an empty path is the element itself. Absent: of the record. */
  readonly element?: string
}

/** The record's metadata: topic text, partition and offset bigint, timestamp timestamptz, key and header text. */
export interface Meta extends Node {
  readonly kind: 'meta'
  readonly name: 'topic' | 'partition' | 'offset' | 'timestamp' | 'key' | 'header' | 'ordinality'
  /** The header's name. */
  readonly header?: string
  /** Of ordinality, the number of an unnested element: how FROM calls it. */
  readonly column?: string
}

/** A call, operator or cast of the function table. */
export interface Call extends Node {
  readonly kind: 'call'
  /** FunctionEntry.id */
  readonly function: string
  readonly args: readonly Expression[]
}

/** Left to right, stopping early; three-valued. */
export interface Logic extends Node {
  readonly kind: 'and' | 'or'
  readonly args: readonly Expression[]
}

/** CASE WHEN; a CASE with an operand has become comparisons. */
export interface Case extends Node {
  readonly kind: 'case'
  readonly whens: readonly { readonly when: Expression; readonly then: Expression }[]
  readonly otherwise: Expression
}

export interface Coalesce extends Node {
  readonly kind: 'coalesce'
  readonly args: readonly Expression[]
}

/** try(argument): NULL where the argument fails. */
export interface Try extends Node {
  readonly kind: 'try'
  readonly argument: Expression
}

/** argument IN (list): the comparison is the function `equal`. */
export interface In extends Node {
  readonly kind: 'in'
  readonly argument: Expression
  readonly list: readonly Expression[]
}

/** A key of ORDER BY inside an aggregate call. */
export interface AggregateOrder extends SortDirection {
  readonly expression: Expression
}

/** An aggregate call before the split; afterwards a `partial`. */
export interface AggregateCall extends Node {
  readonly kind: 'aggregate'
  /** The aggregate's name, lower case. */
  readonly name: string
  /** Empty with star: COUNT(*). */
  readonly args: readonly Expression[]
  readonly filter: Expression | null
  readonly distinct: boolean
  /** ORDER BY inside the call, of those whose value depends on it. */
  readonly order?: readonly AggregateOrder[]
  /** What the finished value depends on beside the state: the fraction of a percentile, a separator. */
  readonly parameter?: number | string
}

/** GROUPING(a, b) of a rollup: a bit for each argument, set where the group isn't grouped by it. A part of the split alone. */
export interface GroupingCall extends Node {
  readonly kind: 'grouping'
  readonly args: readonly Expression[]
}

/** Wrap half: the index-th grouping value of the group. */
export interface GroupValue extends Node {
  readonly kind: 'group'
  readonly index: number
}

/** Wrap half: the finalized index-th partial state. */
export interface PartialValue extends Node {
  readonly kind: 'partial'
  readonly index: number
  /** The call's. */
  readonly parameter?: number | string
  /** The aggregate that reads the state, where another one keeps it. */
  readonly finalizer?: string
}

/** Queries: a piece of SQLite text that has a value (a column, a scalar subquery, an aggregate over rows). */
export interface SqlFragment extends Node {
  readonly kind: 'fragment'
  readonly sql: string
  /** The cell may be an error (a tagged BLOB). */
  readonly canFail: boolean
}

export type Expression =
  | Literal
  | Field
  | Meta
  | Call
  | Logic
  | Case
  | Coalesce
  | Try
  | In
  | AggregateCall
  | GroupingCall
  | GroupValue
  | PartialValue
  | SqlFragment

/** The direct parts of an expression, in evaluation order. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
    case 'grouping':
      return expression.args
    case 'case':
      return [...expression.whens.flatMap(({ when, then }) => [when, then]), expression.otherwise]
    case 'try':
      return [expression.argument]
    case 'in':
      return [expression.argument, ...expression.list]
    case 'aggregate':
      return [
        ...expression.args,
        ...(expression.order ?? []).map((key) => key.expression),
        ...(expression.filter === null ? [] : [expression.filter]),
      ]
    default:
      return []
  }
}
