/** Owns the naive evaluator's functions of numbers beyond + - * /: powers, logarithms, angles, whole numbers, bits, buckets. */
import { lax, numberOf, strict, type NaiveFunction } from './naive-call.ts'
import { compareValues } from './naive-compare.ts'
import { compute, decimalOfText, int64, toDouble } from './naive-numbers.ts'
import { compareNumbers, Decimal, normalize, RowError, toDecimal, type NumberValue, type Value } from './value.ts'

/** A result out of double's range is an error; NaN and infinities from themselves are none. */
function inRange(value: number, from: readonly number[], canVanish = false): number {
  const finite = from.every((one) => Number.isFinite(one))
  if (finite && !Number.isFinite(value)) throw new RowError('number_out_of_range')
  if (canVanish && value === 0) throw new RowError('number_out_of_range')
  return value + 0
}

function doubles(args: readonly (Value | undefined)[]): number[] {
  return args.map((arg) => toDouble(numberOf(arg)))
}

function ofDoubles(body: (a: number, b: number) => number): NaiveFunction {
  return strict((args) => {
    const [a = NaN, b = NaN] = doubles(args)
    return body(a, b) + 0
  })
}

function within(body: (value: number) => number, takes: (value: number) => boolean): NaiveFunction {
  return ofDoubles((value) => {
    if (!Number.isNaN(value) && !takes(value)) throw new RowError('invalid_argument')
    return body(value)
  })
}

const isPositive = (value: number): boolean => value > 0
const always = (): boolean => true

const power = ofDoubles((base, exponent) => {
  if (base === 1 || exponent === 0) return 1
  if (base === 0 && exponent < 0) throw new RowError('invalid_argument')
  if (base < 0 && Number.isFinite(exponent) && exponent % 1 !== 0) throw new RowError('invalid_argument')
  if (base === -1 && Math.abs(exponent) === Infinity) return 1
  const vanished = Number.isFinite(base) && Number.isFinite(exponent) && base !== 0
  return inRange(Math.pow(base, exponent), [base, exponent], vanished)
})

const logTo = ofDoubles((base, value) => {
  for (const one of [base, value]) if (one <= 0) throw new RowError('invalid_argument')
  if (base === 1) throw new RowError('division_by_zero')
  if (base === 10) return Math.log10(value)
  if (base === 2) return Math.log2(value)
  const quotient = Math.log(value) / Math.log(base)
  const near = Math.round(quotient)
  return Math.abs(quotient - near) < 1e-9 && Math.pow(base, near) === value ? near : quotient
})

function signOf(value: NumberValue): NumberValue {
  const sign = typeof value === 'number' && Number.isNaN(value) ? 0 : Math.sign(compareNumbers(value, 0n))
  return typeof value === 'number' ? sign : BigInt(sign)
}

function truncate(value: NumberValue, wanted: bigint): NumberValue {
  if (typeof value === 'bigint' && wanted >= 0n) return value
  if (typeof value === 'number' && !Number.isFinite(value)) return value
  const places = Number(wanted > 2_000n ? 2_000n : wanted < -2_000n ? -2_000n : wanted)
  const { unscaled, scale } = typeof value === 'number' ? decimalOfText(value.toExponential()) : toDecimal(value)
  const cut = scale > places ? 10n ** BigInt(scale - places) : 1n
  const decimal = normalize(scaled(unscaled - (unscaled % cut), scale))
  if (typeof value === 'number') return toDouble(decimal)
  return decimal.scale === 0 ? decimal.unscaled : decimal
}

function scaled(unscaled: bigint, scale: number): Decimal {
  return scale < 0 ? new Decimal(unscaled * 10n ** BigInt(-scale), 0) : new Decimal(unscaled, scale)
}

/** Cut toward zero: of exact numbers exactly, of doubles what `%` leaves. */
function div(left: NumberValue, right: NumberValue): NumberValue {
  if (typeof left === 'number' || typeof right === 'number') {
    const [a, b] = [toDouble(left), toDouble(right)]
    if (b === 0) throw new RowError('division_by_zero')
    if (!Number.isFinite(a)) return a / b
    if (!Number.isFinite(b)) return Number.isNaN(b) ? b : 0
    return inRange(Math.round((a - (a % b)) / b), [a, b])
  }
  const [a, b] = [toDecimal(left), toDecimal(right)]
  if (b.unscaled === 0n) throw new RowError('division_by_zero')
  return (a.unscaled * 10n ** BigInt(b.scale)) / (b.unscaled * 10n ** BigInt(a.scale))
}

function whole(value: Value | undefined): bigint {
  const number = numberOf(value)
  if (number instanceof Decimal || (typeof number === 'number' && !Number.isInteger(number)))
    throw new RowError('invalid_argument')
  return BigInt(number)
}

function divisor(left: bigint, right: bigint): bigint {
  const positive = left < 0n ? -left : left
  return right === 0n ? positive : divisor(right, left % right)
}

function lcm(left: bigint, right: bigint): bigint {
  if (left === 0n || right === 0n) return 0n
  const product = (left / divisor(left, right)) * right
  return int64(product < 0n ? -product : product)
}

/** From the top, factor by factor. */
function factorial(number: bigint): bigint {
  if (number < 0n) throw new RowError('invalid_argument')
  if (number > 32_177n) throw new RowError('number_out_of_range')
  let result = 1n
  for (let factor = number; factor > 1n; factor--) result *= factor
  return result
}

function bits(body: (a: bigint, b: bigint) => bigint): NaiveFunction {
  return strict((args) => {
    const [a = 0n, b = 0n] = args.map((arg) => int64(whole(arg)))
    return BigInt.asIntN(64, body(a, b))
  })
}

