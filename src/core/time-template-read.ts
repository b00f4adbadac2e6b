/**
 * Owns the fields that a text has by a template, as PostgreSQL's to_timestamp and to_date read them: spaces and separators are skipped, numbers
 * may be longer than their pattern where no digit follows, names in either case; with FX each character has its place.
 */
import { TimeFields } from './time-fields.ts'
import { INT32_MAX, SPACE, TimeTextCursor, TimeTextError } from './time-text-cursor.ts'
import {
  DAY_NAMES,
  isNumberPattern,
  MONTH_NAMES,
  ROMAN_MONTHS,
  type TimePart,
  type TimePattern,
} from './time-pattern.ts'

const SEPARATOR = /[!-/:-@[-`{-~]/
const THOUSANDS = /[ \t\n\v\f\r]*([+-]?\d{1,9}),[ \t\n\v\f\r]*([+-]\d{1,2}|\d{1,3})/y
/** The longest first, as they begin alike. */
const ROMANS = ROMAN_MONTHS.toReversed()
const SHORT_LENGTH = 3

type NumberField = Exclude<
  { [Key in keyof TimeFields]: TimeFields[Key] extends number ? Key : never }[keyof TimeFields],
  'zoneSign' | 'precision' | 'yearDigits'
>

/** Number patterns that are one field: its name, and its digits. */
const FIELDS: Partial<Record<TimePattern, readonly [field: NumberField, digits: number]>> = {
  HH24: ['hour', 2],
  HH12: ['hour', 2],
  HH: ['hour', 2],
  MI: ['minute', 2],
  SSSSS: ['secondOfDay', 5],
  SSSS: ['secondOfDay', 4],
  SS: ['second', 2],
  CC: ['century', 2],
  MM: ['month', 2],
  IDDD: ['dayOfYear', 3],
  DDD: ['dayOfYear', 3],
  DD: ['day', 2],
  D: ['weekday', 1],
  WW: ['week', 2],
  IW: ['week', 2],
  W: ['weekOfMonth', 1],
  J: ['julianDay', 1],
}
const YEARS: Partial<Record<TimePattern, number>> = { YYYY: 4, IYYY: 4, YYY: 3, IYY: 3, YY: 2, IY: 2, Y: 1, I: 1 }
const ISO = /^I/
const GREGORIAN = /^(?:D{1,3}|MM|Y.*|WW?|MON.*|RM)$/i

/** Errors: TimeTextError. */
export function readTimeFields(parts: readonly TimePart[], text: string): TimeFields {
  const reader = new TimeTextReader(text)
  for (const [index, part] of parts.entries()) if (!reader.read(part, parts[index + 1], index === 0)) break
  return reader.fields
}

class TimeTextReader {
  readonly fields = new TimeFields()
  readonly #cursor: TimeTextCursor
  #isFixed = false
  /** Characters skipped beyond those that the template has. */
  #skipped = 0

  constructor(text: string) {
    this.#cursor = new TimeTextCursor(text)
  }

  /** False at the end of the text: what the template has further isn't given. */
  read(part: TimePart, next: TimePart | undefined, isFirst: boolean): boolean {
    if (this.#cursor.isAtEnd()) return false
    const { pattern } = part
    if (!this.#isFixed && pattern !== 'FX' && (pattern !== undefined || isFirst))
      this.#skipped += this.#cursor.skipSpaces()
    if (pattern === undefined) {
      this.#readCharacter(part.character, part.isQuoted)
      return true
    }
    this.#setMode(pattern)
    this.#readField(part, pattern, isFree(part, next))
    if (!this.#isFixed) this.#skipped = this.#cursor.skipSpaces()
    return true
  }

  #readCharacter(character: string, isQuoted: boolean): void {
    const isSeparator = !isQuoted && (SPACE.test(character) || SEPARATOR.test(character))
    if (this.#isFixed) this.#cursor.skipCharacter()
    else if (isSeparator) {
      this.#skipped--
      const found = this.#cursor.text[this.#cursor.at] ?? ''
      if (!SPACE.test(found) && !SEPARATOR.test(found)) return
      this.#cursor.at++
      this.#skipped++
    } else if (this.#skipped > 0) this.#skipped--
    else this.#cursor.skipCharacter()
  }

  #setMode(pattern: TimePattern): void {
    const mode = ISO.test(pattern) ? 'iso' : GREGORIAN.test(pattern) ? 'gregorian' : 'none'
    if (mode === 'none' || mode === this.fields.mode) return
    if (this.fields.mode !== 'none') throw new TimeTextError("days of the calendar and of ISO weeks don't go together")
    this.fields.mode = mode
  }

  #readField(part: TimePart, pattern: TimePattern, isLong: boolean): void {
    const { fields } = this
    if (isNumberPattern(pattern)) {
      this.#readNumberField(pattern, isLong)
      if (/^TH$/i.test(part.pattern === undefined ? '' : part.suffix) && pattern !== 'TZM')
        for (let count = 0; count < 2; count++) this.#cursor.skipCharacter()
      return
    }
    switch (pattern.toUpperCase()) {
      case 'FX':
        this.#isFixed = true
        return
      case 'TZH':
      case 'OF':
        this.#readOffset(pattern, isLong)
        return
      case 'MONTH':
        this.#set('month', this.#cursor.readName(MONTH_NAMES, pattern) + 1, pattern)
        return
      case 'MON':
        this.#set('month', this.#cursor.readName(shortened(MONTH_NAMES), pattern) + 1, pattern)
        return
      case 'RM':
        this.#set('month', ROMANS.length - this.#cursor.readName(ROMANS, pattern), pattern)
        return
      case 'DAY':
      case 'DY': {
        const names = pattern.length === SHORT_LENGTH ? DAY_NAMES : shortened(DAY_NAMES)
        this.#set('weekday', this.#cursor.readName(names, pattern), pattern)
        fields.weekday++
        return
      }
      case 'AD':
      case 'BC':
        this.#set('isBeforeChrist', this.#cursor.readName(['ad', 'bc'], pattern), pattern)
        return
      case 'A.D.':
      case 'B.C.':
        this.#set('isBeforeChrist', this.#cursor.readName(['a.d.', 'b.c.'], pattern), pattern)
        return
      default:
        this.#set(
          'isAfternoon',
          this.#cursor.readName(pattern.includes('.') ? ['a.m.', 'p.m.'] : ['am', 'pm'], pattern),
          pattern,
        )
        fields.hasTwelveHours = true
    }
  }

  #readNumberField(pattern: TimePattern, isLong: boolean): void {
    const { fields } = this
    const known = FIELDS[pattern]
    const digits = YEARS[pattern]
    if (known !== undefined) this.#readNumber(known[0], known[1], isLong, pattern)
    else if (digits !== undefined) this.#readYear(digits, isLong, pattern)
    else this.#readOther(pattern, isLong)
    if (pattern === 'HH' || pattern === 'HH12') fields.hasTwelveHours = true
  }

  #readOther(pattern: TimePattern, isLong: boolean): void {
    const { fields } = this
    switch (pattern) {
      case 'MS':
        this.#readFraction('millisecond', 3, 3, isLong, pattern)
        return
      case 'US':
        this.#readFraction('microsecond', 6, 6, isLong, pattern)
        return
      case 'ID':
        this.#readNumber('weekday', 1, isLong, pattern)
        fields.weekday = fields.weekday + 1 > 7 ? 1 : fields.weekday + 1
        return
      case 'Q':
        // a quarter has no day of its own, and may stand beside a month
        this.#cursor.readInteger(1, isLong, pattern)
        return
      case 'TZM':
        fields.zoneSign ||= 1
        this.#readNumber('zoneMinute', 2, isLong, pattern)
        return
      case 'Y,YYY':
        this.#readThousands()
        return
      default:
        fields.precision = Number(pattern.at(-1))
        this.#readFraction('microsecond', fields.precision, 6, isLong, pattern)
    }
  }

  #readYear(digits: number, isLong: boolean, pattern: TimePattern): void {
    const { fields } = this
    const length = this.#readNumber('year', digits, isLong, pattern)
    if (digits < 4 && length < 4) fields.year = nearTo2020(fields.year)
    fields.yearDigits = digits
  }

  #readThousands(): void {
    THOUSANDS.lastIndex = this.#cursor.at
    const match = THOUSANDS.exec(this.#cursor.text)
    if (match === null) throw this.#cursor.refusal('Y,YYY')
    const [whole, thousands, rest] = match
    const year = Number(thousands) * 1_000 + Number(rest)
    if (Math.abs(year) > INT32_MAX) throw this.#cursor.refusal('Y,YYY')
    this.#set('year', year, 'Y,YYY')
    this.fields.yearDigits = 4
    this.#cursor.at += whole.length
  }

  /** 25 is a quarter of a second, 025 is 25 thousandths. */
  #readFraction(
    field: 'millisecond' | 'microsecond',
    digits: number,
    places: number,
    isLong: boolean,
    pattern: TimePattern,
  ): void {
    const length = this.#readNumber(field, digits, isLong, pattern)
    if (length < places) this.fields[field] *= 10 ** (places - length)
  }

  #readOffset(pattern: TimePattern, isLong: boolean): void {
    const { fields } = this
    const sign = this.#cursor.text[this.#cursor.at] ?? ''
    if (sign === '+' || sign === '-' || sign === ' ') {
      fields.zoneSign = sign === '-' ? -1 : 1
      this.#cursor.at++
      // a minus may have been skipped as a separator
    } else fields.zoneSign = this.#skipped > 0 && this.#cursor.text[this.#cursor.at - 1] === '-' ? -1 : 1
    this.#readNumber('zoneHour', 2, isLong, pattern)
    if (pattern !== 'OF' || this.#cursor.text[this.#cursor.at] !== ':') return
    this.#cursor.at++
    this.#readNumber('zoneMinute', 2, isLong, pattern)
  }

  /** Gives how many characters were read. */
  #readNumber(field: NumberField, digits: number, isLong: boolean, pattern: TimePattern): number {
    const from = this.#cursor.at
    this.#set(field, this.#cursor.readInteger(digits, isLong, pattern), pattern)
    return this.#cursor.at - from
  }

  /** A field that is given twice says the same. */
  #set(field: NumberField, value: number, pattern: TimePattern): void {
    if (this.fields[field] !== 0 && this.fields[field] !== value)
      throw new TimeTextError(`what stands at ${pattern} contradicts what stands before it`)
    this.fields[field] = value
  }
}

/** Whether all digits that follow belong to the number. */
function isFree(part: TimePart, next: TimePart | undefined): boolean {
  if (part.pattern === undefined || next === undefined) return true
  if (/^FM$/i.test(part.prefix) || /^TH$/i.test(part.suffix)) return true
  return next.pattern === undefined ? !/[0-9]/.test(next.character) : !isNumberPattern(next.pattern)
}

function shortened(names: readonly string[]): string[] {
  return names.map((name) => name.slice(0, SHORT_LENGTH))
}

function nearTo2020(year: number): number {
  if (year < 70) return year + 2_000
  if (year < 100) return year + 1_900
  if (year < 520) return year + 2_000
  return year < 1_000 ? year + 1_000 : year
}
