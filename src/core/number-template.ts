/** Owns the templates of to_char and to_number over numbers: PostgreSQL's patterns, and what they say together. The locale is C. */
import { longestFirst, parseTemplate, type TemplatePart } from './template.ts'

export type NumberPattern =
  | ('9' | '0' | '.' | ',' | 'D' | 'G' | 'L' | 'S' | 'MI' | 'PL' | 'SG' | 'PR')
  | ('RN' | 'rn' | 'TH' | 'th' | 'V' | 'EEEE' | 'FM' | 'B' | 'C' | 'SP')

export interface NumberTemplate {
  readonly parts: readonly TemplatePart<NumberPattern>[]
  /** Digits before the point, behind it, and behind V, which shifts it. */
  readonly whole: number
  readonly fraction: number
  readonly shift: number
  readonly hasPoint: boolean
  /** Digits before the first 0; undefined: none stands before the point. */
  readonly zerosFrom: number | undefined
  /** Digits up to the last 0, both sides of the point. */
  readonly zerosTo: number
  readonly fills: boolean
  /** Where an S stands. */
  readonly sign: 'none' | 'before' | 'behind'
  /** Digits of the whole part that the S stands behind. */
  readonly signAfter: number
  readonly inBrackets: boolean
  readonly hasMinus: boolean
  readonly hasPlus: boolean
  readonly isRoman: boolean
  readonly isScientific: boolean
}

export class NumberTemplateError extends Error {}

const SAME_IN_SMALL = ['D', 'G', 'L', 'S', 'MI', 'PL', 'SG', 'PR', 'V', 'EEEE', 'FM', 'B', 'C', 'SP'] as const
const PATTERNS = longestFirst<NumberPattern>([
  ...(['9', '0', '.', ',', 'RN', 'rn', 'TH', 'th'] as const).map((name) => [name, name] as const),
  ...SAME_IN_SMALL.flatMap((name) => [[name, name] as const, [name.toLowerCase(), name] as const]),
])

/** Errors: NumberTemplateError, where patterns don't go together. */
export function compileNumberTemplate(text: string): NumberTemplate {
  const description = new Description()
  const parts = parseTemplate(text, { patterns: PATTERNS })
  for (const { pattern } of parts) if (pattern !== undefined) description.add(pattern)
  return { parts, ...description.state }
}

type State = { -readonly [Key in keyof Omit<NumberTemplate, 'parts'>]: NumberTemplate[Key] }

class Description {
  readonly state: State = {
    whole: 0,
    fraction: 0,
    shift: 0,
    hasPoint: false,
    zerosFrom: undefined,
    zerosTo: 0,
    fills: true,
    sign: 'none',
    signAfter: 0,
    inBrackets: false,
    hasMinus: false,
    hasPlus: false,
    isRoman: false,
    isScientific: false,
  }
  #hasShift = false
  #isBlank = false

  add(pattern: NumberPattern): void {
    const { state } = this
    if (state.isScientific && pattern !== 'EEEE') throw new NumberTemplateError('EEEE must be the last pattern')
    this.#read(pattern)
    if (state.isRoman && this.#hasMoreThanRoman()) throw new NumberTemplateError('RN goes together with FM alone')
  }

  #read(pattern: NumberPattern): void {
    const { state } = this
    switch (pattern) {
      case '9':
      case '0':
        this.#addDigit(pattern)
        return
      case '.':
      case 'D':
        if (state.hasPoint) throw new NumberTemplateError('a template has one decimal point')
        if (this.#hasShift) throw new NumberTemplateError("V and a decimal point don't go together")
        state.hasPoint = true
        return
      case 'V':
        if (state.hasPoint) throw new NumberTemplateError("V and a decimal point don't go together")
        this.#hasShift = true
        return
      case 'FM':
        state.fills = false
        return
      case 'B':
        if (state.whole === 0 && state.fraction === 0) this.#isBlank = true
        return
      case 'RN':
      case 'rn':
        if (state.isRoman) throw new NumberTemplateError('RN stands once')
        state.isRoman = true
        return
      case 'EEEE':
        if (state.isScientific) throw new NumberTemplateError('EEEE stands once')
        if (this.#isBlank || !state.fills || this.#hasSign() || state.isRoman || this.#hasShift)
          throw new NumberTemplateError('EEEE goes together with digits and a decimal point alone')
        state.isScientific = true
        return
      default:
        this.#addSign(pattern)
    }
  }

  #addDigit(pattern: '9' | '0'): void {
    const { state } = this
    if (state.inBrackets) throw new NumberTemplateError(`${pattern} must stand before PR`)
    if (pattern === '9' && this.#hasShift) state.shift++
    else if (pattern === '0' && state.zerosFrom === undefined && !state.hasPoint) state.zerosFrom = state.whole
    if (!(pattern === '9' && this.#hasShift)) {
      if (state.hasPoint) state.fraction++
      else state.whole++
    }
    if (pattern === '0') state.zerosTo = state.whole + state.fraction
  }

  #addSign(pattern: NumberPattern): void {
    const { state } = this
    const hasOther = state.hasPlus || state.hasMinus
    switch (pattern) {
      case 'S':
        if (state.sign !== 'none') throw new NumberTemplateError('S stands once')
        if (hasOther || state.inBrackets) throw new NumberTemplateError("S and PL, MI, SG or PR don't go together")
        state.sign = state.hasPoint ? 'behind' : 'before'
        state.signAfter = state.whole
        return
      case 'PR':
        if (state.sign !== 'none' || hasOther) throw new NumberTemplateError("PR and S, PL, MI or SG don't go together")
        state.inBrackets = true
        return
      case 'MI':
      case 'PL':
      case 'SG':
        if (state.sign !== 'none') throw new NumberTemplateError(`S and ${pattern} don't go together`)
        state.hasMinus ||= pattern !== 'PL'
        state.hasPlus ||= pattern !== 'MI'
        return
      default:
    }
  }

  #hasSign(): boolean {
    const { sign, inBrackets, hasMinus, hasPlus } = this.state
    return sign !== 'none' || inBrackets || hasMinus || hasPlus
  }

  #hasMoreThanRoman(): boolean {
    const { hasPoint, zerosFrom, isScientific } = this.state
    return hasPoint || zerosFrom !== undefined || this.#isBlank || this.#hasSign() || this.#hasShift || isScientific
  }
}
