/** Owns the order of two values of one kind: numbers exactly, text by UTF-8 bytes, false before true, arrays and objects as their keys. */
import { type Decimal, compareDecimals, compareDecimalWithDouble, decimalOfInteger } from '../../core/decimal.ts'
import { compareIntervals } from '../../core/interval.ts'
import { KeyWriter } from '../../core/key-bytes.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import { dayOf, microsecondOfDay } from '../../core/timestamp-calendar.ts'
import { isArray } from '../../core/value-kind.ts'
import { isInterval, isLocalTimestamp, isNumber, isTimestamp } from './argument.ts'

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
      case TAG.LOCAL_TIMESTAMP:
      case TAG.DATE:
        return sign(r.num[a] as number, r.num[b] as number)
      case TAG.JSON:
        return isArray(r, a) === isArray(r, b) ? compareJson(r, out, a, b) : KINDS_DIFFER
      default:
    }
  }
  if (isNumber(r, a) && isNumber(r, b)) return compareNumbers(r, a, b)
  if ((isTimestamp(r, a) && isTimestamp(r, b)) || (isLocalTimestamp(r, a) && isLocalTimestamp(r, b))) {
    return sign(r.microsecondsOf(a), r.microsecondsOf(b))
  }
  if (isInterval(r, a) && isInterval(r, b)) return compareIntervals(r, a, b)
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

/** Compares two points in time of whatever types: a date is its midnight, a timestamp is in UTC. */
export function compareTimes(r: Registers, a: number, b: number): number {
  const left = dayOf(r, a)
  const right = dayOf(r, b)
  return sign(left, right) || sign(microsecondOfDay(r, a, left), microsecondOfDay(r, b, right))
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
