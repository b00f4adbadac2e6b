import { expect, test } from 'vitest'
import { betterBy, signedRankInterval } from '../../bench/support/paired-ratios.ts'

/** Hollander, Wolfe, table 3.1: nine patients before and after; their answers in examples 3.3 and 3.4. */
const BEFORE = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3]
const AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

test('the interval is that of the book', () => {
  const { estimate, low, high } = signedRankInterval(AFTER.map((after, index) => after - (BEFORE[index] as number)))
  expect(estimate).toBeCloseTo(-0.46, 10)
  expect(low).toBeCloseTo(-0.786, 10)
  expect(high).toBeCloseTo(-0.01, 10)
})

test('six pairs have an interval of all of them, five have none', () => {
  const { low, high } = signedRankInterval([5, 1, 4, 2, 3, 6])
  expect([low, high]).toEqual([1, 6])
  expect(() => signedRankInterval([1, 2, 3, 4, 5])).toThrow('at least 6')
})

test('better is more of a speed and less of a time', () => {
  const [once, twice] = [
    [10, 11, 12, 13, 14, 15, 16, 17],
    [20, 22, 24, 26, 28, 30, 32, 34],
  ]
  expect(betterBy(twice, once, 'higher')?.low).toBeCloseTo(2, 10)
  expect(betterBy(twice, once, 'lower')?.high).toBeCloseTo(0.5, 10)
  expect(betterBy([0, ...twice.slice(1)], once, 'lower')).toBeUndefined()
})

test('one run that was disturbed does not decide', () => {
  const theirs = [10, 10, 10, 10, 10, 10, 10, 10]
  const ours = [10.1, 9.9, 10.2, 9.8, 10.05, 9.95, 10.1, 100]
  const { low, high } = betterBy(ours, theirs, 'lower') as { low: number; high: number }
  expect(low).toBeLessThan(1)
  expect(high).toBeGreaterThan(1)
})
