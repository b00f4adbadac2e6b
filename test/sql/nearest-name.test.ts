import { expect, test } from 'vitest'
import { didYouMean, nearestNames } from '../../src/sql/nearest-name.ts'

const NAMES = ['lower', 'upper', 'length', 'round', 'date_trunc']

test.each([
  ['lowr', ['lower']],
  ['lowre', ['lower']],
  ['date_trnc', ['date_trunc']],
  ['uper', ['upper']],
  ['xyz', []],
  ['', []],
])('%s', (name, expected) => {
  expect(nearestNames(name, NAMES)).toEqual(expected)
})

test('a hint names up to three, nearest first', () => {
  expect(didYouMean('abcd', ['abce', 'abcd_', 'abxd', 'bacd'])).toBe('Did you mean abcd_ or abce or abxd?')
  expect(didYouMean('zzzz', NAMES)).toBeUndefined()
})
