/** Numbers in limbs have the bytes that the same numbers have as big integers. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addExact, canonicalExact, pushExact, readExact, type ExactNumber } from '../../src/aggregates/exact-number.ts'
import { addToLimbs, createWords, LIMBS, LOW_EXPONENT, pushLimbs } from '../../src/aggregates/limb-number.ts'

const RUNS = 2_000
const limb = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
  fc.constantFrom(1, -1, 2 ** 32, -(2 ** 32), 2 ** 31, 2 ** 32 - 1, 2 ** 52),
)
const limbsOf = fc.array(limb, { minLength: LIMBS, maxLength: LIMBS }).map((list) => Float64Array.from(list))
const exact = fc
  .tuple(
    // of two short numbers both mostly fit
    fc.oneof(...[200n, 40n].map((bits) => fc.bigInt({ min: -(2n ** bits), max: 2n ** bits }))),
    fc.integer({ min: -240, max: 160 }),
    fc.constantFrom(0, 0, 0, 2),
  )
  .map(([numerator, exponent, fives]) => canonicalExact({ numerator, exponent, fives }))

function bytesOf(number: ExactNumber): number[] {
  const bytes: number[] = []
  pushExact(bytes, canonicalExact(number))
  return bytes
}

test('bytes of limbs', () => {
  fc.assert(
    fc.property(limbsOf, (limbs) => {
      const numerator = limbs.reduceRight((sum, one) => (sum << 32n) + BigInt(one), 0n)
      const bytes: number[] = []
      // the limbs of one group among others
      const many = new Float64Array(3 * LIMBS).fill(7)
      many.set(limbs, LIMBS)
      pushLimbs(bytes, many, LIMBS, createWords())
      expect(bytes).toEqual(bytesOf({ numerator, exponent: LOW_EXPONENT, fives: 0 }))
    }),
    { numRuns: RUNS },
  )
})

test('sums and differences of bytes, or a refusal of what limbs have no room for', () => {
  let added = 0
  fc.assert(
    fc.property(exact, exact, fc.constantFrom(1, -1), (left, right, sign) => {
      const limbs = createWords()
      const readers = [left, right].map((number) => ({ bytes: Uint8Array.from(bytesOf(number)), at: 0 }))
      const fits = readers.map((reader, index) => addToLimbs(reader, limbs, index === 0 ? 1 : sign))
      // a number that doesn't fit is read to its end all the same
      for (const { bytes, at } of readers) expect(at).toBe(bytes.length)
      expect(readExact({ bytes: readers[0]!.bytes, at: 0 })).toEqual(left)
      if (fits.includes(false)) return
      added++
      const bytes: number[] = []
      pushLimbs(bytes, limbs, 0, createWords())
      const other = { ...right, numerator: right.numerator * BigInt(sign) }
      expect(bytes).toEqual(bytesOf(addExact(left, other)))
    }),
    { numRuns: RUNS },
  )
  expect(added).toBeGreaterThan(RUNS / 10)
})
