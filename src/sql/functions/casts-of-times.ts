/**
 * Owns the casts to timestamptz, timestamp, date and interval. Between the three points in time the zone is UTC: a date is its
 * midnight, a timestamp the instant that shows the same digits in UTC.
 */
import { setBigInterval } from '../../core/interval.ts'
import { parseInterval } from '../../core/interval-text.ts'
import { type Registers, TAG } from '../../core/registers.ts'
import type { TimeType } from '../../core/scalar-type.ts'
import { dayOf, setTimestampOfDay } from '../../core/timestamp-calendar.ts'
import {
  readDate,
  readLocalTimestamp,
  readTimestamp,
  TIMESTAMP_TEXT,
  type TimestampText,
} from '../../core/timestamp-text.ts'
import type { Evaluate } from '../function-entry.ts'
import { isInterval, quote, refuseCast, refuseText, textOf } from './argument.ts'

type ReadText = (bytes: Uint8Array, start: number, end: number, r: Registers, out: number) => TimestampText

function readTime(r: Registers, out: number, a: number, type: TimeType, read: ReadText): void {
  const result = read(r.ref[a] as Uint8Array, r.num[a] as number, r.end[a] as number, r, out)
  if (result === TIMESTAMP_TEXT.INVALID) refuseText(r, out, type, a)
  else if (result === TIMESTAMP_TEXT.OUT_OF_RANGE) {
    r.setError(out, 'timestamp_out_of_range', `${quote(r, a)} is out of range of ${type}`)
  }
}

function refuseOther(r: Registers, out: number, a: number, type: TimeType): void {
  const isNumber = (r.tag[a] as number) >= TAG.INTEGER && (r.tag[a] as number) <= TAG.NUMERIC
  refuseCast(r, out, type, a, isNumber ? ': use to_timestamp (seconds) or timestamp_millis' : '')
}

export const toTimestamp: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.TEXT:
      readTime(r, out, a, 'timestamptz', readTimestamp)
      return
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
      r.copy(out, a)
      return
    case TAG.LOCAL_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      r.copy(out, a)
      r.toInstant(out)
      return
    case TAG.DATE:
      setTimestampOfDay(r, out, r.num[a] as number, 0)
      return
    default:
      refuseOther(r, out, a, 'timestamptz')
  }
}

export const toLocalTimestamp: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.TEXT:
      readTime(r, out, a, 'timestamp', readLocalTimestamp)
      return
    case TAG.LOCAL_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      r.copy(out, a)
      return
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
      r.copy(out, a)
      r.toLocal(out)
      return
    case TAG.DATE:
      setTimestampOfDay(r, out, r.num[a] as number, 0)
      r.toLocal(out)
      return
    default:
      refuseOther(r, out, a, 'timestamp')
  }
}

export const toDate: Evaluate = (r, out, a) => {
  switch (r.tag[a]) {
    case TAG.TEXT:
      readTime(r, out, a, 'date', readDate)
      return
    case TAG.DATE:
    case TAG.TIMESTAMP:
    case TAG.BIG_TIMESTAMP:
    case TAG.LOCAL_TIMESTAMP:
    case TAG.BIG_LOCAL_TIMESTAMP:
      r.setDate(out, dayOf(r, a))
      return
    default:
      refuseOther(r, out, a, 'date')
  }
}

export const toInterval: Evaluate = (r, out, a) => {
  if (isInterval(r, a)) {
    r.copy(out, a)
    return
  }
  if (r.tag[a] !== TAG.TEXT) {
    refuseCast(r, out, 'interval', a)
    return
  }
  const interval = parseInterval(textOf(r, a))
  if (interval === undefined) refuseText(r, out, 'interval', a)
  else setBigInterval(r, out, interval.months, interval.days, interval.microseconds)
}
