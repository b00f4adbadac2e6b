/** Owns random numbers as aggregates meet them, near every border of their states. */
import fc from 'fast-check'
import { type Value, setValue } from './fold-values.ts'
import { keyBytesOf } from '../../src/core/key-bytes.ts'
import { Registers } from '../../src/core/registers.ts'

/** Doubles that aren't integers and -0 have no register of their own kind: integers come as DOUBLE too, as 3.0 does. */
export const finiteDouble = fc
  .oneof(
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e6, max: 1e6 }),
    fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
    fc.constantFrom(1e308, -1e308, Number.MAX_VALUE, Number.MIN_VALUE, -Number.MIN_VALUE, 2 ** 62, -(2 ** 62), 2 ** 53),
    fc.constantFrom(2 ** -96, 2 ** -97, 1 - 2 ** -53, -(2 ** -48), 2 ** 62 - 512, 2 ** 52 - 0.5),
  )
  .map((value) => value + 0)

export const anyDouble = fc.oneof(
  { weight: 20, arbitrary: finiteDouble },
  { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, -Infinity) },
)

export const int64 = fc.oneof(
  fc.integer().map(BigInt),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 62n, -(2n ** 62n), 2n ** 53n, 2n ** 53n - 1n, 0n),
)

export const anyInteger = fc.oneof(
  { weight: 10, arbitrary: int64 },
  { weight: 1, arbitrary: fc.bigInt({ min: -(10n ** 320n), max: 10n ** 320n }) },
)

export const text = fc.string({ unit: 'grapheme', maxLength: 6 }).filter((it) => !it.includes('\0'))

/** The value's key bytes in hexadecimal: equal exactly for equal values. */
export function keyOf(value: Value): string {
  const r = new Registers(1)
  setValue(r, 0, value)
  return Buffer.from(keyBytesOf(r, 0)).toString('hex')
}
