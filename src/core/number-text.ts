/**
 * Owns the text of numbers: reading bigint and double precision from PostgreSQL's forms, and writing them as it
 * does. The usual forms are read without making an object.
 */
import { type Decimal, decimalToText, EXACT_POWERS_OF_TEN, normalizeDecimal, parseDecimal } from './decimal.ts'
import { readQuickDecimal } from './quick-decimal.ts'
import { type Registers, TAG } from './registers.ts'

/** How reading a text ended. Only `READ` writes the register. */
export const NUMBER_TEXT = { READ: 0, INVALID: 1, OUT_OF_RANGE: 2 } as const
export type NumberText = (typeof NUMBER_TEXT)[keyof typeof NUMBER_TEXT]

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

/** So many digits always fit a safe integer. */
const SAFE_DIGITS = 15
/** PostgreSQL writes doubles with an exponent outside of [-4, 15). */
const FIXED_EXPONENT_MIN = -4
const FIXED_EXPONENT_END = 15
/** From here on every double is whole. */
const WHOLE_FROM = 2 ** 53
/** So many digits tell any two doubles apart. */
const DOUBLE_DIGITS_MAX = 17
/** Longer texts, without the blanks around them, are refused unread as numbers. */
const TEXT_BYTES_MAX = 10_000

const INTEGER_TEXT = /^([+-]?)(?:(\d+(?:_\d+)*)|0[xX]((?:_?[\da-fA-F])+)|0[oO]((?:_?[0-7])+)|0[bB]((?:_?[01])+))$/
const DOUBLE_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const SPECIAL_TEXT = /^(?:(nan)|([+-]?)inf(?:inity)?)$/i

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
}

/** The text [start, end) as a string without blanks around it; undefined where it is too long to be a number. */
function trimmedText(bytes: Uint8Array, start: number, end: number): string | undefined {
  let from = start
  let to = end
  while (from < to && isBlank(bytes[from])) from++
  while (to > from && isBlank(bytes[to - 1])) to--
  if (to - from > TEXT_BYTES_MAX) return undefined
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1')
}

/** Reads PostgreSQL's forms of bigint: blanks around, a sign, decimal, 0x, 0o or 0b, underscores between digits. */
export function readInteger(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): NumberText {
  const negative = bytes[start] === 0x2d
  const first = negative ? start + 1 : start
  if (end > first && end - first <= SAFE_DIGITS) {
    let value = 0
    let index = first
    for (; index < end; index++) {
      const digit = (bytes[index] as number) - 0x30
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (index === end) {
      r.setInteger(out, negative ? -value : value)
      return NUMBER_TEXT.READ
    }
  }
  const text = trimmedText(bytes, start, end)
  const value = text === undefined ? undefined : integerOf(text)
  if (value === undefined) return NUMBER_TEXT.INVALID
  return setInt64(r, out, value) ? NUMBER_TEXT.READ : NUMBER_TEXT.OUT_OF_RANGE
}

/** Undefined: another form. */
function integerOf(text: string): bigint | undefined {
  const match = INTEGER_TEXT.exec(text)
  if (match === null) return undefined
  const [, sign, decimal, hex, octal, binary] = match
  const digits = decimal ?? (hex !== undefined ? `0x${hex}` : octal !== undefined ? `0o${octal}` : `0b${binary}`)
  const magnitude = BigInt(digits.replaceAll('_', ''))
  return sign === '-' ? -magnitude : magnitude
}

/** Reads PostgreSQL's forms of numeric, exactly; NaN and Infinity, which it has too, are out of range. */
export function readNumeric(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): NumberText {
  if (readQuickDecimal(bytes, start, end, r, out)) return NUMBER_TEXT.READ
  const text = trimmedText(bytes, start, end)
  if (text === undefined) return NUMBER_TEXT.INVALID
  const integer = integerOf(text)
  if (integer !== undefined) {
    r.setBigInteger(out, integer)
    return NUMBER_TEXT.READ
  }
  if (SPECIAL_TEXT.test(text)) return NUMBER_TEXT.OUT_OF_RANGE
  const digits = text.replaceAll(/(?<=\d)_(?=\d)/g, '')
  if (!DOUBLE_TEXT.test(digits)) return NUMBER_TEXT.INVALID
  const decimal = parseDecimal(digits)
  if (decimal === undefined) return NUMBER_TEXT.OUT_OF_RANGE
  r.setDecimal(out, normalizeDecimal(decimal))
  return NUMBER_TEXT.READ
}

export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}

