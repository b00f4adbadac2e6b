/**
 * Owns entries: a value with its place in an order, as bytes whose order that is (law 5). All parts end by themselves, so that no entry
 * is the beginning of another.
 *
 *   placed     ORDER BY's keys | the record's place | the value
 *   reversed   the same, keys and place flipped: the last comes first
 *   set        ORDER BY's keys | the value: equal ones are one
 *   latest     a key | ORDER BY's keys and the place, flipped | the value: of a key the last comes first
 */
import { KeyWriter } from '../core/key-bytes.ts'
import type { CellError, Registers } from '../core/registers.ts'
import type { AccumulatorInput } from './aggregate.ts'
import { appendOrder, checkKey } from './order-key.ts'

export type EntryForm = 'placed' | 'reversed' | 'set' | 'latest'

/** Writes one entry after another into the same bytes: [0, length) of `bytes`, the value from `valueAt` on. */
export class EntryWriter {
  readonly #form: EntryForm
  readonly #input: AccumulatorInput
  readonly #key = new KeyWriter()
  valueAt = 0

  constructor(form: EntryForm, input: AccumulatorInput) {
    this.#form = form
    this.#input = input
  }

  get bytes(): Uint8Array {
    return this.#key.bytes
  }

  get length(): number {
    return this.#key.length
  }

  /** Arguments and keys of ORDER BY that have no bytes. */
  check(r: Registers, arg: number, second: number): CellError | null {
    let error = checkKey(this.#key, r, arg)
    if (error === null && second >= 0) error = checkKey(this.#key, r, second)
    const { order } = this.#input
    for (let index = 0; index < order.length && error === null; index++) {
      error = checkKey(this.#key, r, order[index]!.register)
    }
    return error
  }

  /** Bytes of the value and of ORDER BY's keys, of what `check` has let pass. */
  valueLength(r: Registers, register: number): number {
    this.#key.reset()
    appendOrder(this.#key, r, this.#input.order)
    this.#key.appendRegister(r, register)
    return this.#key.length
  }

  /** All that stands before the value; `arg` is the key of a `latest`. */
  writeHead(r: Registers, arg: number): void {
    const key = this.#key
    const form = this.#form
    const { order, place } = this.#input
    key.reset()
    if (form === 'latest') key.appendRegister(r, arg)
    const start = key.length
    appendOrder(key, r, order)
    if (form !== 'set') key.appendBytes(place.encode())
    if (form === 'reversed' || form === 'latest') key.flipFrom(start)
    this.valueAt = key.length
  }

  writeValue(r: Registers, register: number): void {
    this.#key.appendRegister(r, register)
  }
}

/** Order of two entries by their bytes, each given by its first and its length. */
export function compareEntries(
  left: Uint8Array,
  l: number,
  leftLength: number,
  right: Uint8Array,
  r: number,
  rightLength: number,
): number {
  const shared = Math.min(leftLength, rightLength)
  for (let index = 0; index < shared; index++) {
    const difference = left[l + index]! - right[r + index]!
    if (difference !== 0) return difference
  }
  return leftLength - rightLength
}
