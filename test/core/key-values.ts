/** Values for tests of keys: JSON-like values with an exact order of their own, and how they get into registers. */
import fc from 'fast-check'
import { compareDecimals, type Decimal, decimalOfDouble, decimalOfInteger } from '../../src/core/decimal.ts'
import { type Registers, TAG } from '../../src/core/registers.ts'

export type KeyValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'decimal'; readonly value: Decimal }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'time'; readonly value: bigint }
  | { readonly kind: 'null' }

const interestingIntegers = [
  0n,
  1n,
  -1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 53n - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  2n ** 63n,
  2n ** 64n + 1n,
  10n ** 22n,
  10n ** 22n + 1n,
  10n ** 300n,
  2n ** 1024n,
  2n ** 1024n - 2n ** 970n,
  -(2n ** 1024n),
  10n ** 309n + 1n,
]

export const numbers: fc.Arbitrary<KeyValue> = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map((value) => ({ kind: 'integer' as const, value: BigInt(value) })),
  fc.integer({ min: -20, max: 20 }).map((value) => ({ kind: 'double' as const, value: value / 4 + 0 })),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map((value) => ({ kind: 'integer' as const, value })),
  fc.constantFrom(...interestingIntegers).map((value) => ({ kind: 'integer' as const, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ kind: 'double' as const, value: value + 0 })),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 40 }))
    .map(([unscaled, scale]) => ({ kind: 'decimal' as const, value: { unscaled, scale } })),
  // near a double: its own expansion with a digit more or less
  fc
    .tuple(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 }), fc.constantFrom(-1n, 0n, 1n))
    .map(([double, change]) => {
      const { unscaled, scale } = decimalOfDouble(double + 0)
      return { kind: 'decimal' as const, value: { unscaled: unscaled * 10n + change, scale: scale + 1 } }
    }),
)

export const texts: fc.Arbitrary<KeyValue> = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom('', 'a', 'ab', '\u{10000}', '\uffff', 'a\u0001'),
  )
  .filter((text) => text.isWellFormed() && !text.includes('\0'))
  .map((text) => ({ kind: 'text' as const, text }))

export const scalars: fc.Arbitrary<KeyValue> = fc.oneof(
  numbers,
  texts,
  fc.boolean().map((value) => ({ kind: 'boolean' as const, value })),
  fc.constant({ kind: 'null' as const }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ kind: 'time' as const, value })),
)

const RANK = { text: 0, integer: 1, double: 1, decimal: 1, boolean: 2, time: 3, null: 4 } as const

export function exactOf(value: KeyValue): Decimal {
  if (value.kind === 'integer') return decimalOfInteger(value.value)
  if (value.kind === 'double') return decimalOfDouble(value.value)
  if (value.kind === 'decimal') return value.value
  throw new Error(`${value.kind} is no number`)
}

/** The order that keys must have, computed the slow way. */
export function compareKeyValues(left: KeyValue, right: KeyValue): number {
  const rank = RANK[left.kind] - RANK[right.kind]
  if (rank !== 0) return Math.sign(rank)
  if (left.kind === 'text' && right.kind === 'text') {
    return Buffer.compare(Buffer.from(left.text, 'utf8'), Buffer.from(right.text, 'utf8'))
  }
  if (left.kind === 'boolean' && right.kind === 'boolean') return Number(left.value) - Number(right.value)
  if (left.kind === 'time' && right.kind === 'time')
    return left.value < right.value ? -1 : left.value > right.value ? 1 : 0
  return left.kind === 'null' ? 0 : compareDecimals(exactOf(left), exactOf(right))
}

export function loadKeyValue(r: Registers, index: number, value: KeyValue): void {
  if (value.kind === 'text') {
    const bytes = Buffer.from(value.text, 'utf8')
    r.setText(index, bytes, 0, bytes.length)
  } else if (value.kind === 'integer') r.setBigInteger(index, value.value)
  else if (value.kind === 'double') r.setDouble(index, value.value)
  else if (value.kind === 'decimal') {
    r.tag[index] = TAG.NUMERIC
    r.ref[index] = value.value
  } else if (value.kind === 'boolean') r.setBoolean(index, value.value)
  else if (value.kind === 'time') r.setBigTimestamp(index, value.value)
  else r.setNull(index)
}
