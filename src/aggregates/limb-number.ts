/**
 * Owns exact numbers in fixed point: ten limbs of 32 bits from 2^-192 on, each a double so that it may hold more, with a sign of its own. Their bytes
 * are those of the same number in exact-number.ts, made and added without big integers, which cost 2 us a number.
 */
import { pushCount, readCount, type StateReader } from './state-bytes.ts'

const LIMB_BITS = 32
const LIMB = 2 ** LIMB_BITS
/** Exponent of the lowest limb's unit. */
export const LOW_EXPONENT = -192
export const LIMBS = 10
/** One more takes what the highest limb carries. */
const WORDS = LIMBS + 1
/** What a number of ten limbs may have at most, so that two of them fit eleven. */
const BITS_MAX = LIMBS * LIMB_BITS
/** By exponent, 0 to 31. */
const POWERS = Float64Array.from({ length: LIMB_BITS }, (_, exponent) => 2 ** exponent)

/** Room for a number while it is read or written. */
export function createWords(): Float64Array {
  return new Float64Array(WORDS)
}

/** Appends the canonical bytes of limbs[base, base + LIMBS). `words` is changed. Caller keeps: no limb is above 2^52, so that it can take a carry. */
export function pushLimbs(bytes: number[], limbs: Float64Array, base: number, words: Float64Array): void {
  let isNegative = false
  if (carryInto(words, limbs, base, 1) < 0) {
    isNegative = true
    carryInto(words, limbs, base, -1)
  }
  let low = 0
  while (low < WORDS && words[low] === 0) low++
  if (low === WORDS) {
    bytes.push(0, 0, 0)
    return
  }
  const lowest = words[low]!
  const zeros = 31 - Math.clz32(lowest & -lowest)
  const exponent = LOW_EXPONENT + low * LIMB_BITS + zeros
  let high = WORDS - 1
  while (words[high] === 0) high--
  // the odd numerator's words, from the lowest on
  for (let index = low; index <= high; index++) {
    const above = index < high ? words[index + 1]! % POWERS[zeros]! : 0
    words[index] = Math.floor(words[index]! / POWERS[zeros]!) + (above * LIMB) / POWERS[zeros]!
  }
  if (words[high] === 0) high--
  const topBytes = 4 - (Math.clz32(words[high]!) >> 3)
  const length = (high - low) * 4 + topBytes
  pushCount(bytes, exponent < 0 ? -2 * exponent - 1 : 2 * exponent)
  bytes.push(0)
  pushCount(bytes, 2 * length + (isNegative ? 1 : 0))
  for (let index = high, count = topBytes; index >= low; index--, count = 4) {
    for (let shift = 8 * (count - 1); shift >= 0; shift -= 8) bytes.push((words[index]! >>> shift) & 0xff)
  }
}

/** Puts sign times the number into `words`, each in [0, 2^32) but the last, which tells the sign. */
function carryInto(words: Float64Array, limbs: Float64Array, base: number, sign: 1 | -1): number {
  let carry = 0
  for (let index = 0; index < LIMBS; index++) {
    const limb = sign * limbs[base + index]! + carry
    carry = Math.floor(limb / LIMB)
    words[index] = limb - carry * LIMB
  }
  words[LIMBS] = carry
  return carry
}

/**
 * Reads the bytes of a number and adds it, or takes it away. False where it has more than the limbs: a part of a decimal, bits below or above; then
 * nothing is changed but the reader.
 */
export function addToLimbs(reader: StateReader, limbs: Float64Array, sign: 1 | -1): boolean {
  const coded = readCount(reader)
  const exponent = coded % 2 === 1 ? -(coded + 1) / 2 : coded / 2
  const fives = readCount(reader)
  const head = readCount(reader)
  const length = head >> 1
  const first = exponent - LOW_EXPONENT
  const { bytes, at } = reader
  reader.at = at + length
  if (fives !== 0 || first < 0 || first + 8 * length > BITS_MAX - 1) return false
  const factor = (head & 1) === 1 ? -sign : sign
  for (let index = at + length - 1, bit = first; index >= at; index--, bit += 8) {
    limbs[bit >> 5]! += factor * bytes[index]! * POWERS[bit & 31]!
  }
  return true
}
