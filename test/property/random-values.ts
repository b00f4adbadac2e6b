/** Owns random values as records have them: numbers at every border, texts of every script, times in every spelling, kinds mixed. */
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import { SPANS } from './naive-interval-text.ts'
import type { JsonNode } from './value.ts'

/** What a field mostly holds. */
export const FLAVOURS = [
  'small',
  'integer',
  'double',
  'number',
  'word',
  'text',
  'intText',
  'doubleText',
  'booleanText',
  'timeText',
  'spanText',
  'unitText',
  'pattern',
  'jsonText',
  'boolean',
  'mixed',
  'array',
  'object',
] as const
export type Flavour = (typeof FLAVOURS)[number]

const INTEGERS = [
  '0',
  '-0',
  '1',
  '-1',
  '2',
  '7',
  '10',
  '255',
  '1000',
  '-1000000',
  '4294967296',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '999999999999999999',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '1000000000000000000000000',
]
const DOUBLES = [
  '0.0',
  '-0.0',
  '0e5',
  '0.1',
  '0.2',
  '0.3',
  '30e-1',
  '3.0',
  '1.5',
  '2.5',
  '-2.5',
  '0.5',
  '2.675',
  '1.005',
  '-1E+2',
  '100.0',
  '123456789.125',
  '1e15',
  '1e16',
  '9007199254740993.0',
  '1e22',
  '1e23',
  '9.5e17',
  '9.3e18',
  '1e-7',
  '5e-324',
  '2.2250738585072014e-308',
  '1e-300',
  '1e300',
  '1e308',
  '1.7976931348623157e308',
  '-1e308',
]
const BEYOND = ['1e400', '-1e309', '1e-400', `1${'0'.repeat(1000)}`]
const WORDS = ['a', 'b', 'ab', 'abc', 'A', 'Ab', 'DE', 'de', 'x', 'day', '']
const TEXTS = [
  ...WORDS,
  ' a ',
  'a b  c',
  '\t\n',
  "it's",
  '"',
  'a\\',
  '%',
  '_',
  'a%b_c',
  '\\%',
  '{x}',
  '{x,y}',
  '{0}',
  'NULL',
  'null',
  'true',
  '0',
  '12',
  '1.5',
  'ä',
  'ÄÖÜ',
  'straße',
  'ẞ',
  'İı',
  'ΣΑΣ',
  'ǅ',
  'ﬁ',
  'é',
  'e\u0301',
  '日本語',
  '😀',
  '😀a😀',
  '\u{10ffff}',
  '\uffff',
  '\u007f\u0080',
  'a\u0001',
  'z'.repeat(300),
  'https://u:p@ex.com:8080/a%20b?x=1&y=%C3%A4+b&a#x?y',
  '//[::1]:80/x/y?a=b=c&b',
  'mailto:a@b.de?x=%ff',
]
const ILL_FORMED = ['\ud800', 'a\udc00b', 'a\u0000']
const INTEGER_TEXTS = [
  '0',
  '1',
  '-1',
  '+7',
  ' 12 ',
  '0x1F',
  '0b101',
  '1_000',
  '9223372036854775807',
  '-9223372036854775808',
]
const BAD_INTEGER_TEXTS = ['9223372036854775808', '1.5', '1e3', '', 'x', '--1', '١', '1_']
const DOUBLE_TEXTS = [
  '0',
  '-0',
  '1.5',
  '.5',
  '5.',
  '1e3',
  '-2.5E-3',
  ' 0.1 ',
  'NaN',
  'Infinity',
  '-inf',
  '1e308',
  '12345678901234567890',
]
const BAD_DOUBLE_TEXTS = ['1e400', '1e-400', '', 'x', '1,5', '1e', '0x10']
const BOOLEAN_TEXTS = ['true', 'false', 't', 'F', 'yes', 'NO', 'on', 'off', ' 1 ', '0', 'TRUE']
const BAD_BOOLEAN_TEXTS = ['o', 'truee', '', '2', 'maybe']
const UNITS = ['day', 'hour', 'MINUTE', 'second', 'year', 'month', 'week', 'quarter', 'decade', 'century', 'millennium']
const BAD_UNITS = ['fortnight', '', 'days', 'epochs']
const PATTERNS = ['%', 'a%', '%b', '%b%', '_', 'a_c', 'A%', '\\%', '%\\_%', '', '_%_', 'ä%', '%😀', '%a%b%']
const BAD_PATTERNS = ['\\', 'a\\', '%\\']
const BAD_JSON = ['', '{', '[1,]', 'x', '01', '"a', '{"x":1}}', "{'x':1}", 'NaN', '["\\u0000"]', '"\\ud800"', '1e400']
const DATES = [
  '2024-02-29',
  '2026-01-01',
  '2023-12-31',
  '1969-12-31',
  '1970-01-01',
  '1582-10-15',
  '0001-01-01',
  '1900-02-28',
  '2000-01-03',
  '20240310',
  '2021-060',
  '+012024-05-06',
  '-0044-03-15',
  '9999-12-31',
  '2026-07-15',
]
const CLOCKS = [
  '',
  'T00:00:00',
  ' 12:34',
  'T23:59:59.999999',
  'T23:59:59.9999999',
  't01:02:03.5',
  'T1234',
  'T123456,25',
  'T24:00:00',
  ' 06:07:08',
]
const ZONES = ['', 'Z', 'z', '+00', '+02:00', '-0330', ' +05:45', '-12', '+14:00:00', '+15:59:59']
const BAD_TIMES = [
  'now',
  'infinity',
  '2023-02-29',
  '2024-13-01',
  '2024-01-01T25:00:00',
  '01/02/2024',
  'yesterday',
  '',
  '2024-01-01T00:00:00+16',
  '999999-01-01',
  '-9999-01-01',
]

