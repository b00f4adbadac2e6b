/** Owns PostgreSQL's words for true and false (parse_bool): beginnings of true, false, yes, no; on, off, 1, 0; any case. */
import { isBlank } from '../../core/number-text.ts'

const WORDS: readonly { readonly word: string; readonly shortest: number; readonly value: boolean }[] = [
  { word: 'true', shortest: 1, value: true },
  { word: 'false', shortest: 1, value: false },
  { word: 'yes', shortest: 1, value: true },
  { word: 'no', shortest: 1, value: false },
  // "o" could be either
  { word: 'on', shortest: 2, value: true },
  { word: 'off', shortest: 2, value: false },
  { word: '1', shortest: 1, value: true },
  { word: '0', shortest: 1, value: false },
]

/** The truth that the text [start, end) says, blanks around it aside; undefined: none. */
export function readBoolean(bytes: Uint8Array, start: number, end: number): boolean | undefined {
  let from = start
  let to = end
  while (from < to && isBlank(bytes[from])) from++
  while (to > from && isBlank(bytes[to - 1])) to--
  for (const { word, shortest, value } of WORDS) {
    if (to - from >= shortest && to - from <= word.length && isBeginning(bytes, from, to, word)) return value
  }
  return undefined
}

function isBeginning(bytes: Uint8Array, start: number, end: number, word: string): boolean {
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
    if (lower !== word.charCodeAt(index - start)) return false
  }
  return true
}
