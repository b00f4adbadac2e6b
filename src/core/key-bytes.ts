/**
 * Owns the bytes of values in keys: order-preserving and self-delimiting. Equal bytes exactly when the values are equal; byte
 * order is the answer's ORDER BY. The same bytes are the group key, the cells of undeclared columns, cursors and prefixes.
 * Reading them back is key-reader.ts; numbers are number-key.ts.
 *
 * A group's key begins with a byte for its grouping set: the set's number. Then its values:
 *
 *   tag        value          then
 *   10         JSON null      (inside arrays and objects only; jsonb puts it first)
 *   20         text           UTF-8, 00 as 00 ff; then 00
 *   2f         -Infinity
 *   30         number         number-key.ts
 *   31         Infinity
 *   32         NaN            (PostgreSQL's greatest number, equal to itself)
 *   40, 41     false, true
 *   50         array          4 bytes: count of elements; the elements
 *   60         object         4 bytes: count of keys; for each key, in the order of length, then bytes: its text as above
 *                             without the tag, its value. The last of equal keys counts.
 *   70         timestamptz    8 bytes: microseconds since 1970, sign bit flipped
 *   71         timestamp      as timestamptz
 *   72         date           4 bytes: days since 1970, sign bit flipped
 *   73         interval       8 bytes: the whole days of its span, sign bit flipped; 8 bytes: the microseconds behind them
 *   f0         null
 *   fe         error          code, 00, message: a failed cell; it is never part of a group key
 *
 * Arrays and objects order as jsonb does (by count first), but [] is an array like others. No tag is ff: 00 ff is an escape.
 */
import { type Decimal, decimalOfInteger, parseDecimal } from './decimal.ts'
import { JSON_DIGITS_MAX } from './json-number.ts'
import { skipSpace, skipString, skipValue, textOfString } from './json-text.ts'
import { spanDaysOf, spanRestOf } from './interval.ts'
import { nextWholeDown, numberKeyOfDecimal, putOrderBits, putRestDigits, REST_BYTES_MAX } from './number-key.ts'
import { isInt64 } from './number-text.ts'
import { type CellError, type Registers, TAG } from './registers.ts'

export const KEY_TAG = {
  JSON_NULL: 0x10,
  TEXT: 0x20,
  MINUS_INFINITY: 0x2f,
  NUMBER: 0x30,
  INFINITY: 0x31,
  NAN: 0x32,
  FALSE: 0x40,
  TRUE: 0x41,
  ARRAY: 0x50,
  OBJECT: 0x60,
  TIMESTAMP: 0x70,
  LOCAL_TIMESTAMP: 0x71,
  DATE: 0x72,
  INTERVAL: 0x73,
  NULL: 0xf0,
  ERROR: 0xfe,
} as const

/** Each set costs a record one more group; CUBE of six expressions has as many. */
export const GROUPING_SETS_MAX = 64
const CAPACITY_AT_START = 256

interface Segment {
  readonly key: Uint8Array
  readonly start: number
  readonly end: number
}

const INVALID_TEXT: CellError = {
  code: 'invalid_text',
  message: 'a text inside the array or object holds invalid UTF-8, a lone surrogate or \\u0000',
}
const NUMBER_OUT_OF_RANGE: CellError = {
  code: 'number_out_of_range',
  message: `a number inside the array or object has more than ${JSON_DIGITS_MAX} digits before or after its point`,
}

// The hot path reads constants of its own: an imported binding is loaded anew at each use (json-field-reader.ts).
const { TEXT: TAG_TEXT, INTEGER: TAG_INTEGER, DOUBLE: TAG_DOUBLE, TIMESTAMP: TAG_TIMESTAMP } = TAG
const { BOOLEAN: TAG_BOOLEAN, NULL: TAG_NULL } = TAG
const {
  TEXT: KEY_TEXT,
  NULL: KEY_NULL,
  TRUE: KEY_TRUE,
  FALSE: KEY_FALSE,
  NUMBER: KEY_NUMBER,
  TIMESTAMP: KEY_TIMESTAMP,
} = KEY_TAG