/** Writes an int64; false, and nothing is written, beyond its range. */
export function setInt64(r: Registers, out: number, value: bigint): boolean {
  if (!isInt64(value)) return false
  r.setBigInteger(out, value)
  return true
}

/** Reads PostgreSQL's forms of double precision: blanks around, digits with point and exponent, NaN, Infinity, inf. */
export function readDouble(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): NumberText {
  const quick = quickDouble(bytes, start, end)
  if (!Number.isNaN(quick)) {
    r.setDouble(out, quick)
    return NUMBER_TEXT.READ
  }
  const text = trimmedText(bytes, start, end)
  if (text === undefined) return NUMBER_TEXT.INVALID
  const special = SPECIAL_TEXT.exec(text)
  if (special !== null) {
    r.setDouble(out, special[1] !== undefined ? NaN : special[2] === '-' ? -Infinity : Infinity)
    return NUMBER_TEXT.READ
  }
  if (!DOUBLE_TEXT.test(text)) return NUMBER_TEXT.INVALID
  return setDoubleOfDigits(text, r, out)
}

/** Writes the double nearest to the text; OUT_OF_RANGE where it is infinite, or 0 although a digit isn't 0, as PostgreSQL has it. */
function setDoubleOfDigits(text: string, r: Registers, out: number): NumberText {
  const value = Number(text)
  if (!Number.isFinite(value) || (value === 0 && /^[^eE]*[1-9]/.test(text))) return NUMBER_TEXT.OUT_OF_RANGE
  r.setDouble(out, value)
  return NUMBER_TEXT.READ
}

/**
 * Sign, digits and a point with at most 15 digits in all: exact digits and an exact power of ten, so their quotient is the
 * correctly rounded double. NaN: any other form.
 */
function quickDouble(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === 0x2d
  let index = negative ? start + 1 : start
  if (end - index > SAFE_DIGITS + 1 || index >= end) return NaN
  let digits = 0
  let value = 0
  let pointAt = -1
  for (; index < end; index++) {
    const byte = bytes[index] as number
    if (byte >= 0x30 && byte <= 0x39) {
      value = value * 10 + byte - 0x30
      digits++
    } else if (byte === 0x2e && pointAt < 0) pointAt = index
    else return NaN
  }
  if (digits === 0 || digits > SAFE_DIGITS) return NaN
  if (pointAt >= 0) value /= EXACT_POWERS_OF_TEN[end - 1 - pointAt] as number
  return negative ? -value : value
}

/** A double as PostgreSQL shows it: the shortest digits that read back as the same double, 1e+15 with an exponent from there. */
export function doubleToText(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const shortest = value.toExponential()
  const [digits, exponent] = splitScientific(Math.abs(value) >= WHOLE_FROM ? withoutTie(value, shortest) : shortest)
  if (exponent >= FIXED_EXPONENT_MIN && exponent < FIXED_EXPONENT_END) return String(value)
  return `${digits}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent).toString().padStart(2, '0')}`
}

function splitScientific(scientific: string): readonly [digits: string, exponent: number] {
  const at = scientific.indexOf('e')
  return [scientific.slice(0, at), Number(scientific.slice(at + 1))]
}

/**
 * Digits that lie just between two doubles read back as the one with the even mantissa. The language takes them for shortest,
 * PostgreSQL doesn't trust readers to round so and takes one digit more. Only whole doubles have so short a middle.
 */
function withoutTie(value: number, shortest: string): string {
  const exact = BigInt(value)
  let text = shortest
  for (let digits = text.replace(/e.*|[-.]/g, '').length; digits < DOUBLE_DIGITS_MAX; digits++) {
    const distance = wholeOf(text) - exact
    if (distance === 0n) return text
    // the middle between two doubles is itself no double, but its double distance leads to the neighbour
    const neighbour = exact + distance * 2n
    if (BigInt(Number(neighbour)) !== neighbour) return text
    text = value.toExponential(digits)
  }
  return text
}

/** The exact integer of digits with an exponent that makes them whole. */
function wholeOf(scientific: string): bigint {
  const [digits, exponent] = splitScientific(scientific)
  const [whole = '', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction.padEnd(exponent, '0'))
}

/** The text of a number register as PostgreSQL shows the value. */
export function numberToText(r: Registers, index: number): string {
  switch (r.tag[index]) {
    case TAG.INTEGER:
      return String(r.num[index])
    case TAG.BIG_INTEGER:
      return (r.ref[index] as bigint).toString()
    case TAG.NUMERIC:
      return decimalToText(r.ref[index] as Decimal)
    default:
      return doubleToText(r.num[index] as number)
  }
}
