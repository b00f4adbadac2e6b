/** Owns the fields of the naive evaluator's intervals, and cutting them to one. */
import { Decimal, nearestDouble, RowError, Span } from './value.ts'

const MINUTE = 60_000_000n

const SPAN_FIELDS: Readonly<Record<string, (span: Span) => number>> = {
  epoch: ({ months, days, micros }) => {
    const hours = BigInt(Math.trunc(months / 12) * 8766 + ((months % 12) * 30 + days) * 24)
    return nearestDouble(new Decimal(hours * 3_600_000_000n + micros, 6))
  },
  millennium: ({ months }) => Math.trunc(months / 12_000),
  century: ({ months }) => Math.trunc(months / 1_200),
  decade: ({ months }) => Math.trunc(months / 120),
  year: ({ months }) => Math.trunc(months / 12),
  quarter: ({ months }) => (months % 12 < 0 ? -1 : 1) * (Math.floor(Math.abs(months % 12) / 3) + 1),
  month: ({ months }) => months % 12,
  week: ({ days }) => Math.trunc(days / 7),
  day: ({ days }) => days,
  hour: ({ micros }) => Number(micros / (60n * MINUTE)),
  minute: ({ micros }) => Number((micros / MINUTE) % 60n),
  second: ({ micros }) => Number(micros % MINUTE) / 1e6,
  milliseconds: ({ micros }) => Number(micros % MINUTE) / 1e3,
  microseconds: ({ micros }) => Number(micros % MINUTE),
}

export function extractOfSpan(field: string, span: Span): number {
  const read = Object.hasOwn(SPAN_FIELDS, field) ? SPAN_FIELDS[field] : undefined
  if (read === undefined) throw new RowError('invalid_argument')
  return read(span) + 0
}

const SPAN_UNITS = ['millennium', 'century', 'decade', 'year', 'quarter', 'month'] as const
const MONTHS_OF = { millennium: 12_000, century: 1_200, decade: 120, year: 12, quarter: 3, month: 1 }
const TIMES_OF: Readonly<Record<string, bigint>> = {
  hour: 60n * MINUTE,
  minute: MINUTE,
  second: 1_000_000n,
  milliseconds: 1_000n,
  microseconds: 1n,
}

export function truncateSpan(unit: string, { months, days, micros }: Span): Span {
  const long = SPAN_UNITS.find((one) => one === unit)
  if (long !== undefined) return new Span(Math.trunc(months / MONTHS_OF[long]) * MONTHS_OF[long] + 0, 0, 0n)
  if (unit === 'day') return new Span(months, days, 0n)
  const size = Object.hasOwn(TIMES_OF, unit) ? TIMES_OF[unit] : undefined
  if (size === undefined) throw new RowError('invalid_argument')
  return new Span(months, days, micros - (micros % size))
}
