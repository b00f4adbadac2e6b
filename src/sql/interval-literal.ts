/**
 * Owns the text forms of intervals. Source: PostgreSQL "Interval Input": quantities with units, a time of day, ISO 8601 with
 * designators, and `ago`. Fractions of months go down to days (30 a month), fractions of days to microseconds, as there.
 */
import type { Interval } from '../core/registers.ts'
import {
  MICROSECONDS_PER_DAY as DAY,
  MICROSECONDS_PER_HOUR as HOUR,
  MICROSECONDS_PER_MINUTE as MINUTE,
  MICROSECONDS_PER_SECOND as SECOND,
} from '../core/timestamp-calendar.ts'

/** As PostgreSQL turns parts of an interval into each other where it must. */
export const DAYS_PER_MONTH = 30

type Part = 'months' | 'days' | 'microseconds'
interface Unit {
  readonly part: Part
  readonly size: number
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
const UNITS: ReadonlyMap<string, Unit> = new Map(
  UNIT_NAMES.flatMap(([part, size, names]) => names.split(' ').map((name) => [name, { part, size }] as const)),
)

const QUANTITY = /^([+-]?\d*\.?\d+|[+-]?\d+\.)\s*([a-z]+)/
const CLOCK = /^([+-]?)(\d+):(\d{1,2})(?::(\d{1,2}(?:\.\d*)?))?(?![\d:.])/
const YEARS_MONTHS = /^([+-]?)(\d+)-(\d{1,2})(?![\d:.-])/
const ISO =
  /^p(?=.)(?:(-?[\d.]+)y)?(?:(-?[\d.]+)m)?(?:(-?[\d.]+)w)?(?:(-?[\d.]+)d)?(?:t(?=.)(?:(-?[\d.]+)h)?(?:(-?[\d.]+)m)?(?:(-?[\d.]+)s)?)?$/

interface Sums {
  months: number
  days: number
  microseconds: number
}

/** The interval that a text stands for; undefined where it stands for none, or one too large for whole microseconds. */
export function parseInterval(text: string): Interval | undefined {
  const trimmed = text.trim().toLowerCase()
  const sums: Sums = { months: 0, days: 0, microseconds: 0 }
  const understood = trimmed.startsWith('p') ? addIso(sums, trimmed) : addWords(sums, trimmed)
  const { months, days, microseconds } = sums
  if (!understood || ![months, days, microseconds].every(Number.isSafeInteger)) return undefined
  return { months: months + 0, days: days + 0, microseconds: microseconds + 0 }
}

/** The shortest text that parseInterval reads back: `1 hour 30 minutes`. */
export function formatInterval(interval: Interval): string {
  const parts: string[] = []
  const add = (count: number, unit: string): void => {
    if (count !== 0) parts.push(`${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`)
  }
  add(interval.months, 'month')
  add(interval.days, 'day')
  let rest = interval.microseconds
  for (const [unit, size] of Object.entries({
    hour: HOUR,
    minute: MINUTE,
    second: SECOND,
    millisecond: 1000,
    microsecond: 1,
  })) {
    const count = Math.trunc(rest / size)
    add(count, unit)
    rest -= count * size
  }
  return parts.length === 0 ? '0 seconds' : parts.join(' ')
}

function addWords(sums: Sums, text: string): boolean {
  let rest = text.startsWith('@') ? text.slice(1).trimStart() : text
  const ago = /\s+ago$/.exec(rest)
  if (ago !== null) rest = rest.slice(0, ago.index)
  if (rest === '') return false
  while (rest !== '') {
    const length =
      addClock(sums, rest) || addYearsMonths(sums, rest) || addQuantity(sums, rest) || addSeconds(sums, rest)
    if (length === 0) return false
    rest = rest.slice(length).replace(/^(\s|,)+/, '')
  }
  if (ago !== null) {
    sums.months = -sums.months
    sums.days = -sums.days
    sums.microseconds = -sums.microseconds
  }
  return true
}

function addQuantity(sums: Sums, text: string): number {
  const match = QUANTITY.exec(text)
  const unit = match === null ? undefined : UNITS.get(match[2] as string)
  if (match === null || unit === undefined) return 0
  addUnits(sums, Number(match[1]), unit)
  return match[0].length
}

/** A lone number is seconds, as in PostgreSQL. */
function addSeconds(sums: Sums, text: string): number {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return 0
  addUnits(sums, Number(text), { part: 'microseconds', size: SECOND })
  return text.length
}

function addClock(sums: Sums, text: string): number {
  const match = CLOCK.exec(text)
  if (match === null) return 0
  const [whole, sign, hours, minutes, seconds] = match
  if (Number(minutes) > 59 || Number(seconds ?? 0) >= 60) return 0
  const size = Number(hours) * HOUR + Number(minutes) * MINUTE + Math.round(Number(seconds ?? 0) * SECOND)
  sums.microseconds += sign === '-' ? -size : size
  return whole.length
}

function addYearsMonths(sums: Sums, text: string): number {
  const match = YEARS_MONTHS.exec(text)
  if (match === null || Number(match[3]) > 11) return 0
  const months = Number(match[2]) * 12 + Number(match[3])
  sums.months += match[1] === '-' ? -months : months
  return match[0].length
}

function addIso(sums: Sums, text: string): boolean {
  const match = ISO.exec(text)
  if (match === null) return false
  const units: readonly Unit[] = [
    { part: 'months', size: 12 },
    { part: 'months', size: 1 },
    { part: 'days', size: 7 },
    { part: 'days', size: 1 },
    { part: 'microseconds', size: HOUR },
    { part: 'microseconds', size: MINUTE },
    { part: 'microseconds', size: SECOND },
  ]
  for (const [index, unit] of units.entries()) {
    const written = match[index + 1]
    if (written !== undefined) addUnits(sums, Number(written), unit)
  }
  return true
}

function addUnits(sums: Sums, count: number, unit: Unit): void {
  const amount = count * unit.size
  if (unit.part === 'microseconds') {
    sums.microseconds += Math.round(amount)
    return
  }
  // Years and months keep no fraction of a month smaller than what goes into days; days none smaller than microseconds.
  const whole = Math.trunc(amount)
  sums[unit.part] += whole
  const rest = Number((amount - whole).toFixed(9))
  if (unit.part === 'days') sums.microseconds += Math.round(rest * DAY)
  else if (unit.size > 1) sums.months += Math.round(rest)
  else addUnits(sums, rest * DAYS_PER_MONTH, { part: 'days', size: 1 })
}
