/**
 * Owns the 128-bit hash of a group: MurmurHash3 x64 128, seed 0, in 32-bit halves, since BigInt costs 20 times as much. Source: Austin Appleby,
 * MurmurHash3.cpp (MurmurHash3_x64_128). It is no defence against chosen keys: rows keep their key bytes as well.
 */

export const HASH_BYTES = 16

/** Upper 32 bits of the 64-bit product of two unsigned 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff
  const aHigh = a >>> 16
  const bLow = b & 0xffff
  const bHigh = b >>> 16
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16)
  const cross = aLow * bHigh + (middle & 0xffff)
  return (aHigh * bHigh + (middle >>> 16) + (cross >>> 16)) | 0
}

/** The constants c1 and c2, in halves. */
const C1_HIGH = 0x87c37b91
const C1_LOW = 0x114253d5
const C2_HIGH = 0x4cf5ad43
const C2_LOW = 0x2745937f
/** The finalizer's multipliers, in halves. */
const F1_HIGH = 0xff51afd7
const F1_LOW = 0xed558ccd
const F2_HIGH = 0xc4ceb9fe
const F2_LOW = 0x1a85ec53

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

/** Four bytes, those at or past `end` being 0. */
function wordBefore(bytes: Uint8Array, at: number, end: number): number {
  let value = 0
  for (let index = at, shift = 0; index < end && shift < 32; index++, shift += 8) {
    value |= (bytes[index] as number) << shift
  }
  return value
}

function putWord(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24
  into[at + 1] = value >>> 16
  into[at + 2] = value >>> 8
  into[at + 3] = value
}

