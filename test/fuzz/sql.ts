/**
 * `./dev fuzz sql`: the properties of test/property in their long form. --runs N (default 5000), --seed N; a failing run says how to repeat it.
 */
import { parseArgs } from 'node:util'
import { PropertySuite } from '../property/property-suite.ts'

const RUNS_DEFAULT = '5000'

const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } })
const options = { runs: Number(values.runs ?? RUNS_DEFAULT), seed: Number(values.seed ?? '1') }
if (!Number.isSafeInteger(options.runs) || options.runs < 1 || !Number.isSafeInteger(options.seed)) {
  throw new Error('--runs takes a positive integer, --seed an integer')
}
const suite = await PropertySuite.create()
let failed = false
for (const part of suite.parts) {
  const start = performance.now()
  try {
    await part.run(options)
    console.log(`${part.name}: held, ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  } catch (error) {
    failed = true
    console.error(error instanceof Error ? error.message : error)
  }
}
console.log(suite.report())
const shortcomings = suite.shortcomings(options)
for (const shortcoming of shortcomings) console.error(shortcoming)
await suite.close()
process.exitCode = failed || shortcomings.length > 0 ? 1 : 0
