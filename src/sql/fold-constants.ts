/**
 * Owns the value of a call whose arguments are all written out: it is computed once, when a statement is compiled, and stands there as a literal.
 * A call that fails, or that meets two kinds, is left as it is: it fails the row that needs it, and is counted there.
 */
import { RollupdError } from '../core/errors.ts'
import { Registers, TAG } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'
import type { Call, Expression, Literal } from './expression.ts'
import type { Evaluate, FunctionEntry } from './function-entry.ts'
import { functionById } from './function-table.ts'
import { loadLiteral, readLiteral } from './literal-value.ts'
import { mapParts } from './map-parts.ts'

/** A literal of one of these loads as the register that it was read from; undeclared values have none of their own. */
const FOLDED_TYPES: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'boolean',
  'bigint',
  'numeric',
  'double precision',
  'text',
  'timestamptz',
  'timestamp',
  'date',
  'interval',
  'jsonb',
])
/** A longer text would make a longer statement of a short one: repeat('x', 1000000). */
const TEXT_CHARACTERS_MAX = 1000

/** Of the expressions of one statement: each distinct node is folded once. */
export class ConstantFolder {
  readonly #folded = new WeakMap<Expression, Expression>()

  /** The expression with literals for the calls in it that have a value already. */
  fold(expression: Expression): Expression {
    const known = this.#folded.get(expression)
    if (known !== undefined) return known
    const folded =
      expression.kind === 'call' ? this.#foldCall(expression) : mapParts(expression, (part) => this.fold(part))
    this.#folded.set(expression, folded)
    // those who fold part by part come back with it
    this.#folded.set(folded, folded)
    return folded
  }

  #foldCall(call: Call): Expression {
    const args = call.args.map((arg) => this.fold(arg))
    const entry = functionById(call.function)
    const evaluate = evaluationOf(entry, args)
    // of a pattern that was computed, and is none, the call as it is written fails where it is used
    if (evaluate === undefined) return call
    const literals = args.filter((arg) => arg.kind === 'literal')
    const isConstant = literals.length === args.length && FOLDED_TYPES.has(call.type)
    return (isConstant ? toLiteral(call, entry, evaluate, literals) : undefined) ?? { ...call, args }
  }
}

function evaluationOf(entry: FunctionEntry, args: readonly Expression[]): Evaluate | undefined {
  try {
    return entry.specialize?.(args) ?? entry.evaluate
  } catch (error) {
    if (error instanceof RollupdError) return undefined
    throw error
  }
}

/** Undefined: the call has no value, or one that isn't kept. */
function toLiteral(
  { type, position }: Call,
  { strict }: FunctionEntry,
  evaluate: Evaluate,
  args: readonly Literal[],
): Literal | undefined {
  const r = new Registers(args.length + 1)
  const out = args.length
  args.forEach((arg, index) => loadLiteral(r, index, arg))
  const registers = args.map((_, index) => index)
  const [a = -1, b = -1, c = -1, d = -1] = registers
  if (strict && registers.some((register) => r.tag[register] === TAG.NULL)) r.setNull(out)
  else evaluate(r, out, a, b, c, d, registers)
  if (r.kindMismatch) return undefined
  const value = readLiteral(r, out, type)
  if (typeof value === 'object' && value !== null) return undefined
  if (typeof value === 'string' && value.length > TEXT_CHARACTERS_MAX) return undefined
  return { kind: 'literal', type, value, position }
}
