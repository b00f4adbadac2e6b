/** Owns random queries whose items of FROM read what stands before them: LATERAL subqueries, series, and parts of JSON values. */
import type { SeededRandom } from '../fuzz/seeded-random.ts'
import type { RowsQuery } from './random-rows-query.ts'
import type { QueryOutput } from './random-windows.ts'

interface LateralItem {
  readonly sql: string
  readonly outputs: readonly QueryOutput[]
}

/** Rows of the table itself for a row of `r`: some, one, or a group. */
function rowsOf(random: SeededRandom): LateralItem {
  const match = random.pick(['s.i = r.i', 's.g = r.g AND s.id <= r.id', 's.x < r.x', 's.p AND r.i > 0', 's.id = r.i'])
  const order = `ORDER BY ${random.pick(['s.x DESC', 's.i', 's.g'])}, s.id LIMIT ${random.below(4)}`
  if (random.chance(0.4)) {
    const grouped = random.chance(0.3) ? ` GROUP BY s.p HAVING COUNT(*) > ${random.pick(['0', 'r.i'])}` : ''
    return {
      sql: `(SELECT COUNT(*) AS a, SUM(s.x) + r.x AS b, MIN(s.g) AS c FROM ROWS_ AS s WHERE ${match}${grouped})`,
      outputs: [
        { sql: 'l.a', type: 'bigint' },
        { sql: 'l.b', type: 'double precision' },
        { sql: 'l.c', type: 'text' },
      ],
    }
  }
  return {
    sql: `(SELECT s.id + r.i AS a, s.z AS b, s.n AS c FROM ROWS_ AS s WHERE ${match} ${random.chance(0.6) ? order : ''})`,
    outputs: [
      { sql: 'l.a', type: 'bigint' },
      { sql: 'l.b', type: 'timestamptz' },
      { sql: 'l.c', type: 'numeric' },
    ],
  }
}

/** Names for expressions, one or several rows of them. */
function valuesOf(random: SeededRandom): LateralItem {
  const more = random.pick(['', ' UNION ALL SELECT r.i, r.x, NOT r.p', ' UNION SELECT 7, 0.5, NULL', ' WHERE r.i > 0'])
  return {
    sql: `(SELECT r.i * 2 AS a, -r.x AS b, r.p AS c${more})`,
    outputs: [
      { sql: 'l.a', type: 'bigint' },
      { sql: 'l.b', type: 'double precision' },
      { sql: 'l.c', type: 'boolean' },
    ],
  }
}

function seriesOf(random: SeededRandom): LateralItem {
  return {
    sql: `generate_series(${random.pick(['0, r.i', 'r.i, 3', 'r.i, 0, -1', 'r.id, r.id + 1'])}) AS l(a)`,
    outputs: [
      { sql: 'l.a', type: 'bigint' },
      { sql: 'l.a * 2', type: 'bigint' },
    ],
  }
}

function partsOf(random: SeededRandom): LateralItem {
  const array = random.pick([
    'jsonb_build_array(r.i, r.g, r.p)',
    'jsonb_build_array(r.s)',
    "'[]'::jsonb",
    'NULL::jsonb',
  ])
  const object = random.pick(["jsonb_build_object('i', r.i, 'gg', r.g, 'b', r.p)", "'{}'::jsonb"])
  const sql = random.pick([
    `jsonb_array_elements_text(${array}) WITH ORDINALITY AS l(a, b)`,
    `jsonb_each_text(${object}) WITH ORDINALITY AS l(a, c, b)`,
    `jsonb_object_keys(${object}) WITH ORDINALITY AS l(a, b)`,
  ])
  return {
    sql,
    outputs: [
      { sql: 'l.a', type: 'text' },
      { sql: 'l.b', type: 'bigint' },
    ],
  }
}

const CONDITIONS = ['true', 'r.id % 2 = 0', 'l.a IS NOT NULL', 'r.p']

export function lateralQuery(random: SeededRandom): RowsQuery {
  const { sql, outputs } = random.pick([rowsOf, rowsOf, valuesOf, seriesOf, partsOf])(random)
  const isNamed = sql.includes(' AS l(')
  const item = isNamed ? sql : `LATERAL ${sql} AS l`
  const join = random.pick([
    `, ${item}`,
    ` CROSS JOIN ${item}`,
    ` JOIN ${item} ON ${random.pick(CONDITIONS)}`,
    ` LEFT JOIN ${item} ON ${random.pick(CONDITIONS)}`,
  ])
  const before = random.pick(['ROWS_ AS r', 'ROWS_ AS r', '(SELECT * FROM ROWS_ WHERE i > 0) AS r'])
  const further = random.chance(0.2)
    ? ', LATERAL (SELECT COUNT(q.id) AS n FROM ROWS_ AS q WHERE q.i = r.i OR l.a IS NULL) AS m'
    : ''
  const where = random.chance(0.3) ? ' WHERE r.i < 2' : ''
  const from = `FROM ${before}${join}${further}${where}`
  if (random.chance(0.25)) {
    const counted: QueryOutput[] = [
      { sql: 'r.g', type: 'text' },
      { sql: 'COUNT(l.a)', type: 'bigint' },
      { sql: 'MAX(l.a)', type: outputs[0]?.type ?? 'bigint' },
    ]
    return { head: '', outputs: counted, tail: `${from} GROUP BY r.g`, isOrdered: false }
  }
  const all: QueryOutput[] = [
    { sql: 'r.id', type: 'bigint' },
    ...outputs,
    ...(further === '' ? [] : [{ sql: 'm.n', type: 'bigint' } as const]),
  ]
  return { head: random.chance(0.1) ? 'DISTINCT ' : '', outputs: all, tail: from, isOrdered: false }
}
