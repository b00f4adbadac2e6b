/** Owns functions that cut times to the begin of a unit or bucket: date_trunc, time_bucket, date_bin, in UTC or by a zone's clocks. */
import { RollupdError } from '../../core/errors.ts'
import { assert } from '../../core/assert.ts'
import { intervalOf, monthsOf } from '../../core/interval.ts'
import { restOf } from '../../core/interval-arithmetic.ts'
import { parseInterval } from '../../core/interval-text.ts'
import { type Interval, type Registers, TAG } from '../../core/registers.ts'
import { isTimeType, type ScalarType } from '../../core/scalar-type.ts'
import { unitName } from '../../core/time-unit.ts'
import { bucketIn, bucketOf } from '../../core/timestamp-bucket.ts'
import { dayOf } from '../../core/timestamp-calendar.ts'
import { type Truncate, TRUNCATE_UNITS, truncateTo, truncateToIn } from '../../core/timestamp-truncate.ts'
import type { Expression } from '../expression.ts'
import type { FunctionEntry } from '../function-entry.ts'
import {
  always,
  isInterval,
  isLocalTimestamp,
  isOneOf,
  isText,
  isTimestamp,
  quote,
  textOf,
  wrongKind,
} from './argument.ts'
import { isTime, isTimeOrAny, literalUnit, outOfRange, unknownWord } from './time-argument.ts'
import { literalTimeZone, readTimeZone } from './time-zone-argument.ts'

function truncate(r: Registers, out: number, cut: Truncate | undefined, a: number, b: number): void {
  if (!isTime(r, out, 'date_trunc', b)) return
  if (cut === undefined) r.setError(out, 'invalid_argument', `date_trunc knows no unit ${quote(r, a)}`)
  else if (!cut(r, out, b)) outOfRange(r, out)
  else if (isLocalTimestamp(r, b)) r.toLocal(out)
}

/** By a zone's clocks: the result is an instant whatever was cut. */
function truncateIn(r: Registers, out: number, cut: Truncate | undefined, a: number, b: number): void {
  truncate(r, out, cut, a, b)
  if (isLocalTimestamp(r, out)) r.toInstant(out)
}

/** A timestamp stays one; a date and an undeclared value count as timestamptz. */
function clockOf(type: ScalarType | undefined): ScalarType {
  return type === 'timestamp' ? 'timestamp' : 'timestamptz'
}

const DATE_TRUNC: FunctionEntry = {
  id: 'date_trunc',
  name: 'date_trunc',
  form: 'function',
  resolve: ([unit, time, further]) =>
    isOneOf(unit, 'text', 'any') && isTimeOrAny(time) && further === undefined ? clockOf(time) : undefined,
  signature: 'date_trunc(unit text, timestamptz | timestamp | date)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b) => {
    if (!isText(r, a)) wrongKind(r, out, 'date_trunc', a)
    else truncate(r, out, truncateTo(unitName(textOf(r, a))), a, b)
  },
  specialize: ([unit]) => {
    const word = literalUnit(unit)
    if (word === undefined) return undefined
    const cut = truncateTo(word)
    if (cut === undefined) throw unknownWord(unit, 'unit', TRUNCATE_UNITS)
    return (r, out, a, b) => truncate(r, out, cut, a, b)
  },
  doc: {
    summary:
      'The begin of the unit in which the time lies, of a timestamptz in UTC; weeks begin on Monday. Of a date it is a timestamptz.',
    example: "date_trunc('minute', ts::timestamptz)",
  },
}

