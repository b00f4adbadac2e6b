/** Owns the naive evaluator's intervals and what is computed of them and of points in time, in whole microseconds. */
import { truncateSpan } from './naive-interval-fields.ts'
import { numberOf, strict, textOf, wrongKind, type NaiveFunction } from './naive-call.ts'
import { roundHalfEven } from './naive-numbers.ts'
import { dateTrunc, timeBucket, toLocal, withoutZone } from './naive-times.ts'
import { instantIn, localIn } from './naive-zones.ts'
import {
  Day,
  Decimal,
  Local,
  microsOf,
  nearestDouble,
  RowError,
  Span,
  spanOf,
  Time,
  timeOf,
  toCivil,
  toDay,
  toDays,
  toTime,
  type NumberValue,
  type TimeValue,
  type Value,
} from './value.ts'

const DAY = 86_400_000_000n
const int32 = (value: bigint): boolean => BigInt.asIntN(32, value) === value

export function isTimeValue(value: Value | undefined): value is TimeValue {
  return value instanceof Time || value instanceof Local || value instanceof Day
}

function pointOf(value: Value | undefined): TimeValue {
  if (!isTimeValue(value)) throw wrongKind()
  return value
}

function spanValue(value: Value | undefined): Span {
  if (!(value instanceof Span)) throw wrongKind()
  return value
}

/** The total of each part. */
export function sumOfSpans(spans: readonly Span[]): Span {
  let [months, days, micros] = [0n, 0n, 0n]
  for (const span of spans) {
    months += BigInt(span.months)
    days += BigInt(span.days)
    micros += span.micros
  }
  return toSpan(months, days, micros)
}

/** Errors: interval_out_of_range. */
function toSpan(months: bigint, days: bigint, micros: bigint): Span {
  if (!int32(months) || !int32(days) || BigInt.asIntN(64, micros) !== micros) {
    throw new RowError('interval_out_of_range')
  }
  return new Span(Number(months), Number(days), micros)
}

function scaled(span: Span, by: (value: number) => number): Span {
  const [months, days, time] = [by(span.months), by(span.days), by(Number(span.micros))]
  if (![months, days, time].every(Number.isFinite)) throw new RowError('interval_out_of_range')
  const toMicro = (value: number): number => roundHalfEven(value * 1e6) / 1e6
  let wholeDays = Math.trunc(days)
  const more = toMicro((months - Math.trunc(months)) * 30)
  let seconds = toMicro((days - wholeDays + more - Math.trunc(more)) * 86_400)
  if (Math.abs(seconds) >= 86_400) {
    wholeDays += Math.trunc(seconds / 86_400)
    seconds -= Math.trunc(seconds / 86_400) * 86_400
  }
  const rest = roundHalfEven(time + seconds * 1e6)
  return toSpan(BigInt(Math.trunc(months)), BigInt(wholeDays + Math.trunc(more)), BigInt(rest))
}

const double = (value: NumberValue): number => (value instanceof Decimal ? nearestDouble(value) : Number(value))

const times = (span: Value | undefined, factor: Value | undefined): Span => {
  const number = double(numberOf(factor))
  return scaled(spanValue(span), (part) => part * number)
}

export function divided(span: Value | undefined, divisor: Value | undefined): Span {
  const number = double(numberOf(divisor))
  if (number === 0) throw new RowError('division_by_zero')
  return scaled(spanValue(span), (part) => part / number)
}

/** Months by the calendar, then days, then the rest. */
function shifted(time: TimeValue, { months, days, micros }: Span, sign: 1 | -1): Value {
  const civil = toCivil(new Time(microsOf(time)))
  const month = civil.month + sign * months
  const last = toDays(civil.year, month + 1, 1) - 1
  const day = Math.min(toDays(civil.year, month, 1) + civil.day - 1, last)
  const begin = months === 0 ? civil.days : day
  const moved = toTime((BigInt(begin) + BigInt(sign * days)) * DAY + civil.rest + BigInt(sign) * micros)
  return time instanceof Time ? moved : toLocal(moved)
}

function dayShifted(date: Value | undefined, count: Value | undefined, sign: 1 | -1): Day {
  const number = numberOf(count)
  if (number instanceof Decimal || (typeof number === 'number' && !Number.isInteger(number))) throw wrongKind()
  return toDay((date as Day).days + sign * Number(number))
}

/** Days and a time of one sign. */
function difference(left: TimeValue, right: TimeValue): Span {
  const micros = microsOf(left) - microsOf(right)
  return new Span(0, Number(micros / DAY), micros % DAY)
}

