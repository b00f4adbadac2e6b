/** Owns arithmetic on two number registers of any form; which form counts is decided by what they hold. */
import {
  addDecimals,
  type Decimal,
  DECIMAL_INTEGER_DIGITS_MAX,
  decimalOfInteger,
  decimalToDouble,
  divideDecimals,
  multiplyDecimals,
  normalizeDecimal,
  remainderOfDecimals,
  subtractDecimals,
} from '../../core/decimal.ts'
import { isInt64, setInt64 } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { isInteger, isNumber, wrongKind } from './argument.ts'
import { exactOf } from './compare-values.ts'

export type Operator = '+' | '-' | '*' | '/' | '%'

/** Beyond so many bits a decimal is refused; PostgreSQL's numeric ends there too. */
const UNSCALED_MAX = 10n ** BigInt(DECIMAL_INTEGER_DIGITS_MAX)
/** Not the other's negation at each use: it has 54 KB. */
const UNSCALED_MIN = -UNSCALED_MAX

/** A number register as a double, correctly rounded; infinite beyond its range. */
export function doubleOf(r: Registers, index: number): number {
  switch (r.tag[index]) {
    case TAG.BIG_INTEGER:
      return Number(r.ref[index])
    case TAG.NUMERIC:
      return decimalToDouble(r.ref[index] as Decimal)
    default:
      return r.num[index] as number
  }
}

/** Writes an error and gives false where the register is no number, or one beyond double's range. */
export function isWithinDoubles(r: Registers, out: number, name: string, index: number): boolean {
  if (!isNumber(r, index)) wrongKind(r, out, name, index)
  else if (r.tag[index] !== TAG.DOUBLE && !Number.isFinite(doubleOf(r, index)))
    r.setError(out, 'number_out_of_range', 'value out of range of double precision')
  else return true
  return false
}

/** Writes an error and gives false where one of the two isn't a number. */
export function areNumbers(r: Registers, out: number, a: number, b: number, operator: Operator): boolean {
  if (!isNumber(r, a)) wrongKind(r, out, `the operator ${operator}`, a)
  else if (!isNumber(r, b)) wrongKind(r, out, `the operator ${operator}`, b)
  else return true
  return false
}

export function divisionByZero(r: Registers, out: number): void {
  r.setError(out, 'division_by_zero', 'division by zero')
}

/** Writes an integer result; beyond int64 it is an error, never a rounded or wrapped number. */
export function setBigintResult(r: Registers, out: number, value: bigint): void {
  if (!setInt64(r, out, value)) r.setError(out, 'integer_out_of_range', 'bigint out of range')
}

/**
 * Writes an exact result, without zeros at its end: a cell of a query keeps none either, and they would show in texts and in the
 * digits of a quotient.
 */
export function setExact(r: Registers, out: number, value: Decimal): void {
  if (value.unscaled > UNSCALED_MAX || value.unscaled < UNSCALED_MIN) {
    r.setError(out, 'number_out_of_range', 'value out of range of numeric')
  } else r.setDecimal(out, normalizeDecimal(value))
}

/** Writes the double result of finite or infinite operands; infinite from finite ones, or 0 from none, is an error. */
function setDoubleResult(r: Registers, out: number, operator: Operator, left: number, right: number): void {
  const value = computeDouble(operator, left, right)
  if (!Number.isFinite(value) && Number.isFinite(left) && Number.isFinite(right)) {
    r.setError(out, 'number_out_of_range', 'value out of range of double precision: overflow')
  } else if (
    value === 0 &&
    left !== 0 &&
    ((operator === '*' && right !== 0) || (operator === '/' && Number.isFinite(right)))
  ) {
    r.setError(out, 'number_out_of_range', 'value out of range of double precision: underflow')
  } else r.setDouble(out, value)
}

function computeDouble(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    default:
      return left % right
  }
}

/** Both are integers within int64, and `widen` isn't asked for: then a result beyond int64 is an error. */
function isBounded(r: Registers, a: number, b: number): boolean {
  return isInt64(r.bigIntegerOf(a)) && isInt64(r.bigIntegerOf(b))
}

/**
 * a operator b by what they hold: a double among them makes it double; two int64 stay within int64 (unless `widen`); everything else is exact.
 * `/` of integers and decimals is numeric division here; truncating and double division are for the caller.
 */
export function computeNumbers(
  r: Registers,
  out: number,
  a: number,
  b: number,
  operator: Operator,
  widen: boolean,
): void {
  if (!areNumbers(r, out, a, b, operator)) return
  if (r.tag[a] === TAG.DOUBLE || r.tag[b] === TAG.DOUBLE) {
    computeAsDoubles(r, out, a, b, operator)
  } else if (isInteger(r, a) && isInteger(r, b) && operator !== '/') {
    const value = computeIntegers(r.bigIntegerOf(a), r.bigIntegerOf(b), operator)
    if (value === undefined) divisionByZero(r, out)
    else if (!widen && isBounded(r, a, b)) setBigintResult(r, out, value)
    else setExact(r, out, decimalOfInteger(value))
  } else {
    const value = computeDecimals(exactOf(r, a), exactOf(r, b), operator)
    if (value === undefined) divisionByZero(r, out)
    else setExact(r, out, value)
  }
}

/** a operator b in double precision, whatever they hold. */
export function computeAsDoubles(r: Registers, out: number, a: number, b: number, operator: Operator): void {
  if (!areNumbers(r, out, a, b, operator)) return
  const left = doubleOf(r, a)
  const right = doubleOf(r, b)
  if (right === 0 && (operator === '/' || operator === '%')) divisionByZero(r, out)
  else if (isBeyondDouble(r, a, left) || isBeyondDouble(r, b, right)) {
    r.setError(out, 'number_out_of_range', 'value out of range of double precision')
  } else setDoubleResult(r, out, operator, left, right)
}

function isBeyondDouble(r: Registers, index: number, value: number): boolean {
  return r.tag[index] !== TAG.DOUBLE && !Number.isFinite(value)
}

function computeIntegers(left: bigint, right: bigint, operator: Operator): bigint | undefined {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    default:
      return right === 0n ? undefined : left % right
  }
}

function computeDecimals(left: Decimal, right: Decimal, operator: Operator): Decimal | undefined {
  switch (operator) {
    case '+':
      return addDecimals(left, right)
    case '-':
      return subtractDecimals(left, right)
    case '*':
      return multiplyDecimals(left, right)
    case '/':
      return right.unscaled === 0n ? undefined : divideDecimals(left, right)
    default:
      return right.unscaled === 0n ? undefined : remainderOfDecimals(left, right)
  }
}
