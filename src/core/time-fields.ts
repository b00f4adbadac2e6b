/**
 * Owns a point in time that is put together of fields, as PostgreSQL's to_timestamp and to_date do: years of two digits and centuries, weeks,
 * days of the year, the clock of twelve hours, and which of them are checked. A field of 0 is one that wasn't given.
 */
import {
  dateOfDay,
  dayOfDate,
  dayOfMonth,
  daysInMonth,
  isLeapYear,
  isoDayOfWeek,
  monthOf,
  yearOf,
} from './timestamp-calendar.ts'
import { JULIAN_DAY_1970 } from './time-pattern.ts'

export class TimeFields {
  /** Days of the calendar and of ISO weeks don't mix. */
  mode: 'none' | 'gregorian' | 'iso' = 'none'
  hour = 0
  isAfternoon = 0
  minute = 0
  second = 0
  secondOfDay = 0
  /** 1 is Sunday. */
  weekday = 0
  day = 0
  dayOfYear = 0
  month = 0
  millisecond = 0
  microsecond = 0
  year = 0
  isBeforeChrist = 0
  week = 0
  weekOfMonth = 0
  century = 0
  julianDay = 0
  /** Digits of the pattern of the year. */
  yearDigits = 0
  hasTwelveHours = false
  /** 1 or -1; 0: there is no offset. */
  zoneSign = 0
  zoneHour = 0
  zoneMinute = 0
  /** Places of the second that the template asks for; 0: all. */
  precision = 0
}

export interface TimeOfFields {
  /** Since 1970; may be beyond any date. */
  readonly day: number
  readonly microsecond: number
  /** Seconds to the east of UTC. */
  readonly offset: number
}

export type TimeFieldsError = { readonly error: string }

const ZONE_HOUR_MAX = 15
const MICROSECONDS = 1_000_000
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
const OUT_OF_RANGE = 'a field is out of range'

interface CalendarDate {
  year: number
  month: number
  day: number
}

export function timeOfFields(fields: TimeFields): TimeOfFields | TimeFieldsError {
  const clock = clockOf(fields)
  if (clock === undefined) return { error: 'an hour of the 12-hour clock is from 1 to 12' }
  const year = yearOfFields(fields)
  const date = { year: year ?? 0, month: 1, day: 1 }
  const given = placeDate(fields, date, year !== undefined)
  if (typeof given !== 'object') return { error: given }
  if (fields.julianDay < 0 || !isDate(date, given) || !isTime(clock)) return { error: OUT_OF_RANGE }
  const offset = offsetOf(fields)
  if (offset === undefined) return { error: OUT_OF_RANGE }
  const { hour, minute, second, microsecond } = clock
  return {
    day: dayOfDate(date.year, date.month, 1) + date.day - 1,
    microsecond: ((hour * 60 + minute) * 60 + second) * MICROSECONDS + microsecond,
    offset,
  }
}

interface Clock {
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly microsecond: number
}

function clockOf(fields: TimeFields): Clock | undefined {
  const { secondOfDay } = fields
  let hour = fields.hour || Math.trunc(secondOfDay / 3_600)
  const minute = fields.minute || Math.trunc((secondOfDay % 3_600) / 60)
  const second = fields.second || secondOfDay % 60
  if (fields.hasTwelveHours) {
    if (hour < 1 || hour > 12) return undefined
    hour = (hour % 12) + (fields.isAfternoon === 1 ? 12 : 0)
  }
  return { hour, minute, second, microsecond: fields.millisecond * 1_000 + fields.microsecond }
}

function isTime({ hour, minute, second, microsecond }: Clock): boolean {
  return (
    isWithin(hour, 0, 23) &&
    isWithin(minute, 0, 59) &&
    isWithin(second, 0, 59) &&
    isWithin(microsecond, 0, MICROSECONDS - 1)
  )
}

function isWithin(value: number, from: number, to: number): boolean {
  return value >= from && value <= to
}