/** Appends values to a growing buffer. `bytes` is replaced when it grows: read it after the last append. */
export class KeyWriter {
  bytes = new Uint8Array(CAPACITY_AT_START)
  length = 0
  #view = new DataView(this.bytes.buffer)
  #failure: CellError | null = null

  reset(): void {
    this.length = 0
  }

  /** The grouping set's number, first in a group's key. */
  appendGroupingSet(number: number): void {
    this.appendByte(number)
  }

  /** Appends a register's value. An ERROR register, and a value that no key can hold, give the error; then `length` is as before. */
  appendRegister(r: Registers, index: number): CellError | null {
    switch (r.tag[index]) {
      case TAG_TEXT:
        this.appendByte(KEY_TEXT)
        this.#appendText(r.ref[index] as Uint8Array, r.num[index] as number, r.end[index] as number)
        return null
      case TAG_INTEGER:
      case TAG_DOUBLE:
        this.appendDouble(r.num[index] as number)
        return null
      case TAG_TIMESTAMP:
        this.appendByte(KEY_TIMESTAMP)
        this.#appendSigned(r.num[index] as number)
        return null
      case TAG_BOOLEAN:
        this.appendByte(r.num[index] === 1 ? KEY_TRUE : KEY_FALSE)
        return null
      case TAG_NULL:
        this.appendByte(KEY_NULL)
        return null
      default:
        return this.#appendRare(r, index)
    }
  }

  /** A value's bytes that another writer has. */
  appendKey(from: KeyWriter, start: number, end: number): void {
    this.#ensure(end - start)
    const into = this.bytes
    let length = this.length
    for (let index = start; index < end; index++) into[length++] = from.bytes[index]!
    this.length = length
  }

  appendNull(): void {
    this.appendByte(KEY_NULL)
  }

