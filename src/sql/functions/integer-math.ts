/** Owns functions and operators of whole numbers: mod and div, gcd and lcm, and the bits of an int64. */
import { decimalOfInteger, powerOfTen } from '../../core/decimal.ts'
import { isInt64 } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isInteger, isNumber, isNumberType, isOneOf, isWholeDouble, wrongKind } from './argument.ts'
import { exactOf } from './compare-values.ts'
import { divisionByZero, doubleOf, isWithinDoubles, setBigintResult, setExact } from './number-arithmetic.ts'
import { isWholeType } from './text-argument.ts'

const INT64_BITS = 64
const SHIFT_MASK = 63n
/** Bit operators of JavaScript take numbers of 32 bits. */
const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1

/** Gives false, with the error written, where the register holds no integer. */
function isWhole(r: Registers, out: number, name: string, index: number): boolean {
  if (isInteger(r, index) || isWholeDouble(r, index)) return true
  if (isNumber(r, index)) r.setError(out, 'invalid_argument', `${name} takes whole numbers only`)
  else wrongKind(r, out, name, index)
  return false
}

function integerOf(r: Registers, index: number): bigint {
  return r.tag[index] === TAG.DOUBLE ? BigInt(r.num[index] as number) : r.bigIntegerOf(index)
}

function isSafe(r: Registers, a: number, b: number): boolean {
  return r.tag[a] === TAG.INTEGER && r.tag[b] === TAG.INTEGER
}

function greatestDivisor(left: number, right: number): number {
  let [a, b] = [Math.abs(left), Math.abs(right)]
  while (b !== 0) [a, b] = [b, a % b]
  return a
}

function greatestBigDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right]
  while (b !== 0n) [a, b] = [b, a % b]
  return a < 0n ? -a : a
}

const gcd: Evaluate = (r, out, a, b) => {
  if (!isWhole(r, out, 'gcd', a) || !isWhole(r, out, 'gcd', b)) return
  if (isSafe(r, a, b)) r.setInteger(out, greatestDivisor(r.num[a] as number, r.num[b] as number))
  else setBigintResult(r, out, greatestBigDivisor(integerOf(r, a), integerOf(r, b)))
}

const lcm: Evaluate = (r, out, a, b) => {
  if (!isWhole(r, out, 'lcm', a) || !isWhole(r, out, 'lcm', b)) return
  const left = integerOf(r, a)
  const right = integerOf(r, b)
  if (left === 0n || right === 0n) {
    r.setInteger(out, 0)
    return
  }
  const product = (left / greatestBigDivisor(left, right)) * right
  setBigintResult(r, out, product < 0n ? -product : product)
}

/** Of doubles the whole part of the exact quotient, which a - a % b leaves without a rest. */
function divideDoubles(left: number, right: number): number {
  if (!Number.isFinite(left)) return left / right
  return Number.isFinite(right) ? Math.round((left - (left % right)) / right) : Number.isNaN(right) ? right : 0
}

/** The quotient without its fraction. */
const div: Evaluate = (r, out, a, b) => {
  if (!isNumber(r, a) || !isNumber(r, b)) wrongKind(r, out, 'div', isNumber(r, a) ? b : a)
  else if (r.tag[a] === TAG.DOUBLE || r.tag[b] === TAG.DOUBLE) {
    if (!isWithinDoubles(r, out, 'div', a) || !isWithinDoubles(r, out, 'div', b)) return
    const left = doubleOf(r, a)
    const right = doubleOf(r, b)
    const value = divideDoubles(left, right)
    if (right === 0) divisionByZero(r, out)
    else if (!Number.isFinite(value) && Number.isFinite(left) && Number.isFinite(right))
      r.setError(out, 'number_out_of_range', 'value out of range of double precision: overflow')
    else r.setDouble(out, value)
  } else {
    const left = exactOf(r, a)
    const right = exactOf(r, b)
    if (right.unscaled === 0n) divisionByZero(r, out)
    else {
      const [over, under] = [left.unscaled * powerOfTen(right.scale), right.unscaled * powerOfTen(left.scale)]
      setExact(r, out, decimalOfInteger(over / under))
    }
  }
}

function resolveWhole(args: readonly ScalarType[]): ScalarType | undefined {
  if (args.length !== 2 || !args.every(isWholeType)) return undefined
  return args.every((type) => type === 'bigint') ? 'bigint' : 'number'
}