/** Hashes bytes [start, end); writes 16 bytes, big-endian (h1, then h2), at `into[at]`. */
export function hashKey(bytes: Uint8Array, start: number, end: number, into: Uint8Array, at: number): void {
  const length = end - start
  const bodyEnd = start + (length & ~15)
  let h1High = 0
  let h1Low = 0
  let h2High = 0
  let h2Low = 0
  // h and l are the halves of the lane that is being mixed
  let h = 0
  let l = 0
  let t = 0

  for (let index = start; index < bodyEnd; index += 16) {
    l = word(bytes, index)
    h = word(bytes, index + 4)
    // k1 *= c1; k1 = rotl(k1, 31); k1 *= c2; h1 ^= k1
    t = Math.imul(l, C1_LOW)
    h = (multiplyHigh(l, C1_LOW) + Math.imul(h, C1_LOW) + Math.imul(l, C1_HIGH)) | 0
    l = (t << 31) | (h >>> 1)
    h = (h << 31) | (t >>> 1)
    h1Low ^= Math.imul(l, C2_LOW)
    h1High ^= multiplyHigh(l, C2_LOW) + Math.imul(h, C2_LOW) + Math.imul(l, C2_HIGH)
    // h1 = rotl(h1, 27); h1 += h2; h1 = h1 * 5 + 0x52dce729
    t = (h1Low << 27) | (h1High >>> 5)
    h = (h1High << 27) | (h1Low >>> 5)
    l = (t + h2Low) | 0
    h = (h + h2High + (l >>> 0 < t >>> 0 ? 1 : 0)) | 0
    t = Math.imul(l, 5)
    h = (multiplyHigh(l, 5) + Math.imul(h, 5)) | 0
    h1Low = (t + 0x52dce729) | 0
    h1High = (h + (h1Low >>> 0 < t >>> 0 ? 1 : 0)) | 0

    l = word(bytes, index + 8)
    h = word(bytes, index + 12)
    // k2 *= c2; k2 = rotl(k2, 33); k2 *= c1; h2 ^= k2
    t = Math.imul(l, C2_LOW)
    h = (multiplyHigh(l, C2_LOW) + Math.imul(h, C2_LOW) + Math.imul(l, C2_HIGH)) | 0
    l = (h << 1) | (t >>> 31)
    h = (t << 1) | (h >>> 31)
    h2Low ^= Math.imul(l, C1_LOW)
    h2High ^= multiplyHigh(l, C1_LOW) + Math.imul(h, C1_LOW) + Math.imul(l, C1_HIGH)
    // h2 = rotl(h2, 31); h2 += h1; h2 = h2 * 5 + 0x38495ab5
    t = (h2Low << 31) | (h2High >>> 1)
    h = (h2High << 31) | (h2Low >>> 1)
    l = (t + h1Low) | 0
    h = (h + h1High + (l >>> 0 < t >>> 0 ? 1 : 0)) | 0
    t = Math.imul(l, 5)
    h = (multiplyHigh(l, 5) + Math.imul(h, 5)) | 0
    h2Low = (t + 0x38495ab5) | 0
    h2High = (h + (h2Low >>> 0 < t >>> 0 ? 1 : 0)) | 0
  }

  // the tail: missing bytes are 0, and a lane of zeros changes nothing
  l = wordBefore(bytes, bodyEnd + 8, end)
  h = wordBefore(bytes, bodyEnd + 12, end)
  t = Math.imul(l, C2_LOW)
  h = (multiplyHigh(l, C2_LOW) + Math.imul(h, C2_LOW) + Math.imul(l, C2_HIGH)) | 0
  l = (h << 1) | (t >>> 31)
  h = (t << 1) | (h >>> 31)
  h2Low ^= Math.imul(l, C1_LOW)
  h2High ^= multiplyHigh(l, C1_LOW) + Math.imul(h, C1_LOW) + Math.imul(l, C1_HIGH)
  l = wordBefore(bytes, bodyEnd, end)
  h = wordBefore(bytes, bodyEnd + 4, end)
  t = Math.imul(l, C1_LOW)
  h = (multiplyHigh(l, C1_LOW) + Math.imul(h, C1_LOW) + Math.imul(l, C1_HIGH)) | 0
  l = (t << 31) | (h >>> 1)
  h = (h << 31) | (t >>> 1)
  h1Low ^= Math.imul(l, C2_LOW)
  h1High ^= multiplyHigh(l, C2_LOW) + Math.imul(h, C2_LOW) + Math.imul(l, C2_HIGH)

  // keys are shorter than 2^32 bytes
  h1Low ^= length
  h2Low ^= length
  // h1 += h2; h2 += h1
  t = h1Low
  h1Low = (h1Low + h2Low) | 0
  h1High = (h1High + h2High + (h1Low >>> 0 < t >>> 0 ? 1 : 0)) | 0
  t = h2Low
  h2Low = (h2Low + h1Low) | 0
  h2High = (h2High + h1High + (h2Low >>> 0 < t >>> 0 ? 1 : 0)) | 0
  // fmix64(h1): x ^= x >>> 33; x *= f1; x ^= x >>> 33; x *= f2; x ^= x >>> 33
  h1Low ^= h1High >>> 1
  t = Math.imul(h1Low, F1_LOW)
  h1High = (multiplyHigh(h1Low, F1_LOW) + Math.imul(h1High, F1_LOW) + Math.imul(h1Low, F1_HIGH)) | 0
  h1Low = t ^ (h1High >>> 1)
  t = Math.imul(h1Low, F2_LOW)
  h1High = (multiplyHigh(h1Low, F2_LOW) + Math.imul(h1High, F2_LOW) + Math.imul(h1Low, F2_HIGH)) | 0
  h1Low = t ^ (h1High >>> 1)
  h2Low ^= h2High >>> 1
  t = Math.imul(h2Low, F1_LOW)
  h2High = (multiplyHigh(h2Low, F1_LOW) + Math.imul(h2High, F1_LOW) + Math.imul(h2Low, F1_HIGH)) | 0
  h2Low = t ^ (h2High >>> 1)
  t = Math.imul(h2Low, F2_LOW)
  h2High = (multiplyHigh(h2Low, F2_LOW) + Math.imul(h2High, F2_LOW) + Math.imul(h2Low, F2_HIGH)) | 0
  h2Low = t ^ (h2High >>> 1)
  // h1 += h2; h2 += h1
  t = h1Low
  h1Low = (h1Low + h2Low) | 0
  h1High = (h1High + h2High + (h1Low >>> 0 < t >>> 0 ? 1 : 0)) | 0
  t = h2Low
  h2Low = (h2Low + h1Low) | 0
  h2High = (h2High + h1High + (h2Low >>> 0 < t >>> 0 ? 1 : 0)) | 0

  putWord(into, at, h1High)
  putWord(into, at + 4, h1Low)
  putWord(into, at + 8, h2High)
  putWord(into, at + 12, h2Low)
}
