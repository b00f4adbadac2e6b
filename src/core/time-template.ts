/** Owns the text of a point in time by a template: what each pattern shows, FM before it, TH behind it. An instant is in UTC. */
import { type Registers, TAG } from './registers.ts'
import { ordinalEnding } from './template.ts'
import {
  DAY_NAMES,
  isNumberPattern,
  JULIAN_DAY_1970,
  MONTH_NAMES,
  parseTimeTemplate,
  ROMAN_MONTHS,
  type TimePart,
  type TimePattern,
} from './time-pattern.ts'
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

/** Days since 1970, and the microsecond of the day; a timestamp has no zone. */
type Show = (day: number, microsecond: number, fills: boolean, hasZone: boolean) => string

const NAME_WIDTH = 9
const ROMAN_WIDTH = 4

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
  return year > 0 ? Math.floor((year - 1) / 100) + 1 : Math.ceil(year / 100) - 1
}

const named =
  (name: (day: number) => string, change: (name: string) => string, width: number): Show =>
  (day, _, fills) =>
    change(name(day)).padEnd(fills ? width : 0)
const capitals = (text: string): string => text.toUpperCase()
const small = (text: string): string => text.toLowerCase()
const same = (text: string): string => text
const monthName = (day: number): string => MONTH_NAMES[monthOf(dateOfDay(day)) - 1] ?? ''
const dayName = (day: number): string => DAY_NAMES[isoDayOfWeek(day) % 7] ?? ''
const roman = (day: number): string => ROMAN_MONTHS[monthOf(dateOfDay(day)) - 1] ?? ''
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

/** The offset of UTC. */
const offset = (fills: boolean): string => (fills ? '+00' : '+0')

const fractionTo =
  (width: number): Show =>
  (_, microsecond) =>
    digits(Math.floor(fraction(microsecond) / 10 ** (6 - width)), width, true)

