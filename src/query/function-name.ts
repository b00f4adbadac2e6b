/** Owns the names of calls in SQLite: they carry the static argument types, so that a call knows how to load its cells. */
import type { ScalarType } from '../core/scalar-type.ts'

const TYPE_LETTERS: Readonly<Record<ScalarType, string>> = {
  boolean: 'b',
  bigint: 'i',
  'double precision': 'd',
  numeric: 'n',
  number: 'm',
  text: 't',
  timestamptz: 'z',
  timestamp: 's',
  date: 'e',
  interval: 'v',
  jsonb: 'j',
  any: 'a',
  unknown: 'u',
}

/** Types of a call that its name shows: of longer lists there are so many that a connection's functions would pile up. */
export const LETTERS_MAX = 4

/** `lower$t`: lower of a text. */
export function toFunctionName(word: string, types: readonly ScalarType[]): string {
  return `${word}$${types.map((type) => TYPE_LETTERS[type]).join('')}`
}
