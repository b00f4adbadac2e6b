/** Owns the reading of the usual decimal, few digits without an exponent, from bytes: no string, and no integer but the result's. */
import type { Registers } from './registers.ts'

const ZERO = 0x30
const NINE = 0x39
const MINUS = 0x2d
const POINT = 0x2e
/** Integers of so many digits are below 2^53 whatever they are. */
const EXACT_DIGITS_MAX = 15

/**
 * Writes the exact value of bytes[start, end): an optional minus, up to 15 digits, a point before, among or behind them. False, and nothing is
 * written, for any other text, which may be a number too (parseDecimal).
 */
export function readQuickDecimal(bytes: Uint8Array, start: number, end: number, r: Registers, out: number): boolean {
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  if (end <= first || end - first > EXACT_DIGITS_MAX + 1) return false
  let pointAt = -1
  let unscaled = 0
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!
    if (byte >= ZERO && byte <= NINE) unscaled = unscaled * 10 + (byte - ZERO)
    else if (byte === POINT && pointAt < 0) pointAt = at
    else return false
  }
  const digits = end - first - (pointAt < 0 ? 0 : 1)
  if (digits === 0 || digits > EXACT_DIGITS_MAX) return false
  let scale = pointAt < 0 ? 0 : end - 1 - pointAt
  for (; scale > 0 && unscaled % 10 === 0; scale--) unscaled /= 10
  const signed = isNegative ? -unscaled : unscaled
  if (scale === 0) r.setInteger(out, signed)
  else r.setDecimal(out, { unscaled: BigInt(signed), scale })
  return true
}
