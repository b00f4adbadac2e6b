/**
 * Owns AT TIME ZONE: what a zone's clocks show at an instant, and the instant at which they show a timestamp. Of two such instants it is
 * the later one; where the clocks skip the timestamp, as if they had not been changed yet: both as PostgreSQL.
 */
import { monthsOf, daysOf, timeOf } from '../../core/interval.ts'
import { type Registers } from '../../core/registers.ts'
import type { ScalarType } from '../../core/scalar-type.ts'
import type { TimeZone } from '../../core/time-zone.ts'
import { MICROSECONDS_PER_SECOND, microsecondsOfTime, setTimestampOf } from '../../core/timestamp-calendar.ts'
import { toInstantIn, toLocalIn } from '../../core/zoned-time.ts'
import type { FunctionEntry } from '../function-entry.ts'
import { always, isInterval, isLocalTimestamp, isOneOf } from './argument.ts'
import { isTime, outOfRange } from './time-argument.ts'
import { literalTimeZone, readTimeZone } from './time-zone-argument.ts'

const NAME = 'AT TIME ZONE'

function convert(r: Registers, out: number, zone: TimeZone, b: number): void {
  const isLocal = isLocalTimestamp(r, b)
  const isInRange = isLocal ? toInstantIn(r, out, b, zone) : toLocalIn(r, out, b, zone)
  if (!isInRange) outOfRange(r, out)
  else if (!isLocal) r.toLocal(out)
}

/** An interval as a zone is its distance to the east of UTC. */
function convertByInterval(r: Registers, out: number, a: number, b: number): void {
  if (monthsOf(r, a) !== 0 || daysOf(r, a) !== 0) {
    r.setError(out, 'invalid_argument', `${NAME}: an interval as a zone has no months and no days`)
    return
  }
  const isLocal = isLocalTimestamp(r, b)
  // whole seconds, as a zone has them
  const second = BigInt(MICROSECONDS_PER_SECOND)
  const east = (timeOf(r, a) / second) * second
  const offset = isLocal ? -east : east
  if (!setTimestampOf(r, out, microsecondsOfTime(r, b) + offset)) outOfRange(r, out)
  else if (!isLocal) r.toLocal(out)
}

function resultOf(time: ScalarType | undefined): ScalarType | undefined {
  if (time === 'timestamp') return 'timestamptz'
  return isOneOf(time, 'timestamptz', 'date') ? 'timestamp' : undefined
}

const TIMEZONE: FunctionEntry = {
  id: 'timezone',
  name: 'timezone',
  form: 'function',
  resolve: ([zone, time, further]) =>
    isOneOf(zone, 'text', 'any', 'interval') && further === undefined ? resultOf(time) : undefined,
  signature: 'timestamptz | timestamp AT TIME ZONE zone',
  strict: true,
  canFail: always,
  evaluate: (r, out, a, b) => {
    if (!isTime(r, out, NAME, b)) return
    if (isInterval(r, a)) {
      convertByInterval(r, out, a, b)
      return
    }
    const zone = readTimeZone(r, out, NAME, a)
    if (zone !== undefined) convert(r, out, zone, b)
  },
  specialize: ([zoneArgument]) => {
    const zone = zoneArgument?.type === 'interval' ? undefined : literalTimeZone(zoneArgument)
    return zone === undefined ? undefined : (r, out, _a, b) => convert(r, out, zone, b)
  },
  doc: {
    summary:
      "Of a timestamptz: the timestamp that the zone's clocks show. Of a timestamp: the instant at which they show it. A zone is an IANA name or an interval to the east of UTC.",
    example: "ts::timestamptz AT TIME ZONE 'Europe/Berlin'",
  },
}

export const TIME_ZONE_FUNCTIONS: readonly FunctionEntry[] = [TIMEZONE]
