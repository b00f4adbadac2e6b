/** Percentiles at an array of fractions beside PostgreSQL's: of random values and fractions, of doubles that no engine rounds. */
import { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LeafBench, plan } from '../property/leaf-run.ts'

const START_TIMEOUT_MS = 60_000
const SAMPLES = 25

let postgres: PGlite
let bench: LeafBench

beforeAll(async () => {
  postgres = await PGlite.create()
  bench = await LeafBench.create()
}, START_TIMEOUT_MS)

afterAll(async () => {
  await postgres.close()
  bench.close()
})

const fraction = fc.constantFrom('0', '0.25', '0.5', '0.625', '1', 'NULL')
const row = fc.array(fraction, { minLength: 1, maxLength: 4 }).map((items) => `ARRAY[${items.join(', ')}]`)
const rows = fc
  .array(fc.tuple(fraction, fraction), { minLength: 1, maxLength: 3 })
  .map((pairs) => `ARRAY[${pairs.map((pair) => `ARRAY[${pair.join(', ')}]`).join(', ')}]`)
const fractions = fc.oneof(row, rows, fc.constant('ARRAY[]')).map((written) => `${written}::float8[]`)
const eighth = fc.integer({ min: -80, max: 80 }).map((value) => value / 8)
const values = fc.array(fc.option(eighth, { freq: 8 }), { maxLength: 7 })
const cases = fc.sample(fc.tuple(fractions, fractions, values, fc.constantFrom('ASC', 'DESC')), {
  numRuns: SAMPLES,
  seed: 11,
})

test.each(cases)('%s and %s of %j %s', async (cont, disc, list, direction) => {
  const outputs = (x: string, asJson: (call: string) => string): string =>
    [
      `${asJson(`percentile_cont(${cont}) WITHIN GROUP (ORDER BY ${x} ${direction})`)} AS c`,
      `${asJson(`percentile_disc(${disc}) WITHIN GROUP (ORDER BY ${x} ${direction}) FILTER (WHERE ${x} > 0)`)} AS d`,
    ].join(', ')
  const { rows: answers } = await postgres.query(
    `SELECT ${outputs('x', (call) => `to_jsonb(${call})`)} FROM unnest($1::float8[]) AS t(x)`,
    [list],
  )
  const statement = plan(`SELECT ${outputs('x::double precision', (call) => call)} FROM _input`)
  const records = list.map((x, offset) => ({
    ...{ partition: 0, offset, timestampMs: 0, key: null, value: undefined },
    text: JSON.stringify({ x }),
  }))
  bench.withRollup(statement, records, 'whole', { onError: 'dead_letter' }, (name) => {
    const { lines } = bench.query(`SELECT * FROM ${name}`)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(answers)
  })
})
