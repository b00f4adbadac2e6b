/**
 * The properties of the whole path over random rollups and records. PROPERTY_RUNS=5000 is the long form, as ./dev fuzz sql; PROPERTY_SEED
 * begins elsewhere, and repeats one failing run.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PropertySuite } from './property-suite.ts'
import { runOptions } from './property-run.ts'
import { describeTally, shortcomingsOf } from './tally.ts'

const options = runOptions()
/** PostgreSQL in WebAssembly takes a second to start, and ten on a busy machine. */
const START_TIMEOUT_MS = 60_000
/** Twenty times what a run takes on a quiet machine. */
const RUN_TIMEOUT_MS = 500
const TIMEOUT_MS = START_TIMEOUT_MS + options.runs * RUN_TIMEOUT_MS
const PARTS = [
  'a rollup is the plain query, however its records arrive',
  'MEASURE over some of the grouping columns is the rollup with those alone',
  'restarts between batches leave the same bytes',
  'a rollup of a rollup is the rollup over the records with that grain',
  'a call gives the same at ingest and in a query',
  'a rollup over cast fields is the query of PostgreSQL',
  'a rollup over cast fields is the query of DuckDB',
  'a query over rollups is the query of PostgreSQL over tables of their rows',
  "the order of keys is PostgreSQL's",
  'a query over rows is the query of PostgreSQL',
]
let suite: PropertySuite

beforeAll(async () => {
  suite = await PropertySuite.create()
}, START_TIMEOUT_MS)

afterAll(async () => {
  console.log(describeTally(suite.tally()))
  await suite.close()
})

test.each(PARTS)(
  '%s',
  async (name) => {
    const part = suite.parts.find((one) => one.name === name)
    if (part === undefined) throw new Error(`no property "${name}"`)
    await part.run(options)
  },
  TIMEOUT_MS,
)

test('a long form covers each function, operator and aggregate, and skips next to nothing', () => {
  expect(shortcomingsOf(suite.tally(), options)).toEqual([])
})
