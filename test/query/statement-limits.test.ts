/** Statements that are too much for SQLite, or would take long to compile: refused as the user's, with what to do. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RollupdError } from '../../src/core/errors.ts'
import { QueryFixture } from './query-fixture.ts'

let fixture: QueryFixture

beforeAll(async () => {
  fixture = await QueryFixture.create()
  fixture.rollup('r', 'SELECT k, COUNT(*) AS n FROM _input GROUP BY k')
})

afterAll(() => fixture.close())

function refusal(run: () => unknown): Pick<RollupdError, 'code' | 'message' | 'hint'> {
  try {
    run()
  } catch (error) {
    const { code, message, hint } = error as RollupdError
    return { code, message, hint }
  }
  throw new Error('the statement is not refused')
}

const doubled = Array.from({ length: 40 }, (_, index) =>
  index === 0 ? 'x0 AS (SELECT n FROM r)' : `x${index} AS (SELECT a.n FROM x${index - 1} AS a, x${index - 1} AS b)`,
)

test.each([
  ['a long set operation', Array.from({ length: 600 }, () => 'SELECT 1').join(' UNION ALL ')],
  ['subqueries inside each other', `WITH ${doubled.join(', ')} SELECT COUNT(*) FROM x39`],
])('%s', (_, sql) => {
  expect(refusal(() => fixture.run(sql))).toMatchObject({
    code: 'sql_unsupported',
    message: expect.stringContaining('too complex for SQLite') as string,
    hint: 'Split it, or shorten its lists.',
  })
})

test('views that join others with themselves are refused before they take long to compile', () => {
  fixture.view('v0', 'SELECT n FROM r')
  const define = (index: number): void =>
    fixture.view(`v${index}`, `SELECT a.n FROM v${index - 1} AS a JOIN v${index - 1} AS b ON a.n = b.n`)
  // as a view, and all views in it: 2 + 4 + ... + 128
  for (let index = 1; index <= 6; index++) define(index)
  expect(refusal(() => define(7))).toMatchObject({
    code: 'sql_unsupported',
    message: expect.stringContaining('the statement reads more than 200 views') as string,
  })
})
