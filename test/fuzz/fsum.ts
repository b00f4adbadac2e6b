/**
 * `./dev fuzz fsum`: SUM of doubles against Python's math.fsum, on lists that are hard to add. --runs N (default 20000 lists), --seed N;
 * --write keeps the first VECTORS of them as test/aggregates/fsum-vectors.txt. Needs python3.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { addWithPython, hardList, sumOf, toHex } from '../aggregates/fsum.ts'
import { SeededRandom } from './seeded-random.ts'

const RUNS_DEFAULT = '20000'
const VECTORS = 100
const VECTORS_FILE = fileURLToPath(new URL('../aggregates/fsum-vectors.txt', import.meta.url))

const { values: options } = parseArgs({
  options: { runs: { type: 'string' }, seed: { type: 'string' }, write: { type: 'boolean' } },
})
const random = new SeededRandom(Number(options.seed ?? '1'))
const lists = Array.from({ length: Number(options.runs ?? RUNS_DEFAULT) }, () => hardList(random))
const vectors = addWithPython(lists)
const wrong = vectors.filter(({ values, sum }) => !Object.is(sumOf(values), sum + 0))
for (const { values, sum } of wrong.slice(0, 3)) {
  console.error(`fsum ${sum}, SUM ${String(sumOf(values))}: ${values.join(', ')}`)
}
console.log(
  `${vectors.length} lists added as math.fsum does but for ${wrong.length}; of ${lists.length - vectors.length} fsum overflows`,
)
if (options.write === true) {
  const lines = vectors.slice(0, VECTORS).map(({ values, sum }) => [sum, ...values].map(toHex).join(' '))
  writeFileSync(VECTORS_FILE, `${lines.join('\n')}\n`)
}
process.exitCode = wrong.length > 0 || vectors.length === 0 ? 1 : 0