export function randomTime(random: SeededRandom): string {
  const clock = random.pick(CLOCKS)
  return random.pick(DATES) + clock + (clock === '' && random.chance(0.8) ? '' : random.pick(ZONES))
}

export function randomInteger(random: SeededRandom): string {
  if (random.chance(0.5)) return random.pick(INTEGERS)
  const digits = 1 + random.below(random.chance(0.2) ? 30 : 12)
  let text = String(1 + random.below(9))
  while (text.length < digits) text += random.below(10)
  return random.chance(0.3) ? `-${text}` : text
}

export function randomDouble(random: SeededRandom): string {
  if (random.chance(0.5)) return random.pick(DOUBLES)
  const value = (random.next() - 0.3) * 10 ** random.below(random.chance(0.1) ? 300 : 8)
  const text = random.chance(0.5) ? String(value) : value.toFixed(1 + random.below(3))
  return /[.e]/.test(text) ? text : `${text}.0`
}

export function randomText(random: SeededRandom): string {
  if (random.chance(0.8)) return random.pick(TEXTS)
  return Array.from({ length: 1 + random.below(4) }, () => random.pick(TEXTS)).join('')
}

export function randomPattern(random: SeededRandom): string {
  return random.pick(PATTERNS)
}

export function randomUnit(random: SeededRandom): string {
  return random.pick(UNITS)
}

const text = (value: string): JsonNode => ({ text: value })
const number = (value: string): JsonNode => ({ number: value })
/** Of values that their field's cast refuses. */
const BAD_CHANCE = 0.08

function often(random: SeededRandom, good: readonly string[], bad: readonly string[]): string {
  return random.pick(random.chance(BAD_CHANCE) ? bad : good)
}

export function randomValue(random: SeededRandom, flavour: Flavour, depth = 0): JsonNode {
  switch (flavour) {
    case 'small':
      return number(String(random.below(12) - 3))
    case 'integer':
      return number(random.chance(0.02) ? (BEYOND[3] as string) : randomInteger(random))
    case 'double':
      return number(random.chance(0.03) ? random.pick(BEYOND) : randomDouble(random))
    case 'number':
      return randomValue(random, random.pick(['small', 'integer', 'double']))
    case 'word':
      return text(random.pick(WORDS))
    case 'text':
      return text(random.chance(0.03) ? random.pick(ILL_FORMED) : randomText(random))
    case 'intText':
      return text(often(random, INTEGER_TEXTS, BAD_INTEGER_TEXTS))
    case 'doubleText':
      return text(often(random, DOUBLE_TEXTS, BAD_DOUBLE_TEXTS))
    case 'booleanText':
      return text(often(random, BOOLEAN_TEXTS, BAD_BOOLEAN_TEXTS))
    case 'timeText':
      return text(random.chance(BAD_CHANCE) ? random.pick(BAD_TIMES) : randomTime(random))
    case 'spanText':
      return text(often(random, [...SPANS, '90', '-1.5', ' 12 '], ['', 'x', '5 parsecs', '1e3', '1 day 2 days']))
    case 'unitText':
      return text(often(random, UNITS, BAD_UNITS))
    case 'pattern':
      return text(often(random, PATTERNS, BAD_PATTERNS))
    case 'jsonText':
      return text(random.chance(BAD_CHANCE) ? random.pick(BAD_JSON) : printJson(randomPart(random, depth), random))
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return { elements: Array.from({ length: random.below(4) }, () => randomPart(random, depth)) }
    case 'object':
      return randomObject(random, depth)
    case 'mixed':
      return randomValue(random, random.pick(FLAVOURS.filter((one) => one !== 'mixed')), depth)
  }
}

const KEYS = ['x', 'y', 'z', 'xy', '0', 'Ä', '']
/** Nested values beyond this are scalars. */
const DEPTH_MAX = 2

function randomObject(random: SeededRandom, depth: number): JsonNode {
  const keys = Array.from({ length: random.below(4) }, () => random.pick(KEYS))
  return { members: keys.map((key) => [key, randomPart(random, depth)]) }
}

function randomPart(random: SeededRandom, depth: number): JsonNode {
  if (random.chance(0.1)) return null
  const flavours = depth >= DEPTH_MAX ? FLAVOURS.slice(0, -3) : FLAVOURS
  return randomValue(random, random.pick(flavours), depth + 1)
}

/** The text of a JSON value; with a random source in one of its spellings, with white space and escapes. */
export function printJson(node: JsonNode, random?: SeededRandom): string {
  const space = (): string => (random?.chance(0.05) === true ? random.pick([' ', '\n', '\t ']) : '')
  if (node === null || typeof node === 'boolean') return String(node)
  if ('number' in node) return node.number
  if ('text' in node) return printString(node.text, random)
  if ('elements' in node) {
    return `[${node.elements.map((element) => space() + printJson(element, random) + space()).join(',')}]`
  }
  const members = node.members.map(
    ([key, value]) => `${space()}${printString(key, random)}${space()}:${space()}${printJson(value, random)}${space()}`,
  )
  return `{${members.join(',')}}`
}

function printString(value: string, random: SeededRandom | undefined): string {
  if (random?.chance(0.2) !== true) return JSON.stringify(value)
  const units = Array.from({ length: value.length }, (_, index) =>
    value.charCodeAt(index).toString(16).padStart(4, '0'),
  )
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`
}