const SHOWS: Readonly<Record<TimePattern, Show>> = {
  HH24: ofTime(2, hourOf),
  HH12: ofTime(2, (microsecond) => ((hourOf(microsecond) + 11) % 12) + 1),
  HH: ofTime(2, (microsecond) => ((hourOf(microsecond) + 11) % 12) + 1),
  MI: ofTime(2, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_MINUTE) % 60),
  SSSSS: ofTime(0, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_SECOND)),
  SSSS: ofTime(0, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_SECOND)),
  SS: ofTime(2, (microsecond) => Math.floor(microsecond / MICROSECONDS_PER_SECOND) % 60),
  MS: (_, microsecond) => digits(Math.floor(fraction(microsecond) / 1_000), 3, true),
  US: (_, microsecond) => digits(fraction(microsecond), 6, true),
  FF1: fractionTo(1),
  FF2: fractionTo(2),
  FF3: fractionTo(3),
  FF4: fractionTo(4),
  FF5: fractionTo(5),
  FF6: fractionTo(6),
  'Y,YYY': (day) => `${Math.floor(yearIn(day) / 1_000)},${digits(yearIn(day) % 1_000, 3, true)}`,
  YYYY: ofDay(4, yearIn),
  YYY: ofDay(3, (day) => yearIn(day) % 1_000),
  YY: ofDay(2, (day) => yearIn(day) % 100),
  Y: ofDay(1, (day) => yearIn(day) % 10),
  IYYY: ofDay(4, isoYearIn),
  IYY: ofDay(3, (day) => isoYearIn(day) % 1_000),
  IY: ofDay(2, (day) => isoYearIn(day) % 100),
  I: ofDay(1, (day) => isoYearIn(day) % 10),
  MM: ofDay(2, (day) => monthOf(dateOfDay(day))),
  IDDD: ofDay(3, isoDayOfYear),
  DDD: ofDay(3, dayOfYear),
  DD: ofDay(2, (day) => dayOfMonth(dateOfDay(day))),
  ID: ofDay(1, isoDayOfWeek),
  D: ofDay(1, (day) => (isoDayOfWeek(day) % 7) + 1),
  WW: ofDay(2, (day) => Math.floor((dayOfYear(day) - 1) / 7) + 1),
  W: ofDay(1, (day) => Math.floor((dayOfMonth(dateOfDay(day)) - 1) / 7) + 1),
  IW: ofDay(2, isoWeek),
  CC: ofDay(2, centuryOf),
  J: ofDay(0, (day) => day + JULIAN_DAY_1970),
  Q: ofDay(1, (day) => Math.floor((monthOf(dateOfDay(day)) + 2) / 3)),
  MONTH: named(monthName, capitals, NAME_WIDTH),
  Month: named(monthName, same, NAME_WIDTH),
  month: named(monthName, small, NAME_WIDTH),
  MON: named(short(monthName), capitals, 0),
  Mon: named(short(monthName), same, 0),
  mon: named(short(monthName), small, 0),
  DAY: named(dayName, capitals, NAME_WIDTH),
  Day: named(dayName, same, NAME_WIDTH),
  day: named(dayName, small, NAME_WIDTH),
  DY: named(short(dayName), capitals, 0),
  Dy: named(short(dayName), same, 0),
  dy: named(short(dayName), small, 0),
  RM: named(roman, same, ROMAN_WIDTH),
  rm: named(roman, small, ROMAN_WIDTH),
  AM: half('AM', 'PM'),
  PM: half('AM', 'PM'),
  am: half('am', 'pm'),
  pm: half('am', 'pm'),
  'A.M.': half('A.M.', 'P.M.'),
  'P.M.': half('A.M.', 'P.M.'),
  'a.m.': half('a.m.', 'p.m.'),
  'p.m.': half('a.m.', 'p.m.'),
  BC: era('BC', 'AD'),
  AD: era('BC', 'AD'),
  bc: era('bc', 'ad'),
  ad: era('bc', 'ad'),
  'B.C.': era('B.C.', 'A.D.'),
  'A.D.': era('B.C.', 'A.D.'),
  'b.c.': era('b.c.', 'a.d.'),
  'a.d.': era('b.c.', 'a.d.'),
  TZ: (_day, _microsecond, _fills, hasZone) => (hasZone ? 'UTC' : ''),
  tz: (_day, _microsecond, _fills, hasZone) => (hasZone ? 'utc' : ''),
  TZH: () => offset(true),
  TZM: () => '00',
  OF: (_day, _microsecond, fills) => offset(fills),
  FX: () => '',
}

/** Writes the text of a point in time. */
export type TimeTemplate = (r: Registers, index: number) => string

/** The template of a text; every text is one. */
export function compileTimeTemplate(text: string): TimeTemplate {
  const parts = parseTimeTemplate(text).map(showOf)
  return (r, index) => {
    const day = dayOf(r, index)
    const microsecond = microsecondOfDay(r, index, day)
    const hasZone = r.tag[index] !== TAG.LOCAL_TIMESTAMP && r.tag[index] !== TAG.BIG_LOCAL_TIMESTAMP
    return parts.map((part) => (typeof part === 'string' ? part : part(day, microsecond, true, hasZone))).join('')
  }
}

function showOf(part: TimePart): string | Show {
  if (part.pattern === undefined) return part.character
  const { pattern } = part
  const show = SHOWS[pattern]
  const prefix = part.prefix.toUpperCase()
  // TM takes the locale's name, as long as it is
  const fills = prefix === '' || (prefix === 'TM' && !/^(?:month|day)$/i.test(pattern))
  const ending = isOrdinal(pattern) ? part.suffix.replace('SP', '') : ''
  return (day, microsecond, _, hasZone) => {
    const shown = show(day, microsecond, fills, hasZone)
    return ending === '' ? shown : shown + ordinalEnding(shown, ending === 'TH')
  }
}

/** Names and offsets have no ordinals. */
function isOrdinal(pattern: TimePattern): boolean {
  return isNumberPattern(pattern) && pattern !== 'TZM'
}
