/**
 * Owns the number that a text holds by a template, as PostgreSQL's to_number reads it: byte after byte, a sign before or behind the digits; what
 * stands where the template has another character is skipped, whatever it is.
 */
import { type Decimal, normalizeDecimal, parseDecimal } from './decimal.ts'
import type { NumberPattern, NumberTemplate } from './number-template.ts'
import { parseRoman, ROMAN_LENGTH_MAX } from './roman-numeral.ts'

export type NumberReading = Decimal | 'invalid' | 'too_many_digits'

/** Caller keeps: the template has no EEEE. */
export function readNumberText(template: NumberTemplate, bytes: Uint8Array): NumberReading {
  return new NumberReader(template, bytes).read()
}

const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const SPACE = 0x20
const ZERO = 0x30
const LESS = 0x3c
/** Never skipped in place of a symbol. */
const DATA = new Set([...Buffer.from('0123456789.,+-')])
const LETTERS = new Set([...Buffer.from('IVXLCDMivxlcdm')])

class NumberReader {
  readonly #template: NumberTemplate
  readonly #bytes: Uint8Array
  #at = 0
  #sign = ''
  #digits = ''
  #whole: number
  /** Digits read behind the point; undefined: no point yet. */
  #fraction: number | undefined

  constructor(template: NumberTemplate, bytes: Uint8Array) {
    this.#template = template
    this.#bytes = bytes
    this.#whole = template.whole + template.shift
  }

  read(): NumberReading {
    for (const { pattern } of this.#template.parts) {
      if (this.#isAtEnd()) break
      if (pattern === undefined) this.#at += this.#characterLength()
      else if (!this.#read(pattern)) return 'invalid'
    }
    const text = this.#digits.replace(/\.$/, '')
    const value = parseDecimal(this.#sign + text)
    if (value === undefined) return 'invalid'
    const digits = /^0*(\d*)/.exec(text)?.[1] ?? ''
    if (digits.length > this.#whole) return 'too_many_digits'
    const { shift } = this.#template
    return normalizeDecimal({ unscaled: value.unscaled, scale: value.scale + shift })
  }

  #isAtEnd(ahead = 0): boolean {
    return this.#at + ahead >= this.#bytes.length
  }

  #isAt(byte: number): boolean {
    return this.#bytes[this.#at] === byte
  }

  #isDigit(ahead = 0): boolean {
    const digit = (this.#bytes[this.#at + ahead] ?? 0) - ZERO
    return digit >= 0 && digit <= 9
  }

  /** A byte inside a character counts as one. */
  #characterLength(): number {
    const byte = this.#bytes[this.#at] ?? 0
    return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
  }

  #skipSymbol(length: number): void {
    for (let left = length; left > 0 && !this.#isAtEnd() && !DATA.has(this.#bytes[this.#at] ?? 0); left--)
      this.#at += this.#characterLength()
  }

  /** False: no number. */
  #read(pattern: NumberPattern): boolean {
    switch (pattern) {
      case '9':
      case '0':
      case '.':
      case 'D':
        this.#readPlace(pattern === '9' || pattern === '0')
        this.#at++
        return true
      case ',':
      case 'G':
        if (this.#template.fills && this.#isAt(0x2c)) this.#at++
        return true
      case 'L':
        this.#skipSymbol(1)
        return true
      case 'RN':
      case 'rn':
        return this.#readRoman()
      case 'TH':
      case 'th':
        if (!this.#template.isRoman && !this.#template.hasPoint) this.#skipSymbol(2)
        return true
      case 'MI':
        this.#readSign(true, false)
        return true
      case 'PL':
        this.#readSign(false, true)
        return true
      case 'SG':
        this.#readSign(true, true)
        return true
      default:
        return true
    }
  }

  #readSign(takesMinus: boolean, takesPlus: boolean): void {
    if (takesMinus && this.#isAt(MINUS)) this.#sign = '-'
    else if (takesPlus && this.#isAt(PLUS)) this.#sign = '+'
    else return this.#skipSymbol(1)
    this.#at++
  }

  #readRoman(): boolean {
    while (
      !this.#isAtEnd() &&
      (this.#isAt(SPACE) || ((this.#bytes[this.#at] ?? 0) >= 9 && (this.#bytes[this.#at] ?? 0) <= 13))
    )
      this.#at++
    const start = this.#at
    while (this.#at - start < ROMAN_LENGTH_MAX && LETTERS.has(this.#bytes[this.#at] ?? 0)) this.#at++
    const number = parseRoman(Buffer.from(this.#bytes.subarray(start, this.#at)).toString('latin1').toUpperCase())
    if (number === undefined) return false
    this.#digits += String(number)
    this.#whole = String(number).length
    return true
  }

  #hasRead(): boolean {
    return /\d/.test(this.#digits)
  }

  /** One place of the template: a sign before the first digit, a digit or the point, a sign behind. */
  #readPlace(isDigit: boolean): void {
    const { sign, hasMinus, hasPlus } = this.#template
    if (this.#isAt(SPACE)) this.#at++
    if (this.#isAtEnd()) return
    if (this.#sign === '' && isDigit && !this.#hasRead()) this.#readFirstSign()
    if (this.#isAtEnd()) return
    const before = this.#digits.length
    if (!this.#readDigit()) return
    const isRead = this.#digits.length > before
    if (this.#isAtEnd() || this.#sign !== '' || !this.#hasRead()) return
    if (sign !== 'none') {
      if (isRead && !this.#isAtEnd(1) && !this.#isDigit(1)) this.#readLastSign()
    } else if (!isRead && (hasPlus || hasMinus)) {
      if (this.#isAt(MINUS)) this.#sign = '-'
      else if (this.#isAt(PLUS)) this.#sign = '+'
    }
  }

  #readFirstSign(): void {
    const { sign, inBrackets } = this.#template
    const isMinus = this.#isAt(MINUS) || (sign !== 'before' && inBrackets && this.#isAt(LESS))
    if (!isMinus && !this.#isAt(PLUS)) return
    this.#sign = isMinus ? '-' : '+'
    this.#at++
  }

  /** False: the template has no place for the digit. */
  #readDigit(): boolean {
    const { hasPoint, fraction } = this.#template
    if (this.#isDigit()) {
      if (this.#fraction === fraction) return false
      this.#digits += String.fromCharCode(this.#bytes[this.#at] ?? 0)
      if (this.#fraction !== undefined) this.#fraction++
    } else if (hasPoint && this.#fraction === undefined && this.#isAt(POINT)) {
      this.#digits += '.'
      this.#fraction = 0
    }
    return true
  }

  #readLastSign(): void {
    const byte = this.#bytes[this.#at + 1]
    if (byte !== MINUS && byte !== PLUS) return
    this.#sign = byte === MINUS ? '-' : '+'
    this.#at++
  }
}
