/** Variances, covariances and regressions beside PostgreSQL's and DuckDB's: the same but for what those round on the way. */
import { PGlite } from '@electric-sql/pglite'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveAggregate } from '../../src/aggregates/aggregate-table.ts'
import { finish, stateOf, type Arguments } from './fold-values.ts'

/** Their sums about a running mean are rounded at each step. */
const ENGINE_ERROR = 1e-9
const START_TIMEOUT_MS = 60_000

const ONE = ['stddev', 'stddev_samp', 'stddev_pop', 'variance', 'var_samp', 'var_pop']
const PAIRS = [
  ...['covar_pop', 'covar_samp', 'corr', 'regr_count', 'regr_avgx', 'regr_avgy', 'regr_sxx', 'regr_syy', 'regr_sxy'],
  ...['regr_slope', 'regr_intercept', 'regr_r2'],
]

const eighth = fc.integer({ min: -8000, max: 8000 }).map((value) => value / 8)
const orNull = fc.oneof({ weight: 8, arbitrary: eighth }, { weight: 1, arbitrary: fc.constant(null) })
type Pair = readonly [number | null, number | null]
const SAMPLES: readonly (readonly Pair[])[] = [
  ...fc.sample(fc.array(fc.tuple(orNull, orNull), { maxLength: 8 }), { numRuns: 60, seed: 7 }),
  [],
  [[3, 2]],
  [
    [1, 2],
    [5, 2],
  ],
  [
    [2, 1],
    [2, 5],
  ],
]

let postgres: PGlite
let duck: DuckDBConnection

beforeAll(async () => {
  postgres = await PGlite.create()
  duck = await (await DuckDBInstance.create(':memory:')).connect()
}, START_TIMEOUT_MS)

afterAll(async () => {
  await postgres.close()
  duck.closeSync()
})

function own(name: string, pairs: readonly Pair[]): unknown {
  const isPair = PAIRS.includes(name)
  const aggregate = resolveAggregate(name, isPair ? ['double precision', 'double precision'] : ['double precision'])!
  const values: readonly Arguments[] = isPair ? pairs : pairs.map(([y]) => y)
  return finish(aggregate, stateOf(aggregate, values))
}

const cell = (value: number | null): string => (value === null ? 'NULL' : `'${value}'`)

function queryOf(pairs: readonly Pair[]): string {
  const calls = [...ONE.map((name) => `${name}(y)::text`), ...PAIRS.map((name) => `${name}(y, x)::text`)]
  const rows = pairs.map(([y, x]) => `SELECT ${cell(y)}::double precision AS y, ${cell(x)}::double precision AS x`)
  const none = 'SELECT 0::double precision AS y, 0::double precision AS x WHERE false'
  return `SELECT ${calls.join(', ')} FROM (${rows.length === 0 ? none : rows.join(' UNION ALL ')}) AS t`
}

function expectAlike(engine: string, theirs: readonly unknown[], pairs: readonly Pair[]): void {
  for (const [index, name] of [...ONE, ...PAIRS].entries()) {
    const mine = own(name, pairs)
    const value = theirs[index] ?? null
    if (mine === null || value === null) expect([engine, name, pairs, value]).toEqual([engine, name, pairs, mine])
    else {
      const error = Math.abs(Number(value) - Number(mine)) / Math.max(1, Math.abs(Number(mine)))
      expect([engine, name, error <= ENGINE_ERROR, value, mine]).toEqual([engine, name, true, value, mine])
    }
  }
}

test('PostgreSQL gives the same', async () => {
  for (const pairs of SAMPLES) {
    const { rows } = await postgres.query<unknown[]>(queryOf(pairs), [], { rowMode: 'array' })
    expectAlike('PostgreSQL', rows[0] ?? [], pairs)
  }
})

test('what is not finite is as in PostgreSQL', async () => {
  const values = ['Infinity', '-Infinity', 'NaN', '1', '1', '2']
  for (const y of values) {
    for (const x of values) {
      const pairs = [
        [Number(y), Number(x)],
        [1, 1],
      ] as const
      const { rows } = await postgres.query<unknown[]>(queryOf(pairs), [], { rowMode: 'array' })
      const mine = [...ONE, ...PAIRS].map((name) => String(own(name, pairs)))
      expect(mine.map((text) => (text === 'null' ? 'null' : String(Number(text))))).toEqual(
        rows[0]?.map((text) => (text === null ? 'null' : String(Number(text)))),
      )
    }
  }
})

test('DuckDB gives the same', async () => {
  for (const pairs of SAMPLES) {
    const rows = (await duck.runAndReadAll(queryOf(pairs))).getRows()
    // it has NaN where a side without a spread gives PostgreSQL and the standard NULL
    const values = rows[0]?.map((value) => (value === 'nan' ? null : value))
    expectAlike('DuckDB', values ?? [], pairs)
  }
})
