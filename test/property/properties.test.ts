/**
 * The properties in short: PROPERTY_SEED and PROPERTY_RUNS make them longer. A table of what took part in how many runs stands at the
 * end; ./dev fuzz sql runs them for long and demands enough runs of everything.
 */
import { afterAll, beforeAll, test, vi } from 'vitest'
import { Coverage } from './coverage.ts'
import { enginesProperty, openDuck, openPostgres, type Engine, type EngineFigures } from './engines-property.ts'
import { evaluatorsProperty } from './evaluators-property.ts'
import { LeafBench } from './leaf-run.ts'
import { runOptions, runProperty } from './property-run.ts'
import { splitProperty } from './split-property.ts'

// an engine takes seconds to start, and the long form minutes
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 120_000 })

const coverage = new Coverage()
let bench: LeafBench

beforeAll(async () => {
  bench = await LeafBench.create()
})
afterAll(() => {
  bench.close()
  if (process.env['PROPERTY_RUNS'] !== undefined) process.stdout.write(`${coverage.table()}\n`)
})

test('a rollup is the plain query, however its records arrive', async () => {
  await runProperty(splitProperty(bench, coverage), runOptions())
})

test('both evaluators give the same value', async () => {
  await runProperty(evaluatorsProperty(bench, coverage), runOptions())
})

test.each([
  ['PostgreSQL', openPostgres],
  ['DuckDB', openDuck],
])('a rollup over cast fields is the query of %s', async (_name, open: () => Promise<Engine>) => {
  const engine = await open()
  const figures: EngineFigures = { asked: 0, failing: 0, refused: 0 }
  try {
    await runProperty(enginesProperty(bench, engine, coverage, figures), runOptions())
  } finally {
    await engine.close()
  }
})
