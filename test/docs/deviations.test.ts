/** What the properties take for a known deviation from PostgreSQL is told in docs/SQL.md. */
import { expect, test } from 'vitest'
import { DEVIATIONS } from '../property/deviations.ts'
import { readDocument } from './markdown.ts'

test.each(DEVIATIONS.map(({ row }) => row))('%s has a row', (row) => {
  const rows = readDocument('docs/SQL.md').split('\n')
  expect(rows.filter((line) => line.startsWith(`| ${row} `))).toHaveLength(1)
})
