/**
 * Owns the check of JSON values by RFC 8259: from a position to the position behind the value, with its kind, without an
 * object or a string. What is wanted from values is left to JsonFieldReader, which builds on it.
 */
import { readHexDigit } from './json-string.ts'
import { JSON_DEPTH_MAX, JSON_KIND, JSON_OUTCOME, type JsonOutcome } from './json-field.ts'

// Constants of this file instead of the imported ones on the hot path: see json-field-reader.ts.
const { OK, INVALID_JSON, TOO_DEEP } = JSON_OUTCOME
const { NULL, FALSE, TRUE, INTEGER, DECIMAL, STRING, STRING_UTF8, STRING_ESCAPED, ARRAY, OBJECT } = JSON_KIND
const DEPTH_MAX = JSON_DEPTH_MAX

/** A method's answer instead of a position: the document is refused, outcome and errorAt say why and where. */
const REFUSED = -1

// Arithmetic on positions ends with | 0 here and wherever records are read: the engine then keeps them as plain 32-bit integers, without the check
// for overflow of each sum and, where a call's result joins, without boxing (measured: a twelfth of the coarse fold).

/** Bytes behind a document that may be looked at: reads are four bytes wide and an escape has six. */
export const SLACK_BYTES = 16

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const ARRAY_OPEN = 0x5b
const OBJECT_OPEN = 0x7b
/** The closing bracket's byte minus the opening one's, for both kinds. */
const CLOSE_AFTER_OPEN = 2
const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const ZERO = 0x30
const LETTER_E = 0x65

/** The texts as little-endian words. */
const TRUE_WORD = 0x65757274
const ALSE_WORD = 0x65736c61
const NULL_WORD = 0x6c6c756e

/** A byte of a word that ends the simple part of a string has its high bit set in the result: a quote, a backslash, a control character, beyond ASCII. */
function findSpecial(word: number): number {
  // Classic SWAR: byte - 0x20 borrows below 0x20, (byte ^ c) - 1 borrows where byte = c. Borrows only spoil bytes above the first hit.
  return (
    ((word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101) | word) & 0x80808080
  )
}

/** A byte of a word that is no digit has high bits set in the result; bytes above the first one may be wrong, as in findSpecial. */
function findNonDigit(word: number): number {
  const digits = word ^ 0x30303030
  return ((digits + 0x06060606) | digits) & 0xf0f0f0f0
}

/** Of four bytes in a word, the index of the lowest one that has a bit. */
function lowestByte(word: number): number {
  return (31 - Math.clz32(word & -word)) >> 3
}

/**
 * Checks values one at a time. Methods that move take a position and return the one behind what they read, or a negative
 * one: refused. They look at up to SLACK_BYTES behind the document's end, which must be there, and believe none of it.
 */
export class JsonScanner {
  protected bytes: Uint8Array = new Uint8Array(0)
  /** Of the same bytes: for four of them at once. */
  protected view: DataView = new DataView(new ArrayBuffer(0))
  protected documentEnd = 0
  protected outcome: JsonOutcome = OK
  protected errorAt = 0
  /** JSON_KIND of the value that was skipped last. */
  protected scannedKind = 0
  readonly #containers = new Uint8Array(DEPTH_MAX + 1)

  /** Ends the reading; returns what the caller answers. */
  protected refuse(at: number, outcome: JsonOutcome = INVALID_JSON): number {
    this.outcome = outcome
    this.errorAt = Math.min(at, this.documentEnd)
    return REFUSED
  }

  /** Checks a value of any kind; returns the position behind it and leaves its kind in #scannedKind. */
  protected skipValue(at: number, depth: number): number {
    if (at >= this.documentEnd) return this.refuse(at)
    switch (this.bytes[at]) {
      case QUOTE:
        return this.skipString(at + 1)
      case OBJECT_OPEN:
      case ARRAY_OPEN:
        return this.#skipContainer(at, depth)
      case 0x74:
        this.scannedKind = TRUE
        return this.view.getInt32(at, true) === TRUE_WORD ? this.#endWithin(at + 4) : this.refuse(at)
      case 0x66:
        this.scannedKind = FALSE
        return this.view.getInt32(at + 1, true) === ALSE_WORD ? this.#endWithin(at + 5) : this.refuse(at)
      case 0x6e:
        this.scannedKind = NULL
        return this.view.getInt32(at, true) === NULL_WORD ? this.#endWithin(at + 4) : this.refuse(at)
      default:
        return this.#skipNumber(at)
    }
  }

