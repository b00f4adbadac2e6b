/**
 * Owns the values of JSON number tokens, read from bytes without a string where the digits are few: without point and exponent
 * an integer of any size, else a double.
 */
import { EXACT_POWER_MAX, EXACT_POWERS_OF_TEN } from './decimal.ts'
import type { Registers } from './registers.ts'

const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e
const LETTER_E = 0x65
const NINE = 0x39
/** A number without point and exponent may have so many digits: more are an attack, and slow. */
export const JSON_DIGITS_MAX = 1_000
/** Integers of so many digits are below 2^31 whatever they are. */
const INT32_DIGITS_MAX = 9
/** Integers of so many digits are below 2^53 whatever they are. */
const EXACT_DIGITS_MAX = 15
// Constants of this file instead of the imported ones on the hot path: see json-field-reader.ts.
const POWER_MAX = EXACT_POWER_MAX
const POWERS_OF_TEN = EXACT_POWERS_OF_TEN

/**
 * The value of an integer token bytes[start, end), or NaN when it is no safe integer: the caller then
 * reads it as a bigint. -0 is 0.
 */
export function readJsonInteger(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS
  let at = isNegative ? (start + 1) | 0 : start
  if (end - at <= INT32_DIGITS_MAX) {
    let short = 0
    for (; at < end; at = (at + 1) | 0) short = (Math.imul(short, 10) + bytes[at]! - ZERO) | 0
    return isNegative ? 0 - short : short
  }
  if (end - at > EXACT_DIGITS_MAX + 1) return Number.NaN
  let value = 0
  for (; at < end; at++) value = value * 10 + (bytes[at]! - ZERO)
  // sixteen digits stay below 2^54, so a value beyond the safe ones can't have been rounded back among them
  if (value > Number.MAX_SAFE_INTEGER) return Number.NaN
  return isNegative ? 0 - value : value
}

/**
 * The double nearest to a number token bytes[start, end); Infinity or -Infinity outside
 * double's range. -0 is -0. Cost: some ns up to 15 digits and exponents to 22; else about 100 ns.
 * Source: W. Clinger, How to Read Floating Point Numbers Accurately (the exact cases; all others go to the engine's own reader).
 */
export function readJsonDouble(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS
  if (end - start <= INT32_DIGITS_MAX) {
    let short = 0
    let at = isNegative ? (start + 1) | 0 : start
    let digit = 0
    for (; at < end && (digit = bytes[at]! - ZERO) >>> 0 < 10; at = (at + 1) | 0)
      short = (Math.imul(short, 10) + digit) | 0
    if (at < end && bytes[at] === POINT) {
      at = (at + 1) | 0
      const fraction = at
      for (; at < end && (digit = bytes[at]! - ZERO) >>> 0 < 10; at = (at + 1) | 0)
        short = (Math.imul(short, 10) + digit) | 0
      // behind the last digit an exponent may follow: not here
      if (at === end) {
        const value = short / POWERS_OF_TEN[(end - fraction) | 0]!
        return isNegative ? -value : value
      }
    }
  }
  let mantissa = 0
  let digits = 0
  let scale = 0
  let exponent = 0
  let at = isNegative ? start + 1 : start
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) break
    mantissa = mantissa * 10 + digit
    if (mantissa !== 0) digits++
  }
  if (at < end && bytes[at] === POINT) {
    for (at++; at < end; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) break
      mantissa = mantissa * 10 + digit
      if (mantissa !== 0) digits++
      scale++
    }
  }
  if (at < end && (bytes[at]! | 0x20) === LETTER_E) {
    exponent = readJsonInteger(bytes, bytes[at + 1] === 0x2b ? at + 2 : at + 1, end)
  }
  const power = exponent - scale
  if (digits > EXACT_DIGITS_MAX || !(Math.abs(power) <= POWER_MAX)) {
    return Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'))
  }
  // both sides are exact doubles, so one operation rounds once
  const value = power < 0 ? mantissa / POWERS_OF_TEN[-power]! : mantissa * POWERS_OF_TEN[power]!
  return isNegative ? -value : value
}

/** Whether a token that was read as 0 is one by its digits: else it is too small for a double, which PostgreSQL calls out of range. */
export function isZeroToken(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if ((byte | 0x20) === LETTER_E) return true
    if (byte > ZERO && byte <= NINE) return false
  }
  return true
}

/** Reads a token of at most JSON_DIGITS_MAX digits into a register; false, and nothing is written, outside of double's range. */
export function loadJsonNumber(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): boolean {
  if (isWholeToken(bytes, start, end)) {
    const integer = readJsonInteger(bytes, start, end)
    if (!Number.isNaN(integer)) r.setInteger(out, integer)
    else
      r.setBigInteger(out, BigInt(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')))
    return true
  }
  const double = readJsonDouble(bytes, start, end)
  if (!Number.isFinite(double) || (double === 0 && !isZeroToken(bytes, start, end))) return false
  r.setDouble(out, double)
  return true
}

function isWholeToken(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === POINT || (bytes[at]! | 0x20) === LETTER_E) return false
  return true
}
