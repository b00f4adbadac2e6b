/**
 * Owns one state column of a partial batch: a number per group, and for the cells that are none a kind and bytes aside.
 * A column of numbers alone has only the numbers.
 */
import type { StateValue } from '../aggregates/aggregate.ts'
import { assert } from '../core/assert.ts'

const CELL = { number: 0, null: 1, bigint: 2, bytes: 3 } as const
const INT64_BYTES = 8
const HEAP_BYTES_MIN = 256

/** What a column takes in a batch: 8 bytes a number, a byte a kind if there are kinds, then the heap. */
export interface CellColumnShape {
  readonly hasKinds: boolean
  readonly heapBytes: number
}

export class CellColumnWriter {
  readonly #numbers: Float64Array
  /** Made for the first cell that is no number. */
  #kinds: Uint8Array | undefined
  #heap: Uint8Array = new Uint8Array(0)
  #heapEnd = 0

  constructor(numbers: Float64Array) {
    this.#numbers = numbers
  }

  set(index: number, value: StateValue): void {
    if (typeof value === 'number') this.#numbers[index] = value
    else this.#setOther(index, value)
  }

  #setOther(index: number, value: null | bigint | Uint8Array): void {
    this.#kinds ??= new Uint8Array(this.#numbers.length)
    if (value === null) this.#kinds[index] = CELL.null
    else if (typeof value === 'bigint') {
      this.#kinds[index] = CELL.bigint
      const at = this.#reserve(INT64_BYTES)
      new DataView(this.#heap.buffer).setBigInt64(at, value, true)
    } else {
      this.#kinds[index] = CELL.bytes
      this.#numbers[index] = value.length
      const at = this.#reserve(value.length)
      this.#heap.set(value, at)
    }
  }

  #reserve(length: number): number {
    const at = this.#heapEnd
    if (at + length > this.#heap.length) {
      const grown = new Uint8Array(Math.max(HEAP_BYTES_MIN, at + length, this.#heap.length * 2))
      grown.set(this.#heap)
      this.#heap = grown
    }
    this.#heapEnd = at + length
    return at
  }

  get shape(): CellColumnShape {
    return { hasKinds: this.#kinds !== undefined, heapBytes: this.#heapEnd }
  }

  /** Kinds and heap, as they stand in the batch. */
  get parts(): readonly Uint8Array[] {
    const kinds = this.#kinds === undefined ? [] : [this.#kinds]
    return [...kinds, this.#heap.subarray(0, this.#heapEnd)]
  }
}

/** Reads a column's cells from first to last. */
export class CellColumnReader {
  readonly #numbers: Float64Array
  readonly #kinds: Uint8Array | undefined
  readonly #heap: Uint8Array
  #at = 0

  constructor(numbers: Float64Array, kinds: Uint8Array | undefined, heap: Uint8Array) {
    this.#numbers = numbers
    this.#kinds = kinds
    this.#heap = heap
  }

  /** The cell of the next group; bytes are a view. */
  next(index: number): StateValue {
    const kinds = this.#kinds
    if (kinds === undefined) return this.#numbers[index]!
    switch (kinds[index]) {
      case CELL.number:
        return this.#numbers[index]!
      case CELL.null:
        return null
      case CELL.bytes: {
        const start = this.#at
        this.#at += this.#numbers[index]!
        return this.#heap.subarray(start, this.#at)
      }
      default: {
        assert(kinds[index] === CELL.bigint, `unknown kind of cell ${kinds[index]}`)
        const at = this.#at
        this.#at += INT64_BYTES
        return new DataView(this.#heap.buffer, this.#heap.byteOffset + at, INT64_BYTES).getBigInt64(0, true)
      }
    }
  }
}
