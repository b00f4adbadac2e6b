/** The reference pages say what the tables say. `./dev test docs -- -u` writes them anew. */
import { expect, test } from 'vitest'
import { renderAggregates, renderFunctions, renderTypes } from './sql-reference.ts'

test('docs/reference/functions.md is the table of functions', async () => {
  await expect(renderFunctions()).toMatchFileSnapshot('../../docs/reference/functions.md')
})

test('docs/reference/aggregates.md is the table of aggregates', async () => {
  await expect(renderAggregates()).toMatchFileSnapshot('../../docs/reference/aggregates.md')
})

test('docs/reference/types.md is the table of types', async () => {
  await expect(renderTypes()).toMatchFileSnapshot('../../docs/reference/types.md')
})
