/**
 * Owns powers, roots, logarithms and angles. All compute and give double precision, whatever the numbers are declared as; what PostgreSQL
 * refuses (a root of a negative number, a result out of range) is an error. Source: PostgreSQL, float.c.
 */
import type { Registers } from '../../core/registers.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumberType, never } from './argument.ts'
import { divisionByZero, doubleOf, isWithinDoubles } from './number-arithmetic.ts'

const RADIANS_PER_DEGREE = Math.PI / 180
/** How near to a whole exponent a quotient of logarithms is tried as one. */
const WHOLE_TOLERANCE = 1e-9

/** What the argument must fulfil beside being a number; undefined: it does. */
type Refuse = (value: number) => string | undefined

const NO_REFUSAL: Refuse = () => undefined
const isInfinite = (value: number): string | undefined =>
  value === Infinity || value === -Infinity ? 'the input is out of range' : undefined
const isBeyondOne = (value: number): string | undefined =>
  value < -1 || value > 1 ? 'the input is out of range' : undefined
const isBelowOne = (value: number): string | undefined => (value < 1 ? 'the input is out of range' : undefined)
const hasNoRoot = (value: number): string | undefined =>
  value < 0 ? 'cannot take the square root of a negative number' : undefined
const hasNoLogarithm = (value: number): string | undefined =>
  value === 0
    ? 'cannot take the logarithm of zero'
    : value < 0
      ? 'cannot take the logarithm of a negative number'
      : undefined

function overflow(r: Registers, out: number): void {
  r.setError(out, 'number_out_of_range', 'value out of range of double precision: overflow')
}

function underflow(r: Registers, out: number): void {
  r.setError(out, 'number_out_of_range', 'value out of range of double precision: underflow')
}

function unary(name: string, compute: (value: number) => number, refuse: Refuse): Evaluate {
  return (r, out, a) => {
    if (!isWithinDoubles(r, out, name, a)) return
    const value = doubleOf(r, a)
    const problem = refuse(value)
    if (problem === undefined) r.setDouble(out, compute(value))
    else r.setError(out, 'invalid_argument', `${name}: ${problem}`)
  }
}

function cotangent(value: number): number {
  return 1 / Math.tan(value)
}

/** Infinite from finite, or 0 from what isn't: out of range. */
const exp: Evaluate = (r, out, a) => {
  if (!isWithinDoubles(r, out, 'exp', a)) return
  const value = doubleOf(r, a)
  const result = Math.exp(value)
  if (result === Infinity && value !== Infinity) overflow(r, out)
  else if (result === 0 && value !== -Infinity) underflow(r, out)
  else r.setDouble(out, result)
}

const degrees: Evaluate = (r, out, a) => {
  if (!isWithinDoubles(r, out, 'degrees', a)) return
  const value = doubleOf(r, a)
  const result = value / RADIANS_PER_DEGREE
  if (Number.isFinite(value) && !Number.isFinite(result)) overflow(r, out)
  else r.setDouble(out, result)
}

const radians: Evaluate = (r, out, a) => {
  if (!isWithinDoubles(r, out, 'radians', a)) return
  const value = doubleOf(r, a)
  const result = value * RADIANS_PER_DEGREE
  if (result === 0 && value !== 0) underflow(r, out)
  else r.setDouble(out, result)
}

/** C's pow, which knows 1 and 0 beside NaN and infinities. */
function powerOf(base: number, exponent: number): number {
  if (base === 1 || exponent === 0) return 1
  if (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)) return 1
  return base ** exponent
}

function power(r: Registers, out: number, name: string, a: number, b: number): void {
  if (!isWithinDoubles(r, out, name, a) || !isWithinDoubles(r, out, name, b)) return
  const base = doubleOf(r, a)
  const exponent = doubleOf(r, b)
  if (base === 0 && exponent < 0) {
    r.setError(out, 'invalid_argument', `${name}: zero raised to a negative power is undefined`)
    return
  }
  if (base < 0 && Number.isFinite(exponent) && !Number.isInteger(exponent)) {
    r.setError(
      out,
      'invalid_argument',
      `${name}: a negative number raised to a non-integer power yields a complex result`,
    )
    return
  }
  const value = powerOf(base, exponent)
  const isFinite = Number.isFinite(base) && Number.isFinite(exponent)
  if (isFinite && !Number.isFinite(value)) overflow(r, out)
  else if (isFinite && value === 0 && base !== 0) underflow(r, out)
  else r.setDouble(out, value)
}

/** The logarithm to a base, exact where the number is a whole power of it. */
function logarithmTo(base: number, value: number): number {
  if (base === 10) return Math.log10(value)
  if (base === 2) return Math.log2(value)
  const quotient = Math.log(value) / Math.log(base)
  const whole = Math.round(quotient)
  return Math.abs(quotient - whole) < WHOLE_TOLERANCE && base ** whole === value ? whole : quotient
}

