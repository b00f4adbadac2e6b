/** Owns the naive evaluator's arithmetic: integers and decimals exactly, doubles by the language's own operators. */
import {
  compareNumbers,
  decimalText,
  Decimal,
  nearestDouble,
  normalize,
  RowError,
  toDecimal,
  type NumberValue,
} from './value.ts'

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

export type Operator = '+' | '-' | '*' | '/' | '%'

export function int64(value: bigint): bigint {
  if (value < INT64_MIN || value > INT64_MAX) throw new RowError('integer_out_of_range')
  return value
}

function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}

/** The nearest double. Errors: number_out_of_range. */
export function toDouble(value: NumberValue): number {
  if (typeof value === 'number') return value
  const double = nearestDouble(toDecimal(value))
  if (!Number.isFinite(double)) throw new RowError('number_out_of_range')
  return double
}

/** `wide`: declared numerics, whose integers have no bounds. */
export function compute(operator: Operator, left: NumberValue, right: NumberValue, wide: boolean): NumberValue {
  if (typeof left === 'number' || typeof right === 'number') return computeDoubles(operator, left, right)
  if (operator === '/') return divideExactly(toDecimal(left), toDecimal(right))
  if (operator === '%' && compareNumbers(right, 0n) === 0) throw new RowError('division_by_zero')
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    const value = computeIntegers(operator, left, right)
    return !wide && isInt64(left) && isInt64(right) ? int64(value) : value
  }
  return computeDecimals(operator, toDecimal(left), toDecimal(right))
}

function computeIntegers(operator: Operator, left: bigint, right: bigint): bigint {
  if (operator === '+') return left + right
  if (operator === '-') return left - right
  return operator === '*' ? left * right : left % right
}

function computeDecimals(operator: Operator, left: Decimal, right: Decimal): NumberValue {
  if (operator === '*') return toExact(left.unscaled * right.unscaled, left.scale + right.scale)
  const scale = Math.max(left.scale, right.scale)
  const a = left.unscaled * 10n ** BigInt(scale - left.scale)
  const b = right.unscaled * 10n ** BigInt(scale - right.scale)
  return toExact(computeIntegers(operator, a, b), scale)
}

/** An exact result keeps no zeros at its end. */
function toExact(unscaled: bigint, scale: number): NumberValue {
  const decimal = normalize(new Decimal(unscaled, scale))
  return decimal.scale === 0 ? decimal.unscaled : decimal
}

export function computeDoubles(operator: Operator, left: NumberValue, right: NumberValue): number {
  const divides = operator === '/' || operator === '%'
  if (divides && compareNumbers(right, 0n) === 0) throw new RowError('division_by_zero')
  const [a, b] = [toDouble(left), toDouble(right)]
  // a numeric below doubles
  if (divides && b === 0) throw new RowError('division_by_zero')
  const value =
    operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : operator === '/' ? a / b : a % b
  const finite = Number.isFinite(a) && Number.isFinite(b)
  if (finite && !Number.isFinite(value)) throw new RowError('number_out_of_range')
  const canVanish = (operator === '*' && b !== 0) || (operator === '/' && Number.isFinite(b))
  if (value === 0 && a !== 0 && canVanish) throw new RowError('number_out_of_range')
  return value + 0
}

/** PostgreSQL's numeric division: at least 16 significant digits, counted in groups of four. */
function divideExactly(left: Decimal, right: Decimal): NumberValue {
  if (right.unscaled === 0n) throw new RowError('division_by_zero')
  const [a, b] = [firstGroup(left), firstGroup(right)]
  const weight = a.weight - b.weight - (a.digit <= b.digit ? 1 : 0)
  const scale = Math.min(1000, Math.max(16 - 4 * weight, left.scale, right.scale, 0))
  const numerator = left.unscaled * 10n ** BigInt(scale + right.scale)
  return toExact(roundHalfAway(numerator, right.unscaled * 10n ** BigInt(left.scale)), scale)
}

/** The first of the groups of four digits that PostgreSQL keeps a numeric in, and its weight. */
function firstGroup(value: Decimal): { readonly weight: number; readonly digit: number } {
  const [whole = '', fraction = ''] = decimalText(value).replace('-', '').split('.')
  const padded = whole.padStart(Math.ceil(whole.length / 4) * 4, '0')
  const groups = `${padded}${fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0')}`.match(/.{4}/g) ?? []
  const first = groups.findIndex((group) => group !== '0000')
  return first < 0 ? { weight: 0, digit: 0 } : { weight: padded.length / 4 - 1 - first, digit: Number(groups[first]) }
}

export function roundHalfAway(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n
  const [a, b] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator]
  const magnitude = (a * 2n + b) / (b * 2n)
  return negative ? -magnitude : magnitude
}

export function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value) + 0
  return floor % 2 === 0 ? floor + 0 : floor + 1
}

