/**
 * Fuzzes what reads records, for as long as is wanted: `node test/fuzz/records.ts --runs 1000000 --seed 7`. Silent about
 * what passes; ends with 1 and the offending bytes at the first failure.
 */
import { parseArgs } from 'node:util'
import { fuzzDecoder } from './decoder-fuzz.ts'
import { fuzzJsonReader } from './json-reader-fuzz.ts'

const RUNS_DEFAULT = 20_000

function main(): void {
  const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } })
  const runs = Number(values.runs ?? RUNS_DEFAULT)
  const seed = Number(values.seed ?? 1)
  if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
    throw new Error('--runs takes a positive integer, --seed an integer')
  }
  for (const [title, fuzz] of [
    ['record batches', fuzzDecoder],
    ['json documents', fuzzJsonReader],
  ] as const) {
    const startMs = performance.now()
    fuzz(runs, seed)
    const seconds = (performance.now() - startMs) / 1000
    console.log(`${title}: ${runs} inputs, seed ${seed}, ${seconds.toFixed(1)} s`)
  }
}

main()
