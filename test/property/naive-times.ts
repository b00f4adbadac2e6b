/** Owns the naive evaluator's times: cutting, buckets, parts, and counts of units. */
import { roundHalfEven, roundHalfAway } from './naive-numbers.ts'
import {
  Day,
  Decimal,
  Local,
  microsOf,
  nearestDouble,
  RowError,
  Span,
  Time,
  timeOf,
  toCivil,
  toDays,
  toTime,
  type Civil,
  type NumberValue,
  type TimeValue,
} from './value.ts'

const SHORT_UNITS: Readonly<Record<string, bigint>> = {
  microseconds: 1n,
  milliseconds: 1_000n,
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: 86_400_000_000n,
}

const floorTo = (value: number, unit: number): number => Math.floor(value / unit) * unit

const LONG_UNITS: Readonly<Record<string, (civil: Civil) => number>> = {
  // day 4 of 1970 was a Sunday, day 5 a Monday
  week: ({ days }) => floorTo(days - 4, 7) + 4,
  month: ({ year, month }) => toDays(year, month, 1),
  quarter: ({ year, month }) => toDays(year, floorTo(month - 1, 3) + 1, 1),
  year: ({ year }) => toDays(year, 1, 1),
  decade: ({ year }) => toDays(floorTo(year, 10), 1, 1),
  century: ({ year }) => toDays(floorTo(year - 1, 100) + 1, 1, 1),
  millennium: ({ year }) => toDays(floorTo(year - 1, 1000) + 1, 1, 1),
}

/** The plural that texts of units have here. */
export function unitOf(written: string): string {
  const word = written.toLowerCase()
  return word === 'days' ? 'day' : word
}

export function toLocal({ micros }: Time): Local {
  return new Local(micros)
}

export function withoutZone(time: Time): Day {
  return new Day(toCivil(time).days)
}

export function dateTrunc(unit: string, time: Time): Time {
  const word = unitOf(unit)
  const short = Object.hasOwn(SHORT_UNITS, word) ? SHORT_UNITS[word] : undefined
  if (short !== undefined) return toTime(time.micros - (((time.micros % short) + short) % short))
  const long = Object.hasOwn(LONG_UNITS, word) ? LONG_UNITS[word] : undefined
  if (long === undefined) throw new RowError('invalid_argument')
  return timeOf(long(toCivil(time)), 0n)
}

/** The latest begin of a bucket that isn't after the time. */
export function timeBucket({ months, days, micros }: Span, time: Time, origin: Time | undefined): Time {
  const short = BigInt(days) * 86_400_000_000n + micros
  if (months !== 0 && short !== 0n) throw new RowError('invalid_argument')
  if (months < 0 || short < 0n || (months === 0 && short === 0n)) throw new RowError('invalid_argument')
  if (short > BigInt(Number.MAX_SAFE_INTEGER) || micros > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RowError('invalid_argument')
  }
  if (months === 0) {
    const from = origin?.micros ?? BigInt(toDays(2000, 1, 3)) * 86_400_000_000n
    const distance = time.micros - from
    const rest = ((distance % short) + short) % short
    return toTime(time.micros - rest)
  }
  const from = toCivil(origin ?? timeOf(toDays(2000, 1, 1), 0n))
  const to = toCivil(time)
  const distance = (to.year - from.year) * 12 + to.month - from.month
  let count = floorTo(distance, months) + months
  while (beginOf(from, count) > time.micros) count -= months
  return toTime(beginOf(from, count))
}

/** Microseconds of the origin so many months later; a day that the month doesn't have becomes its last. */
function beginOf(origin: Civil, months: number): bigint {
  const last = toDays(origin.year, origin.month + months + 1, 1) - 1
  const day = Math.min(toDays(origin.year, origin.month + months, 1) + origin.day - 1, last)
  return BigInt(day) * 86_400_000_000n + origin.rest
}

/** 0 is Sunday. */
const dayOfWeek = (days: number): number => (((days + 4) % 7) + 7) % 7
const isoDay = (days: number): number => dayOfWeek(days) || 7
/** The year of a week is that of its Thursday. */
const thursday = (days: number): Civil => toCivil(new Time(BigInt(days - isoDay(days) + 4) * 86_400_000_000n))
const shownYear = (year: number): number => (year > 0 ? year : year - 1)
/** Centuries and millennia of the year as it is shown; there is no year 0. */
const period = (year: number, length: number): number => {
  const shown = shownYear(year)
  return shown > 0 ? Math.ceil(shown / length) : -Math.ceil(-shown / length)
}
const seconds = ({ rest }: Civil): number => Number(rest % 60_000_000n)

