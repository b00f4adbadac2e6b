/** Owns the templates of to_char over points in time: PostgreSQL's patterns, FM and TM before them, TH behind, quoted texts. */
import type { Registers } from './registers.ts'
import {
  dateOfDay,
  dayOf,
  dayOfDate,
  dayOfMonth,
  isoDayOfWeek,
  microsecondOfDay,
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
  monthOf,
  yearOf,
} from './timestamp-calendar.ts'

/** Days since 1970, and the microsecond of the day. */
type Show = (day: number, microsecond: number, fills: boolean) => string

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const ROMAN = 'I II III IV V VI VII VIII IX X XI XII'.split(' ')
const NAME_WIDTH = 9
const ROMAN_WIDTH = 4
const JULIAN_DAY_1970 = 2_440_588

const digits = (value: number, width: number, fills: boolean): string =>
  fills ? `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(width, '0')}` : String(value)

const ofTime =
  (width: number, part: (microsecond: number) => number): Show =>
  (_, microsecond, fills) =>
    digits(part(microsecond), width, fills)
const ofDay =
  (width: number, part: (day: number) => number): Show =>
  (day, _, fills) =>
    digits(part(day), width, fills)

const hourOf = (microsecond: number): number => Math.floor(microsecond / MICROSECONDS_PER_HOUR)
const astronomicalYear = (day: number): number => yearOf(dateOfDay(day))
/** Years before Christ count from 1 too. */
const shownYear = (year: number): number => (year <= 0 ? 1 - year : year)
const yearIn = (day: number): number => shownYear(astronomicalYear(day))
const thursdayOf = (day: number): number => day - isoDayOfWeek(day) + 4
const isoYear = (day: number): number => astronomicalYear(thursdayOf(day))
const isoYearIn = (day: number): number => shownYear(isoYear(day))
const dayOfYear = (day: number): number => day - dayOfDate(astronomicalYear(day), 1, 1) + 1
const isoDayOfYear = (day: number): number => {
  const thursday = dayOfDate(isoYear(day), 1, 4)
  return day - (thursday - isoDayOfWeek(thursday) + 1) + 1
}
const isoWeek = (day: number): number => Math.floor((isoDayOfYear(day) - 1) / 7) + 1
const fraction = (microsecond: number): number => microsecond % MICROSECONDS_PER_SECOND
const centuryOf = (day: number): number => {
  const year = astronomicalYear(day)
  return year > 0 ? Math.floor((year - 1) / 100) + 1 : -Math.floor((1 - year) / 100) - 1
}

const named =
  (name: (day: number) => string, change: (name: string) => string, width: number): Show =>
  (day, _, fills) =>
    change(name(day)).padEnd(fills ? width : 0)
const capitals = (text: string): string => text.toUpperCase()
const small = (text: string): string => text.toLowerCase()
const same = (text: string): string => text
const monthName = (day: number): string => MONTHS[monthOf(dateOfDay(day)) - 1] ?? ''
const dayName = (day: number): string => DAYS[isoDayOfWeek(day) % 7] ?? ''
const roman = (day: number): string => ROMAN[monthOf(dateOfDay(day)) - 1] ?? ''
const short =
  (name: (day: number) => string) =>
  (day: number): string =>
    name(day).slice(0, 3)
const half =
  (before: string, behind: string): Show =>
  (_, microsecond) =>
    hourOf(microsecond) < 12 ? before : behind
const era =
  (before: string, behind: string): Show =>
  (day) =>
    astronomicalYear(day) <= 0 ? before : behind