export function negate(value: NumberValue): NumberValue {
  if (typeof value === 'number') return -value + 0
  if (typeof value === 'bigint') return isInt64(value) ? int64(-value) : -value
  return new Decimal(-value.unscaled, value.scale)
}

export function floorOf(value: NumberValue): NumberValue {
  if (typeof value === 'number') return Math.floor(value) + 0
  if (typeof value === 'bigint') return value
  const power = 10n ** BigInt(value.scale)
  const rest = ((value.unscaled % power) + power) % power
  return (value.unscaled - rest) / power
}

export function roundOf(value: NumberValue): NumberValue {
  if (typeof value === 'number') return roundHalfEven(value)
  return typeof value === 'bigint' ? value : roundHalfAway(value.unscaled, 10n ** BigInt(value.scale))
}

/** Beyond so many places nothing changes, or nothing is left. */
const PLACES_MAX = 2_000

/** Rounded half away from zero by its decimal text, as round(x::numeric, n) does. */
export function roundTo(value: NumberValue, wanted: bigint): NumberValue {
  const places = Number(wanted > BigInt(PLACES_MAX) ? PLACES_MAX : wanted < -BigInt(PLACES_MAX) ? -PLACES_MAX : wanted)
  if (typeof value !== 'number') return roundDecimal(toDecimal(value), places)
  if (!Number.isFinite(value)) return value
  return toDouble(roundDecimal(decimalOfText(shortestDigits(value)), places))
}

function roundDecimal({ unscaled, scale }: Decimal, places: number): NumberValue {
  if (places >= scale) return toExact(unscaled, scale)
  const rounded = roundHalfAway(unscaled, 10n ** BigInt(scale - places))
  return places >= 0 ? toExact(rounded, places) : rounded * 10n ** BigInt(-places)
}

function shortestDigits(value: number): string {
  return value.toExponential()
}

/** Digits with a point and an exponent. */
export function decimalOfText(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(power)
  const unscaled = BigInt(whole + fraction)
  return scale < 0 ? new Decimal(unscaled * 10n ** BigInt(-scale), 0) : new Decimal(unscaled, scale)
}

/** A number as PostgreSQL shows it. */
export function numberText(value: NumberValue): string {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Decimal) return decimalText(value)
  if (!Number.isFinite(value)) return String(value)
  if (value === 0) return '0'
  const [digits = '', power = '0'] = digitsOfDouble(value).split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 15) return decimalText(normalize(decimalOfText(`${digits}e${exponent}`)))
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** The fewest digits whose neighbourhood, without its borders, tells the double apart. */
function digitsOfDouble(value: number): string {
  const [below, above] = borders(value)
  for (let digits = 0; digits < 17; digits++) {
    const nearest = evenOfTie(value, value.toExponential(digits))
    // below a power of two the neighbourhood is half as wide, so that only the second nearest may lie inside
    for (const text of [nearest, nextDigits(nearest)]) {
      const candidate = decimalOfText(text)
      if (compareNumbers(candidate, below) > 0 && compareNumbers(candidate, above) < 0)
        return text.replace(/\.?0*e/, 'e')
    }
  }
  throw new Error(`no digits for ${value}`)
}

/** The same count of digits, one more in the last place: away from zero. */
function nextDigits(scientific: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d)\.?(\d*)e(.*)$/.exec(scientific) ?? []
  const next = (BigInt(whole + fraction) + 1n).toString()
  return `${sign}${next[0]}.${next.slice(1)}e${Number(exponent) + next.length - 1 - fraction.length}`
}

/** Of two decimals as near to the double the even one, where the language takes the greater. */
function evenOfTie(value: number, text: string): string {
  const other = text.replace(/([13579])(?=e)/, (last) => String(Number(last) - 1))
  const middle = combine(decimalOfText(text), decimalOfText(other), 5n, 5n)
  return compareNumbers(middle, toDecimal(value)) === 0 ? other : text
}

/** Half way to the doubles below and above. */
function borders(value: number): readonly [Decimal, Decimal] {
  const view = new DataView(new ArrayBuffer(8))
  const step = (by: bigint): number => {
    view.setFloat64(0, value)
    view.setBigInt64(0, view.getBigInt64(0) + by)
    return view.getFloat64(0)
  }
  const exact = toDecimal(value)
  const inner = combine(exact, toDecimal(step(-1n)), 5n, 5n)
  const outward = step(1n)
  // beyond the greatest double it is as far as to the one before
  const outer = Number.isFinite(outward) ? combine(exact, toDecimal(outward), 5n, 5n) : combine(exact, inner, 20n, -10n)
  return value > 0 ? [inner, outer] : [outer, inner]
}

/** (left * a + right * b) / 10 */
function combine(left: Decimal, right: Decimal, a: bigint, b: bigint): Decimal {
  const scale = Math.max(left.scale, right.scale)
  const at = ({ unscaled, scale: own }: Decimal): bigint => unscaled * 10n ** BigInt(scale - own)
  return new Decimal(at(left) * a + at(right) * b, scale + 1)
}
