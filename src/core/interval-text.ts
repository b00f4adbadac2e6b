/**
 * Owns the text forms of intervals. In: PostgreSQL's "Interval Input": quantities with units, a time of day, ISO 8601 with designators,
 * and `ago`; fractions go down to the next parts as there. Out: its default style, `1 year 2 mons -3 days +04:05:06.7`.
 */
import { assert, at } from './assert.ts'
import { DAYS_PER_MONTH } from './interval.ts'
import { INT64_MAX, INT64_MIN } from './number-text.ts'
import { roundHalfEven } from './round-half-even.ts'
import type { Interval } from './registers.ts'
import {
  MICROSECONDS_PER_DAY as DAY,
  MICROSECONDS_PER_HOUR as HOUR,
  MICROSECONDS_PER_MINUTE as MINUTE,
  MICROSECONDS_PER_SECOND as SECOND,
} from './timestamp-calendar.ts'

type Part = 'months' | 'days' | 'microseconds'
interface Unit {
  readonly part: Part
  readonly size: number
  /** A bit of its own. */
  readonly field: number
}

const UNIT_NAMES: readonly (readonly [Part, number, string])[] = [
  ['microseconds', 1, 'us usec usecs usecond useconds microsecond microseconds'],
  ['microseconds', 1000, 'ms msec msecs msecond mseconds millisecond milliseconds'],
  ['microseconds', SECOND, 's sec secs second seconds'],
  ['microseconds', MINUTE, 'm min mins minute minutes'],
  ['microseconds', HOUR, 'h hr hrs hour hours'],
  ['days', 1, 'd day days'],
  ['days', 7, 'w week weeks'],
  ['months', 1, 'mon mons month months'],
  ['months', 12, 'y yr yrs year years'],
  ['months', 120, 'dec decs decade decades'],
  ['months', 1200, 'c cent century centuries'],
  ['months', 12000, 'mil mils millennium millennia'],
]
const UNIT_LIST: readonly Unit[] = UNIT_NAMES.map(([part, size], index) => ({ part, size, field: 1 << index }))
const UNITS: ReadonlyMap<string, Unit> = new Map(
  UNIT_NAMES.flatMap(([, , names], index) => names.split(' ').map((name) => [name, at(UNIT_LIST, index)] as const)),
)
const unitOf = (name: string): Unit => {
  const unit = UNITS.get(name)
  assert(unit !== undefined, `there is a unit ${name}`)
  return unit
}
const [SECONDS, MONTH] = [unitOf('second'), unitOf('month')]
/** What a number of seconds with a fraction names, and what a time of day does. */
const SECOND_FIELDS = SECONDS.field | unitOf('ms').field | unitOf('us').field
const CLOCK_FIELDS = SECOND_FIELDS | unitOf('minute').field | unitOf('hour').field
const TIME_WORDS: readonly (readonly [string, number])[] = [
  ...[['hour', HOUR] as const, ['minute', MINUTE] as const],
  ...[['second', SECOND] as const, ['millisecond', 1000] as const, ['microsecond', 1] as const],
]
/** In the order in which ISO writes them. */
const ISO_UNITS: readonly Unit[] = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'].map(unitOf)

/** Longer texts are refused unread: every quantity of one is computed with all its digits. */
const TEXT_LENGTH_MAX = 200
const NUMBER = '[+-]?(?:\\d+\\.?\\d*|\\.\\d+)'
const QUANTITY = new RegExp(`^(${NUMBER})\\s*([a-z]+)`)
const LONE_NUMBER = new RegExp(`^${NUMBER}$`)
const CLOCK = /^([+-]?)(\d+):(\d{1,2})(?::(\d{1,2})(\.\d*)?)?(?![\d:.])/
const MINUTES_SECONDS = /^([+-]?)(\d{1,2}):(\d{1,2})(\.\d*)(?![\d:.])/
const YEARS_MONTHS = /^([+-]?)(\d+)-(\d{1,2})(?![\d:.-])/
const ISO =
  /^p(?=.)(?:(-?[\d.]+)y)?(?:(-?[\d.]+)m)?(?:(-?[\d.]+)w)?(?:(-?[\d.]+)d)?(?:t(?=.)(?:(-?[\d.]+)h)?(?:(-?[\d.]+)m)?(?:(-?[\d.]+)s)?)?$/

