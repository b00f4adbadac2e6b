/** Owns the reading of one value from key bytes in a state, as a value of its static type. */
import { decimalOfDouble } from '../core/decimal.ts'
import { readKeyInto } from '../core/key-reader.ts'
import { TAG, type Registers } from '../core/registers.ts'
import type { ScalarType } from '../core/scalar-type.ts'

/** Types that have no key bytes. */
export const UNKEYED: ReadonlySet<ScalarType> = new Set<ScalarType>(['unknown'])
/** Types whose value can't be read from its key: that of an interval is its span, a month is 30 days there. */
export const UNREADABLE: ReadonlySet<ScalarType> = new Set<ScalarType>([...UNKEYED, 'interval'])

/** Puts the value whose key begins at `at` into a register. Caller keeps the bytes. */
export function readKeyValue(bytes: Uint8Array, at: number, type: ScalarType, r: Registers, out: number): void {
  readKeyInto(bytes, at, r, out)
  const tag = r.tag[out]
  if (type === 'double precision') {
    // the key of a double without a fraction reads as the integer that it equals
    if (tag === TAG.INTEGER || tag === TAG.BIG_INTEGER) r.setDouble(out, Number(r.bigIntegerOf(out)))
  } else if (type === 'numeric' && tag === TAG.DOUBLE && Number.isFinite(r.num[out])) {
    // a numeric stays exact, also where its key is a double's
    r.setDecimal(out, decimalOfDouble(r.num[out]!))
  }
}