function divisorEntry(name: 'gcd' | 'lcm', evaluate: Evaluate, summary: string): FunctionEntry {
  return {
    id: name,
    name,
    form: 'function',
    resolve: resolveWhole,
    signature: `${name}(bigint, bigint)`,
    strict: true,
    canFail: always,
    evaluate,
    doc: { summary, example: `${name}(width, height)` },
  }
}

/** Both in 32 bits: the usual case. */
function areSmall(r: Registers, a: number, b: number): boolean {
  return isSafe(r, a, b) && isSmall(r.num[a] as number) && isSmall(r.num[b] as number)
}

function isSmall(value: number): boolean {
  return value >= INT32_MIN && value <= INT32_MAX
}

/** An integer of 64 bits; gives false, with the error written, where there is none. */
function isBits(r: Registers, out: number, name: string, index: number): boolean {
  if (!isWhole(r, out, name, index)) return false
  if (isInt64(integerOf(r, index))) return true
  r.setError(out, 'integer_out_of_range', 'bigint out of range')
  return false
}

function bitEntry(
  id: string,
  name: string,
  small: ((left: number, right: number) => number) | undefined,
  wide: (left: bigint, right: bigint) => bigint,
  summary: string,
): FunctionEntry {
  const title = `the operator ${name}`
  return {
    id,
    name,
    form: 'operator',
    resolve: (args) => (args.length === 2 && args.every(isWholeType) ? 'bigint' : undefined),
    signature: `bigint ${name} bigint`,
    strict: true,
    canFail: (args) => args.some((type) => type !== 'bigint'),
    evaluate: (r, out, a, b) => {
      if (small !== undefined && areSmall(r, a, b)) r.setInteger(out, small(r.num[a] as number, r.num[b] as number))
      else if (isBits(r, out, title, a) && isBits(r, out, title, b))
        r.setBigInteger(out, BigInt.asIntN(INT64_BITS, wide(integerOf(r, a), integerOf(r, b))))
    },
    print: ([left, right]) => `${left} ${name} ${right}`,
    doc: { summary, example: `flags ${name} 4` },
  }
}

const BIT_NOT: FunctionEntry = {
  id: 'bit_not',
  name: '~',
  form: 'operator',
  resolve: ([bits, further]) => (isWholeType(bits) && further === undefined ? 'bigint' : undefined),
  signature: '~ bigint',
  strict: true,
  canFail: ([type]) => type !== 'bigint',
  evaluate: (r, out, a) => {
    if (isBits(r, out, 'the operator ~', a)) r.setBigInteger(out, ~integerOf(r, a))
  },
  print: ([bits]) => `~${bits}`,
  doc: { summary: 'Every one of the 64 bits turned over.', example: '~flags' },
}

export const INTEGER_MATH_FUNCTIONS: readonly FunctionEntry[] = [
  {
    id: 'div',
    name: 'div',
    form: 'function',
    resolve: (args) => {
      if (args.length !== 2 || !args.every(isNumberType)) return undefined
      if (args.includes('double precision')) return 'double precision'
      return args.every((type) => isOneOf(type, 'bigint', 'numeric')) ? 'numeric' : 'number'
    },
    signature: 'div(number, number)',
    strict: true,
    canFail: always,
    evaluate: div,
    doc: { summary: 'The quotient cut toward zero, also of undeclared numbers.', example: 'div(bytes, 1024)' },
  },
  divisorEntry('gcd', gcd, 'The greatest common divisor.'),
  divisorEntry('lcm', lcm, 'The least common multiple.'),
  bitEntry(
    'bit_and_of',
    '&',
    (a, b) => a & b,
    (a, b) => a & b,
    'The bits that both integers have.',
  ),
  bitEntry(
    'bit_or_of',
    '|',
    (a, b) => a | b,
    (a, b) => a | b,
    'The bits that either integer has.',
  ),
  bitEntry(
    'bit_xor_of',
    '#',
    (a, b) => a ^ b,
    (a, b) => a ^ b,
    'The bits that just one of the integers has.',
  ),
  bitEntry(
    'shift_left',
    '<<',
    undefined,
    (a, b) => a << (b & SHIFT_MASK),
    'The 64 bits moved left; what is moved out is lost.',
  ),
  bitEntry(
    'shift_right',
    '>>',
    undefined,
    (a, b) => a >> (b & SHIFT_MASK),
    'The 64 bits moved right; the sign is kept.',
  ),
  BIT_NOT,
]
