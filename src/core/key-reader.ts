/** Owns reading key bytes (key-bytes.ts) back: into registers, and as the JSON text of an answer. */
import { assert } from './assert.ts'
import { decimalToText } from './decimal.ts'
import { KEY_TAG, readErrorCell } from './key-bytes.ts'
import { decimalOfNumberKey, getOrderBits, isDoubleKey, skipNumberKey } from './number-key.ts'
import { intervalOf, setSpan } from './interval.ts'
import { formatInterval } from './interval-text.ts'
import { Registers } from './registers.ts'
import { formatDate, formatLocalTimestamp, formatTimestamp } from './timestamp-format.ts'

/** An integer that is exactly a double is shown with all its digits up to so many; above, in the double's short form, 1e+300. */
const INTEGER_DIGITS_SHOWN_MAX = 40
const SHOWN_LIMIT = 10 ** INTEGER_DIGITS_SHOWN_MAX

/**
 * Reads the value at `at` into a register and says where the next begins. Text is a view of `bytes` where it can be: the caller keeps
 * them. Numbers: an integer is INTEGER or BIG_INTEGER, else a double is DOUBLE, else NUMERIC. Arrays and objects: canonical
 * JSON text. An error cell: ERROR.
 */
export function readKeyInto(bytes: Uint8Array, at: number, r: Registers, out: number): number {
  switch (bytes[at]) {
    case KEY_TAG.TEXT:
      return readText(bytes, at + 1, r, out)
    case KEY_TAG.NUMBER:
      return readNumber(bytes, at + 1, r, out)
    case KEY_TAG.TIMESTAMP:
      r.setBigTimestamp(out, signedAt(bytes, at + 1))
      return at + 9
    case KEY_TAG.LOCAL_TIMESTAMP:
      r.setBigTimestamp(out, signedAt(bytes, at + 1))
      r.toLocal(out)
      return at + 9
    case KEY_TAG.DATE:
      r.setDate(out, dayAt(bytes, at + 1))
      return at + 5
    case KEY_TAG.INTERVAL:
      setSpan(r, out, Number(signedAt(bytes, at + 1)), Number(signedAt(bytes, at + 9)))
      return at + 17
    case KEY_TAG.FALSE:
    case KEY_TAG.TRUE:
      r.setBoolean(out, bytes[at] === KEY_TAG.TRUE)
      return at + 1
    case KEY_TAG.ARRAY:
    case KEY_TAG.OBJECT: {
      const reader = new JsonReader(bytes, at, false)
      const text = Buffer.from(reader.value(), 'utf8')
      r.setJson(out, text, 0, text.length)
      return reader.at
    }
    case KEY_TAG.MINUS_INFINITY:
    case KEY_TAG.INFINITY:
    case KEY_TAG.NAN:
      r.setDouble(out, infiniteOf(bytes[at]))
      return at + 1
    case KEY_TAG.ERROR: {
      const error = readErrorCell(bytes.subarray(at))
      assert(error !== undefined, 'an error cell has no error')
      r.setError(out, error.code, error.message)
      return bytes.length
    }
    default:
      assert(bytes[at] === KEY_TAG.NULL || bytes[at] === KEY_TAG.JSON_NULL, `unknown key tag ${bytes[at]}`)
      r.setNull(out)
      return at + 1
  }
}

/** Where the value at `at` ends. */
export function skipKey(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case KEY_TAG.TEXT:
      return skipKeyText(bytes, at + 1)
    case KEY_TAG.NUMBER:
      return skipNumberKey(bytes, at + 1)
    case KEY_TAG.TIMESTAMP:
    case KEY_TAG.LOCAL_TIMESTAMP:
      return at + 9
    case KEY_TAG.DATE:
      return at + 5
    case KEY_TAG.INTERVAL:
      return at + 17
    case KEY_TAG.ERROR:
      return bytes.length
    case KEY_TAG.ARRAY:
    case KEY_TAG.OBJECT: {
      const pairs = bytes[at] === KEY_TAG.OBJECT
      let next = at + 5
      for (let left = countAt(bytes, at + 1); left > 0; left--) {
        if (pairs) next = skipKeyText(bytes, next)
        next = skipKey(bytes, next)
      }
      return next
    }
    default:
      return at + 1
  }
}

/**
 * The value at `at` as JSON text: numbers with all their digits, 3 and not 3.0; NaN, infinities and times as strings. `isReadAgain`: the
 * text becomes a value, so a whole double has all its digits, however many, as it has inside an array or object.
 */
export function keyToJsonText(bytes: Uint8Array, at: number, isReadAgain = false): string {
  return new JsonReader(bytes, at, isReadAgain).value()
}

/**
 * A double as a JSON number: an integer with all its digits (up to 40), else the shortest text that reads back as the same
 * double; NaN and infinities as strings.
 */
