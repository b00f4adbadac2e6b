/**
 * Owns what an aggregate is. Each stands in a file of its own; aggregate-table.ts lists them. Merging is associative and
 * commutative with an identity, and equal contents have equal state bytes whatever the order or split was (law 5).
 */
import type { RecordPlace } from '../core/record-place.ts'
import type { CellError, Registers } from '../core/registers.ts'
import type { ColumnStorage, ScalarType } from '../core/scalar-type.ts'
import type { OrderKey } from './order-key.ts'

/** A cell of a state column as SQLite gives it: integers as numbers where safe, else bigint. */
export type StateValue = null | number | bigint | Uint8Array

export interface StateColumn {
  /** Appended to the partial's column: p0 + `_n`; empty for a state of one column. */
  readonly suffix: string
  readonly storage: Exclude<ColumnStorage, 'TEXT'>
}

/** What is done to a state column of many groups: `sum` of integers; `limb`, the same of integers in [0, 2^48); `least` or `greatest` of those that aren't NULL, a BLOB being the number whose key it is; `none`, where all must be NULL. */
export type ColumnFoldKind = 'sum' | 'limb' | 'least' | 'greatest' | 'none'

/** How the states of many groups are merged column by column, without looking at two columns of one group together. */
export interface ColumnFold {
  /** One for each state column. A group with another value (a NULL in a sum, a cell under `none`) is merged by `merge` alone. */
  readonly kinds: readonly ColumnFoldKind[]
  /** The merged state in canonical form. Sums are exact, of any size; an extreme is NULL where all were. */
  toState(folded: readonly StateValue[]): StateValue[]
}

export interface AggregateDefinition {
  /** Lower case, as in SQL. */
  readonly name: string
  /** `distinct`: serves the call with DISTINCT alone. `either`: DISTINCT changes nothing. Absent: DISTINCT is refused. */
  readonly form?: 'distinct' | 'either'
  /** What finalize gets beside the state, which doesn't depend on it: the second argument, that of a call with WITHIN GROUP. */
  readonly parameter?: AggregateParameterKind
  /** The call is `name(parameter) WITHIN GROUP (ORDER BY value)`. */
  readonly withinGroup?: true
  /** The aggregate, in the same form, whose state this one reads, for these argument types; absent: it has its own. */
  readonly stateOwner?: (argTypes: readonly ScalarType[]) => string
  /** The call takes a second argument, the width of buckets: what is aggregated is the bucket of the value (number-bucket.ts). */
  readonly bucketed?: true
  /** The call takes ORDER BY inside its brackets. */
  readonly ordered?: true
  /** Arguments at these places are cast to a type first. */
  readonly casts?: readonly ScalarType[]
  /** For messages and docs: `sum(number)`. */
  readonly signature: string
  readonly doc: { readonly summary: string; readonly example: string }
  /**
   * The aggregate for arguments of these static types (none: star), without the parameter; undefined when it doesn't take them.
   */
  resolve(argTypes: readonly ScalarType[]): Aggregate | undefined
}

/**
 * All are written out. `fraction`: a number from 0 to 1. `separator`: a text. `count`: an integer from 1. `direction`: none is written, finalize
 * gets the direction of WITHIN GROUP, asc or desc. `quantile`: a fraction and the direction, as quantile-parameter.ts has them.
 */
export type AggregateParameterKind = 'fraction' | 'separator' | 'count' | 'direction' | 'quantile'

/** What finalize gets beside the state. */
export type AggregateParameter = number | string

/** What an accumulator knows of its call beside the arguments. */
export interface AccumulatorInput {
  /** Of the record that is folded; among rows, their order. */
  readonly place: RecordPlace
  /** ORDER BY inside the call. */
  readonly order: readonly OrderKey[]
  /** `state`: of a group that is stored. `rows`: of an answer, which may hold more. */
  readonly bounds: 'state' | 'rows'
}

/** An aggregate with its argument types decided. */
export interface Aggregate {
  readonly type: ScalarType
  readonly columns: readonly StateColumn[]
  /** Where one state column is the finished value already (COUNT, MIN of a bigint): its index, so that it can be indexed. */
  readonly finishedColumn?: number
  /** Absent: only `merge` merges states. */
  readonly columnFold?: ColumnFold
  /** Short, for people: `count`, `sum: exact limbs`. */
  readonly stateDescription: string
  /** Whether finalize can give an error. */
  readonly canFail: boolean

  createAccumulator(input: AccumulatorInput): Accumulator

  /** The state of no values. */
  identity(): StateValue[]
  /** Merges any two states. */
  merge(left: readonly StateValue[], right: readonly StateValue[]): StateValue[]
  /**
   * Takes a part away again that was merged into the whole: the very bytes of the state without it. Absent where the state forgets what
   * that takes: MIN doesn't know the second least value, a set not how often a value came.
   */
  subtract?(whole: readonly StateValue[], part: readonly StateValue[]): StateValue[]
  /**
   * The same merge as SQLite text, one assignment's right side per column, right wherever `mergeGuard` holds. `stored(i)` and
   * `added(i)` name column i of the two rows. Rows where the guard doesn't hold go through `merge`.
   */
  mergeSql(stored: (column: number) => string, added: (column: number) => string): readonly string[]
  /** SQLite condition under which mergeSql is right; absent: always. */
  mergeGuard?(stored: (column: number) => string, added: (column: number) => string): string

  /**
   * Writes the finished value, or ERROR, to the register, and a warning to `r.warning` where the value is less than was asked for.
   * `parameter` is the definition's, NaN where there is none.
   */
  finalize(state: readonly StateValue[], r: Registers, out: number, parameter: AggregateParameter): void
}

/** The states of many groups of one partial while records are folded: typed arrays, index = dense group index. */
export interface Accumulator {
  /** Makes room for groups 0..capacity-1; new ones hold the identity. */
  grow(capacity: number): void
  /**
   * Law 9: says what would be wrong with this value, and changes nothing. Called before any update of the record; null: all is well.
   * `arg` is the first of the call's argument registers, `second` the next; -1 where there is none. NULL values are well.
   */
  check(r: Registers, arg: number, second: number): CellError | null
  /** Adds a value to a group's state; never fails after a check. NULL arguments are skipped by the accumulator itself. */
  update(group: number, r: Registers, arg: number, second: number): void
  /** The group's state in canonical form, one value per state column. May be called once per group and batch. */
  stateOf(group: number, into: StateValue[]): void
  /** Memory in bytes beyond a few numbers per group (sketches, texts, big integers), about; absent: none. */
  readonly extraBytes?: number
  /** All groups back to the identity. Only groups below `used` were touched; absent: any. */
  reset(used?: number): void
}
