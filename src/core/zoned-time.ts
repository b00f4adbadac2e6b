/**
 * Owns instants as the clocks of a zone show them: the local time is the instant that has the same digits in UTC. What is done
 * with it there (cutting, buckets) is done as in UTC, and the result brought back.
 */
import type { Registers } from './registers.ts'
import type { TimeZone } from './time-zone.ts'
import {
  dayOf,
  floorTo,
  isSmallTime,
  microsecondOfDay,
  MICROSECONDS_PER_DAY,
  MICROSECONDS_PER_SECOND,
  setTimestampOfDay,
} from './timestamp-calendar.ts'

const SECONDS_PER_DAY = 86_400

/** Seconds since 1970 of a time register, rounded down. */
export function secondsOf(r: Registers, index: number): number {
  if (isSmallTime(r, index)) return Math.floor((r.num[index] as number) / MICROSECONDS_PER_SECOND)
  const day = dayOf(r, index)
  return day * SECONDS_PER_DAY + Math.floor(microsecondOfDay(r, index, day) / MICROSECONDS_PER_SECOND)
}

/** Writes a time that is so many seconds later; false, and nothing is written, outside of timestamptz's range. */
export function addSeconds(r: Registers, out: number, from: number, seconds: number): boolean {
  const day = dayOf(r, from)
  const microsecond = microsecondOfDay(r, from, day) + seconds * MICROSECONDS_PER_SECOND
  const begin = floorTo(microsecond, MICROSECONDS_PER_DAY)
  return setTimestampOfDay(r, out, day + begin / MICROSECONDS_PER_DAY, microsecond - begin)
}

/**
 * Brings a local time back. `offset`, in seconds, is what was in force at the instant that it was made of: where it is still in force
 * at the result it counts, so that of an hour that the clocks show twice each has buckets of its own.
 */
export function localToInstant(r: Registers, out: number, local: number, zone: TimeZone, offset: number): boolean {
  const seconds = secondsOf(r, local)
  const isSame = zone.offsetAt(seconds - offset) === offset
  return addSeconds(r, out, local, isSame ? -offset : zone.toInstant(seconds) - seconds)
}

/** Writes what the zone's clocks show at an instant, as the instant with these digits in UTC; false: out of range. */
export function toLocalIn(r: Registers, out: number, from: number, zone: TimeZone): boolean {
  return addSeconds(r, out, from, zone.offsetAt(secondsOf(r, from)))
}

/** The way back: the instant at which the zone's clocks show the digits of a time. */
export function toInstantIn(r: Registers, out: number, from: number, zone: TimeZone): boolean {
  const seconds = secondsOf(r, from)
  return addSeconds(r, out, from, zone.toInstant(seconds) - seconds)
}
