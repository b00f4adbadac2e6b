/**
 * Owns a statement's text as the user wrote it, the text that the grammar reads, and the way back from the grammar's positions.
 * The grammar counts bytes of UTF-8 in its nodes and characters in its errors; people get 1-based characters of what they wrote.
 */

const CONTINUATION_MASK = 0xc0
const CONTINUATION = 0x80

/** A piece of the written text, [start, end) in bytes, that the grammar reads as something else. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

export class StatementText {
  readonly written: string
  /** What the grammar reads. */
  readonly parsed: string
  readonly #replacements: readonly Replacement[]
  /** Characters before each byte of the written text. */
  readonly #charactersBefore: Uint32Array

  /** Replacements in order, not overlapping. */
  constructor(written: string, replacements: readonly Replacement[]) {
    this.written = written
    this.#replacements = replacements
    const bytes = Buffer.from(written, 'utf8')
    this.#charactersBefore = countCharacters(bytes)
    this.parsed = replacements.length === 0 ? written : replace(bytes, replacements)
  }

  /** 1-based character of the written text at a byte of the parsed text; 0 for -1, the grammar's "unknown". */
  positionOfByte(byte: number): number {
    return byte < 0 ? 0 : this.positionOfWritten(this.#writtenByte(byte))
  }

  /** 1-based character of the written text at a byte of it. */
  positionOfWritten(byte: number): number {
    return (this.#charactersBefore[Math.min(byte, this.#charactersBefore.length - 1)] as number) + 1
  }

  /** 1-based character of the written text at a 0-based character of the parsed text. */
  positionOfCharacter(character: number): number {
    const before = Array.from(this.parsed).slice(0, character).join('')
    return this.positionOfByte(Buffer.byteLength(before, 'utf8'))
  }

  #writtenByte(byte: number): number {
    let shift = 0
    for (const { start, end, text } of this.#replacements) {
      const length = Buffer.byteLength(text, 'utf8')
      if (byte < start + shift) break
      if (byte < start + shift + length) return start
      shift += length - (end - start)
    }
    return byte - shift
  }
}

function replace(bytes: Buffer, replacements: readonly Replacement[]): string {
  let text = ''
  let next = 0
  for (const replacement of replacements) {
    text += bytes.toString('utf8', next, replacement.start) + replacement.text
    next = replacement.end
  }
  return text + bytes.toString('utf8', next)
}

function countCharacters(bytes: Uint8Array): Uint32Array {
  const counts = new Uint32Array(bytes.length + 1)
  let characters = 0
  for (const [index, byte] of bytes.entries()) {
    counts[index] = characters
    if ((byte & CONTINUATION_MASK) !== CONTINUATION) characters += 1
  }
  counts[bytes.length] = characters
  return counts
}
