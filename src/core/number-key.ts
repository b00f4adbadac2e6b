/**
 * Owns the bytes of a number inside a key: equal for equal exact values, whatever the form (3, 3.0, 30e-1), and ordered as the values.
 *
 *   8 bytes  the order bits of the greatest double <= x: big-endian, sign bit flipped, all bits flipped for negatives
 *   digits   (x - that double) in units of its last place, a fraction in [0, 1): decimal digits, two a byte + 1, none when exact
 *   00       the end
 *
 * Beyond the greatest double: the order bits of Infinity, 4 bytes with the count of digits before the point, the digits as
 * above, 00. Below the least double: the order bits of -Infinity and the same bytes of -x, each complemented. Seen with
 * random pairs of all forms: byte order is value order.
 */
import {
  compareDecimalWithDouble,
  type Decimal,
  decimalToDouble,
  nextDoubleDown,
  normalizeDecimal,
  partsOfDouble,
  powerOfTen,
} from './decimal.ts'

/** The first two order bits' bytes tell the doubles that can't stand in a key, so they mark what lies beyond. */
const ABOVE = Uint8Array.of(0xff, 0xf0, 0, 0, 0, 0, 0, 0)
const BELOW = Uint8Array.of(0x00, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
const COUNT_BYTES = 4
const ZERO = 0x30

/** Writes the order bits of a double at `at`: 8 bytes. The double is finite and not -0. */
export function putOrderBits(bytes: Uint8Array, view: DataView, at: number, value: number): void {
  view.setFloat64(at, value)
  const first = bytes[at] as number
  if (first < 0x80) {
    bytes[at] = first | 0x80
    return
  }
  view.setUint32(at, ~view.getUint32(at))
  view.setUint32(at + 4, ~view.getUint32(at + 4))
}

export function getOrderBits(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8)
  let high = view.getUint32(0)
  let low = view.getUint32(4)
  if (high >= 0x80000000) high ^= 0x80000000
  else {
    high = ~high
    low = ~low
  }
  const scratch = new DataView(new ArrayBuffer(8))
  scratch.setUint32(0, high)
  scratch.setUint32(4, low)
  return scratch.getFloat64(0)
}

/** The exponent of the last place's unit of a double beyond 2^53, at most 2^63: 1 to 11. */
function placesOf(double: number): number {
  let places = 0
  for (let limit = 2 ** 53; Math.abs(double) >= limit; limit *= 2) places++
  return places
}

/** The greatest double below a whole one beyond 2^53. */
export function nextWholeDown(double: number): number {
  const unit = 2 ** placesOf(double)
  // half a unit is enough below a power of two; elsewhere it rounds to this double or already to the next
  const half = double - unit / 2
  return half === double ? double - unit : half
}

/** What putRestDigits writes at most: two digits a byte of 11 places, and the end. */
export const REST_BYTES_MAX = 7

/** Writes the digits of a rest > 0 of an int64 above a double beyond 2^53, with their end; says where they end. Nothing is allocated. */
export function putRestDigits(bytes: Uint8Array, at: number, rest: number, double: number): number {
  const places = placesOf(double)
  // rest / 2^places = rest * 5^places / 10^places, below 10^11
  let digits = rest * 5 ** places
  let power = 10 ** places
  let next = at
  while (digits > 0) {
    // two digits a byte, plus 1; a last single digit is followed by a 0
    power /= 100
    const pair = power < 1 ? digits * 10 : Math.floor(digits / power)
    bytes[next++] = pair + 1
    digits = power < 1 ? 0 : digits - pair * power
  }
  bytes[next] = 0
  return next + 1
}

/** The whole bytes of an exact decimal that isn't a double, or may not be. Not the hot path: it allocates. */
export function numberKeyOfDecimal(given: Decimal): Uint8Array {
  const value = normalizeDecimal(given)
  let nearest = decimalToDouble(value)
  const order = compareDecimalWithDouble(value, nearest)
  if (nearest === Infinity || (nearest === Number.MAX_VALUE && order > 0))
    return concatenate(ABOVE, digitsBeyond(value))
  if (nearest === -Infinity || (nearest === -Number.MAX_VALUE && order < 0)) {
    const digits = digitsBeyond({ unscaled: -value.unscaled, scale: value.scale })
    return concatenate(
      BELOW,
      digits.map((byte) => ~byte),
    )
  }
  if (order < 0) nearest = nextDoubleDown(nearest)
  const bits = new Uint8Array(8)
  putOrderBits(bits, new DataView(bits.buffer), 0, nearest)
  return concatenate(bits, order === 0 ? Uint8Array.of(0) : packDigits(restDigits(value, nearest)))
}