const DATE_TRUNC_ZONE: FunctionEntry = {
  id: 'date_trunc_zone',
  name: 'date_trunc',
  form: 'function',
  resolve: ([unit, time, zone, further]) =>
    isOneOf(unit, 'text', 'any') && isTimeOrAny(time) && isOneOf(zone, 'text', 'any') && further === undefined
      ? 'timestamptz'
      : undefined,
  signature: 'date_trunc(unit text, timestamptz, zone text)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b, c) => {
    if (!isText(r, a)) {
      wrongKind(r, out, 'date_trunc', a)
      return
    }
    if (!isTime(r, out, 'date_trunc', b)) return
    const zone = readTimeZone(r, out, 'date_trunc', c)
    if (zone !== undefined) truncateIn(r, out, truncateToIn(unitName(textOf(r, a)), zone), a, b)
  },
  specialize: ([unit, , zoneArgument]) => {
    const zone = literalTimeZone(zoneArgument)
    const word = literalUnit(unit)
    if (word === undefined) return undefined
    if (truncateTo(word) === undefined) throw unknownWord(unit, 'unit', TRUNCATE_UNITS)
    if (zone === undefined) return undefined
    const cut = truncateToIn(word, zone)
    return (r, out, a, b) => truncateIn(r, out, cut, a, b)
  },
  doc: {
    summary:
      "As date_trunc, by a zone's clocks: on the days of their change a day has 23 or 25 hours, and an hour that they show twice is two.",
    example: "date_trunc('day', ts::timestamptz, 'Europe/Berlin')",
  },
}

/** Writes the begin of the bucket as an instant; false: an error. `origin` -1: none was given. */
function findBucket(r: Registers, out: number, name: string, a: number, b: number, origin: number): boolean {
  if (!isInterval(r, a)) {
    wrongKind(r, out, name, a)
    return false
  }
  if (!isTime(r, out, name, b) || (origin >= 0 && !isTime(r, out, name, origin))) return false
  const find = bucketOf(intervalOf(r, a), origin)
  if (typeof find === 'string') {
    r.setError(out, 'invalid_argument', `${name}: ${find}`)
    return false
  }
  const isFound = find(r, out, b)
  if (!isFound) outOfRange(r, out)
  return isFound
}

/** The bucket of a date is a date, of a timestamp a timestamp. */
function toTypeOf(r: Registers, out: number, b: number): void {
  if (isLocalTimestamp(r, b)) r.toLocal(out)
  else if (r.tag[b] === TAG.DATE) r.setDate(out, dayOf(r, out))
}

/** The interval of a literal argument, checked; undefined where it is none. */
function literalInterval(argument: Expression | undefined, name: string): Interval | undefined {
  if (argument?.kind !== 'literal' || argument.value === null || argument.type !== 'interval') return undefined
  const interval = parseInterval(String(argument.value))
  assert(interval !== undefined, 'an interval literal is one')
  const problem = bucketOf(interval, -1)
  if (typeof problem !== 'string') return interval
  throw new RollupdError('sql_invalid', `${name}: ${problem}`, {
    position: argument.position,
    hint: "Write a width such as '5 minutes', '1 day' or '3 months'.",
  })
}

const TIME_BUCKET: FunctionEntry = {
  id: 'time_bucket',
  name: 'time_bucket',
  form: 'function',
  resolve: ([width, time, origin, further]) => {
    // an undeclared one is a text if anything, and so a zone
    const type = time === 'any' ? 'timestamptz' : time
    const takesOrigin = origin === undefined || origin === type
    return width === 'interval' && isTimeType(type) && takesOrigin && further === undefined ? type : undefined
  },
  signature: 'time_bucket(interval, timestamptz | timestamp | date [, origin of that type])',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b, c) => {
    if (r.tag[b] === TAG.DATE && isInterval(r, a) && restOf(r, a) !== 0) {
      r.setError(out, 'invalid_argument', 'time_bucket: the width of buckets of dates has parts of a day')
    } else if (findBucket(r, out, 'time_bucket', a, b, c)) toTypeOf(r, out, b)
  },
  specialize: ([width, time, origin]) => {
    const interval = literalInterval(width, 'time_bucket')
    if (interval === undefined || origin !== undefined || time?.type === 'date') return undefined
    const find = bucketOf(interval, -1)
    if (typeof find === 'string') return undefined
    return (r, out, _a, b) => {
      if (!isTime(r, out, 'time_bucket', b)) return
      if (find(r, out, b)) toTypeOf(r, out, b)
      else outOfRange(r, out)
    }
  },
  doc: {
    summary:
      'The begin of the bucket of that width, counted from an origin: Monday 2000-01-03, or 2000-01-01 for months, unless given.',
    example: "time_bucket('15 minutes', ts::timestamptz)",
  },
}