interface Sums {
  months: bigint
  days: bigint
  microseconds: bigint
}

/** The interval that a text stands for; undefined where it stands for none, or for one that is out of range. */
export function parseInterval(text: string): Interval | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined
  const trimmed = text.trim().toLowerCase()
  const sums: Sums = { months: 0n, days: 0n, microseconds: 0n }
  const understood = trimmed.startsWith('p') ? addIso(sums, trimmed) : addWords(sums, trimmed)
  const { months, days, microseconds } = sums
  if (!understood || BigInt.asIntN(32, months) !== months || BigInt.asIntN(32, days) !== days) return undefined
  if (microseconds < INT64_MIN || microseconds > INT64_MAX) return undefined
  return { months: Number(months), days: Number(days), microseconds }
}

/** The interval as PostgreSQL prints it; parseInterval reads it back. */
export function formatInterval({ months, days, microseconds }: Interval): string {
  let text = ''
  let isBefore = false
  const add = (count: number, unit: string): void => {
    if (count === 0) return
    text += `${text === '' ? '' : ' '}${isBefore && count > 0 ? '+' : ''}${count} ${unit}${count === 1 ? '' : 's'}`
    isBefore = count < 0
  }
  add(Math.trunc(months / 12), 'year')
  add(months % 12, 'mon')
  add(days, 'day')
  if (text !== '' && microseconds === 0n) return text
  const sign = microseconds < 0n ? '-' : isBefore ? '+' : ''
  return `${text}${text === '' ? '' : ' '}${sign}${formatClock(microseconds < 0n ? -microseconds : microseconds)}`
}

/** The interval in words, as a person writes it: `1 hour 30 minutes`; parseInterval reads it back. */
export function describeInterval({ months, days, microseconds }: Interval): string {
  const parts: string[] = []
  const add = (count: number | bigint, unit: string): void => {
    if (Number(count) !== 0) parts.push(`${count} ${unit}${count === 1 || count === 1n ? '' : 's'}`)
  }
  add(months, 'month')
  add(days, 'day')
  let rest = microseconds
  for (const [unit, size] of TIME_WORDS) {
    add(rest / BigInt(size), unit)
    rest %= BigInt(size)
  }
  return parts.length === 0 ? '0 seconds' : parts.join(' ')
}

/** `02:03:04.5`; hours have as many digits as they need. */
function formatClock(microseconds: bigint): string {
  const rest = Number(microseconds % BigInt(MINUTE))
  const minutes = microseconds / BigInt(MINUTE)
  const two = (value: bigint | number): string => value.toString().padStart(2, '0')
  const fraction = rest % SECOND
  const tail = fraction === 0 ? '' : `.${fraction.toString().padStart(6, '0').replace(/0+$/, '')}`
  return `${two(minutes / 60n)}:${two(minutes % 60n)}:${two(Math.floor(rest / SECOND))}${tail}`
}

/** A part of the text: how it changes the sums, and the fields that it names, as bits; no field may be named twice. */
interface Word {
  readonly length: number
  readonly fields: number
  readonly apply: (sums: Sums) => void
}

/** PostgreSQL reads from the right, and a time of day replaces what fractions of days have left there. */
function addWords(sums: Sums, text: string): boolean {
  let rest = text.startsWith('@') ? text.slice(1).trimStart() : text
  const ago = /\s+ago$/.exec(rest)
  if (ago !== null) rest = rest.slice(0, ago.index)
  if (rest === '') return false
  const words: Word[] = []
  let seen = 0
  while (rest !== '') {
    const word = readClock(rest) ?? readYearsMonths(rest) ?? readQuantity(rest) ?? readSeconds(rest)
    if (word === undefined || (seen & word.fields) !== 0) return false
    seen |= word.fields
    words.push(word)
    rest = rest.slice(word.length).replace(/^(\s|,)+/, '')
  }
  for (const { apply } of words.reverse()) apply(sums)
  if (ago !== null) {
    sums.months = -sums.months
    sums.days = -sums.days
    sums.microseconds = -sums.microseconds
  }
  return true
}

