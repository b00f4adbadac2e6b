/** Owns the shape of a row of the function table: one entry serves the analyser, both evaluators and the docs. */
import type { Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Expression } from './expression.ts'

/**
 * Computes one call: reads the registers a, b, c, d (-1 for an argument that wasn't given), writes register `out`, which is none of
 * them. Strict entries never see NULL; no entry ever sees ERROR. Errors: as the value ERROR, never thrown. A variadic entry gets the
 * registers of all its arguments as well: the same array at every call.
 */
export type Evaluate = (
  r: Registers,
  out: number,
  a: number,
  b: number,
  c: number,
  d: number,
  all?: readonly number[],
) => void

/** More registers than these are in `all` alone. */
export const PLACED_ARGUMENTS = 4
/** A call may have so many arguments. PostgreSQL's limit is 100 but for GREATEST and LEAST; SQLite's is 1,000. */
export const CALL_ARGUMENTS_MAX = 500

export interface FunctionEntry {
  /** Unique, [a-z_0-9]+: `add`, `divide_integers`, `cast_to_bigint`. */
  readonly id: string
  /** As written in SQL, lower case: `lower`, `+`, `is null`; of a cast the target type. Several entries may share it. */
  readonly name: string
  readonly form: 'function' | 'operator' | 'cast' | 'try_cast'
  /**
   * Says whether the entry takes arguments of these static types, and what it gives; undefined: it doesn't take them. `any`
   * arguments are checked at run time, by tag: a kind that the entry doesn't take is the error wrong_kind. Analysers ask the entries
   * of a name in the table's order and take the first that answers.
   */
  readonly resolve: (args: readonly ScalarType[]) => ScalarType | undefined
  /** For messages, when no entry of the name takes the arguments: `lower(text)`. */
  readonly signature: string
  /** Takes any number of arguments, and reads them from `all`. */
  readonly variadic?: true
  /** NULL in, NULL out, without a call. */
  readonly strict: boolean
  /** Whether a call can give ERROR for arguments of these static types (an `any` argument nearly always can). */
  readonly canFail: (args: readonly ScalarType[]) => boolean
  readonly evaluate: Evaluate
  /** A faster or only way when arguments are literals (units, patterns); undefined: use evaluate. Errors: RollupdError with position for a bad literal. */
  readonly specialize?: (args: readonly Expression[]) => Evaluate | undefined
  /** SQLite text with the same value and order for operands that can't be errors; undefined where there is none for these types. */
  readonly native?: (argTexts: readonly string[], types: readonly ScalarType[]) => string | undefined
  /** How the call is printed as SQL for a person; absent: name(args). */
  readonly print?: (argTexts: readonly string[]) => string
  readonly doc: { readonly summary: string; readonly example: string }
}
