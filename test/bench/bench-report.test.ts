/** What a bench says, on the terminal and in its section of the results. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BenchReport } from '../../bench/support/bench-report.ts'
import { readResults, RESULTS_VARIABLE } from '../../bench/support/bench-results.ts'

let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollupd-bench-'))
  lines = []
  vi.stubEnv(RESULTS_VARIABLE, join(folder, 'below', 'results.json'))
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const results = () => readResults(join(folder, 'below', 'results.json'))

test('a bar is compared before it is rounded', () => {
  const report = new BenchReport('some')
  report.bar('speed', 4.99999, { atLeast: 5 })
  report.bar('ratio', 0.33334, { atMost: 1 / 3 })
  report.bar('time', 20, { below: 20, unit: 'ms' })
  report.bar('other time', 19.9999, { below: 20, unit: 'ms', note: 'of two' })
  report.end()
  const { bars } = results()['some'] ?? {}
  expect(Object.entries(bars ?? {}).map(([name, { met }]) => [name, met])).toEqual([
    ['speed', false],
    ['ratio', false],
    ['time', false],
    ['other time', true],
  ])
  expect(lines[0]).toBe('speed: 5, bar at least 5: MISSED')
  expect(lines[3]).toBe('other time: 20 ms, bar below 20: met (of two)')
})

test('what was not measured is neither a figure nor a bar', () => {
  const report = new BenchReport('some')
  expect(() => report.figure('speed', Number.NaN, 'events/s')).toThrow('nothing was measured for "speed"')
  expect(() => report.bar('speed', Infinity, { atLeast: 0 })).toThrow('nothing was measured for "speed"')
})

test('a section tells what its figures depend on, and replaces only itself', () => {
  for (const [name, value] of [
    ['b', 1_234_567],
    ['a', 2],
    ['b', 1_234_467],
  ] as const) {
    const report = new BenchReport(name)
    report.figure('speed', value, 'events/s', 'higher')
    report.end()
  }
  expect(Object.keys(results())).toEqual(['a', 'b'])
  expect(results()['b']).toEqual({
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/) as string,
    revision: expect.stringMatching(/^([\da-f]{9}\+?|unknown)$/) as string,
    cores: expect.any(Number) as number,
    cpu: expect.any(String) as string,
    loadBefore: expect.any(Number) as number,
    node: process.version,
    command: expect.stringMatching(/^\.\/dev bench b/) as string,
    figures: { speed: { value: 1_234_000, unit: 'events/s', better: 'higher' } },
    bars: {},
  })
})
