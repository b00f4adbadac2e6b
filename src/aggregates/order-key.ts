/**
 * Owns what a call's ORDER BY puts in front of a value: for each key its key bytes, which order as the answer's ORDER BY does. DESC
 * flips them; where NULL stands elsewhere than its bytes do, a byte in front says so.
 */
import type { KeyWriter } from '../core/key-bytes.ts'
import { TAG, type CellError, type Registers } from '../core/registers.ts'

// Constants of this file: see exact-sum-accumulator.ts.
const { NULL: TAG_NULL, JSON: TAG_JSON } = TAG

const NULL_FIRST = 1
const NULL_LAST = 3
/** Of values beside NULL_FIRST or NULL_LAST. */
const BETWEEN = 2

/** A key of ORDER BY inside a call, by the register that holds it. */
export interface OrderKey {
  readonly register: number
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** Arrays and objects may hold what no key can. */
export function checkKey(key: KeyWriter, r: Registers, register: number): CellError | null {
  if (r.tag[register] !== TAG_JSON) return null
  key.reset()
  return key.appendRegister(r, register)
}

/** Appends the keys of a record that `checkKey` has let pass. */
export function appendOrder(key: KeyWriter, r: Registers, order: readonly OrderKey[]): void {
  for (let index = 0; index < order.length; index++) {
    const { register, descending, nullsFirst } = order[index]!
    if (nullsFirst !== descending) {
      const isNull = r.tag[register] === TAG_NULL
      key.appendByte(!isNull ? BETWEEN : nullsFirst ? NULL_FIRST : NULL_LAST)
    }
    const start = key.length
    key.appendRegister(r, register)
    if (descending) key.flipFrom(start)
  }
}