  #endWithin(at: number): number {
    return at <= this.documentEnd ? at : this.refuse(this.documentEnd)
  }

  /** Checks the rest of a string from behind its opening quote; returns the position behind the closing one. */
  protected skipString(start: number): number {
    const view = this.view
    const end = this.documentEnd
    let at = start
    let special = 0
    while (at < end) {
      special = findSpecial(view.getInt32(at, true))
      if (special !== 0) break
      at = (at + 4) | 0
    }
    if (special === 0) return this.refuse(end)
    at = (at + lowestByte(special)) | 0
    if (at < end && view.getUint8(at) === QUOTE) {
      this.scannedKind = STRING
      return (at + 1) | 0
    }
    return this.#skipOddString(at) | 0
  }

  /** The rest of a string from its first byte that is an escape, beyond ASCII or wrong. */
  #skipOddString(start: number): number {
    const bytes = this.bytes
    const view = this.view
    const end = this.documentEnd
    let kind: number = STRING
    for (let at = start; at < end;) {
      const byte = bytes[at]!
      if (byte >= 0x80) {
        if (kind === STRING) kind = STRING_UTF8
        at++
      } else if (byte === QUOTE) {
        this.scannedKind = kind
        return at + 1
      } else if (byte === BACKSLASH) {
        const length = measureEscape(bytes, at)
        if (length === 0) return this.refuse(at)
        kind = STRING_ESCAPED
        at += length
      } else if (byte < 0x20) {
        return this.refuse(at)
      } else {
        at++
        while (at < end && findSpecial(view.getInt32(at, true)) === 0) at += 4
      }
    }
    return this.refuse(end)
  }

  /** Checks a number; returns the position behind it. */
  #skipNumber(start: number): number {
    const bytes = this.bytes
    const digits = bytes[start] === MINUS ? (start + 1) | 0 : start
    let at = this.#skipDigits(digits)
    if (at === digits) return this.refuse(at)
    if (bytes[digits] === ZERO) at = (digits + 1) | 0
    const behind = bytes[at]!
    if (behind === POINT || (behind | 0x20) === LETTER_E) return this.#skipFraction(at) | 0
    this.scannedKind = INTEGER
    return this.#endWithin(at) | 0
  }

  /** The rest of a number from its point or exponent. */
  #skipFraction(start: number): number {
    const bytes = this.bytes
    let at = start
    if (bytes[at] === POINT) {
      const digits = (at + 1) | 0
      at = this.#skipDigits(digits)
      if (at === digits) return this.refuse(at)
    }
    if ((bytes[at]! | 0x20) === LETTER_E) {
      const sign = bytes[at + 1]
      const digits = sign === PLUS || sign === MINUS ? (at + 2) | 0 : (at + 1) | 0
      at = this.#skipDigits(digits)
      if (at === digits) return this.refuse(at)
    }
    this.scannedKind = DECIMAL
    return this.#endWithin(at) | 0
  }

  /** Returns the position behind the digits at `start`; at most three bytes beyond the document's end, where none counts. */
  #skipDigits(start: number): number {
    const view = this.view
    const end = this.documentEnd
    let at = start
    while (at < end) {
      const nonDigit = findNonDigit(view.getInt32(at, true))
      if (nonDigit !== 0) return (at + lowestByte(nonDigit)) | 0
      at = (at + 4) | 0
    }
    return at
  }

  /** Checks an array or object that nothing is wanted from; without recursion. */
  #skipContainer(open: number, depth: number): number {
    const bytes = this.bytes
    const end = this.documentEnd
    const containers = this.#containers
    const kind = bytes[open] === OBJECT_OPEN ? OBJECT : ARRAY
    let level = depth
    let at = open
    // each turn is at the beginning of a value
    for (;;) {
      const first = bytes[at]
      if ((first === OBJECT_OPEN || first === ARRAY_OPEN) && at < end) {
        if (++level > DEPTH_MAX) return this.refuse(at, TOO_DEEP)
        containers[level] = first
        at = this.skipSpace(at + 1)
        if (at < end && bytes[at] === first + CLOSE_AFTER_OPEN) {
          level--
          at++
        } else {
          if (first === OBJECT_OPEN) at = this.#skipKey(at)
          if (at === REFUSED) return REFUSED
          continue
        }
      } else {
        at = this.skipValue(at, level)
        if (at === REFUSED) return REFUSED
      }
      // behind a value: close what ends here, up to the next value
      for (;;) {
        if (level === depth) {
          this.scannedKind = kind
          return at
        }
        at = this.skipSpace(at)
        if (at >= end) return this.refuse(at)
        if (bytes[at] === COMMA) break
        if (bytes[at] !== containers[level]! + CLOSE_AFTER_OPEN) return this.refuse(at)
        level--
        at++
      }
      at = this.skipSpace(at + 1)
      if (containers[level] === OBJECT_OPEN) at = this.#skipKey(at)
      if (at === REFUSED) return REFUSED
    }
  }

  /** Checks a key and its colon; returns where the value begins. */
  #skipKey(start: number): number {
    if (start >= this.documentEnd || this.bytes[start] !== QUOTE) return this.refuse(start)
    let at = this.skipString(start + 1)
    if (at === REFUSED) return REFUSED
    at = this.skipSpace(at)
    if (at >= this.documentEnd || this.bytes[at] !== COLON) return this.refuse(at)
    return this.skipSpace(at + 1)
  }

  protected skipSpace(start: number): number {
    const bytes = this.bytes
    let at = start
    for (; at < this.documentEnd; at++) {
      const byte = bytes[at]!
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break
    }
    return at
  }
}

/** Length of the escape at a backslash, 0 where it is none. */
function measureEscape(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2
    case 0x75:
      for (let index = at + 2; index < at + 6; index++) if (readHexDigit(bytes[index]!) < 0) return 0
      return 6
    default:
      return 0
  }
}