  #appendRare(r: Registers, index: number): CellError | null {
    switch (r.tag[index]) {
      case TAG.BIG_INTEGER:
        this.appendInteger(r.ref[index] as bigint)
        return null
      case TAG.NUMERIC:
        this.appendDecimal(r.ref[index] as Decimal)
        return null
      case TAG.BIG_TIMESTAMP:
        this.appendByte(KEY_TIMESTAMP)
        this.#appendBigSigned(r.ref[index] as bigint)
        return null
      case TAG.LOCAL_TIMESTAMP:
        this.appendByte(KEY_TAG.LOCAL_TIMESTAMP)
        this.#appendSigned(r.num[index] as number)
        return null
      case TAG.BIG_LOCAL_TIMESTAMP:
        this.appendByte(KEY_TAG.LOCAL_TIMESTAMP)
        this.#appendBigSigned(r.ref[index] as bigint)
        return null
      case TAG.DATE:
        this.#appendDate(r.num[index] as number)
        return null
      case TAG.JSON:
        return this.#appendJson(r.ref[index] as Uint8Array, r.num[index] as number)
      case TAG.INTERVAL:
      case TAG.BIG_INTERVAL:
        this.appendByte(KEY_TAG.INTERVAL)
        this.#appendSigned(spanDaysOf(r, index))
        this.#appendSigned(spanRestOf(r, index))
        return null
      default:
        return r.ref[index] as CellError
    }
  }

  #ensure(count: number): void {
    const needed = (this.length + count) | 0
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
    this.#view = new DataView(grown.buffer)
  }

  appendByte(byte: number): void {
    this.#ensure(1)
    this.bytes[this.length] = byte
    this.length = (this.length + 1) | 0
  }

  /** Bytes that order as what they stand for does, all of one length. */
  appendBytes(bytes: Uint8Array): void {
    this.#ensure(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Turns the order of what was appended from there on: each byte is flipped. */
  flipFrom(start: number): void {
    for (let index = start; index < this.length; index++) this.bytes[index] = ~this.bytes[index]!
  }

  /** Text with its end, without the tag. Registers have the positions as doubles: as integers they are read at a third of the cost. */
  #appendText(bytes: Uint8Array, start: number, end: number): void {
    const behind = end | 0
    let from = start | 0
    this.#ensure((((behind - from) << 1) + 1) | 0)
    const into = this.bytes
    let length = this.length
    for (; from < behind; from = (from + 1) | 0) {
      const byte = bytes[from] as number
      into[length] = byte
      length = (length + 1) | 0
      if (byte === 0) {
        into[length] = 0xff
        length = (length + 1) | 0
      }
    }
    into[length] = 0
    this.length = (length + 1) | 0
  }

  /** Any double, or a safe integer. */
  appendDouble(value: number): void {
    this.#ensure(10)
    const at = this.length
    if (!Number.isFinite(value)) {
      this.bytes[at] = value > 0 ? KEY_TAG.INFINITY : value < 0 ? KEY_TAG.MINUS_INFINITY : KEY_TAG.NAN
      this.length = at + 1
      return
    }
    this.bytes[at] = KEY_NUMBER
    putOrderBits(this.bytes, this.#view, at + 1, value + 0)
    this.bytes[at + 9] = 0
    this.length = at + 10
  }

  appendInteger(value: bigint): void {
    if (!isInt64(value)) {
      this.appendDecimal(decimalOfInteger(value))
      return
    }
    // ids are such: the number's bytes without the detour over a decimal
    let double = Number(value)
    let rest = Number(value - BigInt(double))
    if (rest < 0) {
      const below = nextWholeDown(double)
      rest += double - below
      double = below
    }
    this.appendDouble(double)
    if (rest > 0) this.#appendRest(rest, double)
  }

  /** Replaces a double's end by the digits of the rest. */
  #appendRest(rest: number, double: number): void {
    this.#ensure(REST_BYTES_MAX)
    this.length = putRestDigits(this.bytes, this.length - 1, rest, double)
  }

  appendDecimal(value: Decimal): void {
    this.appendByte(KEY_TAG.NUMBER)
    this.appendBytes(numberKeyOfDecimal(value))
  }

  /** A safe integer. */
  #appendSigned(value: number): void {
    this.#ensure(8)
    const high = Math.floor(value / 2 ** 32)
    this.#view.setUint32(this.length, high ^ 0x80000000)
    this.#view.setUint32(this.length + 4, value - high * 2 ** 32)
    this.length += 8
  }

  #appendBigSigned(value: bigint): void {
    this.#ensure(8)
    this.#view.setBigUint64(this.length, BigInt.asUintN(64, value) ^ (1n << 63n))
    this.length += 8
  }

  #appendDate(day: number): void {
    this.#ensure(5)
    this.bytes[this.length] = KEY_TAG.DATE
    this.#view.setUint32(this.length + 1, day ^ 0x80000000)
    this.length += 5
  }

  /** The valid JSON text that begins at `at`. */
  #appendJson(bytes: Uint8Array, at: number): CellError | null {
    const before = this.length
    this.#failure = null
    this.#appendJsonValue(bytes, skipSpace(bytes, at))
    if (this.#failure !== null) this.length = before
    return this.#failure
  }

  /** Appends the value at `at` and says where it ends. Depth is bounded by what a record may nest (512). */
  #appendJsonValue(bytes: Uint8Array, at: number): number {
    switch (bytes[at]) {
      case 0x5b:
        return this.#appendArray(bytes, at)
      case 0x7b:
        return this.#appendObject(bytes, at)
      case 0x22: {
        const end = skipString(bytes, at)
        const text = textOfString(bytes, at, end)
        this.appendByte(KEY_TAG.TEXT)
        if (text === undefined) this.#failure = INVALID_TEXT
        else this.#appendText(text, 0, text.length)
        return end
      }
      case 0x74:
        this.appendByte(KEY_TAG.TRUE)
        return at + 4
      case 0x66:
        this.appendByte(KEY_TAG.FALSE)
        return at + 5
      case 0x6e:
        this.appendByte(KEY_TAG.JSON_NULL)
        return at + 4
      default:
        return this.#appendJsonNumber(bytes, at)
    }
  }

  #appendJsonNumber(bytes: Uint8Array, at: number): number {
    const end = skipValue(bytes, at)
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString('latin1')
    const double = Number(text)
    // 1e-400 is a 0 to the language only
    if (Number.isSafeInteger(double) && text.length < 16 && !text.includes('.') && !text.includes('-', 1)) {
      this.appendDouble(double)
      return end
    }
    const decimal = parseDecimal(text, JSON_DIGITS_MAX, JSON_DIGITS_MAX)
    if (decimal === undefined) this.#failure = NUMBER_OUT_OF_RANGE
    else this.appendDecimal(decimal)
    return end
  }

  #appendArray(bytes: Uint8Array, at: number): number {
    this.appendByte(KEY_TAG.ARRAY)
    const countAt = this.length
    this.#ensure(4)
    this.length += 4
    let count = 0
    let next = skipSpace(bytes, at + 1)
    while (bytes[next] !== 0x5d && this.#failure === null) {
      next = skipSpace(bytes, this.#appendJsonValue(bytes, next))
      if (bytes[next] === 0x2c) next = skipSpace(bytes, next + 1)
      count++
    }
    this.#view.setUint32(countAt, count)
    return next + 1
  }

  /** Values are appended as they come and put in order afterwards: looking ahead would read deep nests many times. */
  #appendObject(bytes: Uint8Array, at: number): number {
    this.appendByte(KEY_TAG.OBJECT)
    const countAt = this.length
    this.#ensure(4)
    this.length += 4
    const segments: Segment[] = []
    let next = skipSpace(bytes, at + 1)
    while (bytes[next] !== 0x7d && this.#failure === null) {
      const keyEnd = skipString(bytes, next)
      const key = textOfString(bytes, next, keyEnd)
      if (key === undefined) {
        this.#failure = INVALID_TEXT
        break
      }
      const start = this.length
      this.#appendText(key, 0, key.length)
      // behind the key: white space, a colon, white space
      next = skipSpace(bytes, this.#appendJsonValue(bytes, skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)))
      segments.push({ key, start, end: this.length })
      if (bytes[next] === 0x2c) next = skipSpace(bytes, next + 1)
    }
    if (this.#failure === null) this.#view.setUint32(countAt, this.#sortSegments(segments, countAt + 4))
    return next + 1
  }

  /** Brings an object's pairs, which begin at `from`, into the order of their keys; says how many are left. */
  #sortSegments(segments: readonly Segment[], from: number): number {
    // a stable sort keeps equal keys in their order, so that the last of them is the last here too
    const sorted = segments.toSorted((a, b) => compareKeys(a.key, b.key))
    const kept = sorted.filter((segment, index) => {
      const following = sorted[index + 1]
      return following === undefined || compareKeys(segment.key, following.key) !== 0
    })
    if (kept.every((segment, index) => segment === segments[index]) && kept.length === segments.length)
      return kept.length
    const copy = this.bytes.slice(from, this.length)
    this.length = from
    for (const { start, end } of kept) this.appendBytes(copy.subarray(start - from, end - from))
    return kept.length
  }
}

