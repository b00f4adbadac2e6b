/** SUM of doubles is Python's math.fsum. `./dev fuzz fsum` takes many more lists, and with --write makes the file of vectors anew. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SeededRandom } from '../fuzz/seeded-random.ts'
import { addWithPython, fromHex, hardList, hasPython, sumOf } from './fsum.ts'

const LIVE_LISTS = 500

test('SUM is what math.fsum gave for the vectors', () => {
  const lines = readFileSync(new URL('fsum-vectors.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.length).toBe(100)
  for (const line of lines) {
    const [sum, ...values] = line.split(' ').map(fromHex)
    expect(sumOf(values), line).toBe(sum! + 0)
  }
})

test.skipIf(!hasPython())('SUM is what math.fsum gives now (needs python3)', () => {
  const random = new SeededRandom(7)
  const vectors = addWithPython(Array.from({ length: LIVE_LISTS }, () => hardList(random)))
  expect(vectors.length).toBeGreaterThan(LIVE_LISTS / 2)
  for (const { values, sum } of vectors) expect(sumOf(values), values.join(', ')).toBe(sum + 0)
})
