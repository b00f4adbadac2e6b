/** Owns the order of two values of one kind: numbers exactly, text by UTF-8 bytes, false before true, arrays and objects as their keys. */
import { type Decimal, compareDecimals, compareDecimalWithDouble, decimalOfInteger } from '../../core/decimal.ts'
import { KeyWriter } from '../../core/key-bytes.ts'
import { type Interval, type Registers, TAG } from '../../core/registers.ts'
import { MICROSECONDS_PER_DAY } from '../../core/timestamp-calendar.ts'
import { isArray } from '../../core/value-kind.ts'
import { DAYS_PER_MONTH } from '../interval-literal.ts'
import { isNumber, isTimestamp } from './argument.ts'

/** What compareValues gives besides -1, 0, 1. */
export const KINDS_DIFFER = 2
/** An ERROR was written. */
export const FAILED = 3

/**
 * Compares two registers that aren't NULL: -1, 0, 1; KINDS_DIFFER; or FAILED with the error written to `out`, when an array or object
 * holds what no key can hold. NaN equals itself and is above all numbers, as in PostgreSQL.
 */
export function compareValues(r: Registers, out: number, a: number, b: number): number {
  const tag = r.tag[a]
  if (tag === r.tag[b]) {
    switch (tag) {
      case TAG.TEXT:
        return compareText(r, a, b)
      case TAG.INTEGER:
      case TAG.BOOLEAN:
      case TAG.TIMESTAMP:
        return sign(r.num[a] as number, r.num[b] as number)
      case TAG.JSON:
        return isArray(r, a) === isArray(r, b) ? compareJson(r, out, a, b) : KINDS_DIFFER
      case TAG.INTERVAL:
        return sign(spanOf(r.ref[a] as Interval), spanOf(r.ref[b] as Interval))
      default:
    }
  }
  if (isNumber(r, a) && isNumber(r, b)) return compareNumbers(r, a, b)
  if (isTimestamp(r, a) && isTimestamp(r, b)) return sign(r.microsecondsOf(a), r.microsecondsOf(b))
  return KINDS_DIFFER
}

function sign<T extends number | bigint>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function compareText(r: Registers, a: number, b: number): number {
  const left = r.ref[a] as Uint8Array
  const right = r.ref[b] as Uint8Array
  const leftEnd = r.end[a] as number
  const rightEnd = r.end[b] as number
  let i = r.num[a] as number
  let j = r.num[b] as number
  while (i < leftEnd && j < rightEnd) {
    const difference = (left[i++] as number) - (right[j++] as number)
    if (difference !== 0) return difference < 0 ? -1 : 1
  }
  return i < leftEnd ? 1 : j < rightEnd ? -1 : 0
}

/** Compares two number registers by their exact values. */
function compareNumbers(r: Registers, a: number, b: number): number {
  const left = r.tag[a] as number
  const right = r.tag[b] as number
  // safe integers and doubles compare exactly as doubles
  if (isPlain(left) && isPlain(right)) return compareDoubles(r.num[a] as number, r.num[b] as number)
  if (left === TAG.DOUBLE) return -compareWithDouble(r, b, r.num[a] as number)
  if (right === TAG.DOUBLE) return compareWithDouble(r, a, r.num[b] as number)
  if (left !== TAG.NUMERIC && right !== TAG.NUMERIC) return sign(r.bigIntegerOf(a), r.bigIntegerOf(b))
  return compareDecimals(exactOf(r, a), exactOf(r, b))
}

function isPlain(tag: number): boolean {
  return tag === TAG.INTEGER || tag === TAG.DOUBLE
}

function compareDoubles(left: number, right: number): number {
  if (left < right) return -1
  if (left > right) return 1
  if (left === right) return 0
  return (Number.isNaN(left) ? 1 : 0) - (Number.isNaN(right) ? 1 : 0)
}

/** A big integer or decimal register with a double. */
function compareWithDouble(r: Registers, index: number, double: number): number {
  if (Number.isNaN(double)) return -1
  if (r.tag[index] === TAG.NUMERIC) return compareDecimalWithDouble(r.ref[index] as Decimal, double)
  // the language compares a bigint with a number by exact value
  const value = r.ref[index] as bigint
  return value < double ? -1 : value > double ? 1 : 0
}

/** An integer or decimal register as a decimal. */
export function exactOf(r: Registers, index: number): Decimal {
  return r.tag[index] === TAG.NUMERIC ? (r.ref[index] as Decimal) : decimalOfInteger(r.bigIntegerOf(index))
}

/** A month counts as 30 days, a day as 24 hours, as PostgreSQL compares intervals. */
function spanOf({ months, days, microseconds }: Interval): bigint {
  const wholeDays = BigInt(months) * BigInt(DAYS_PER_MONTH) + BigInt(days)
  return wholeDays * BigInt(MICROSECONDS_PER_DAY) + BigInt(microseconds)
}

/** Arrays and objects are rare in comparisons, so this makes its writers anew. */
function compareJson(r: Registers, out: number, a: number, b: number): number {
  const left = new KeyWriter()
  const right = new KeyWriter()
  const error = left.appendRegister(r, a) ?? right.appendRegister(r, b)
  if (error !== null) {
    r.setError(out, error.code, error.message)
    return FAILED
  }
  return Buffer.compare(left.bytes.subarray(0, left.length), right.bytes.subarray(0, right.length))
}