/** Numbers: in capitals, and in small letters too. */
const NUMBERS: readonly (readonly [string, Show])[] = [
  ['HH24', ofTime(2, hourOf)],
  ['HH12', ofTime(2, (microsecond) => ((hourOf(microsecond) + 11) % 12) + 1)],
  ['HH', ofTime(2, (microsecond) => ((hourOf(microsecond) + 11) % 12) + 1)],
  ['MI', ofTime(2, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_MINUTE) % 60)],
  ['SSSSS', ofTime(0, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_SECOND))],
  ['SSSS', ofTime(0, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_SECOND))],
  ['SS', ofTime(2, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_SECOND) % 60)],
  ['MS', (_, microsecond) => digits(Math.floor(fraction(microsecond) / 1_000), 3, true)],
  ['US', (_, microsecond) => digits(fraction(microsecond), 6, true)],
  ...[1, 2, 3, 4, 5, 6].map((width): [string, Show] => [
    `FF${width}`,
    (_, microsecond) => digits(Math.floor(fraction(microsecond) / 10 ** (6 - width)), width, true),
  ]),
  ['Y,YYY', (day) => `${Math.floor(yearIn(day) / 1_000)},${digits(yearIn(day) % 1_000, 3, true)}`],
  ['YYYY', ofDay(4, yearIn)],
  ['YYY', ofDay(3, (day) => yearIn(day) % 1_000)],
  ['YY', ofDay(2, (day) => yearIn(day) % 100)],
  ['Y', ofDay(1, (day) => yearIn(day) % 10)],
  ['IYYY', ofDay(4, isoYearIn)],
  ['IYY', ofDay(3, (day) => isoYearIn(day) % 1_000)],
  ['IY', ofDay(2, (day) => isoYearIn(day) % 100)],
  ['I', ofDay(1, (day) => isoYearIn(day) % 10)],
  ['MM', ofDay(2, (day) => monthOf(dateOfDay(day)))],
  ['IDDD', ofDay(3, isoDayOfYear)],
  ['DDD', ofDay(3, dayOfYear)],
  ['DD', ofDay(2, (day) => dayOfMonth(dateOfDay(day)))],
  ['ID', ofDay(1, isoDayOfWeek)],
  ['D', ofDay(1, (day) => (isoDayOfWeek(day) % 7) + 1)],
  ['WW', ofDay(2, (day) => Math.floor((dayOfYear(day) - 1) / 7) + 1)],
  ['W', ofDay(1, (day) => Math.floor((dayOfMonth(dateOfDay(day)) - 1) / 7) + 1)],
  ['IW', ofDay(2, isoWeek)],
  ['CC', ofDay(2, centuryOf)],
  ['J', ofDay(0, (day) => day + JULIAN_DAY_1970)],
  ['Q', ofDay(1, (day) => Math.floor((monthOf(dateOfDay(day)) + 2) / 3))],
]
const NAMES: readonly (readonly [string, Show])[] = [
  ['MONTH', named(monthName, capitals, NAME_WIDTH)],
  ['Month', named(monthName, same, NAME_WIDTH)],
  ['month', named(monthName, small, NAME_WIDTH)],
  ['MON', named(short(monthName), capitals, 0)],
  ['Mon', named(short(monthName), same, 0)],
  ['mon', named(short(monthName), small, 0)],
  ['DAY', named(dayName, capitals, NAME_WIDTH)],
  ['Day', named(dayName, same, NAME_WIDTH)],
  ['day', named(dayName, small, NAME_WIDTH)],
  ['DY', named(short(dayName), capitals, 0)],
  ['Dy', named(short(dayName), same, 0)],
  ['dy', named(short(dayName), small, 0)],
  ['RM', named(roman, same, ROMAN_WIDTH)],
  ['rm', named(roman, small, ROMAN_WIDTH)],
  ...['AM', 'PM'].map((name): [string, Show] => [name, half('AM', 'PM')]),
  ...['am', 'pm'].map((name): [string, Show] => [name, half('am', 'pm')]),
  ...['A.M.', 'P.M.'].map((name): [string, Show] => [name, half('A.M.', 'P.M.')]),
  ...['a.m.', 'p.m.'].map((name): [string, Show] => [name, half('a.m.', 'p.m.')]),
  ...['BC', 'AD'].map((name): [string, Show] => [name, era('BC', 'AD')]),
  ...['bc', 'ad'].map((name): [string, Show] => [name, era('bc', 'ad')]),
  ...['B.C.', 'A.D.'].map((name): [string, Show] => [name, era('B.C.', 'A.D.')]),
  ...['b.c.', 'a.d.'].map((name): [string, Show] => [name, era('b.c.', 'a.d.')]),
]

interface Pattern {
  readonly name: string
  readonly show: Show
  readonly isNumber: boolean
}

/** The longest first: it is the one that is meant. */
const PATTERNS: readonly Pattern[] = [
  ...NUMBERS.flatMap(([name, show]) => [name, small(name)].map((one) => ({ name: one, show, isNumber: true }))),
  ...NAMES.map(([name, show]) => ({ name, show, isNumber: false })),
].toSorted((a, b) => b.name.length - a.name.length)

/** Writes the text of a point in time. */
export type TimeTemplate = (r: Registers, index: number) => string

/** The template of a text; every text is one. */
export function compileTimeTemplate(text: string): TimeTemplate {
  const parts: (string | Show)[] = []
  let rest = text
  while (rest !== '') {
    const { part, length } = readPart(rest)
    parts.push(part)
    rest = rest.slice(length)
  }
  return (r, index) => {
    const day = dayOf(r, index)
    const microsecond = microsecondOfDay(r, index, day)
    return parts.map((part) => (typeof part === 'string' ? part : part(day, microsecond, true))).join('')
  }
}

interface Part {
  readonly part: string | Show
  readonly length: number
}

function readPart(text: string): Part {
  if (text.startsWith('"')) return readQuoted(text)
  if (text.startsWith('\\"')) return { part: '"', length: 2 }
  const [prefix = ''] = /^(FM|fm|TM|tm|FX|fx)*/.exec(text) ?? []
  const body = text.slice(prefix.length)
  const pattern = PATTERNS.find(({ name }) => body.startsWith(name))
  if (pattern === undefined) {
    const [first = ''] = text
    return prefix === '' ? { part: first, length: first.length } : { part: '', length: prefix.length }
  }
  const fills = !/fm|tm/i.test(prefix)
  const [ending = ''] = pattern.isNumber ? (/^(TH|th)/.exec(body.slice(pattern.name.length)) ?? []) : []
  const { show } = pattern
  const part: Show = (day, microsecond) => {
    const shown = show(day, microsecond, fills)
    return ending === '' ? shown : shown + ordinalEnding(shown, ending === 'TH')
  }
  return { part, length: prefix.length + pattern.name.length + ending.length }
}

function readQuoted(text: string): Part {
  const [whole = '', inner = ''] = /^"((?:[^"\\]|\\[\s\S])*)"?/.exec(text) ?? []
  return { part: inner.replaceAll(/\\([\s\S])/g, '$1'), length: whole.length }
}

function ordinalEnding(number: string, inCapitals: boolean): string {
  const isTeen = number.at(-2) === '1'
  const ending = isTeen ? 'th' : ({ '1': 'st', '2': 'nd', '3': 'rd' }[number.at(-1) ?? ''] ?? 'th')
  return inCapitals ? ending.toUpperCase() : ending
}