function age(left: TimeValue, right: TimeValue): Span {
  const sign = microsOf(left) < microsOf(right) ? -1 : 1
  const [late, early] = sign < 0 ? [right, left] : [left, right]
  const [a, b] = [toCivil(new Time(microsOf(late))), toCivil(new Time(microsOf(early)))]
  let months = (a.year - b.year) * 12 + a.month - b.month
  let days = a.day - b.day
  let rest = a.rest - b.rest
  if (rest < 0n) {
    rest += DAY
    days--
  }
  if (days < 0) {
    days += toDays(b.year, b.month + 1, 1) - toDays(b.year, b.month, 1)
    months--
  }
  return new Span(sign * months, sign * days, BigInt(sign) * rest)
}

const sameSign = (months: bigint, days: bigint, micros: bigint): Span => {
  if (days > 0n && micros < 0n) return toSpan(months, days - 1n, micros + DAY)
  if (days < 0n && micros > 0n) return toSpan(months, days + 1n, micros - DAY)
  return toSpan(months, days, micros)
}

function justify({ months, days, micros }: Span, byDays: boolean, byHours: boolean): Span {
  const all = BigInt(days) + (byHours ? micros / DAY : 0n)
  const rest = byHours ? micros % DAY : micros
  if (!byDays) return sameSign(BigInt(months), all, rest)
  let carried = BigInt(months) + all / 30n
  let left = all % 30n
  const isBelow = left < 0n || (byHours && left === 0n && rest < 0n)
  const isAbove = left > 0n || (byHours && left === 0n && rest > 0n)
  if (carried > 0n && isBelow) {
    left += 30n
    carried -= 1n
  } else if (carried < 0n && isAbove) {
    left -= 30n
    carried += 1n
  }
  return byHours ? sameSign(carried, left, rest) : toSpan(carried, left, rest)
}

const justifyOf = (byDays: boolean, byHours: boolean): NaiveFunction =>
  strict(([span]) => justify(spanValue(span), byDays, byHours))

/** All parts are whole but the one at `fractional`. */
function partsOf(args: readonly Value[], fractional: number): number[] {
  return args.map((arg, index) => {
    const number = numberOf(arg)
    const isWhole = typeof number === 'bigint' || (typeof number === 'number' && Number.isInteger(number))
    if (index < fractional && !isWhole) throw wrongKind()
    return double(number)
  })
}

function makeInterval(args: readonly Value[]): Span {
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = partsOf(args, 6)
  const micros = hours * 3.6e9 + minutes * 6e7 + roundHalfEven(seconds * 1e6)
  if (![years * 12 + months, weeks * 7 + days, micros].every(Number.isFinite))
    throw new RowError('interval_out_of_range')
  return toSpan(BigInt(years * 12 + months), BigInt(weeks * 7 + days), BigInt(micros))
}

function makeDay([year = 0, month = 0, day = 0]: readonly number[]): Day {
  const astronomical = year < 0 ? year + 1 : year
  const isDate = year !== 0 && Math.abs(year) <= 1_000_000 && month >= 1 && month <= 12 && day >= 1
  if (!isDate || day > toDays(astronomical, month + 1, 1) - toDays(astronomical, month, 1)) {
    throw new RowError('invalid_argument')
  }
  return toDay(toDays(astronomical, month, day))
}

function makeTime(args: readonly Value[]): Time {
  const parts = partsOf(args.slice(0, 6), 5)
  const { days } = makeDay(parts)
  const [hour = 0, minute = 0, second = 0] = parts.slice(3)
  const micros = hour * 3.6e9 + minute * 6e7 + roundHalfEven(second * 1e6)
  const isTime = hour >= 0 && hour <= 24 && minute >= 0 && minute <= 59 && second >= 0 && second <= 60
  if (!isTime || micros > 86_400_000_000) throw new RowError('invalid_argument')
  return timeOf(days, BigInt(micros))
}

function atZone(zone: Value | undefined, time: TimeValue): Value {
  if (zone instanceof Span) {
    if (zone.months !== 0 || zone.days !== 0) throw new RowError('invalid_argument')
    const east = (zone.micros / 1_000_000n) * 1_000_000n
    if (time instanceof Local) return toTime(time.micros - east)
    return toLocal(toTime(microsOf(time) + east))
  }
  const name = textOf(zone)
  return time instanceof Local ? instantIn(time, name) : toLocal(localIn(new Time(microsOf(time)), name))
}

