/** Owns generate_series as tables of SQLite whose rows are made while they are read. */
import type BetterSqlite3 from 'better-sqlite3'
import { findTimeZone } from '../core/time-zone.ts'
import { bigintSeries, timeSeries } from './series-steps.ts'

/** Its name in statements. */
export const GENERATE_SERIES = 'generate_series'
/** first, last, step. */
export const BIGINT_SERIES = 'series_bigint'
/** first, last, then the step's months, days and microseconds, then a zone or an empty text. */
export const TIME_SERIES = 'series_time'
export const SERIES_COLUMNS = ['value', 'place'] as const

/** Any argument NULL: no rows. */
export function registerSeries(connection: BetterSqlite3.Database): void {
  connection.table(BIGINT_SERIES, {
    columns: [...SERIES_COLUMNS],
    parameters: ['start', 'stop', 'step'],
    safeIntegers: true,
    *rows(...cells) {
      const [start, stop, step] = cells as [bigint, bigint, bigint]
      yield* numbered(bigintSeries(start, stop, step))
    },
  })
  connection.table(TIME_SERIES, {
    columns: [...SERIES_COLUMNS],
    parameters: ['start', 'stop', 'months', 'days', 'time', 'zone'],
    safeIntegers: true,
    *rows(...cells) {
      const [start, stop, months, days, microseconds, zone] = cells as [bigint, bigint, bigint, bigint, bigint, string]
      const step = { months: Number(months), days: Number(days), microseconds }
      yield* numbered(timeSeries(start, stop, step, findTimeZone(zone)))
    },
  })
}

function* numbered(values: Generator<bigint>): Generator<[bigint, bigint]> {
  let place = 0n
  for (const value of values) yield [value, ++place]
}
