/**
 * Owns JSON values for oracles of tests: a slice that the JSON field reader has accepted becomes a JavaScript value that keeps
 * every digit of integers.
 */
import { assert } from '../../src/core/assert.ts'
import { JSON_DEPTH_MAX } from '../../src/core/json-field.ts'
import { readJsonDouble, readJsonInteger } from '../../src/core/json-number.ts'
import { isValidUtf8, unescapeString } from '../../src/core/json-string.ts'

/**
 * Integers are bigint, numbers with point or exponent are number (the nearest double, maybe infinite), objects are Maps in the
 * order of first occurrence with the last duplicate's value.
 */
export type JsonValue = null | boolean | bigint | number | string | readonly JsonValue[] | JsonObject
export type JsonObject = ReadonlyMap<string, JsonValue>

/** Why a slice has no value: a text in it, or a key, is none (docs/ERRORS.md, invalid_text). */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const ARRAY_CLOSE = 0x5d
const OBJECT_CLOSE = 0x7d

/**
 * The value of bytes[start, end), a slice of an accepted document: a scalar, array or object as a whole, strings with their
 * quotes. Errors: JsonTextError where a string or key is not valid UTF-8, holds a lone surrogate or \u0000.
 */
export function parseJsonValue(bytes: Uint8Array, start: number, end: number): JsonValue {
  return new JsonValueParser(bytes, start, end).parse()
}

/**
 * The text of a string's content bytes[start, end) without its quotes (the slices of JSON_KIND.STRING, STRING_UTF8 and
 * STRING_ESCAPED). Errors: JsonTextError.
 */
export function parseJsonText(bytes: Uint8Array, start: number, end: number): string {
  if (!isValidUtf8(bytes, start, end)) throw new JsonTextError('text is not valid UTF-8')
  if (bytes.subarray(start, end).indexOf(BACKSLASH) < 0) return toText(bytes, start, end)
  const text = new Uint8Array(end - start)
  const length = unescapeString(bytes, start, end, text, 0)
  if (length < 0) throw new JsonTextError('text has \\u0000 or half of a surrogate pair')
  return toText(text, 0, length)
}

function toText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}

/** Recursion is bounded by the depth that the reader accepts. */
class JsonValueParser {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  parse(): JsonValue {
    const value = this.#parseValue(0)
    this.#skipSpace()
    assert(this.#at === this.#end, 'a json slice is one value')
    return value
  }

  #parseValue(depth: number): JsonValue {
    assert(depth <= JSON_DEPTH_MAX, 'a json slice is not too deep')
    this.#skipSpace()
    switch (this.#bytes[this.#at]) {
      case 0x7b:
        return this.#parseObject(depth)
      case 0x5b:
        return this.#parseArray(depth)
      case QUOTE:
        return this.#parseText()
      case 0x74:
        this.#at += 4
        return true
      case 0x66:
        this.#at += 5
        return false
      case 0x6e:
        this.#at += 4
        return null
      default:
        return this.#parseNumber()
    }
  }

  #parseObject(depth: number): JsonObject {
    const members = new Map<string, JsonValue>()
    while (this.#hasNext(OBJECT_CLOSE)) {
      const key = this.#parseText()
      this.#skipSpace()
      // the colon
      this.#at++
      members.set(key, this.#parseValue(depth + 1))
    }
    return members
  }

  #parseArray(depth: number): readonly JsonValue[] {
    const elements: JsonValue[] = []
    while (this.#hasNext(ARRAY_CLOSE)) elements.push(this.#parseValue(depth + 1))
    return elements
  }

  /** Steps over the opening bracket or comma to the next element; false: over the closing bracket. */
  #hasNext(close: number): boolean {
    this.#skipSpace()
    assert(this.#at < this.#end, 'a json slice is whole')
    const byte = this.#bytes[this.#at]!
    this.#at++
    if (byte === close) return false
    if (byte === COMMA) {
      this.#skipSpace()
      return true
    }
    // the opening bracket: there may be nothing inside
    this.#skipSpace()
    if (this.#bytes[this.#at] !== close) return true
    this.#at++
    return false
  }

  #parseText(): string {
    const start = ++this.#at
    for (; this.#bytes[this.#at] !== QUOTE; this.#at++) {
      assert(this.#at < this.#end, 'a json slice is whole')
      if (this.#bytes[this.#at] === BACKSLASH) this.#at++
    }
    return parseJsonText(this.#bytes, start, this.#at++)
  }

  #parseNumber(): bigint | number {
    const start = this.#at
    let isInteger = true
    for (; this.#at < this.#end; this.#at++) {
      const byte = this.#bytes[this.#at]!
      if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d) continue
      if (byte !== 0x2e && byte !== 0x2b && (byte | 0x20) !== 0x65) break
      isInteger = false
    }
    assert(this.#at > start, 'a json slice has only json')
    if (!isInteger) return readJsonDouble(this.#bytes, start, this.#at)
    const value = readJsonInteger(this.#bytes, start, this.#at)
    return BigInt(Number.isNaN(value) ? toText(this.#bytes, start, this.#at) : value)
  }

  #skipSpace(): void {
    while (this.#at < this.#end && this.#bytes[this.#at]! <= 0x20) this.#at++
  }
}