function bucketOf(width: Value | undefined, time: Value | undefined, origin: Value | undefined): Time {
  const span = spanValue(width)
  const point = pointOf(time)
  const from = origin === undefined ? undefined : new Time(microsOf(pointOf(origin)))
  return timeBucket(span, new Time(microsOf(point)), from)
}

export const NAIVE_INTERVALS: Readonly<Record<string, NaiveFunction>> = {
  add_interval: strict(([time, span]) => shifted(pointOf(time), spanValue(span), 1)),
  interval_add: strict(([span, time]) => shifted(pointOf(time), spanValue(span), 1)),
  subtract_interval: strict(([time, span]) => shifted(pointOf(time), spanValue(span), -1)),
  subtract_dates: strict(([left, right]) => BigInt((left as Day).days - (right as Day).days)),
  subtract_times: strict(([left, right]) => difference(pointOf(left), pointOf(right))),
  add_days: strict(([date, count]) => dayShifted(date, count, 1)),
  days_add: strict(([count, date]) => dayShifted(date, count, 1)),
  subtract_days: strict(([date, count]) => dayShifted(date, count, -1)),
  add_intervals: strict(([left, right]) => {
    const [a, b] = [spanValue(left), spanValue(right)]
    return toSpan(BigInt(a.months + b.months), BigInt(a.days + b.days), a.micros + b.micros)
  }),
  subtract_intervals: strict(([left, right]) => {
    const [a, b] = [spanValue(left), spanValue(right)]
    return toSpan(BigInt(a.months - b.months), BigInt(a.days - b.days), a.micros - b.micros)
  }),
  negate_interval: strict(([span]) => {
    const { months, days, micros } = spanValue(span)
    return toSpan(-BigInt(months), -BigInt(days), -micros)
  }),
  multiply_interval: strict(([span, factor]) => times(span, factor)),
  interval_multiply: strict(([factor, span]) => times(span, factor)),
  divide_interval: strict(([span, divisor]) => divided(span, divisor)),
  age: strict(([left, right]) => age(pointOf(left), pointOf(right))),
  justify_hours: justifyOf(false, true),
  justify_days: justifyOf(true, false),
  justify_interval: justifyOf(true, true),
  date_trunc_interval: strict(([unit, span]) => truncateSpan(textOf(unit).toLowerCase(), spanValue(span))),
  date_trunc: strict(([unit, time]) => {
    const word = textOf(unit)
    const point = pointOf(time)
    const cut = dateTrunc(word, new Time(microsOf(point)))
    return point instanceof Local ? toLocal(cut) : cut
  }),
  time_bucket: strict(([width, time, origin]) => {
    const point = pointOf(time)
    if (point instanceof Day && spanValue(width).micros % DAY !== 0n) throw new RowError('invalid_argument')
    const begin = bucketOf(width, time, origin)
    return point instanceof Time ? begin : point instanceof Day ? withoutZone(begin) : toLocal(begin)
  }),
  date_bin: strict(([width, time, origin]) => {
    if (spanValue(width).months !== 0) throw new RowError('invalid_argument')
    const begin = bucketOf(width, time, origin)
    const points = [time, origin]
    const isPlain = !points.some((one) => one instanceof Time) && points.some((one) => one instanceof Local)
    return isPlain ? toLocal(begin) : begin
  }),
  timezone: strict(([zone, time]) => atZone(zone, pointOf(time))),
  make_interval: strict((args) => makeInterval(args)),
  make_date: strict((args) => makeDay(partsOf(args, 3))),
  make_timestamp: strict((args) => toLocal(makeTime(args))),
  make_timestamptz: strict((args) => {
    const zone = args[6]
    // the zone is looked up first
    if (zone === undefined) return makeTime(args)
    const name = textOf(zone)
    localIn(new Time(0n), name)
    return instantIn(toLocal(makeTime(args)), name)
  }),
}

/** What is left of an interval in a key: the days and the time of its span. */
export function canonical(value: Value): Value {
  if (!(value instanceof Span)) return value
  const span = spanOf(value)
  const days = span / DAY
  if (int32(days)) return new Span(0, Number(days), span % DAY)
  const months = days / 30n
  const kept = int32(months) ? months : months < 0n ? -(2n ** 31n) : 2n ** 31n - 1n
  const left = days - kept * 30n
  const keptDays = int32(left) ? left : left < 0n ? -(2n ** 31n) : 2n ** 31n - 1n
  return new Span(Number(kept), Number(keptDays), (left - keptDays) * DAY + (span % DAY))
}
