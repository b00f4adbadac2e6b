/** SUM and AVG of intervals against PostgreSQL, and where an interval's range ends. */
import { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAggregate, resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { formatInterval } from '../../src/core/interval-text.ts'
import { Registers, TAG, type Interval } from '../../src/core/registers.ts'
import { intervalOf } from '../../src/core/interval.ts'
import { finish, stateOf } from './fold-values.ts'

const RUNS = 100
const START_TIMEOUT_MS = 60_000
let postgres: PGlite

beforeAll(async () => {
  postgres = await PGlite.create()
}, START_TIMEOUT_MS)

afterAll(async () => {
  await postgres.close()
})

/** Sums of ten are in range. */
const spans = fc.record({
  months: fc.oneof(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -(2 ** 27), max: 2 ** 27 })),
  days: fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -(2 ** 27), max: 2 ** 27 })),
  microseconds: fc.oneof(
    fc.bigInt({ min: -100_000_000_000n, max: 100_000_000_000n }),
    fc.bigInt({ min: -(2n ** 59n), max: 2n ** 59n }),
  ),
})

function own(name: string, values: readonly Interval[]): string | null {
  const aggregate = resolveAggregate(name, ['interval'])!
  const r = new Registers(1)
  const state = stateOf(aggregate, values)
  aggregate.finalize(state, r, 0, Number.NaN)
  if (r.tag[0] === TAG.NULL) return null
  return formatInterval(intervalOf(r, 0))
}

test('PostgreSQL gives the same', async () => {
  for (const values of fc.sample(fc.array(spans, { maxLength: 10 }), RUNS)) {
    const rows = values.map(
      ({ months, days, microseconds }) =>
        `(make_interval(months => ${months}, days => ${days}) + interval '${microseconds} microseconds')`,
    )
    const from = rows.length === 0 ? "VALUES (interval '0')) AS t(v) WHERE false" : `VALUES ${rows.join(', ')}) AS t(v)`
    const { rows: answers } = await postgres.query<{ s: string | null; a: string | null }>(
      `SELECT SUM(v)::text AS s, AVG(v)::text AS a FROM (${from}`,
    )
    expect({ s: own('sum', values), a: own('avg', values) }, rows.join(', ')).toEqual(answers[0])
  }
})

test('beyond the range of an interval only the total counts', () => {
  const sum = resolveAggregate('sum', ['interval'])!
  const span = (months: number, microseconds: bigint): Interval => ({ months, days: 0, microseconds })
  const largest = span(2 ** 31 - 1, 2n ** 63n - 1n)
  expect(finish(sum, stateOf(sum, [largest, span(1, 0n)]))).toEqual({ error: 'interval_out_of_range' })
  expect(finish(sum, stateOf(sum, [largest, span(0, 1n)]))).toEqual({ error: 'interval_out_of_range' })
  expect(own('sum', [largest, largest, span(-(2 ** 31 - 1), -(2n ** 63n - 1n))])).toBe(own('sum', [largest]))
})

test('the bytes are stored in databases and must not change', () => {
  const sum = resolveAggregate('sum', ['interval'])!
  const state = stateOf(sum, [{ months: 14, days: -3, microseconds: 14_706_700_000n }])
  expect(Buffer.from(state[0] as Uint8Array).toString('hex')).toBe('0101020e03030a036c966ee0')
})

test('DISTINCT is refused: of equal intervals with other parts one would count', () => {
  expect(findAggregate('sum', true)?.resolve(['interval'])).toBeUndefined()
})
