/**
 * Owns the text of a number by a template: digits at the places of 9 and 0, signs beside them, what stands between. Its corners are
 * PostgreSQL's: where a sign goes, which zeros FM leaves out, how a text ends whose digits have ended.
 */
import type { NumberDigits } from './number-digits.ts'
import type { NumberPattern, NumberTemplate } from './number-template.ts'
import { ordinalEnding } from './template.ts'

const ROMAN_WIDTH = 15

/** Undefined: an ordinal of what is no number. */
export function writeNumber(template: NumberTemplate, digits: NumberDigits): string | undefined {
  return template.isScientific ? digits.text : new NumberWriter(template, digits).write()
}

class NumberWriter {
  readonly #template: NumberTemplate
  readonly #digits: string
  readonly #isNegative: boolean
  /** Places before the first digit. */
  readonly #spaces: number
  readonly #sign: NumberTemplate['sign']
  readonly #inBrackets: boolean
  /** Where the last digit behind the point is that FM leaves; -1: all are left. */
  readonly #lastRelevant: number
  /** The place before which a sign behind the digits stands. */
  readonly #places: number
  readonly #fraction: number
  #hasSign: boolean
  #hasDigit = false
  #next = 0
  #place = 0
  #text = ''

  constructor(template: NumberTemplate, { isNegative, text, fraction }: NumberDigits) {
    const { whole, shift, fills, sign, hasMinus, hasPlus } = template
    const room = template.isRoman ? 0 : whole + shift
    const point = text.indexOf('.')
    this.#template = template
    this.#digits = text
    this.#isNegative = isNegative
    this.#fraction = fraction
    this.#spaces = template.isRoman ? 0 : Math.max(room - (point < 0 ? text.length : point), 0)
    const hasOwnSign = hasPlus || hasMinus
    this.#inBrackets = template.inBrackets && (hasOwnSign || isNegative || fills)
    this.#sign = sign === 'before' && template.signAfter === room ? 'behind' : sign
    this.#hasSign = hasOwnSign ? hasMinus : !isNegative && !fills && sign === 'none'
    this.#lastRelevant = this.#findLastRelevant(point)
    const beforeSign = fraction + room - 1 + (!this.#hasSign && this.#spaces === 0 ? 1 : 0)
    this.#places = beforeSign + (this.#spaces > 0 ? 1 : 0) + (template.hasPoint ? 1 : 0)
  }

  #findLastRelevant(point: number): number {
    const { fills, hasPoint, zerosTo } = this.#template
    if (fills || !hasPoint || point < 0) return -1
    const digits = this.#digits
    let last = digits.length - 1
    while (last > point && digits[last] === '0') last--
    // digits at the place of a 0 stay
    if (zerosTo > this.#spaces) last = Math.max(last, Math.min(digits.length - 1, zerosTo - this.#spaces))
    return last
  }

  write(): string | undefined {
    for (const { pattern, character } of this.#template.parts) {
      if (pattern === undefined) this.#text += character
      else if (!this.#write(pattern)) return undefined
    }
    // a place behind the last of the digits ends the text
    const end = this.#text.indexOf('\0')
    return end < 0 ? this.#text : this.#text.slice(0, end)
  }

  #write(pattern: NumberPattern): boolean {
    const { fills, isRoman, hasPoint } = this.#template
    switch (pattern) {
      case '9':
      case '0':
      case '.':
      case 'D':
        if (!isRoman) this.#writePlace(pattern)
        return true
      case ',':
      case 'G':
        if (this.#hasDigit) this.#text += ','
        else if (fills) this.#text += ' '
        return true
      case 'L':
        this.#text += ' '
        return true
      case 'RN':
      case 'rn':
        this.#text += this.#roman(pattern).padStart(fills ? ROMAN_WIDTH : 0)
        return true
      case 'TH':
      case 'th':
        if (isRoman || this.#digits.startsWith('#') || this.#isNegative || hasPoint) return true
        if (!/\d$/.test(this.#digits)) return false
        this.#text += ordinalEnding(this.#digits, pattern === 'TH')
        return true
      default:
        this.#writeSign(pattern)
        return true
    }
  }

  #roman(pattern: 'RN' | 'rn'): string {
    return pattern === 'rn' ? this.#digits.toLowerCase() : this.#digits
  }

  #writeSign(pattern: NumberPattern): void {
    const fill = this.#template.fills ? ' ' : ''
    // of a Roman numeral there is none
    if (pattern === 'MI') this.#text += this.#isNegative ? '-' : fill
    else if (pattern === 'PL') this.#text += this.#isNegative ? fill : '+'
    else if (pattern === 'SG') this.#text += this.#isNegative ? '-' : '+'
  }

  /** 9.9 of 0.1 has a space at the place of the 0. */
  #isLeadingZero(): boolean {
    const { zerosFrom } = this.#template
    return zerosFrom === undefined && this.#next === 0 && this.#digits.startsWith('0') && this.#fraction !== 0
  }

  #isAtPoint(index: number): boolean {
    return index >= 0 && this.#digits[index] === '.'
  }

  #writePlace(pattern: '9' | '0' | '.' | 'D'): void {
    const { zerosFrom } = this.#template
    this.#hasDigit = false
    const startsHere = this.#place >= this.#spaces || zerosFrom === this.#place
    if (!this.#hasSign && startsHere && (!this.#isLeadingZero() || this.#isAtPoint(this.#lastRelevant)))
      this.#writeFirstSign()
    if (this.#place < this.#spaces) this.#writeSpace(zerosFrom !== undefined && zerosFrom <= this.#place)
    else this.#writeDigit(pattern)
    const end = this.#lastRelevant >= 0 && this.#lastRelevant === this.#next ? this.#place : this.#places
    if (this.#place + 1 === end) this.#writeLastSign()
    this.#place++
  }

  #writeFirstSign(): void {
    const { fills } = this.#template
    if (this.#sign !== 'none') {
      if (this.#sign === 'behind') return
      this.#text += this.#isNegative ? '-' : '+'
    } else if (this.#inBrackets) this.#text += this.#isNegative ? '<' : ' '
    else if (this.#isNegative) this.#text += '-'
    else if (fills) this.#text += ' '
    this.#hasSign = true
  }

  #writeLastSign(): void {
    if (this.#hasSign && this.#inBrackets) this.#text += this.#isNegative ? '>' : ' '
    else if (this.#sign === 'behind') this.#text += this.#isNegative ? '-' : '+'
  }

  #writeSpace(isZero: boolean): void {
    if (isZero) {
      this.#text += '0'
      this.#hasDigit = true
    } else if (this.#template.fills) this.#text += ' '
  }

  #writeDigit(pattern: '9' | '0' | '.' | 'D'): void {
    const digit = this.#digits[this.#next]
    if (digit === '.') this.#text += '.'
    else if (this.#lastRelevant >= 0 && this.#next > this.#lastRelevant && pattern !== '0') {
      // left out
    } else if (this.#isLeadingZero()) {
      if (this.#template.fills) this.#text += ' '
      else if (this.#isAtPoint(this.#lastRelevant)) this.#text += '0'
    } else {
      this.#text += digit ?? '\0'
      this.#hasDigit = true
    }
    if (digit !== undefined) this.#next++
  }
}