function readQuantity(text: string): Word | undefined {
  const [whole, count = '', name = ''] = QUANTITY.exec(text) ?? []
  const unit = UNITS.get(name)
  return whole === undefined || unit === undefined ? undefined : toWord(whole.length, count, unit)
}

/** A lone number is seconds, as in PostgreSQL. */
function readSeconds(text: string): Word | undefined {
  return LONE_NUMBER.test(text) ? toWord(text.length, text, SECONDS) : undefined
}

function toWord(length: number, count: string, unit: Unit): Word {
  const hasParts = unit.size === SECOND && unit.part === 'microseconds' && Number(count) % 1 !== 0
  const fields = hasParts ? SECOND_FIELDS : unit.field
  return { length, fields, apply: (sums) => addUnits(sums, count, unit) }
}

function readClock(text: string): Word | undefined {
  const short = MINUTES_SECONDS.exec(text)
  const match = short ?? CLOCK.exec(text)
  if (match === null) return undefined
  const [whole, sign, first = '0', second = '0'] = match
  const [hours, minutes, seconds = '0', fraction = ''] =
    short === null ? [first, second, match[4], match[5]] : ['0', first, second, match[4]]
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const size =
    BigInt(hours) * BigInt(HOUR) +
    BigInt(Number(minutes) * MINUTE + Number(seconds) * SECOND + Math.round(Number(`0${fraction}`) * SECOND))
  const apply = (sums: Sums): void => {
    sums.microseconds = sign === '-' ? -size : size
  }
  return { length: whole.length, fields: CLOCK_FIELDS, apply }
}

function readYearsMonths(text: string): Word | undefined {
  const match = YEARS_MONTHS.exec(text)
  if (match === null || Number(match[3]) > 11) return undefined
  const months = BigInt(match[2] as string) * 12n + BigInt(match[3] as string)
  const apply = (sums: Sums): void => {
    sums.months += match[1] === '-' ? -months : months
  }
  return { length: match[0].length, fields: MONTH.field, apply }
}

function addIso(sums: Sums, text: string): boolean {
  const match = ISO.exec(text)
  if (match === null) return false
  for (const [index, unit] of ISO_UNITS.entries()) {
    const written = match[index + 1]
    if (written === undefined) continue
    if (!LONE_NUMBER.test(written)) return false
    addUnits(sums, written, unit)
  }
  return true
}

function addUnits(sums: Sums, written: string, { part, size }: Unit): void {
  const sign = written.startsWith('-') ? -1 : 1
  const [whole = '', digits = ''] = written.replace(/^[+-]/, '').split('.')
  const fraction = sign * Number(`0.${digits}`)
  sums[part] += BigInt(sign) * BigInt(whole === '' ? '0' : whole) * BigInt(size)
  if (fraction === 0) return
  if (part === 'microseconds') sums.microseconds += roundTowardsZero(fraction * size)
  // years keep whole months alone, months and weeks go into days, days into microseconds
  else if (part === 'months' && size > 1) sums.months += BigInt(roundHalfEven(fraction * size))
  else if (part === 'months') addFractionOfDays(sums, fraction * DAYS_PER_MONTH)
  else addFractionOfDays(sums, fraction * size)
}

function addFractionOfDays(sums: Sums, days: number): void {
  const whole = Math.trunc(days)
  sums.days += BigInt(whole)
  sums.microseconds += roundTowardsZero((days - whole) * DAY)
}

/** To the nearest, half towards zero. */
function roundTowardsZero(value: number): bigint {
  const whole = Math.trunc(value)
  const rest = value - whole
  return BigInt(rest > 0.5 ? whole + 1 : rest < -0.5 ? whole - 1 : whole)
}
