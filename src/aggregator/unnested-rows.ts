/**
 * Owns the rows that UNNEST makes of a record: all are checked before one is folded, so that a record with a row that fails is a dead
 * letter as a whole (law 9). No row costs an object; what a record with several costs is a second evaluation.
 */
import { skipSpace } from '../core/json-text.ts'
import type { RecordPlace } from '../core/record-place.ts'
import type { CellError } from '../core/registers.ts'
import type { UnnestPlan } from '../planner/plan.ts'
import { JSON_KIND } from '../core/json-field.ts'
import { SLACK_BYTES } from '../core/json-scanner.ts'
import type { FieldLoader } from './field-loader.ts'
import { FAILED, FILTERED, FOLDED } from './fold-outcome.ts'
import type { RecordMetadata } from './record-metadata.ts'

/** Of one record. A longer array is an error of the record: it would hold up its shard. */
const ROWS_MAX = 10_000
const ARRAY_CLOSE = 0x5d
const COMMA = 0x2c

/** Evaluates the row whose element the loader has; folds it too unless it is only checked. */
export type FoldRow = (onlyCheck: boolean) => number

export interface UnnestedRowsParts {
  readonly plan: UnnestPlan
  readonly fields: FieldLoader
  /** Index of the array among the fields. */
  readonly arrayField: number
  readonly elements: FieldLoader
  readonly metadata: RecordMetadata
  readonly place: RecordPlace
  /** on_error null: what holds no array is as NULL. */
  readonly failingIsNull: boolean
  readonly fail: (error: CellError) => number
}

export class UnnestedRows {
  readonly #parts: UnnestedRowsParts
  /** Rows of records that were folded, since takeCount. */
  #count = 0
  /** Where the array stands: the fetched bytes, or #copy. */
  #bytes: Uint8Array = new Uint8Array(0)
  #copy: Uint8Array = new Uint8Array(0)
  #end = 0
  /** Behind the element that was read last. */
  #at = 0

  constructor(parts: UnnestedRowsParts) {
    this.#parts = parts
  }

  takeCount(): number {
    const count = this.#count
    this.#count = 0
    return count
  }

  /** FOLDED where a row was folded, FILTERED where there is none, FAILED and nothing folded where one fails. */
  fold(row: FoldRow): number {
    const { fields, arrayField, failingIsNull, fail } = this.#parts
    const kind = fields.reader.kind[arrayField]!
    if (kind === JSON_KIND.MISSING || kind === JSON_KIND.NULL) return this.#foldNone(row)
    if (kind !== JSON_KIND.ARRAY) {
      if (failingIsNull) return this.#foldNone(row)
      return fail({ code: 'wrong_kind', message: 'the field holds no array' })
    }
    this.#open()
    if (!this.#next(1)) return this.#foldNone(row)
    if (this.#isLast()) return this.#foldOne(row)
    return this.#foldAll(row)
  }

  #foldNone(row: FoldRow): number {
    const { plan, elements } = this.#parts
    if (!plan.isLeft) return FILTERED
    elements.reader.clear()
    this.#setNumber(0)
    return this.#foldOne(row)
  }

  #foldOne(row: FoldRow): number {
    const outcome = row(false)
    if (outcome === FOLDED) this.#count++
    return outcome
  }

  /** The first element is read. */
  #foldAll(row: FoldRow): number {
    let number = 1
    let folded = 0
    do {
      if (number > ROWS_MAX) {
        return this.#parts.fail({ code: 'too_many_rows', message: `more than ${ROWS_MAX} elements` })
      }
      const outcome = row(true)
      if (outcome === FAILED) return FAILED
      if (outcome === FOLDED) folded++
    } while (this.#next(++number))
    if (folded === 0) return FILTERED
    this.#open()
    for (let again = 1; this.#next(again); again++) row(false)
    this.#count += folded
    return FOLDED
  }

  /** Stands before the first element; a buffer that ends with the array is copied for the reader's room. */
  #open(): void {
    const { fields, arrayField } = this.#parts
    const { reader, bytes } = fields
    const start = reader.start[arrayField]!
    const end = reader.end[arrayField]!
    if (end + SLACK_BYTES <= bytes.length) {
      this.#bytes = bytes
      this.#at = start + 1
      this.#end = end
      return
    }
    if (this.#copy.length < end - start + SLACK_BYTES) this.#copy = new Uint8Array(end - start + SLACK_BYTES)
    this.#bytes = this.#copy
    this.#copy.set(bytes.subarray(start, end))
    this.#at = 1
    this.#end = end - start
  }

  /** Reads the element of that number, from 1; false behind the last. The document was checked as a whole. */
  #next(number: number): boolean {
    const bytes = this.#bytes
    let at = skipSpace(bytes, this.#at)
    if (bytes[at] === ARRAY_CLOSE) return false
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
    this.#at = this.#parts.elements.readElement(bytes, at, this.#end)
    this.#setNumber(number)
    return true
  }

  #isLast(): boolean {
    return this.#bytes[skipSpace(this.#bytes, this.#at)] === ARRAY_CLOSE
  }

  #setNumber(number: number): void {
    this.#parts.metadata.ordinality = number
    this.#parts.place.row = number
  }
}