const FIELDS: Readonly<Record<string, (civil: Civil, time: Time) => number>> = {
  epoch: (_, { micros }) => nearestDouble(new Decimal(micros, 6)),
  millennium: ({ year }) => period(year, 1000),
  century: ({ year }) => period(year, 100),
  decade: ({ year }) => Math.floor(year / 10),
  year: ({ year }) => shownYear(year),
  isoyear: ({ days }) => shownYear(thursday(days).year),
  quarter: ({ month }) => Math.ceil(month / 3),
  month: ({ month }) => month,
  week: ({ days }) => {
    const { year, days: day } = thursday(days)
    return Math.floor((day - toDays(year, 1, 1)) / 7) + 1
  },
  day: ({ day }) => day,
  doy: ({ year, days }) => days - toDays(year, 1, 1) + 1,
  dow: ({ days }) => dayOfWeek(days),
  isodow: ({ days }) => isoDay(days),
  hour: ({ rest }) => Number(rest / 3_600_000_000n),
  minute: ({ rest }) => Number((rest / 60_000_000n) % 60n),
  second: (civil) => seconds(civil) / 1_000_000,
  milliseconds: (civil) => seconds(civil) / 1_000,
  microseconds: (civil) => seconds(civil),
  julian: ({ days, rest }) => {
    const exact = (BigInt(days + 2_440_588) * 86_400_000_000n + rest) * 10n ** 30n
    return nearestDouble(new Decimal(exact / 86_400_000_000n, 30))
  },
  timezone: () => 0,
  timezone_hour: () => 0,
  timezone_minute: () => 0,
}

const OF_ZONES = ['timezone', 'timezone_hour', 'timezone_minute']
const OF_CLOCKS = ['hour', 'minute', 'second', 'milliseconds', 'microseconds']

/** A date has no clock, only an instant a zone. */
export function extract(field: string, time: TimeValue, hasClock: boolean): number {
  const word = unitOf(field)
  const read = Object.hasOwn(FIELDS, word) ? FIELDS[word] : undefined
  const isMissing = (!(time instanceof Time) && OF_ZONES.includes(word)) || (!hasClock && OF_CLOCKS.includes(word))
  if (read === undefined || isMissing) throw new RowError('invalid_argument')
  const instant = new Time(microsOf(time))
  return read(toCivil(instant), instant) + 0
}

/** Microseconds from 1970 to 2000, where PostgreSQL counts from. */
const EPOCH_SECONDS = 946_684_800

/** `unit` microseconds; `base` units are taken away while a double is rounded. */
export function timeOfCount(count: NumberValue, unit: bigint, base = 0): Time {
  if (typeof count === 'bigint') return toTime(count * unit)
  if (count instanceof Decimal) return toTime(roundHalfAway(count.unscaled * unit, 10n ** BigInt(count.scale)))
  const rounded = roundHalfEven((count - base) * Number(unit))
  if (!Number.isFinite(rounded)) throw new RowError('timestamp_out_of_range')
  return toTime(BigInt(rounded) + BigInt(base) * unit)
}

export function timeOfSeconds(count: NumberValue): Time {
  return timeOfCount(count, 1_000_000n, EPOCH_SECONDS)
}

const UNITS: Readonly<Record<string, readonly [months: number, days: number, micros: bigint]>> = {
  microsecond: [0, 0, 1n],
  second: [0, 0, 1_000_000n],
  minute: [0, 0, 60_000_000n],
  hour: [0, 0, 3_600_000_000n],
  day: [0, 1, 0n],
  week: [0, 7, 0n],
  month: [1, 0, 0n],
  year: [12, 0, 0n],
}

/** A quantity and a unit: `5 minutes`. */
export function readSpan(text: string): Span {
  const [count = '', unit = ''] = text.split(' ')
  const [months, days, micros] = UNITS[unit.replace(/s$/, '')] ?? [0, 0, 0n]
  return new Span(months * Number(count), days * Number(count), micros * BigInt(count))
}
