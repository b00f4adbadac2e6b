/**
 * Owns the offsets of IANA time zones from UTC, by the tables that the runtime brings (process.versions.tz). Seconds throughout,
 * since 1970. What a local time means that occurs twice or never is PostgreSQL's: the later one of two, and in a gap as if
 * the clock had not been changed yet.
 */
const SECONDS_PER_DAY = 86_400
/** The calendar and with it the rules of daylight saving repeat after 400 years. */
const CYCLE_SECONDS = 146_097 * SECONDS_PER_DAY
/** Zones begin with the local mean time of a place; before this year none has another. */
const FIRST_YEAR = 1800
/** Beyond it a year is one of the 400 before it: all of these have the rules that are in force today. */
const LAST_YEAR = 2500
const NAME = /^[a-z][\w+-]*(\/[\w+-]+)*$/i
/** `10/27/2024, 02:00:00` */
const FIELDS = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/

const beginOfYear = (year: number): number => Date.UTC(year, 0, 1) / 1000
const FIRST_SECOND = beginOfYear(FIRST_YEAR)
const LAST_SECOND = beginOfYear(LAST_YEAR)

/** In force from `from` on. */
interface OffsetPeriod {
  readonly from: number
  readonly offset: number
}

export class TimeZone {
  readonly #format: Intl.DateTimeFormat
  readonly #years = new Map<number, readonly OffsetPeriod[]>()
  /** The period that was asked for last: records come in about the order of their times. */
  #from = 0
  #until = 0
  #offset = 0

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format
  }

  /** Seconds by which local time is ahead of UTC at an instant. */
  offsetAt(instant: number): number {
    if (instant >= this.#from && instant < this.#until) return this.#offset
    if (instant < FIRST_SECOND) return this.offsetAt(FIRST_SECOND)
    if (instant >= LAST_SECOND) {
      return this.offsetAt(instant - Math.ceil((instant - LAST_SECOND + 1) / CYCLE_SECONDS) * CYCLE_SECONDS)
    }
    const year = new Date(instant * 1000).getUTCFullYear()
    const periods = this.#periodsOf(year)
    let index = periods.length - 1
    while (index > 0 && periods[index]!.from > instant) index--
    this.#from = periods[index]!.from
    this.#until = periods[index + 1]?.from ?? beginOfYear(year + 1)
    this.#offset = periods[index]!.offset
    return this.#offset
  }

  /** The instant of a local time, given in seconds as if it were UTC. */
  toInstant(local: number): number {
    const before = this.offsetAt(local - SECONDS_PER_DAY)
    const after = this.offsetAt(local + SECONDS_PER_DAY)
    const isBefore = this.offsetAt(local - before) === before
    const isAfter = this.offsetAt(local - after) === after
    return isAfter || (!isBefore && before === after) ? local - after : local - before
  }

  /** Looks once a day, no clock is changed and changed back within one, and then for the second. */
  #periodsOf(year: number): readonly OffsetPeriod[] {
    const known = this.#years.get(year)
    if (known !== undefined) return known
    const end = beginOfYear(year + 1)
    let at = beginOfYear(year)
    const periods: OffsetPeriod[] = [{ from: at, offset: this.#readOffset(at) }]
    while (at < end) {
      const next = at + SECONDS_PER_DAY
      const { offset } = periods.at(-1)!
      const offsetThen = this.#readOffset(next)
      if (offsetThen !== offset) periods.push({ from: this.#findChange(at, next, offset), offset: offsetThen })
      at = next
    }
    this.#years.set(year, periods)
    return periods
  }

  /** The first second in (low, high] whose offset isn't the one at `low`. */
  #findChange(low: number, high: number, offset: number): number {
    let [before, behind] = [low, high]
    while (behind - before > 1) {
      const middle = Math.floor((before + behind) / 2)
      if (this.#readOffset(middle) === offset) before = middle
      else behind = middle
    }
    return behind
  }

  #readOffset(instant: number): number {
    const match = FIELDS.exec(this.#format.format(instant * 1000))
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (match ?? []).slice(1).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - instant
  }
}

/** The longest name has 32 characters. */
const NAME_LENGTH_MAX = 64
const KNOWN = new Map<string, TimeZone>()
/** Names that are no zone: asking for one costs 0.2 ms, and a topic's wrong names are mostly the same few. Emptied when it is full. */
const UNKNOWN = new Set<string>()
const UNKNOWN_MAX = 1_000

/** The zone of an IANA name in any case: `Europe/Berlin`, `UTC`; undefined where there is none. Offsets and abbreviations are no names. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined
  const key = name.toLowerCase()
  const known = KNOWN.get(key)
  if (known !== undefined || UNKNOWN.has(key) || !NAME.test(name)) return known
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    })
    const zone = new TimeZone(format)
    KNOWN.set(key, zone)
    return zone
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    if (UNKNOWN.size === UNKNOWN_MAX) UNKNOWN.clear()
    UNKNOWN.add(key)
    return undefined
  }
}

/** All names, for messages. */
export function timeZoneNames(): readonly string[] {
  return Intl.supportedValuesOf('timeZone')
}