export function doubleToJsonText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`
  if (Number.isInteger(value) && Math.abs(value) < SHOWN_LIMIT) return BigInt(value).toString()
  return String(value)
}

/** Where text without its tag ends: behind its 00. */
export function skipKeyText(bytes: Uint8Array, at: number): number {
  let next = at
  for (;;) {
    if (bytes[next] === 0) {
      if (bytes[next + 1] !== 0xff) return next + 1
      next++
    }
    next++
  }
}

/** Text's bytes without escapes; a view where there is none. */
function unescapeText(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const view = bytes.subarray(start, end)
  if (!view.includes(0)) return view
  return view.filter((_, index) => index === 0 || view[index - 1] !== 0)
}

function readText(bytes: Uint8Array, at: number, r: Registers, out: number): number {
  const next = skipKeyText(bytes, at)
  const text = unescapeText(bytes, at, next - 1)
  if (text.length === next - 1 - at) r.setText(out, bytes, at, next - 1)
  else r.setText(out, text, 0, text.length)
  return next
}

function readNumber(bytes: Uint8Array, at: number, r: Registers, out: number): number {
  const next = skipNumberKey(bytes, at)
  if (isDoubleKey(bytes, at)) {
    const value = getOrderBits(bytes, at)
    if (Number.isSafeInteger(value)) r.setInteger(out, value)
    else if (Number.isInteger(value)) r.setBigInteger(out, BigInt(value))
    else r.setDouble(out, value)
    return next
  }
  r.setDecimal(out, decimalOfNumberKey(bytes, at, next))
  return next
}

function signedAt(bytes: Uint8Array, at: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8)
  return BigInt.asIntN(64, view.getBigUint64(0) ^ (1n << 63n))
}

function dayAt(bytes: Uint8Array, at: number): number {
  return countAt(bytes, at) ^ 0x80000000
}

function countAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0)
}

function infiniteOf(tag: number | undefined): number {
  return tag === KEY_TAG.INFINITY ? Infinity : tag === KEY_TAG.MINUS_INFINITY ? -Infinity : NaN
}

class JsonReader {
  readonly bytes: Uint8Array
  at: number
  #isReadAgain: boolean

  constructor(bytes: Uint8Array, at: number, isReadAgain: boolean) {
    this.bytes = bytes
    this.at = at
    this.#isReadAgain = isReadAgain
  }

  value(): string {
    const tag = this.bytes[this.at++] as number
    switch (tag) {
      case KEY_TAG.TEXT:
        return this.#text()
      case KEY_TAG.NUMBER:
        return this.#number()
      case KEY_TAG.MINUS_INFINITY:
      case KEY_TAG.INFINITY:
      case KEY_TAG.NAN:
        return doubleToJsonText(infiniteOf(tag))
      case KEY_TAG.FALSE:
        return 'false'
      case KEY_TAG.TRUE:
        return 'true'
      case KEY_TAG.ARRAY:
        return `[${this.#list(false)}]`
      case KEY_TAG.OBJECT:
        return `{${this.#list(true)}}`
      case KEY_TAG.TIMESTAMP:
        this.at += 8
        return `"${formatTimestamp(signedAt(this.bytes, this.at - 8))}"`
      case KEY_TAG.LOCAL_TIMESTAMP:
        this.at += 8
        return `"${formatLocalTimestamp(signedAt(this.bytes, this.at - 8))}"`
      case KEY_TAG.DATE:
        this.at += 4
        return `"${formatDate(dayAt(this.bytes, this.at - 4))}"`
      case KEY_TAG.INTERVAL:
        return this.#interval()
      default:
        assert(tag === KEY_TAG.NULL || tag === KEY_TAG.JSON_NULL, `no JSON text for key tag ${tag}`)
        return 'null'
    }
  }

  #interval(): string {
    const r = new Registers(1)
    this.at = readKeyInto(this.bytes, this.at - 1, r, 0)
    return `"${formatInterval(intervalOf(r, 0))}"`
  }

  #list(pairs: boolean): string {
    const count = countAt(this.bytes, this.at)
    this.at += 4
    this.#isReadAgain = true
    const parts: string[] = []
    for (let index = 0; index < count; index++) parts.push(pairs ? `${this.#text()}:${this.value()}` : this.value())
    return parts.join(',')
  }

  #text(): string {
    const next = skipKeyText(this.bytes, this.at)
    const text = unescapeText(this.bytes, this.at, next - 1)
    this.at = next
    return JSON.stringify(Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8'))
  }

  #number(): string {
    const start = this.at
    this.at = skipNumberKey(this.bytes, start)
    if (isDoubleKey(this.bytes, start)) {
      const value = getOrderBits(this.bytes, start)
      return this.#isReadAgain && Number.isInteger(value) ? BigInt(value).toString() : doubleToJsonText(value)
    }
    return decimalToText(decimalOfNumberKey(this.bytes, start, this.at))
  }
}
