/**
 * Answers out of copies of columns: byte for byte those of the groups themselves, over random groups, statements and commits between them, and of one
 * commit.
 */
import { afterEach, expect, test } from 'vitest'
import { openLeafReader } from '../../src/leaf/leaf-database.ts'
import { ColumnCopies } from '../../src/query/column-copies.ts'
import type { MayFold } from '../../src/query/compile-context.ts'
import { compileQuery } from '../../src/query/compile-query.ts'
import { QueryRunner } from '../../src/query/query-runner.ts'
import type { ProcessAnswer } from '../../src/query/query-request.ts'
import { openQueries } from '../../src/query/run-query.ts'
import { RollupdError } from '../../src/core/errors.ts'
import { SeededRandom } from '../fuzz/seeded-random.ts'
import { QueryFixture } from './query-fixture.ts'
import { type Extent, randomRecord, randomStatement, STATEMENT } from './random-fold.ts'

const COPY_BYTES_MAX = 1 << 24
const FOLDED = /folds (the copied columns|groups) of r/
/** The others have errors, warnings, or more combinations of keys than groups. */
const FOLDED_SHARE_MIN = 0.4
const ROUNDS = 12
const STATEMENTS_PER_ROUND = 8
const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Pair {
  readonly fixture: QueryFixture
  /** What both say; the second reads copies wherever it can. */
  readonly ask: (sql: string) => readonly [string, string]
  readonly isFolded: (sql: string) => boolean
  /** By the second. */
  readonly explain: (sql: string) => string
}

async function createPair(
  statement: string,
  { idBits, byKeyMax = 0 }: { idBits?: number; byKeyMax?: number } = {},
): Promise<Pair> {
  const fixture = await QueryFixture.create()
  fixture.rollup('r', statement, { indexes: [['path']], ...(idBits === undefined ? {} : { idBits }) })
  const copies = new ColumnCopies({
    bytesMax: COPY_BYTES_MAX,
    groupsMin: 0,
    byKeyMax,
    stretchRows: 3,
  })
  const runner = await QueryRunner.create(fixture.options, copies)
  closing.push(() => {
    runner.close()
    fixture.close()
  })
  const answer = (one: QueryRunner, sql: string): string => {
    try {
      return showAnswer(sql, one.run({ ...REQUEST, sql }))
    } catch (error) {
      if (!(error instanceof RollupdError)) throw error
      return `${error.code}: ${error.message}`
    }
  }
  return {
    fixture,
    ask: (sql) => [answer(fixture.runner, sql), answer(runner, sql)],
    isFolded: (sql) => FOLDED.test(answer(runner, `EXPLAIN ${sql}`)),
    explain: (sql) => answer(runner, `EXPLAIN ${sql}`),
  }
}

const REQUEST = {
  params: [],
  rowsMax: 10_000,
  bytesMax: 2 ** 20,
  bigNumbers: 'number',
  format: 'ndjson',
  receivedAtMs: 0,
  onCellError: 'fail',
} as const

/** The rows, in an order of their own where the statement asks for none, and what is said of them. */
function showAnswer(sql: string, { body, meta }: ProcessAnswer): string {
  if (!('bytes' in body)) throw new Error('the answer is in a file')
  const lines = Buffer.from(body.bytes).toString('utf8').trimEnd().split('\n').slice(0, -1)
  const rows = sql.includes('ORDER BY') ? lines : lines.toSorted()
  return [...rows, JSON.stringify({ ...meta, elapsed_ms: 0 })].join('\n')
}

/** How many of the statements copies served. */
function compare({ fixture, ask, isFolded }: Pair, random: SeededRandom, extent: Extent): number {
  let folded = 0
  for (let round = 0; round < ROUNDS; round++) {
    const count = random.pick([0, 1, 5, 40])
    fixture.ingest(
      'r',
      Array.from({ length: count }, () => randomRecord(random, extent)),
    )
    for (let index = 0; index < STATEMENTS_PER_ROUND; index++) {
      const sql = randomStatement(random)
      const [expected, answer] = ask(sql)
      expect(answer, sql).toBe(expected)
      if (isFolded(sql)) folded++
    }
  }
  return folded / (ROUNDS * STATEMENTS_PER_ROUND)
}