const logTo: Evaluate = (r, out, a, b) => {
  if (!isWithinDoubles(r, out, 'log', a) || !isWithinDoubles(r, out, 'log', b)) return
  const base = doubleOf(r, a)
  const value = doubleOf(r, b)
  const problem = hasNoLogarithm(base) ?? hasNoLogarithm(value)
  if (problem !== undefined) r.setError(out, 'invalid_argument', `log: ${problem}`)
  else if (base === 1) divisionByZero(r, out)
  else r.setDouble(out, logarithmTo(base, value))
}

const atan2: Evaluate = (r, out, a, b) => {
  if (isWithinDoubles(r, out, 'atan2', a) && isWithinDoubles(r, out, 'atan2', b))
    r.setDouble(out, Math.atan2(doubleOf(r, a), doubleOf(r, b)))
}

interface Doubles {
  readonly id?: string
  readonly form?: 'function' | 'operator'
  readonly signature?: string
  readonly example?: string
}

function doubleEntry(
  name: string,
  count: number,
  evaluate: Evaluate,
  summary: string,
  { id = name, form = 'function', signature, example }: Doubles = {},
): FunctionEntry {
  return {
    id,
    name,
    form,
    resolve: (args) => (args.length === count && args.every(isNumberType) ? 'double precision' : undefined),
    signature: signature ?? `${name}(number)`,
    strict: true,
    canFail: count === 0 ? never : always,
    evaluate,
    doc: { summary, example: example ?? `${name}(x)` },
  }
}

const POWER = 'The first number to the power of the second.'

export const DOUBLE_MATH_FUNCTIONS: readonly FunctionEntry[] = [
  doubleEntry('^', 2, (r, out, a, b) => power(r, out, 'the operator ^', a, b), POWER, {
    id: 'raise',
    form: 'operator',
    signature: 'number ^ number',
    example: 'distance ^ 2',
  }),
  ...['power', 'pow'].map((name) =>
    doubleEntry(name, 2, (r, out, a, b) => power(r, out, name, a, b), POWER, {
      signature: `${name}(number, exponent number)`,
      example: `${name}(distance, 2)`,
    }),
  ),
  doubleEntry('sqrt', 1, unary('sqrt', Math.sqrt, hasNoRoot), 'The square root.'),
  doubleEntry('cbrt', 1, unary('cbrt', Math.cbrt, NO_REFUSAL), 'The cube root.'),
  doubleEntry('exp', 1, exp, 'e to that power.'),
  doubleEntry('ln', 1, unary('ln', Math.log, hasNoLogarithm), 'The natural logarithm.'),
  doubleEntry('log', 1, unary('log', Math.log10, hasNoLogarithm), 'The logarithm to base 10.'),
  doubleEntry('log10', 1, unary('log10', Math.log10, hasNoLogarithm), 'The logarithm to base 10.'),
  doubleEntry('log', 2, logTo, 'The logarithm of the second number to the base of the first.', {
    id: 'log_to',
    signature: 'log(base number, number)',
    example: 'log(2, bytes)',
  }),
  doubleEntry('degrees', 1, degrees, 'Radians as degrees.'),
  doubleEntry('radians', 1, radians, 'Degrees as radians.'),
  doubleEntry('pi', 0, (r, out) => r.setDouble(out, Math.PI), 'The circle constant, 3.141592653589793.', {
    signature: 'pi()',
    example: 'pi() * r ^ 2',
  }),
  doubleEntry('sin', 1, unary('sin', Math.sin, isInfinite), 'The sine of an angle in radians.'),
  doubleEntry('cos', 1, unary('cos', Math.cos, isInfinite), 'The cosine of an angle in radians.'),
  doubleEntry('tan', 1, unary('tan', Math.tan, isInfinite), 'The tangent of an angle in radians.'),
  doubleEntry('asin', 1, unary('asin', Math.asin, isBeyondOne), 'The angle in radians with that sine.'),
  doubleEntry('acos', 1, unary('acos', Math.acos, isBeyondOne), 'The angle in radians with that cosine.'),
  doubleEntry('atan', 1, unary('atan', Math.atan, NO_REFUSAL), 'The angle in radians with that tangent.'),
  doubleEntry('cot', 1, unary('cot', cotangent, isInfinite), 'The cotangent of an angle in radians.'),
  doubleEntry('sinh', 1, unary('sinh', Math.sinh, NO_REFUSAL), 'The hyperbolic sine.'),
  doubleEntry('cosh', 1, unary('cosh', Math.cosh, NO_REFUSAL), 'The hyperbolic cosine.'),
  doubleEntry('tanh', 1, unary('tanh', Math.tanh, NO_REFUSAL), 'The hyperbolic tangent.'),
  doubleEntry('asinh', 1, unary('asinh', Math.asinh, NO_REFUSAL), 'The number with that hyperbolic sine.'),
  doubleEntry('acosh', 1, unary('acosh', Math.acosh, isBelowOne), 'The number with that hyperbolic cosine.'),
  doubleEntry('atanh', 1, unary('atanh', Math.atanh, isBeyondOne), 'The number with that hyperbolic tangent.'),
  doubleEntry('atan2', 2, atan2, 'The angle in radians of the point (x, y).', {
    signature: 'atan2(y number, x number)',
    example: 'atan2(y, x)',
  }),
]