/** The digits of (value - double) / (the double's last place), after the point. */
function restDigits({ unscaled, scale }: Decimal, double: number): string {
  const { mantissa, exponent } = partsOfDouble(double)
  if (exponent >= 0) {
    const rest = unscaled - (mantissa << BigInt(exponent)) * powerOfTen(scale)
    return (rest * 5n ** BigInt(exponent)).toString().padStart(scale + exponent, '0')
  }
  return ((unscaled << BigInt(-exponent)) - mantissa * powerOfTen(scale)).toString().padStart(scale, '0')
}

function digitsBeyond({ unscaled, scale }: Decimal): Uint8Array {
  const digits = unscaled.toString()
  const count = new Uint8Array(COUNT_BYTES)
  new DataView(count.buffer).setUint32(0, digits.length - scale)
  return concatenate(count, packDigits(digits))
}

/** Two digits a byte, plus 1, without zeros at the end; then 00. */
function packDigits(digits: string): Uint8Array {
  // no /0+$/: it takes quadratic time where zeros stand inside of a long number
  let length = digits.length
  while (length > 0 && digits.charCodeAt(length - 1) === ZERO) length--
  const bytes = new Uint8Array(Math.ceil(length / 2) + 1)
  for (let index = 0; index < bytes.length - 1; index++) {
    const tens = digits.charCodeAt(2 * index) - ZERO
    const ones = 2 * index + 1 < length ? digits.charCodeAt(2 * index + 1) - ZERO : 0
    bytes[index] = 10 * tens + ones + 1
  }
  return bytes
}

/** Where the number's bytes at `at` end. */
export function skipNumberKey(bytes: Uint8Array, at: number): number {
  let next = at + 8
  let terminator = 0
  if (isBeyond(bytes, at)) {
    next += COUNT_BYTES
    if (bytes[at] === 0) terminator = 0xff
  }
  while (bytes[next] !== terminator) next++
  return next + 1
}

/** Whether the number's bytes at `at` are exactly a double. */
export function isDoubleKey(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 8] === 0 && !isBeyond(bytes, at)
}

function isBeyond(bytes: Uint8Array, at: number): boolean {
  return (bytes[at] === 0xff && bytes[at + 1] === 0xf0) || (bytes[at] === 0x00 && bytes[at + 1] === 0x0f)
}

/** The exact value of the number's bytes [at, next), where they aren't a double. */
export function decimalOfNumberKey(bytes: Uint8Array, at: number, next: number): Decimal {
  if (isBeyond(bytes, at)) return decimalBeyond(bytes.subarray(at + 8, next - 1), bytes[at] === 0)
  const { mantissa, exponent } = partsOfDouble(getOrderBits(bytes, at))
  const digits = unpackDigits(bytes.subarray(at + 8, next - 1))
  // (mantissa + 0.digits) * 2^exponent
  const units = mantissa * powerOfTen(digits.length) + BigInt(digits)
  if (exponent >= 0) return normalizeDecimal({ unscaled: units << BigInt(exponent), scale: digits.length })
  return normalizeDecimal({ unscaled: units * 5n ** BigInt(-exponent), scale: digits.length - exponent })
}

function decimalBeyond(given: Uint8Array, negative: boolean): Decimal {
  const bytes = negative ? given.map((byte) => ~byte) : given
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const digits = unpackDigits(bytes.subarray(COUNT_BYTES)).padEnd(count, '0')
  const unscaled = BigInt(digits)
  return normalizeDecimal({ unscaled: negative ? -unscaled : unscaled, scale: digits.length - count })
}

function unpackDigits(bytes: Uint8Array): string {
  let digits = ''
  for (const byte of bytes) digits += (byte - 1).toString().padStart(2, '0')
  return digits
}

function concatenate(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length)
  bytes.set(left)
  bytes.set(right, left.length)
  return bytes
}