test.each([1, 2, 3, 4, 5, 6])('random statements over usual groups, seed %i', async (seed) => {
  const pair = await createPair(STATEMENT)
  expect(compare(pair, new SeededRandom(seed), 'usual')).toBeGreaterThan(FOLDED_SHARE_MIN)
})

test.each([1, 2, 3])('random statements over groups that a copy has no place for, seed %i', async (seed) => {
  compare(await createPair(STATEMENT), new SeededRandom(seed), 'wide')
})

test.each([1, 2, 3, 4])('random statements over groups that SQLite folds, seed %i', async (seed) => {
  const pair = await createPair(STATEMENT, { byKeyMax: Infinity })
  expect(compare(pair, new SeededRandom(seed), seed > 2 ? 'wide' : 'usual')).toBeGreaterThan(FOLDED_SHARE_MIN)
})

test.each(["minute >= '2026-01-01T01:00:00Z'", "minute < '2026-01-01T01:00:00Z'"])(
  'groups of a time %s are found by their key, though an index has the order of GROUP BY',
  async (range) => {
    const { fixture, explain } = await createPair(STATEMENT, { byKeyMax: Infinity })
    const random = new SeededRandom(1)
    fixture.ingest(
      'r',
      Array.from({ length: 100 }, () => randomRecord(random, 'usual')),
    )
    const plan = explain(`SELECT path, SUM(n) AS n FROM r WHERE ${range} GROUP BY path`)
    expect(plan).toContain('folds groups of r')
    expect(plan).not.toContain('reads all of r')
  },
)

test.each([1, 2])('random statements over groups that share their ids, seed %i', async (seed) => {
  const pair = await createPair(STATEMENT, { idBits: 8 })
  compare(pair, new SeededRandom(seed), 'usual')
  expect(pair.fixture.leaf.findRollup('r')?.overflowGroups).toBeGreaterThan(0)
})

test('a copy is of the commit that its transaction sees, also where another commit comes meanwhile', async () => {
  const { fixture } = await createPair(STATEMENT)
  const random = new SeededRandom(7)
  const records = (count: number): object[] => Array.from({ length: count }, () => randomRecord(random, 'usual'))
  fixture.ingest('r', records(100))
  const copies = new ColumnCopies({
    bytesMax: COPY_BYTES_MAX,
    groupsMin: 0,
    byKeyMax: 0,
    stretchRows: 3,
  })
  const opened = openQueries(openLeafReader(fixture.options.leafPath))
  closing.unshift(() => opened.connection.close())
  const { connection, catalog, functions } = opened
  const sql = 'SELECT country, SUM(n) AS n, MEASURE(sx) AS sx FROM r GROUP BY country ORDER BY country'
  const rowsOf = (mayFold: MayFold | undefined): unknown[] => {
    const { sqlText, bindings, folds } = compileQuery(sql, [], catalog, functions, { mayFold })
    expect(folds.length).toBe(mayFold === undefined ? 0 : 1)
    functions.folded.set(copies.fold({ connection, tables: functions.folded, bindings }, catalog.epoch(), folds) ?? [])
    return connection.prepare(sqlText).raw().safeIntegers().all(bindings)
  }
  const answers: unknown[][] = []
  for (let commit = 0; commit < 5; commit++) {
    connection.exec('BEGIN')
    const before = rowsOf(undefined)
    fixture.ingest('r', records(20))
    expect(rowsOf(copies.mayFold)).toEqual(before)
    connection.exec('COMMIT')
    answers.push(before)
  }
  expect(new Set(answers.map((rows) => JSON.stringify(rows, (_, cell: unknown) => String(cell)))).size).toBe(5)
})
