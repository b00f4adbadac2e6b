/** Owns a place in a text that is read by a template of times: spaces, numbers of so many digits or of any, names in either case. */
import type { TimePattern } from './time-pattern.ts'

/** What a text has in place of a field. */
export class TimeTextError extends Error {}

export const SPACE = /[ \t\n\v\f\r]/
const INTEGER = /[ \t\n\v\f\r]*[+-]?\d+/y
export const INT32_MAX = 2 ** 31 - 1
/** So much of a text is shown. */
const SHOWN = 20

export class TimeTextCursor {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  skipSpaces(): number {
    const from = this.at
    while (SPACE.test(this.text[this.at] ?? '')) this.at++
    return this.at - from
  }

  skipCharacter(): void {
    if (!this.isAtEnd()) this.at += String.fromCodePoint(this.text.codePointAt(this.at) ?? 0).length
  }

  readInteger(digits: number, isLong: boolean, pattern: TimePattern): number {
    const from = this.at
    const number = isLong ? this.#readLongInteger() : this.#readFixedInteger(digits, pattern)
    if (this.at === from) throw this.refusal(pattern)
    if (number > INT32_MAX || number < -INT32_MAX - 1)
      throw new TimeTextError(`the number at ${pattern} is out of range`)
    return number
  }

  #readLongInteger(): number {
    INTEGER.lastIndex = this.at
    const [found = ''] = INTEGER.exec(this.text) ?? []
    this.at += found.length
    return Number(found)
  }

  #readFixedInteger(digits: number, pattern: TimePattern): number {
    this.skipSpaces()
    const rest = Buffer.from(this.text.slice(this.at, this.at + digits))
    if (rest.length < digits) throw this.refusal(pattern)
    const field = this.text.slice(this.at, this.at + digits)
    INTEGER.lastIndex = 0
    const [found = ''] = INTEGER.exec(field) ?? []
    if (found !== '' && found.length < digits) throw this.refusal(pattern)
    this.at += found.length
    return Number(found)
  }

  /** The index of the first name that the text goes on with. */
  readName(names: readonly string[], pattern: TimePattern): number {
    const index = names.findIndex(
      (name) => asciiLower(this.text.slice(this.at, this.at + name.length)) === name.toLowerCase(),
    )
    if (index < 0) throw this.refusal(pattern)
    this.at += names[index]?.length ?? 0
    return index
  }

  refusal(pattern: TimePattern): TimeTextError {
    return new TimeTextError(`${JSON.stringify(this.text.slice(this.at, this.at + SHOWN))} is nothing for ${pattern}`)
  }
}

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
