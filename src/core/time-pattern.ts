/** Owns the patterns in templates of times, for to_char and for reading: PostgreSQL's. Those of numbers may be in small letters too. */
import { longestFirst, parseTemplate, type TemplatePart } from './template.ts'

const NUMBERS = [
  ...([
    'HH24',
    'HH12',
    'HH',
    'MI',
    'SSSSS',
    'SSSS',
    'SS',
    'MS',
    'US',
    'FF1',
    'FF2',
    'FF3',
    'FF4',
    'FF5',
    'FF6',
  ] as const),
  ...([
    'Y,YYY',
    'YYYY',
    'YYY',
    'YY',
    'Y',
    'IYYY',
    'IYY',
    'IY',
    'I',
    'CC',
    'MM',
    'IDDD',
    'DDD',
    'DD',
    'ID',
    'D',
  ] as const),
  ...(['WW', 'W', 'IW', 'J', 'Q', 'TZM'] as const),
]
/** In either case the same, and no numbers: a number before one of them may be longer than its pattern. */
const MARKS = ['TZH', 'OF', 'FX'] as const
const NAMES = [
  ...(['MONTH', 'Month', 'month', 'MON', 'Mon', 'mon', 'DAY', 'Day', 'day', 'DY', 'Dy', 'dy', 'RM', 'rm'] as const),
  ...(['AM', 'PM', 'am', 'pm', 'A.M.', 'P.M.', 'a.m.', 'p.m.'] as const),
  ...(['AD', 'BC', 'ad', 'bc', 'A.D.', 'B.C.', 'a.d.', 'b.c.', 'TZ', 'tz'] as const),
]

export type TimePattern = (typeof NUMBERS | typeof MARKS | typeof NAMES)[number]
export type TimePart = TemplatePart<TimePattern>

const PATTERNS = longestFirst<TimePattern>([
  ...[...NUMBERS, ...MARKS].flatMap((name) => [[name, name] as const, [name.toLowerCase(), name] as const]),
  ...NAMES.map((name) => [name, name] as const),
])
const NUMBER_PATTERNS: ReadonlySet<TimePattern> = new Set(NUMBERS)

export function parseTimeTemplate(text: string): TimePart[] {
  return parseTemplate(text, { patterns: PATTERNS, prefix: /FM|fm|TM|tm/y, suffix: /TH|th|SP/y })
}

export function isNumberPattern(pattern: TimePattern): boolean {
  return NUMBER_PATTERNS.has(pattern)
}

export const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(' ')
export const DAY_NAMES = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
export const ROMAN_MONTHS = 'I II III IV V VI VII VIII IX X XI XII'.split(' ')
export const JULIAN_DAY_1970 = 2_440_588
