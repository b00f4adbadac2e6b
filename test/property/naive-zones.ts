/** Owns the naive evaluator's time zones: offsets asked of Intl for each instant, local times brought back by trying both. */
import { dateTrunc, timeBucket, unitOf } from './naive-times.ts'
import { type Local, RowError, type Span, type Time, toTime } from './value.ts'

const SECOND = 1_000_000n
const DAY = 86_400n * SECOND
const CYCLE = 146_097n * DAY
const FIRST = BigInt(Date.UTC(1800, 0, 1)) * 1000n
// the 400 years before have today's rules
const LAST = BigInt(Date.UTC(2500, 0, 1)) * 1000n
const SHORT = /^(microsecond|millisecond)s?$|^(second|minute|hour)$/

function formatOf(zone: string): Intl.DateTimeFormat {
  if (!/^[a-z][\w+/-]*$/i.test(zone)) throw new RowError('invalid_argument')
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, ...fields, ...clock })
  } catch {
    throw new RowError('invalid_argument')
  }
}

class NaiveZone {
  readonly #format: Intl.DateTimeFormat

  constructor(zone: string) {
    this.#format = formatOf(zone)
  }

  /** Microseconds. Rules repeat every 400 years; before 1800 there is one offset. */
  offset(micros: bigint): bigint {
    let at = micros < FIRST ? FIRST : micros
    while (at >= LAST) at -= CYCLE
    const seconds = at >= 0n ? at / SECOND : (at - SECOND + 1n) / SECOND
    const parts = this.#format.formatToParts(Number(seconds) * 1000)
    const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
    return BigInt(local) * 1000n - seconds * SECOND
  }

  instant(local: bigint): bigint {
    const offsets = [this.offset(local - DAY), this.offset(local + DAY)] as const
    const fitting = offsets.map((one) => local - one).filter((at, index) => this.offset(at) === offsets[index])
    const [first = local - offsets[0], second = first] = fitting
    return first > second ? first : second
  }
}

export function dateTruncIn(unit: string, time: Time, zone: string): Time {
  const clocks = new NaiveZone(zone)
  const offset = clocks.offset(time.micros)
  const { micros } = dateTrunc(unit, toTime(time.micros + offset))
  return toTime(SHORT.test(unitOf(unit)) ? micros - offset : clocks.instant(micros))
}

export function timeBucketIn(width: Span, time: Time, zone: string): Time {
  const clocks = new NaiveZone(zone)
  const offset = clocks.offset(time.micros)
  const { micros } = timeBucket(width, toTime(time.micros + offset), undefined)
  const isSame = clocks.offset(micros - offset) === offset
  return toTime(isSame ? micros - offset : clocks.instant(micros))
}

/** What the zone's clocks show, as the instant with these digits in UTC. */
export function localIn({ micros }: Time, zone: string): Time {
  return toTime(micros + new NaiveZone(zone).offset(micros))
}

export function instantIn({ micros }: Local, zone: string): Time {
  return toTime(new NaiveZone(zone).instant(micros))
}
