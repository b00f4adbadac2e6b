/**
 * Owns the check of a JSON value that comes as a text of its own: RFC 8259, and what no key could hold (key-bytes.ts), so that the same texts
 * are values whether they are looked into or stored first.
 */
import { parseDecimal } from './decimal.ts'
import { JSON_OUTCOME } from './json-field.ts'
import { JSON_DIGITS_MAX } from './json-number.ts'
import { JsonScanner, SLACK_BYTES } from './json-scanner.ts'
import { skipString, skipValue, textOfString } from './json-text.ts'

const QUOTE = 0x22
const ARRAY_OPEN = 0x5b
const OBJECT_OPEN = 0x7b
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
/** Numbers of so few bytes have fewer digits than are allowed, unless an exponent stands in them. */
const SHORT_NUMBER_BYTES = 15

export class JsonCheck extends JsonScanner {
  /** Where the value in bytes[start, end) begins, behind white space; -1 where it is none, or has something behind it. */
  findValue(bytes: Uint8Array, start: number, end: number): number {
    const found = this.#setDocument(bytes, start, end)
    const first = bytes[found]
    const isContainer = first === ARRAY_OPEN || first === OBJECT_OPEN
    // only a bracket stops what is read: behind a number alone its own text may go on
    if (isContainer && end + SLACK_BYTES <= bytes.length) return this.#check(found) ? found : -1
    const copy = new Uint8Array(end - found + SLACK_BYTES)
    copy.set(bytes.subarray(found, end))
    this.#setDocument(copy, 0, end - found)
    return this.#check(0) ? found : -1
  }

  #setDocument(bytes: Uint8Array, start: number, end: number): number {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.documentEnd = end
    this.outcome = JSON_OUTCOME.OK
    return this.skipSpace(start)
  }

  #check(begin: number): boolean {
    const behind = this.skipValue(begin, 0)
    return behind >= 0 && this.skipSpace(behind) === this.documentEnd && this.#holdsKeys(begin, behind)
  }

  /** Whether every text and number inside has a key. */
  #holdsKeys(start: number, end: number): boolean {
    const { bytes } = this
    let at = start
    while (at < end) {
      const byte = bytes[at] as number
      if (byte === QUOTE) {
        const behind = skipString(bytes, at)
        if (textOfString(bytes, at, behind) === undefined) return false
        at = behind
      } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
        const behind = Math.min(skipValue(bytes, at), end)
        if (!isNumberKept(bytes, at, behind)) return false
        at = behind
      } else at++
    }
    return true
  }
}

function isNumberKept(bytes: Uint8Array, start: number, end: number): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
  if (text.length <= SHORT_NUMBER_BYTES && !/e/i.test(text)) return true
  return parseDecimal(text, JSON_DIGITS_MAX, JSON_DIGITS_MAX) !== undefined
}
