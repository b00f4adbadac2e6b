/** What the properties take for a known deviation from PostgreSQL is told in docs/SQL.md, and there are few of those. */
import { expect, test } from 'vitest'
import { DEVIATIONS } from '../property/deviations.ts'
import { readDocument } from './markdown.ts'

/** Of statements that both take: more than a user of PostgreSQL can keep in mind. */
const ROWS_MAX = 25

const [, section = ''] = readDocument('docs/SQL.md').split('\n### Where both take a statement and differ\n')
const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('| '))

test.each(DEVIATIONS.map(({ row }) => row))('%s has a row', (row) => {
  expect(rows.filter((line) => line.startsWith(`| ${row} `))).toHaveLength(1)
})

test('the rows are few', () => {
  expect(rows.length).toBeGreaterThan(DEVIATIONS.length)
  expect(rows.length).toBeLessThanOrEqual(ROWS_MAX)
})
