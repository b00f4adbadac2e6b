/** Owns times as text: ISO 8601; an instant with Z, a timestamp without, a date alone. */
import {
  dateOfDay,
  dayOfMonth,
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_SECOND,
  monthOf,
  yearOf,
} from './timestamp-calendar.ts'

const FOUR_DIGITS_MAX = 9_999

/**
 * An instant: 2026-01-01T00:00:00Z, 2026-01-01T00:00:00.123Z; the fraction only where there is one, without zeros at its end.
 * Years outside 0..9999 have a sign and six digits. Date.parse reads it in its own range.
 */
export function formatTimestamp(microseconds: number | bigint): string {
  return `${formatLocalTimestamp(microseconds)}Z`
}

/** A timestamp, as an instant without its Z. */
export function formatLocalTimestamp(microseconds: number | bigint): string {
  const whole = BigInt(microseconds)
  const unit = BigInt(MICROSECONDS_PER_DAY)
  const rest = ((whole % unit) + unit) % unit
  const microsecond = Number(rest)
  const fraction = microsecond % MICROSECONDS_PER_SECOND
  const seconds = (microsecond - fraction) / MICROSECONDS_PER_SECOND
  const time = `${two((seconds / 3_600) | 0)}:${two(((seconds / 60) | 0) % 60)}:${two(seconds % 60)}`
  const tail = fraction === 0 ? '' : `.${fraction.toString().padStart(6, '0').replace(/0+$/, '')}`
  return `${formatDate(Number((whole - rest) / unit))}T${time}${tail}`
}

/** The date of days since 1970: 2026-01-01. */
export function formatDate(day: number): string {
  const date = dateOfDay(day)
  return `${formatYear(yearOf(date))}-${two(monthOf(date))}-${two(dayOfMonth(date))}`
}

function formatYear(year: number): string {
  if (year >= 0 && year <= FOUR_DIGITS_MAX) return year.toString().padStart(4, '0')
  return `${year < 0 ? '-' : '+'}${Math.abs(year).toString().padStart(6, '0')}`
}

function two(value: number): string {
  return value.toString().padStart(2, '0')
}
