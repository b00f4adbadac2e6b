/**
 * Owns the loading of a record's fields into registers: what the JSON reader has found becomes a value or an error (law 9).
 * A field is loaded only where an expression needs it, so that an unused broken one harms nobody.
 */
import { normalizeDecimal, parseDecimal } from '../core/decimal.ts'
import { isZeroToken, JSON_DIGITS_MAX, readJsonDouble, readJsonInteger } from '../core/json-number.ts'
import { isValidUtf8, unescapeString } from '../core/json-string.ts'
import { readQuickDecimal } from '../core/quick-decimal.ts'
import { TAG, type Registers } from '../core/registers.ts'
import { JSON_KIND, type JsonPath } from '../core/json-field.ts'
import { JsonFieldReader } from '../records/json-field-reader.ts'

// Constants of this file: an imported binding is loaded anew at each use, which costs 35 ns a record (json-field-reader.ts).
const { MISSING: KIND_MISSING, NULL: KIND_NULL, FALSE: KIND_FALSE, TRUE: KIND_TRUE } = JSON_KIND
const { INTEGER: KIND_INTEGER, DECIMAL: KIND_DECIMAL } = JSON_KIND
const { STRING: KIND_STRING, STRING_UTF8: KIND_STRING_UTF8, STRING_ESCAPED: KIND_STRING_ESCAPED } = JSON_KIND
const { INTEGER: TAG_INTEGER, DOUBLE: TAG_DOUBLE } = TAG

/** First size of the room for unescaped texts; a record with longer ones makes it grow. */
const ARENA_BYTES_MIN = 4096
const MINUS = 0x2d

export class FieldLoader {
  readonly reader: JsonFieldReader
  /** The reader's results. */
  readonly #kind: Uint8Array
  readonly #start: Int32Array
  readonly #end: Int32Array
  readonly #paths: readonly JsonPath[]
  readonly #r: Registers
  #bytes: Uint8Array = new Uint8Array(0)
  /** Unescaped texts of the current record. Replaced, not grown: registers may still point into the old one. */
  #arena: Uint8Array = new Uint8Array(ARENA_BYTES_MIN)
  #arenaEnd = 0

  constructor(paths: readonly JsonPath[], r: Registers) {
    this.reader = new JsonFieldReader(paths)
    this.#kind = this.reader.kind
    this.#start = this.reader.start
    this.#end = this.reader.end
    this.#paths = paths
    this.#r = r
  }

  /** Of the record that was read last. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Reads the record bytes[start, end); an outcome of JSON_OUTCOME. Registers loaded before are worthless from here on. */
  read(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes
    this.#arenaEnd = 0
    return this.reader.read(bytes, start, end)
  }

  /** As read, of an array's element at `start` (JsonFieldReader.readElement); returns where it ends. */
  readElement(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes
    this.#arenaEnd = 0
    return this.reader.readElement(bytes, start, end)
  }

  /** Loads the field of that index of the paths. */
  load(field: number, out: number): void {
    const r = this.#r
    const kind = this.#kind[field]
    const start = this.#start[field]!
    const end = this.#end[field]!
    // The commonest first: these constants are no literals, so no table of jumps comes of them.
    if (kind === KIND_STRING) return r.setText(out, this.#bytes, start, end)
    if (kind === KIND_INTEGER) {
      const value = readJsonInteger(this.#bytes, start, end)
      if (Number.isNaN(value)) return this.#loadBigInteger(field, out)
      r.tag[out] = TAG_INTEGER
      r.num[out] = value
      return
    }
    if (kind === KIND_DECIMAL) {
      const value = readJsonDouble(this.#bytes, start, end)
      if (value === 0 || !Number.isFinite(value)) return this.#loadZeroOrOverflow(field, out, value)
      r.tag[out] = TAG_DOUBLE
      r.num[out] = value
      return
    }
    switch (kind) {
      case KIND_MISSING:
      case KIND_NULL:
        return r.setNull(out)
      case KIND_FALSE:
        return r.setBoolean(out, false)
      case KIND_TRUE:
        return r.setBoolean(out, true)
      case KIND_STRING_UTF8:
        if (isValidUtf8(this.#bytes, start, end)) r.setText(out, this.#bytes, start, end)
        else this.#failText(field, out, 'is not valid UTF-8')
        return
      case KIND_STRING_ESCAPED:
        return this.#loadEscaped(field, out)
      default:
        return r.setJson(out, this.#bytes, start, end)
    }
  }

  /** As load(), but a number with a point or exponent is the exact decimal that is written, not the double nearest to it. */
  loadExact(field: number, out: number): void {
    if (this.#kind[field] !== KIND_DECIMAL) return this.load(field, out)
    const start = this.#start[field]!
    const end = this.#end[field]!
    if (readQuickDecimal(this.#bytes, start, end, this.#r, out)) return
    const decimal = parseDecimal(this.#latin1(start, end))
    if (decimal !== undefined) return this.#r.setDecimal(out, normalizeDecimal(decimal))
    this.#r.setError(out, 'number_out_of_range', `field ${this.#nameOf(field)} is outside the range of numeric`)
  }

  #loadBigInteger(field: number, out: number): void {
    const start = this.#start[field]!
    const end = this.#end[field]!
    const digits = this.#bytes[start] === MINUS ? end - start - 1 : end - start
    if (digits > JSON_DIGITS_MAX) {
      this.#r.setError(
        out,
        'number_out_of_range',
        `field ${this.#nameOf(field)} has more than ${JSON_DIGITS_MAX} digits`,
      )
      return
    }
    this.#r.setBigInteger(out, BigInt(this.#latin1(start, end)))
  }

  /** A zero is one by its digits, or was too small for a double: PostgreSQL calls that out of range too. */
  #loadZeroOrOverflow(field: number, out: number, value: number): void {
    if (value === 0 && isZeroToken(this.#bytes, this.#start[field]!, this.#end[field]!))
      return this.#r.setDouble(out, 0)
    this.#r.setError(
      out,
      'number_out_of_range',
      `field ${this.#nameOf(field)} is outside the range of double precision`,
    )
  }

  #loadEscaped(field: number, out: number): void {
    const start = this.#start[field]!
    const end = this.#end[field]!
    // Unescaping never makes a text longer.
    if (this.#arenaEnd + end - start > this.#arena.length) {
      this.#arena = new Uint8Array(Math.max(this.#arena.length * 2, end - start))
      this.#arenaEnd = 0
    }
    const at = this.#arenaEnd
    const length = unescapeString(this.#bytes, start, end, this.#arena, at)
    if (length < 0) return this.#failText(field, out, 'has \\u0000 or half of a surrogate pair')
    if (!isValidUtf8(this.#arena, at, at + length)) return this.#failText(field, out, 'is not valid UTF-8')
    this.#arenaEnd = at + length
    this.#r.setText(out, this.#arena, at, at + length)
  }

  #failText(field: number, out: number, what: string): void {
    this.#r.setError(out, 'invalid_text', `the text of field ${this.#nameOf(field)} ${what}`)
  }

  #latin1(start: number, end: number): string {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start).toString('latin1')
  }

  #nameOf(field: number): string {
    return (this.#paths[field] ?? []).map((part) => (typeof part === 'number' ? `[${part}]` : part)).join('.')
  }
}
