import { PropertySuite } from './test/property/property-suite.ts'
import v8 from 'node:v8'
const [which, runs = '200', rounds = '6'] = process.argv.slice(2)
const suite = await PropertySuite.create()
const part = suite.parts.find((p) => p.name.includes(which!))!
console.log(part.name)
for (let i = 0; i < Number(rounds); i++) {
  const t = Date.now()
  await part.run({ seed: 7000000 + i * 100000, runs: Number(runs) })
  const before = process.memoryUsage()
  ;(globalThis as any).gc()
  const m = process.memoryUsage()
  const mb = (n: number) => Math.round(n / 1e6)
  console.log(
    i,
    `${Date.now() - t}ms before rss ${mb(before.rss)} heap ${mb(before.heapUsed)} ab ${mb(before.arrayBuffers)} ext ${mb(before.external)} | after rss ${mb(m.rss)} heap ${mb(m.heapUsed)} ab ${mb(m.arrayBuffers)} ext ${mb(m.external)} contexts ${v8.getHeapStatistics().number_of_native_contexts} code ${mb(
      v8
        .getHeapSpaceStatistics()
        .filter((s) => s.space_name.includes('code'))
        .reduce((a, s) => a + s.space_used_size, 0),
    )}`,
  )
}
await suite.close()