const widthBucket = strict(([value, low, high, count]) => {
  const [x = NaN, from = NaN, to = NaN] = doubles([value, low, high])
  const number = whole(count)
  if (number < 1n || [x, from, to].some(Number.isNaN) || ![from, to].every(Number.isFinite) || from === to)
    throw new RowError('invalid_argument')
  if (number >= 2n ** 31n) throw new RowError('integer_out_of_range')
  return bucket(from < to ? [x, from, to] : [-x, -from, -to], Number(number))
})

function bucket([x = 0, from = 0, to = 0]: readonly number[], count: number): bigint {
  if (x < from) return 0n
  if (x >= to) return BigInt(count + 1)
  const isWide = !Number.isFinite(to - from)
  const share = isWide ? (x / 2 - from / 2) / (to / 2 - from / 2) : (x - from) / (to - from)
  const index = Math.floor(share * count)
  return BigInt(index >= count ? count : index + 1)
}

/** The last multiple of the width up to the value, counted from 0. Errors: RowError. */
export function numberBucket(value: NumberValue, width: NumberValue): NumberValue {
  const [x, w] = [value, width].map((one) => {
    if (typeof one !== 'number') return toDecimal(one)
    if (!Number.isFinite(one)) throw new RowError('number_out_of_range')
    return decimalOfText(String(one))
  }) as [Decimal, Decimal]
  if (w.unscaled <= 0n) throw new RowError('invalid_argument')
  const [a, b] = [x.unscaled * 10n ** BigInt(w.scale), w.unscaled * 10n ** BigInt(x.scale)]
  let count = a / b
  if (count * b > a) count--
  const multiple = normalize(new Decimal(count * w.unscaled, w.scale))
  return multiple.scale === 0 ? multiple.unscaled : multiple
}

/** Nulls are left out; of equal values the first. */
function extreme(direction: number): NaiveFunction {
  return lax((values, notes) => {
    let best: Value = null
    for (const value of values) {
      if (value === null) continue
      const order = best === null ? direction : compareValues(value, best)
      if (order === undefined) {
        notes.kindMismatch = true
        return null
      }
      if (order * direction > 0) best = value
    }
    return best
  })
}

function remainder(wide: boolean): NaiveFunction {
  return strict(([left, right]) => compute('%', numberOf(left), numberOf(right), wide))
}

export const NAIVE_MATH: Readonly<Record<string, NaiveFunction>> = {
  raise: power,
  power,
  pow: power,
  sqrt: within(Math.sqrt, (value) => value >= 0),
  cbrt: within(Math.cbrt, always),
  exp: ofDoubles((value) => inRange(Math.exp(value), [value], value !== -Infinity)),
  ln: within(Math.log, isPositive),
  log: within(Math.log10, isPositive),
  log10: within(Math.log10, isPositive),
  log_to: logTo,
  degrees: ofDoubles((value) => inRange(value / (Math.PI / 180), [value])),
  radians: ofDoubles((value) => inRange(value * (Math.PI / 180), [value], value !== 0)),
  pi: strict(() => Math.PI),
  sin: within(Math.sin, Number.isFinite),
  cos: within(Math.cos, Number.isFinite),
  tan: within(Math.tan, Number.isFinite),
  asin: within(Math.asin, (value) => Math.abs(value) <= 1),
  acos: within(Math.acos, (value) => Math.abs(value) <= 1),
  atan: within(Math.atan, always),
  atan2: ofDoubles(Math.atan2),
  cot: within((value) => 1 / Math.tan(value), Number.isFinite),
  sinh: within(Math.sinh, always),
  cosh: within(Math.cosh, always),
  tanh: within(Math.tanh, always),
  asinh: within(Math.asinh, always),
  acosh: within(Math.acosh, (value) => value >= 1),
  atanh: within(Math.atanh, (value) => Math.abs(value) <= 1),
  factorial: strict(([value]) => factorial(whole(value))),
  mod: remainder(false),
  mod_exact: remainder(true),
  div: strict(([left, right], notes) => {
    // the quotient of doubles is just below a whole number where that of decimals is one
    if ([left, right].some((value) => value instanceof Decimal)) notes.unevenNumber = true
    return div(numberOf(left), numberOf(right))
  }),
  gcd: strict(([left, right]) => int64(divisor(whole(left), whole(right)))),
  lcm: strict(([left, right]) => lcm(whole(left), whole(right))),
  bit_and_of: bits((a, b) => a & b),
  bit_or_of: bits((a, b) => a | b),
  bit_xor_of: bits((a, b) => a ^ b),
  bit_not: bits((a) => ~a),
  shift_left: bits((a, b) => a << BigInt.asUintN(6, b)),
  shift_right: bits((a, b) => a >> BigInt.asUintN(6, b)),
  sign: strict(([value]) => signOf(numberOf(value))),
  trunc: strict(([value]) => truncate(numberOf(value), 0n)),
  trunc_to: strict(([value, places]) => {
    const [number, given] = [numberOf(value), numberOf(places)]
    const wanted = typeof given === 'number' && Number.isInteger(given) ? BigInt(given) : given
    if (typeof wanted !== 'bigint') throw new RowError('wrong_kind')
    return truncate(number, wanted)
  }),
  width_bucket: widthBucket,
  number_bucket: strict(([value, width]) => {
    const numbers = [value, width].map(numberOf) as [NumberValue, NumberValue]
    return numberBucket(...numbers)
  }),
  greatest: extreme(1),
  least: extreme(-1),
}