/** jsonb's order of keys: the shorter first, then by bytes. */
function compareKeys(left: Uint8Array, right: Uint8Array): number {
  return left.length - right.length || Buffer.compare(left, right)
}

/**
 * A fresh copy of a register's key bytes, for the cell of a BLOB column; an ERROR register gives an error cell. Cost: who makes
 * many of them hands in a writer to be used again.
 */
export function keyBytesOf(r: Registers, index: number, writer = new KeyWriter()): Uint8Array {
  writer.reset()
  const error = writer.appendRegister(r, index)
  return error === null ? writer.bytes.slice(0, writer.length) : errorCell(error.code, error.message)
}

/** The cell of a failed expression: a value that every function passes on, until it reaches an answer. */
export function errorCell(code: CellError['code'], message: string): Uint8Array {
  const head = Buffer.from(`${code}\0${message}`, 'utf8')
  const bytes = new Uint8Array(head.length + 1)
  bytes[0] = KEY_TAG.ERROR
  bytes.set(head, 1)
  return bytes
}

/** The error in a cell; undefined where the cell's bytes are a value. */
export function readErrorCell(bytes: Uint8Array): CellError | undefined {
  if (bytes[0] !== KEY_TAG.ERROR) return undefined
  const end = bytes.indexOf(0, 1)
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString('utf8')
  return { code: text(1, end) as CellError['code'], message: text(end + 1, bytes.length) }
}