/** Astronomical; undefined: no field tells it. */
function yearOfFields({ year, yearDigits, century, isBeforeChrist }: TimeFields): number | undefined {
  const signedCentury = isBeforeChrist === 1 ? -century : century
  if (year !== 0 && !(century !== 0 && yearDigits <= 2)) {
    const signed = isBeforeChrist === 1 ? -year : year
    return signed < 0 ? signed + 1 : signed
  }
  if (year !== 0) {
    const inCentury = year % 100
    // the 21st century is 2001 to 2100, the 6th one before Christ 600 to 501
    if (inCentury === 0) return signedCentury * 100 + (signedCentury >= 0 ? 0 : 1)
    return signedCentury >= 0 ? inCentury + (signedCentury - 1) * 100 : (signedCentury + 1) * 100 - inCentury + 1
  }
  if (century === 0) return undefined
  return signedCentury >= 0 ? (signedCentury - 1) * 100 + 1 : signedCentury * 100 + 1
}

interface Given {
  readonly year: boolean
  readonly month: boolean
  readonly day: boolean
}
const ALL_GIVEN: Given = { year: true, month: true, day: true }

/** Writes the date; which of its parts are to be checked, or what is wrong. */
function placeDate(fields: TimeFields, date: CalendarDate, hasYear: boolean): Given | string {
  let given: Given = { year: hasYear, month: false, day: false }
  let { day, dayOfYear } = fields
  if (fields.julianDay !== 0) {
    setDay(date, fields.julianDay - JULIAN_DAY_1970)
    given = ALL_GIVEN
  }
  if (fields.week !== 0 && fields.mode === 'iso') {
    setDay(date, isoWeekBegin(date.year, fields.week) + isoOffset(fields.weekday))
    given = ALL_GIVEN
  } else if (fields.week !== 0) dayOfYear = (fields.week - 1) * 7 + 1
  if (fields.weekOfMonth !== 0) day = (fields.weekOfMonth - 1) * 7 + 1
  if (day !== 0) {
    date.day = day
    given = { ...given, day: true }
  }
  if (fields.month !== 0) {
    date.month = fields.month
    given = { ...given, month: true }
  }
  if (dayOfYear === 0 || (date.month > 1 && date.day > 1)) return given
  if (date.year === 0 && fields.isBeforeChrist === 0) return 'a day of the year needs the year'
  if (fields.mode === 'iso') {
    setDay(date, isoWeekBegin(date.year, 1) - 1 + dayOfYear)
    return ALL_GIVEN
  }
  setDayOfYear(date, dayOfYear)
  return { ...given, month: true, day: true }
}

function setDay(date: CalendarDate, day: number): void {
  const packed = dateOfDay(day)
  date.year = yearOf(packed)
  date.month = monthOf(packed)
  date.day = dayOfMonth(packed)
}

/** What a field has given stays; a day beyond the year is in a month that there is not. */
function setDayOfYear(date: CalendarDate, dayOfYear: number): void {
  const before = (months: number): number => (DAYS_BEFORE[months] ?? 0) + (months > 1 && isLeapYear(date.year) ? 1 : 0)
  let month = 1
  while (month <= 12 && dayOfYear > before(month)) month++
  if (date.month <= 1) date.month = month
  if (date.day <= 1) date.day = dayOfYear - before(month - 1)
}

/** The Monday of a week of the ISO year. */
function isoWeekBegin(year: number, week: number): number {
  const inFirst = dayOfDate(year, 1, 4)
  return inFirst - isoDayOfWeek(inFirst) + 1 + (week - 1) * 7
}

function isoOffset(weekday: number): number {
  if (weekday === 0) return 0
  return weekday > 1 ? weekday - 2 : 6
}

/** The day is checked against its month only where all three are given. */
function isDate({ year, month, day }: CalendarDate, given: Given): boolean {
  if (given.month && !isWithin(month, 1, 12)) return false
  if (given.day && !isWithin(day, 1, 31)) return false
  return !(given.year && given.month && given.day) || day <= daysInMonth(year, month)
}

function offsetOf({ zoneSign, zoneHour, zoneMinute }: TimeFields): number | undefined {
  if (zoneSign === 0) return 0
  if (!isWithin(zoneHour, 0, ZONE_HOUR_MAX) || !isWithin(zoneMinute, 0, 59)) return undefined
  return zoneSign * (zoneHour * 60 + zoneMinute) * 60
}
