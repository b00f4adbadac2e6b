/**
 * Expressions of times and intervals as queries, against PostgreSQL: the same text, type by type, or refused by both. Values pass through
 * SQLite's cells between calls here.
 */
import { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RollupdError } from '../../src/core/errors.ts'
import { QueryFixture } from './query-fixture.ts'
import { STATED_TIMES } from './times-stated.ts'
import { timeExpression } from './times-random.ts'

const RUNS = Number(process.env['ORACLE_RUNS'] ?? 400)
const START_TIMEOUT_MS = 60_000
const REFUSED = 'refused'
let db: PGlite
let fixture: QueryFixture

beforeAll(async () => {
  db = await PGlite.create()
  await db.exec(`SET timezone = 'UTC';
    CREATE FUNCTION pg_temp.one(e text) RETURNS text LANGUAGE plpgsql AS $body$ DECLARE x text;
    BEGIN EXECUTE 'SELECT (' || e || ')::text' INTO x; RETURN x; EXCEPTION WHEN others THEN RETURN '${REFUSED}'; END $body$`)
  fixture = await QueryFixture.create()
}, START_TIMEOUT_MS)

afterAll(async () => {
  fixture.close()
  await db.close()
})

async function askPostgres(expressions: readonly string[]): Promise<(string | null)[]> {
  const { rows } = await db.query<{ x: string | null }>(
    'SELECT pg_temp.one(e) AS x FROM json_array_elements_text($1::json) WITH ORDINALITY AS r(e, n) ORDER BY n',
    [JSON.stringify(expressions)],
  )
  return rows.map(({ x }) => x)
}

/** A field that the type lacks: refused when the statement is read, there when a value comes. */
const NO_FIELD = 'refused field'

const isRefused = (answer: string | null): boolean => answer === REFUSED || answer === NO_FIELD

function isSame(ours: string | null, expected: string | null | undefined): boolean {
  return ours === NO_FIELD ? expected === REFUSED || expected === null : ours === expected
}

/** Our text in PostgreSQL's spelling. */
function ask(expression: string): string | null {
  try {
    const { text } = fixture.run(`SELECT (${expression})::text AS x`)
    const { rows } = JSON.parse(text) as { rows: { x: string | null }[] }
    return toPostgres(rows[0]?.x ?? null)
  } catch (error) {
    if (error instanceof RollupdError) return / has no field "/.test(error.message) ? NO_FIELD : REFUSED
    throw error
  }
}

/** `2026-01-31T10:00:00Z` is `2026-01-31 10:00:00+00` there. */
function toPostgres(text: string | null): string | null {
  const match = /^([+-]?\d{4,6})(-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d+)?)(Z?))?$/.exec(text ?? '')
  if (match === null) return text
  const [, written = '', monthAndDay = '', time, zone] = match
  const year = Number(written)
  const shown = String(year > 0 ? year : 1 - year).padStart(4, '0')
  const clock = time === undefined ? '' : ` ${time}${zone === 'Z' ? '+00' : ''}`
  return `${shown}${monthAndDay}${clock}${year > 0 ? '' : ' BC'}`
}

test('stated expressions', async () => {
  const theirs = await askPostgres(STATED_TIMES)
  const differing = STATED_TIMES.flatMap((expression, index) => {
    const [ours, expected] = [ask(expression), theirs[index]]
    return isSame(ours, expected) ? [] : [`${expression}: ours ${ours}, PostgreSQL's ${expected}`]
  })
  expect(differing).toEqual([])
})

test('random expressions', async () => {
  const expressions = fc.sample(timeExpression, RUNS)
  const theirs = await askPostgres(expressions)
  const differing = expressions.flatMap((expression, index) => {
    const [ours, expected] = [ask(expression), theirs[index]]
    // either may refuse a constant in a branch that isn't taken
    const isEager = (isRefused(ours) || expected === REFUSED) && /CASE|COALESCE/.test(expression)
    return isSame(ours, expected) || isEager ? [] : [`${expression}: ours ${ours}, PostgreSQL's ${expected}`]
  })
  expect(differing).toEqual([])
  // most of what is generated has a value
  expect(theirs.filter((answer) => answer !== REFUSED).length).toBeGreaterThan(RUNS / 2)
})