const TIME_BUCKET_ZONE: FunctionEntry = {
  id: 'time_bucket_zone',
  name: 'time_bucket',
  form: 'function',
  resolve: ([width, time, zone, further]) =>
    width === 'interval' && isOneOf(time, 'timestamptz', 'any') && isOneOf(zone, 'text', 'any') && further === undefined
      ? 'timestamptz'
      : undefined,
  signature: 'time_bucket(interval, timestamptz, zone text)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b, c) => {
    if (!isInterval(r, a)) {
      wrongKind(r, out, 'time_bucket', a)
      return
    }
    if (!isTime(r, out, 'time_bucket', b)) return
    const zone = readTimeZone(r, out, 'time_bucket', c)
    if (zone === undefined) return
    const find = bucketIn(intervalOf(r, a), zone)
    if (typeof find === 'string') r.setError(out, 'invalid_argument', `time_bucket: ${find}`)
    else if (!find(r, out, b)) outOfRange(r, out)
  },
  specialize: ([width, , zoneArgument]) => {
    const zone = literalTimeZone(zoneArgument)
    const interval = literalInterval(width, 'time_bucket')
    if (interval === undefined || zone === undefined) return undefined
    const find = bucketIn(interval, zone)
    if (typeof find === 'string') return undefined
    return (r, out, _a, b) => {
      if (isTime(r, out, 'time_bucket', b) && !find(r, out, b)) outOfRange(r, out)
    }
  },
  doc: {
    summary: "As time_bucket, by a zone's clocks: buckets of days and months begin at its midnight.",
    example: "time_bucket('1 day', ts::timestamptz, 'America/New_York')",
  },
}

/** As PostgreSQL resolves it: two dates, and anything beside a timestamptz, are timestamptz. */
function isTimestampBin(time: ScalarType | undefined, origin: ScalarType | undefined): boolean {
  const isPlain = (type: ScalarType | undefined): boolean => type === 'timestamp' || type === 'date'
  return isPlain(time) && isPlain(origin) && (time === 'timestamp' || origin === 'timestamp')
}

const DATE_BIN: FunctionEntry = {
  id: 'date_bin',
  name: 'date_bin',
  form: 'function',
  resolve: ([width, time, origin, further]) =>
    width === 'interval' && isTimeOrAny(time) && isTimeOrAny(origin) && further === undefined
      ? isTimestampBin(time, origin)
        ? 'timestamp'
        : 'timestamptz'
      : undefined,
  signature: 'date_bin(interval, timestamptz | timestamp, origin of that type)',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b, c) => {
    const isMonths = isInterval(r, a) && monthsOf(r, a) !== 0
    if (isMonths) r.setError(out, 'invalid_argument', 'date_bin: the width has months or years; time_bucket takes them')
    else if (findBucket(r, out, 'date_bin', a, b, c)) {
      const isPlain = !isTimestamp(r, b) && !isTimestamp(r, c) && (isLocalTimestamp(r, b) || isLocalTimestamp(r, c))
      if (isPlain) r.toLocal(out)
    }
  },
  specialize: ([width]) => {
    const interval = literalInterval(width, 'date_bin')
    if (interval === undefined || interval.months === 0) return undefined
    throw new RollupdError('sql_invalid', 'date_bin: the width has months or years', {
      position: width?.position,
      hint: 'Write time_bucket, which takes them.',
    })
  },
  doc: {
    summary: 'The begin of the bucket of that width, counted from the origin.',
    example: "date_bin('15 minutes', ts::timestamptz, TIMESTAMPTZ '2001-01-01')",
  },
}

export const TIME_CUT_FUNCTIONS: readonly FunctionEntry[] = [
  DATE_TRUNC,
  DATE_TRUNC_ZONE,
  TIME_BUCKET,
  TIME_BUCKET_ZONE,
  DATE_BIN,
]
