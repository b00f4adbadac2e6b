/**
 * Owns LIKE patterns: % is any text, _ is one character, an escape makes the next one literal. Matching walks the bytes and
 * goes back to the last % only: at most length of text times length of the longest piece between two %, never exponential.
 */

const PERCENT = 0x25
const UNDERSCORE = 0x5f
export const BACKSLASH = 0x5c
/** No byte of UTF-8, so it escapes nothing. */
export const NO_ESCAPE = -1

/** In a compiled pattern: any text, one character; every other number is a literal byte. */
const ANY_TEXT = 256
const ANY_CHARACTER = 257

export interface LikePattern {
  readonly codes: Uint16Array
  /** What needs no walk: a text without wildcards, with one % at its begin, end, or both; undefined: walk. */
  readonly shape: 'whole' | 'prefix' | 'suffix' | 'inside' | undefined
  /** The literal bytes of such a shape. */
  readonly literal: Uint8Array
}

/** Compiles the pattern [start, end); undefined where it ends with the escape character. Escape: a byte, or NO_ESCAPE. */
export function compileLike(bytes: Uint8Array, start: number, end: number, escape: number): LikePattern | undefined {
  const codes: number[] = []
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number
    if (byte === escape) {
      index++
      if (index >= end) return undefined
      codes.push(bytes[index] as number)
    } else if (byte === PERCENT) {
      if (codes.at(-1) !== ANY_TEXT) codes.push(ANY_TEXT)
    } else codes.push(byte === UNDERSCORE ? ANY_CHARACTER : byte)
  }
  return { codes: Uint16Array.from(codes), ...shapeOf(codes) }
}

function shapeOf(codes: readonly number[]): Pick<LikePattern, 'shape' | 'literal'> {
  const opens = codes[0] === ANY_TEXT
  const closes = codes.length > 1 && codes.at(-1) === ANY_TEXT
  const middle = codes.slice(opens ? 1 : 0, closes ? -1 : undefined)
  if (middle.some((code) => code >= ANY_TEXT)) return { shape: undefined, literal: new Uint8Array() }
  const shape = opens ? (closes ? 'inside' : 'suffix') : closes ? 'prefix' : 'whole'
  return { shape, literal: Uint8Array.from(middle) }
}

/** Whether the text [start, end) as a whole matches. */
export function matchesLike(pattern: LikePattern, bytes: Uint8Array, start: number, end: number): boolean {
  const { literal } = pattern
  const spare = end - start - literal.length
  switch (pattern.shape) {
    case 'whole':
      return spare === 0 && standsAt(literal, bytes, start)
    case 'prefix':
      return spare >= 0 && standsAt(literal, bytes, start)
    case 'suffix':
      return spare >= 0 && standsAt(literal, bytes, end - literal.length)
    case 'inside':
      return spare >= 0 && standsInside(literal, bytes, start, end - literal.length)
    default:
      return walk(pattern.codes, bytes, start, end)
  }
}

function standsAt(literal: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < literal.length; index++) {
    if (bytes[at + index] !== literal[index]) return false
  }
  return true
}

function standsInside(literal: Uint8Array, bytes: Uint8Array, start: number, last: number): boolean {
  for (let at = start; at <= last; at++) {
    if (standsAt(literal, bytes, at)) return true
  }
  return false
}

/** Where the UTF-8 character at `at` ends. */
export function nextCharacter(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] as number
  return at + (byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)
}

function walk(codes: Uint16Array, bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  let step = 0
  // behind the last %, and where its text may end next
  let resumeStep = -1
  let resumeAt = 0
  while (at < end) {
    const code = codes[step]
    if (code === ANY_TEXT) {
      resumeStep = ++step
      resumeAt = at
    } else if (code === ANY_CHARACTER) {
      step++
      at = nextCharacter(bytes, at)
    } else if (code === bytes[at]) {
      step++
      at++
    } else if (resumeStep >= 0) {
      step = resumeStep
      resumeAt = nextCharacter(bytes, resumeAt)
      at = resumeAt
    } else return false
  }
  if (codes[step] === ANY_TEXT) step++
  return step === codes.length
}
