/** Owns Roman numerals: of 1 to 3,999, in capitals. */

export const ROMAN_MAX = 3_999
/** MMMDCCCLXXXVIII. */
export const ROMAN_LENGTH_MAX = 15

const NUMERALS: readonly (readonly [text: string, value: number])[] = [
  ...([
    ['M', 1_000],
    ['CM', 900],
    ['D', 500],
    ['CD', 400],
    ['C', 100],
    ['XC', 90],
    ['L', 50],
    ['XL', 40],
  ] as const),
  ...([
    ['X', 10],
    ['IX', 9],
    ['V', 5],
    ['IV', 4],
    ['I', 1],
  ] as const),
]

/** Caller keeps: the number is whole and from 1 to ROMAN_MAX. */
export function toRoman(number: number): string {
  let [text, rest] = ['', number]
  for (const [numeral, value] of NUMERALS) {
    for (; rest >= value; rest -= value) text += numeral
  }
  return text
}

/** The number of a numeral in its one standard form; undefined: it is none. */
export function parseRoman(text: string): number | undefined {
  let [number, at] = [0, 0]
  for (const [numeral, value] of NUMERALS) {
    for (; text.startsWith(numeral, at); at += numeral.length) number += value
  }
  return number >= 1 && number <= ROMAN_MAX && toRoman(number) === text ? number : undefined
}
