/**
 * Owns the representation of a value while expressions are evaluated: a file of registers as a struct of arrays, so that
 * evaluating a record makes no object. Both evaluators use it: the compiled ingest half, and the functions in SQLite.
 */
import { doubleOfDecimal, type Decimal } from './decimal.ts'
import type { RecordErrorCode } from './record-error.ts'

/** What a register holds. Errors are values (law 9); a function never throws for bad input. */
export const TAG = {
  NULL: 0,
  /** num: 0 or 1 */
  BOOLEAN: 1,
  /** num: an integer within +-(2^53 - 1) */
  INTEGER: 2,
  /** ref: a bigint outside the safe range. Beyond int64 only for undeclared numbers and exact sums. */
  BIG_INTEGER: 3,
  /** num: a double; never -0 */
  DOUBLE: 4,
  /** ref: Decimal (decimal.ts), exact */
  NUMERIC: 5,
  /** ref: Uint8Array of valid UTF-8 without NUL; the text is its [num, end) */
  TEXT: 6,
  /** timestamptz. num: microseconds since 1970 where that is a safe integer */
  TIMESTAMP: 7,
  /** ref: microseconds since 1970 as a bigint outside the safe range */
  BIG_TIMESTAMP: 8,
  /** ref: Uint8Array; its [num, end) is the valid JSON text of an array or object */
  JSON: 9,
  /** num: microseconds, a safe integer; end: months and days in one number (interval.ts) */
  INTERVAL: 10,
  /** ref: CellError */
  ERROR: 11,
  /** timestamp: what a clock and a calendar show, without a zone. num: as TIMESTAMP's, as if it were UTC */
  LOCAL_TIMESTAMP: 12,
  /** ref: as BIG_TIMESTAMP's */
  BIG_LOCAL_TIMESTAMP: 13,
  /** num: days since 1970 */
  DATE: 14,
  /** ref: Interval with parts for which INTERVAL has no room */
  BIG_INTERVAL: 15,
} as const

/** Why an expression has no value. The message names what was found; it is one line, lower case. */
export interface CellError {
  readonly code: RecordErrorCode
  readonly message: string
}

/** PostgreSQL's interval: three parts that don't convert into each other. Months and days of 32 bits, microseconds of 64. */
export interface Interval {
  readonly months: number
  readonly days: number
  readonly microseconds: bigint
}

export class Registers {
  readonly tag: Uint8Array
  readonly num: Float64Array
  readonly end: Float64Array
  readonly ref: unknown[]
  /** Set to true by a comparison or condition that met two kinds and became NULL; the caller counts and clears it. */
  kindMismatch = false
  /** Set by the finalizing of an aggregate whose value is not all that was asked for; the caller tells and clears it. */
  warning: string | null = null

  constructor(size: number) {
    this.tag = new Uint8Array(size)
    this.num = new Float64Array(size)
    this.end = new Float64Array(size)
    this.ref = Array.from<unknown>({ length: size }).fill(null)
  }

  setNull(out: number): void {
    this.tag[out] = TAG.NULL
  }

  setBoolean(out: number, value: boolean): void {
    this.tag[out] = TAG.BOOLEAN
    this.num[out] = value ? 1 : 0
  }

  /** A number that is a safe integer already. */
  setInteger(out: number, value: number): void {
    this.tag[out] = TAG.INTEGER
    this.num[out] = value + 0
  }

  /** Any integer, in its canonical form. */
  setBigInteger(out: number, value: bigint): void {
    const small = Number(value)
    if (Number.isSafeInteger(small)) {
      this.tag[out] = TAG.INTEGER
      this.num[out] = small
    } else {
      this.tag[out] = TAG.BIG_INTEGER
      this.ref[out] = value
    }
  }

  setDouble(out: number, value: number): void {
    this.tag[out] = TAG.DOUBLE
    this.num[out] = value + 0
  }

  /** Any exact number, in its canonical form: without a fraction it is an integer. */
  setDecimal(out: number, value: Decimal): void {
    if (value.scale === 0) this.setBigInteger(out, value.unscaled)
    else {
      this.tag[out] = TAG.NUMERIC
      this.ref[out] = value
    }
  }

  /** Makes a number one without a type, as it is in a record and in a cell: a numeric that a double has exactly is the double. */
  toUndeclared(out: number): void {
    if (this.tag[out] !== TAG.NUMERIC) return
    const double = doubleOfDecimal(this.ref[out] as Decimal)
    if (double !== undefined) this.setDouble(out, double)
  }

  setText(out: number, bytes: Uint8Array, start: number, end: number): void {
    this.tag[out] = TAG.TEXT
    this.ref[out] = bytes
    this.num[out] = start
    this.end[out] = end
  }

  setJson(out: number, bytes: Uint8Array, start: number, end: number): void {
    this.tag[out] = TAG.JSON
    this.ref[out] = bytes
    this.num[out] = start
    this.end[out] = end
  }

  /** Microseconds that are a safe integer. */
  setTimestamp(out: number, microseconds: number): void {
    this.tag[out] = TAG.TIMESTAMP
    this.num[out] = microseconds
  }

  setBigTimestamp(out: number, microseconds: bigint): void {
    const small = Number(microseconds)
    if (Number.isSafeInteger(small)) {
      this.tag[out] = TAG.TIMESTAMP
      this.num[out] = small
    } else {
      this.tag[out] = TAG.BIG_TIMESTAMP
      this.ref[out] = microseconds
    }
  }

  /** Days since 1970. */
  setDate(out: number, day: number): void {
    this.tag[out] = TAG.DATE
    this.num[out] = day
  }

  /** Makes the timestamptz of a register the timestamp that shows the same digits in UTC. */
  toLocal(out: number): void {
    this.tag[out] = this.tag[out] === TAG.TIMESTAMP ? TAG.LOCAL_TIMESTAMP : TAG.BIG_LOCAL_TIMESTAMP
  }

  /** The way back. */
  toInstant(out: number): void {
    this.tag[out] = this.tag[out] === TAG.LOCAL_TIMESTAMP ? TAG.TIMESTAMP : TAG.BIG_TIMESTAMP
  }

  setError(out: number, code: RecordErrorCode, message: string): void {
    this.tag[out] = TAG.ERROR
    this.ref[out] = { code, message } satisfies CellError
  }

  copy(out: number, from: number): void {
    this.tag[out] = this.tag[from]!
    this.num[out] = this.num[from]!
    this.end[out] = this.end[from]!
    this.ref[out] = this.ref[from]
  }

  /** The bytes of a TEXT or JSON register, a view. */
  bytesOf(index: number): Uint8Array {
    return (this.ref[index] as Uint8Array).subarray(this.num[index], this.end[index])
  }

  /** An INTEGER or BIG_INTEGER register. */
  bigIntegerOf(index: number): bigint {
    return this.tag[index] === TAG.INTEGER ? BigInt(this.num[index] as number) : (this.ref[index] as bigint)
  }

  /** A register of timestamptz or timestamp. */
  microsecondsOf(index: number): bigint {
    const tag = this.tag[index]
    if (tag === TAG.TIMESTAMP || tag === TAG.LOCAL_TIMESTAMP) return BigInt(this.num[index] as number)
    return this.ref[index] as bigint
  }
}
