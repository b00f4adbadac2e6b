/**
 * Owns PostgreSQL as the oracle of functions: many random rows through ours and through PGlite, whose answers must be the same. Where docs/SQL.md
 * deviates, the deviation is in the way the two are compared, with its reason.
 */
import { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Answer, call, type Value } from './call.ts'

const RUNS = Number(process.env['ORACLE_RUNS'] ?? 150)
const START_TIMEOUT_MS = 60_000
let db: PGlite

/** To be called once by each file of tests. */
export function startPostgres(): void {
  beforeAll(async () => {
    db = await PGlite.create()
    await db.exec("SET timezone = 'UTC'; SET bytea_output = 'hex'")
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await db.close()
  })
}

/** Many rows in one statement: each row's answer, or null where PostgreSQL refuses it. */
async function ask(expression: string, rows: readonly (readonly (string | null)[])[]): Promise<(string | null)[]> {
  await db.exec(`
    CREATE OR REPLACE FUNCTION pg_temp.one(a text, b text, c text, d text) RETURNS text LANGUAGE plpgsql AS $body$
    BEGIN RETURN (${expression})::text; EXCEPTION WHEN others THEN RETURN 'refused'; END $body$`)
  const { rows: answers } = await db.query<{ x: string | null }>(
    'SELECT pg_temp.one(r.v->>0, r.v->>1, r.v->>2, r.v->>3) AS x FROM json_array_elements($1::json) WITH ORDINALITY AS r(v, n) ORDER BY n',
    [JSON.stringify(rows)],
  )
  return answers.map(({ x }) => x)
}

/** Our cast to text. */
export function textOf(value: Value): string {
  const text = call('cast', 'text', value)
  if (typeof text !== 'string') throw new Error('a cast to text gave no text')
  return text
}

/** Our answer in PostgreSQL's text. */
export function shown(answer: Answer): string | null {
  if (answer === null) return null
  if (typeof answer !== 'object') return textOf(answer)
  if ('error' in answer) return 'refused'
  if ('time' in answer) return answer.time
  return 'numeric' in answer ? answer.numeric : JSON.stringify(answer)
}

/** Compares both for random rows; `ours` gets the row, `row` is what PostgreSQL gets. */
export async function agree<T>(
  arbitrary: fc.Arbitrary<T>,
  expression: string,
  toRow: (value: T) => readonly (string | null)[],
  ours: (value: T, theirs: string | null) => string | null,
): Promise<void> {
  const values = fc.sample(arbitrary, RUNS)
  const theirs = await ask(expression, values.map(toRow))
  for (const [index, value] of values.entries()) {
    const label = `${expression} of ${toRow(value).map(String).join(' , ')}`
    const answer = theirs[index] ?? null
    expect(ours(value, answer), label).toBe(answer)
  }
}

/** Our answer as a double's text. */
export function doubleShown(answer: Answer): string | null {
  return typeof answer === 'number' ? textOf({ double: answer }) : shown(answer)
}

export const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -20n, max: 20n }),
  fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 32n, 3_037_000_500n),
)
export const doubles = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -40, max: 40 }).map((value) => value / 4),
  fc.integer({ min: -9_999, max: 9_999 }).map((value) => value / 1_000),
  fc.constantFrom(
    1e15,
    1e14,
    1e23,
    9e15,
    123_456_789_012_345_680,
    0.0001,
    0.00001,
    1e300,
    5e-324,
    1.7976931348623157e308,
  ),
)
// PostgreSQL shows -0, ours has none
export const positiveZero = (value: number): number => value + 0
export const words = fc.string({
  unit: fc.constantFrom('a', 'b', 'B', 'é', '\u{1f600}', ' ', '%', '_', '\\', '1', '-', 'ß'),
  maxLength: 8,
})
