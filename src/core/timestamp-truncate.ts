/** Owns the units of date_trunc: cutting an instant down to the begin of its unit, in UTC or as the clocks of a zone show it. */
import type { Registers } from './registers.ts'
import type { TimeZone } from './time-zone.ts'
import { addSeconds, secondsOf } from './zoned-time.ts'
import {
  dateOfDay,
  dayOf,
  dayOfDate,
  floorTo,
  isSmallTime,
  isoDayOfWeek,
  microsecondOfDay,
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_HOUR,
  MICROSECONDS_PER_MINUTE,
  MICROSECONDS_PER_SECOND,
  monthOf,
  setTimestampOfDay,
  yearOf,
} from './timestamp-calendar.ts'

/** Units up to a day, by their length in microseconds. */
const SHORT_UNITS: ReadonlyMap<string, number> = new Map([
  ['microseconds', 1],
  ['milliseconds', 1_000],
  ['second', MICROSECONDS_PER_SECOND],
  ['minute', MICROSECONDS_PER_MINUTE],
  ['hour', MICROSECONDS_PER_HOUR],
  ['day', MICROSECONDS_PER_DAY],
])

/** Units made of whole days: the day on which the unit of a day begins. */
const LONG_UNITS: ReadonlyMap<string, (day: number) => number> = new Map([
  ['week', (day) => day - isoDayOfWeek(day) + 1],
  ['month', (day) => firstOfMonth(day, 1)],
  ['quarter', (day) => firstOfMonth(day, 3)],
  ['year', (day) => dayOfDate(yearOf(dateOfDay(day)), 1, 1)],
  ['decade', (day) => dayOfDate(floorTo(yearOf(dateOfDay(day)), 10), 1, 1)],
  // centuries and millennia begin with their year 1
  ['century', (day) => dayOfDate(floorTo(yearOf(dateOfDay(day)) - 1, 100) + 1, 1, 1)],
  ['millennium', (day) => dayOfDate(floorTo(yearOf(dateOfDay(day)) - 1, 1_000) + 1, 1, 1)],
])

export const TRUNCATE_UNITS: readonly string[] = [...SHORT_UNITS.keys(), ...LONG_UNITS.keys()]

function firstOfMonth(day: number, months: number): number {
  const date = dateOfDay(day)
  return dayOfDate(yearOf(date), floorTo(monthOf(date) - 1, months) + 1, 1)
}

/** Cuts the time in register `from`; false, and nothing is written, where the begin lies before timestamptz's first instant. */
export type Truncate = (r: Registers, out: number, from: number) => boolean

/** How to cut to a unit, given in lower case; undefined where there is no such unit. */
export function truncateTo(unit: string): Truncate | undefined {
  const size = SHORT_UNITS.get(unit)
  if (size !== undefined) return (r, out, from) => truncateShort(r, out, from, size)
  const begin = LONG_UNITS.get(unit)
  if (begin === undefined) return undefined
  return (r, out, from) => setTimestampOfDay(r, out, begin(dayOf(r, from)), 0)
}

/** As truncateTo, by the clocks of a zone. A day may have 23 or 25 hours, and of an hour that is shown twice each is one of its own. */
export function truncateToIn(unit: string, zone: TimeZone): Truncate | undefined {
  const cut = truncateTo(unit)
  if (cut === undefined) return undefined
  // up to an hour the offset doesn't change in between (PostgreSQL); a longer unit begins when the clocks show its begin
  const isShort = (SHORT_UNITS.get(unit) ?? Infinity) <= MICROSECONDS_PER_HOUR
  return (r, out, from) => {
    const offset = zone.offsetAt(secondsOf(r, from))
    if (!addSeconds(r, out, from, offset) || !cut(r, out, out)) return false
    const seconds = secondsOf(r, out)
    return addSeconds(r, out, out, isShort ? -offset : zone.toInstant(seconds) - seconds)
  }
}

function truncateShort(r: Registers, out: number, from: number, size: number): boolean {
  if (isSmallTime(r, from)) {
    const cut = floorTo(r.num[from] as number, size)
    if (Number.isSafeInteger(cut)) {
      r.setTimestamp(out, cut)
      return true
    }
  }
  const day = dayOf(r, from)
  return setTimestampOfDay(r, out, day, floorTo(microsecondOfDay(r, from, day), size))
}
