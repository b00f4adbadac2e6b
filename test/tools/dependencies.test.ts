import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const CHECKOUT = dirname(dirname(import.meta.dirname))
const manifest = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}
const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
const reasons = readFileSync(join(CHECKOUT, 'docs', 'adr', 'dependencies.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap(
    (line) =>
      line
        .split('|')[1]
        ?.split(',')
        .map((name) => name.trim()) ?? [],
  )

test.for(versions)('%s is pinned exactly (%s) and has its reason in docs/adr/dependencies.md', ([name, version]) => {
  expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
  expect(reasons).toContain(name)
})
