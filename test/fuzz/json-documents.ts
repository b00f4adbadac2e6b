/** Random JSON documents with all that the grammar allows: spacing, escapes in keys, duplicate keys, odd numbers. */
import type { SeededRandom } from './seeded-random.ts'

const KEYS = ['a', 'b', 'ab', 'c', 'key', '__proto__', 'constructor', 'é', 'long name of a key'] as const
const STRINGS = [
  '',
  'x',
  'US',
  'text',
  'a longer text of some words',
  'grüße',
  '\u{1f600}',
  '日本語',
  'e\u0301',
] as const
const ESCAPES = [
  '\\n',
  '\\"',
  '\\\\',
  '\\/',
  '\\b',
  '\\f',
  '\\r',
  '\\t',
  '\\u0041',
  '\\u00e9',
  '\\ud83d\\ude00',
  '\\ud800',
  '\\u0000',
]
const NUMBERS = [
  '0',
  '-0',
  '1',
  '-12',
  '123456789',
  '9007199254740993',
  '-123456789012345678901234567890',
  '0.5',
  '-0.0',
  '3.0',
]
const DECIMALS = ['1e5', '1E-5', '1.5e+10', '12.25', '1e400', '4.9e-324', '0.1', '123456789.123456789', '1e22', '1e23']
const SPACES = ['', '', '', ' ', '\n', '\t ', '\r\n    '] as const

/** An object document as text; about a tenth aren't objects at the top. */
export function makeDocument(random: SeededRandom): string {
  const spaces = random.chance(0.5) ? [''] : SPACES
  const writer = new DocumentWriter(random, spaces)
  return random.chance(0.9) ? writer.object(0) : writer.value(0)
}

class DocumentWriter {
  readonly #random: SeededRandom
  readonly #spaces: readonly string[]

  constructor(random: SeededRandom, spaces: readonly string[]) {
    this.#random = random
    this.#spaces = spaces
  }

  value(depth: number): string {
    const kind = this.#random.below(depth < 4 ? 9 : 7)
    if (kind === 7) return this.object(depth)
    if (kind === 8) return this.#array(depth)
    if (kind < 3) return this.#string(this.#random.pick(STRINGS))
    if (kind < 5) return this.#random.pick(NUMBERS)
    return kind === 5 ? this.#random.pick(DECIMALS) : this.#random.pick(['true', 'false', 'null'])
  }

  object(depth: number): string {
    const members = Array.from({ length: this.#random.below(7) }, () => {
      const key = this.#string(this.#random.pick(KEYS))
      return `${this.#space()}${key}${this.#space()}:${this.#space()}${this.value(depth + 1)}${this.#space()}`
    })
    return `{${members.join(',')}${members.length === 0 ? this.#space() : ''}}`
  }

  #array(depth: number): string {
    const elements = Array.from({ length: this.#random.below(5) }, () => {
      return `${this.#space()}${this.value(depth + 1)}${this.#space()}`
    })
    return `[${elements.join(',')}]`
  }

  #string(text: string): string {
    const random = this.#random
    if (random.chance(0.7)) return JSON.stringify(text)
    const parts = [...text].map((character) => {
      if (random.chance(0.3)) return random.pick(ESCAPES) + character
      if (!random.chance(0.3)) return character
      return [...character].map((unit) => toUnicodeEscape(unit, random.chance(0.5))).join('')
    })
    return `"${parts.join('')}"`
  }

  #space(): string {
    return this.#random.pick(this.#spaces)
  }
}

function toUnicodeEscape(character: string, isUpper: boolean): string {
  let text = ''
  for (let index = 0; index < character.length; index++) {
    const hex = character.charCodeAt(index).toString(16).padStart(4, '0')
    text += `\\u${isUpper ? hex.toUpperCase() : hex}`
  }
  return text
}
