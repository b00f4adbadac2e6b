/**
 * Owns the operators + - * / % and unary minus. Declared integers stay int64, and `/` truncates only between them; numerics are
 * exact; a double on either side makes it double. Between undeclared numbers the values decide, and `/` is double division.
 */
import { type Decimal, negateDecimal } from '../../core/decimal.ts'
import { INT64_MIN } from '../../core/number-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { Evaluate, FunctionEntry } from '../function-entry.ts'
import { always, isNumberType, isOneOf, resolveNumber, wrongKind } from './argument.ts'
import {
  areNumbers,
  computeAsDoubles,
  computeNumbers,
  divisionByZero,
  type Operator,
  setBigintResult,
  setExact,
} from './number-arithmetic.ts'

const print =
  (operator: Operator) =>
  ([left, right]: readonly string[]): string =>
    `${left} ${operator} ${right}`

/** One of the two is a declared numeric, and none a double: exact, without int64's bounds. */
function resolveExact(args: readonly ScalarType[]): ScalarType | undefined {
  if (args.length !== 2 || !args.includes('numeric')) return undefined
  if (!args.every((type) => isOneOf(type, 'numeric', 'bigint', 'number'))) return undefined
  return args.includes('number') ? 'number' : 'numeric'
}

function resolveNumbers(args: readonly ScalarType[]): ScalarType | undefined {
  if (args.length !== 2 || !args.every(isNumberType)) return undefined
  if (args.includes('double precision')) return 'double precision'
  return args.every((type) => type === 'bigint') ? 'bigint' : 'number'
}

function resolveBigints(args: readonly ScalarType[]): ScalarType | undefined {
  return args.length === 2 && args.every((type) => type === 'bigint') ? 'bigint' : undefined
}

/** Two safe integers or doubles, the usual case, without a detour; `plain` is exact or the correctly rounded double. */
function fast(operator: Operator, plain: (left: number, right: number) => number): Evaluate {
  return (r, out, a, b) => {
    if (r.tag[a] === TAG.INTEGER && r.tag[b] === TAG.INTEGER) {
      const value = plain(r.num[a] as number, r.num[b] as number)
      if (Number.isSafeInteger(value)) {
        r.setInteger(out, value)
        return
      }
    }
    computeNumbers(r, out, a, b, operator, false)
  }
}

type Writing = Pick<FunctionEntry, 'name' | 'form' | 'signature' | 'print' | 'doc'>

function pair(
  id: string,
  operator: Operator,
  evaluate: Evaluate,
  summary: string,
  writing: Writing = {
    name: operator,
    form: 'operator',
    signature: `number ${operator} number`,
    print: print(operator),
    doc: { summary, example: `price ${operator} 2` },
  },
): readonly FunctionEntry[] {
  const common = { ...writing, strict: true, canFail: always } as const
  return [
    {
      ...common,
      id: `${id}_exact`,
      resolve: resolveExact,
      evaluate: (r, out, a, b) => computeNumbers(r, out, a, b, operator, true),
    },
    { ...common, id, resolve: resolveNumbers, evaluate },
  ]
}

/** Truncates toward zero. */
const divideIntegers: Evaluate = (r, out, a, b) => {
  if (!areNumbers(r, out, a, b, '/')) return
  if (r.tag[b] === TAG.INTEGER && r.num[b] === 0) divisionByZero(r, out)
  else if (r.tag[a] === TAG.INTEGER && r.tag[b] === TAG.INTEGER) {
    // the quotient of safe integers may round up to the next integer, never past it: the remainder is exact
    const left = r.num[a] as number
    const right = r.num[b] as number
    r.setInteger(out, (left - (left % right)) / right)
  } else setBigintResult(r, out, r.bigIntegerOf(a) / r.bigIntegerOf(b))
}

const DIVISION: readonly FunctionEntry[] = [
  {
    id: 'divide_integers',
    name: '/',
    form: 'operator',
    resolve: resolveBigints,
    signature: 'number / number',
    strict: true,
    canFail: always,
    evaluate: divideIntegers,
    print: print('/'),
    doc: { summary: 'The quotient of two declared integers, cut toward zero.', example: 'bytes::bigint / 1024' },
  },
  {
    id: 'divide_exact',
    name: '/',
    form: 'operator',
    resolve: (args) => (args.includes('number') ? undefined : resolveExact(args)),
    signature: 'number / number',
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => computeNumbers(r, out, a, b, '/', true),
    print: print('/'),
    doc: {
      summary: "The quotient of numerics with PostgreSQL's number of digits.",
      example: 'SUM(bytes::bigint) / COUNT(*)',
    },
  },
  {
    id: 'divide',
    name: '/',
    form: 'operator',
    resolve: (args) => (resolveNumbers(args) === undefined ? undefined : 'double precision'),
    signature: 'number / number',
    strict: true,
    canFail: always,
    evaluate: (r, out, a, b) => computeAsDoubles(r, out, a, b, '/'),
    print: print('/'),
    doc: { summary: 'The quotient in double precision, also of undeclared integers.', example: 'ts_ms / 1000' },
  },
]

function negate(r: Registers, out: number, a: number): void {
  switch (r.tag[a]) {
    case TAG.INTEGER:
      r.setInteger(out, -(r.num[a] as number))
      return
    case TAG.DOUBLE:
      r.setDouble(out, -(r.num[a] as number))
      return
    case TAG.BIG_INTEGER: {
      const value = r.ref[a] as bigint
      // of int64's numbers only -2^63 has no opposite
      if (value === INT64_MIN) setBigintResult(r, out, -value)
      else r.setBigInteger(out, -value)
      return
    }
    case TAG.NUMERIC:
      setExact(r, out, negateDecimal(r.ref[a] as Decimal))
      return
    default:
      wrongKind(r, out, 'the operator -', a)
  }
}

/** A declared numeric has no int64's bounds. */
const negateNumeric: Evaluate = (r, out, a) => {
  if (r.tag[a] === TAG.BIG_INTEGER) r.setBigInteger(out, -(r.ref[a] as bigint))
  else negate(r, out, a)
}

const NEGATE: FunctionEntry = {
  id: 'negate',
  name: '-',
  form: 'operator',
  resolve: resolveNumber,
  signature: '- number',
  strict: true,
  canFail: ([type]) => !isOneOf(type, 'double precision', 'numeric'),
  evaluate: negate,
  specialize: ([argument]) => (argument?.type === 'numeric' ? negateNumeric : undefined),
  print: ([argument]) => `-${argument}`,
  doc: { summary: 'The number with the opposite sign.', example: '-price' },
}

const REMAINDER = 'The remainder of truncating division, with the sign of the left side; exact for doubles too.'

export const ARITHMETIC_FUNCTIONS: readonly FunctionEntry[] = [
  ...pair(
    'add',
    '+',
    fast('+', (left, right) => left + right),
    'The sum.',
  ),
  ...pair(
    'subtract',
    '-',
    fast('-', (left, right) => left - right),
    'The difference.',
  ),
  NEGATE,
  ...pair(
    'multiply',
    '*',
    fast('*', (left, right) => left * right),
    'The product.',
  ),
  ...DIVISION,
  ...pair(
    'remainder',
    '%',
    fast('%', (left, right) => left % right),
    REMAINDER,
  ),
  ...pair(
    'mod',
    '%',
    fast('%', (left, right) => left % right),
    REMAINDER,
    {
      name: 'mod',
      form: 'function',
      signature: 'mod(number, number)',
      doc: { summary: REMAINDER, example: 'mod(id, 16)' },
    },
  ),
]
