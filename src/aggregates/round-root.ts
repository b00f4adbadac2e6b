/** Owns the square root of a fraction, rounded once. */
import { bitLength, roundQuotient } from './exact-total.ts'

/** Bits of the root before it is rounded: more than any border between two doubles has. */
const ROOT_BITS = 64

/** The double nearest to the root of numerator / denominator; infinite beyond double's range. numerator >= 0, denominator > 0. */
export function roundRoot(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0
  const exponent = bitLength(numerator) - bitLength(denominator)
  // the quotient times 4^shift has about twice as many bits as the root
  const shift = Math.ceil((2 * ROOT_BITS - exponent) / 2)
  const scaled = shift >= 0 ? numerator << BigInt(2 * shift) : numerator
  const divisor = shift >= 0 ? denominator : denominator << BigInt(-2 * shift)
  const quotient = scaled / divisor
  const root = floorRoot(quotient)
  const isExact = root * root === quotient && quotient * divisor === scaled
  // With the rest's presence in the lowest bit, rounding this number once is rounding the root once.
  const marked = root * 2n + (isExact ? 0n : 1n)
  return shift + 1 >= 0
    ? roundQuotient(marked, 1n << BigInt(shift + 1))
    : roundQuotient(marked << BigInt(-shift - 1), 1n)
}

/** Newton's steps from the double's root, which is right to 52 bits. */
function floorRoot(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  root = (root + value / root) >> 1n
  while (root * root > value) root -= 1n
  while ((root + 1n) * (root + 1n) <= value) root += 1n
  return root
}
