/** Whatever is sent as a statement: a plan, or an error with a code of the statement's and a position inside it. */
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { RollupdError } from '../../src/core/errors.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { planOf } from '../support/plan-of.ts'

beforeAll(loadParser)

/** The long form: ROLLUPD_FUZZ_RUNS=100000 */
const RUNS = Number(process.env['ROLLUPD_FUZZ_RUNS'] ?? 400)

const SEEDS = [
  "SELECT date_trunc('minute', ts::timestamptz) AS minute, country, COUNT(*) AS views, AVG(latency_ms) AS a FROM _input WHERE ok GROUP BY minute, country HAVING COUNT(*) > 10",
  "SELECT CASE WHEN a BETWEEN 1 AND 2.5 THEN 'x' ELSE b->>'c' END AS k, SUM(x::bigint) FILTER (WHERE y IN (1, 'z', NULL)) FROM _input i GROUP BY 1",
  "SELECT time_bucket('5 minutes', to_timestamp(t / 1000.0)) AS b, COALESCE(MAX(v), 0) AS m, device.os, tags[1] FROM _input GROUP BY 1, 3, 4",
  "SELECT lower(trim(a || '😀')) AS é, COUNT(*) - -1 AS n FROM _input WHERE NOT (p LIKE 'a\\_%' ESCAPE '!' OR q IS DISTINCT FROM 3e2) GROUP BY é",
  "SELECT extract(hour FROM _meta.timestamp) AS h, try_cast(x, 'bigint') AS n, APPROX_DISTINCT(nullif(u, '')) AS d FROM _input GROUP BY 1, 2",
]
const SCRAPS = [
  ...[
    'SELECT',
    'FROM',
    '_input',
    '_meta',
    'GROUP BY',
    'HAVING',
    'WHERE',
    'AND',
    'NOT',
    'NULL',
    'CASE',
    'WHEN',
    'THEN',
    'ELSE',
    'END',
    'IN',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    ',',
    '.',
    '*',
    '::',
    ':x',
    '$1',
    ';',
    "'",
    '"',
    '--',
    '/*',
    '->',
    '->>',
    '=',
    '==',
    '-',
    '+',
    '/',
    '%',
    '||',
  ],
  ...[
    'COUNT(*)',
    'SUM(',
    'OVER ()',
    'DISTINCT',
    'FILTER (WHERE',
    'bigint',
    'text',
    'interval',
    'timestamptz',
    'BETWEEN',
    'LIKE',
    'IS',
  ],
  ...[
    '0',
    '1',
    '-1',
    '1.5',
    '9223372036854775808',
    '1e400',
    "'x'",
    "''",
    "'1 day'",
    'é',
    '😀',
    '\u0000',
    '\u0001',
    '\ud800',
    'user',
    'order',
  ],
]

const piece = fc.oneof(fc.constantFrom(...SCRAPS), fc.string({ maxLength: 4, unit: 'binary' }))
const edit = fc.record({ at: fc.nat(), remove: fc.nat({ max: 12 }), insert: piece, spaced: fc.boolean() })
const mutated = fc
  .record({ seed: fc.constantFrom(...SEEDS), edits: fc.array(edit, { minLength: 1, maxLength: 5 }) })
  .map(({ seed, edits }) =>
    edits.reduce((sql, { at, remove, insert, spaced }) => {
      const start = at % (sql.length + 1)
      return `${sql.slice(0, start)}${spaced ? ` ${insert} ` : insert}${sql.slice(start + remove)}`
    }, seed),
  )
const assembled = fc.array(piece, { maxLength: 30 }).map((pieces) => `SELECT ${pieces.join(' ')}`)

/** undefined: a plan, or a refusal as it should be. */
function complaint(sql: string): string | undefined {
  try {
    const { ingestSql } = planOf(sql)
    return planOf(ingestSql).ingestSql === ingestSql ? undefined : `printed differently: ${ingestSql}`
  } catch (error) {
    if (!(error instanceof RollupdError)) return `another error: ${String(error)}`
    if (!error.code.startsWith('sql_')) return `a code of something else: ${error.code}`
    const { position = 1 } = error
    return position >= 0 && position <= Array.from(sql).length + 1 ? undefined : `a position outside: ${position}`
  }
}

test.each([
  ['mutated statements', mutated],
  ['statements of scraps', assembled],
])('%s', (_name, statements) => {
  fc.assert(
    fc.property(statements, (sql) => {
      expect(complaint(sql)).toBeUndefined()
    }),
    { numRuns: RUNS },
  )
})
