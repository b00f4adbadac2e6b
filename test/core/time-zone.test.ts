/** Names of time zones that come out of records. */
import { expect, test } from 'vitest'
import { findTimeZone } from '../../src/core/time-zone.ts'

test('a name in any case is one zone', () => {
  const zone = findTimeZone('Europe/Berlin')
  expect(zone).toBeDefined()
  expect(findTimeZone('eUROPE/bERLIN')).toBe(zone)
})

// at 0.2 ms a name it would take half a minute
test('a wrong name that comes again and again takes little time, among others too', () => {
  let found = 0
  for (let index = 0; index < 150_000; index++) if (findTimeZone(`Nowhere/Town${index % 500}`) !== undefined) found++
  expect(found).toBe(0)
  for (let index = 0; index < 2_500; index++) expect(findTimeZone(`Nowhere/Village${index}`)).toBeUndefined()
  expect(findTimeZone('Europe/Berlin')).toBeDefined()
})

test('a long text is no name', () => {
  expect(findTimeZone('a'.repeat(1_000_000))).toBeUndefined()
})
