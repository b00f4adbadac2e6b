import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { refusalOf, type Refusal } from '../sql/refusal.ts'
import { planOf } from '../support/plan-of.ts'

beforeAll(loadParser)

const REFUSED: readonly Refusal[] = [
  // the ambiguity of GROUP BY
  ['SELECT UPPER(k) AS k, SUM(v) AS v FROM _input GROUP BY k', 'sql_ambiguous', 'k', 'GROUP BY 1', 'GROUP BY _input.k'],
  [
    "SELECT COUNT(*), date_trunc('minute', ts::timestamptz) AS ts FROM _input GROUP BY ts",
    'sql_ambiguous',
    'ts',
    'GROUP BY 2',
    '_input.ts',
  ],
  ['SELECT a.b AS a FROM _input GROUP BY a', 'sql_ambiguous', 'a', 'GROUP BY 1', '_input.a'],
  [
    'SELECT lower("User id") AS "User id" FROM _input GROUP BY "User id"',
    'sql_ambiguous',
    '"User id"',
    '_input."User id"',
  ],
  ['SELECT SUM(v) AS v FROM _input GROUP BY v', 'sql_ambiguous', 'v', 'GROUP BY 1'],
  // GROUP BY
  ['SELECT COUNT(*) AS n FROM _input GROUP BY n', 'sql_invalid', 'n', 'aggregates are not allowed in GROUP BY'],
  ['SELECT COUNT(*) AS n FROM _input GROUP BY 1', 'sql_invalid', '1', 'aggregates are not allowed in GROUP BY'],
  ['SELECT a FROM _input GROUP BY SUM(a)', 'sql_invalid', 'SUM', 'aggregates are not allowed in GROUP BY'],
  ['SELECT a FROM _input GROUP BY 2', 'sql_invalid', '2', 'no such output', 'There is one output'],
  ['SELECT a, b FROM _input GROUP BY 1, 0', 'sql_invalid', '0', 'The outputs are 1 to 2'],
  ["SELECT a FROM _input GROUP BY 'a'", 'sql_invalid', "'a'", 'no constant'],
  ['SELECT a FROM _input GROUP BY 1.5', 'sql_invalid', '1.5', 'no constant'],
  [
    'SELECT COUNT(*) FROM _input GROUP BY CUBE (a, b, c, d, e, f, g)',
    'sql_unsupported',
    'GROUP',
    'GROUP BY makes 128 grouping sets, at most 64 are allowed',
    'GROUPING SETS ((a, b), (a), ())',
  ],
  [
    'SELECT COUNT(*) FROM _input GROUP BY CUBE (a, b, c), ROLLUP (d, e, f), CUBE (g, h)',
    'sql_unsupported',
    'GROUP',
    '128 grouping sets',
  ],
  [
    `SELECT COUNT(*) FROM _input GROUP BY GROUPING SETS ((${Array.from({ length: 32 }, (_, i) => `f${i}`).join()}), ())`,
    'sql_unsupported',
    'GROUP',
    'the grouping sets have 32 expressions, at most 31 are allowed',
  ],
  ['SELECT a FROM _input GROUP BY ROLLUP (a, 7)', 'sql_invalid', '7', 'no such output'],
  // UNNEST
  ['SELECT COUNT(*) FROM _input, UNNEST(a) AS i, UNNEST(b) AS j', 'sql_unsupported', 'FROM', 'found a function'],
  ['SELECT COUNT(*) FROM _input, unnest(a)', 'sql_invalid', 'unnest', 'UNNEST needs a name', 'UNNEST(items) AS i'],
  ['SELECT COUNT(*) FROM _input, UNNEST(a || b) AS i', 'sql_unsupported', '', 'UNNEST takes one field of the record'],
  ['SELECT COUNT(*) FROM _input, UNNEST(_input) AS i', 'sql_unsupported', '_input', 'UNNEST takes one field'],
  ['SELECT COUNT(*) FROM _input, UNNEST(a, b) AS i', 'sql_unsupported', 'a, b', 'UNNEST takes one field'],
  [
    'SELECT COUNT(*) FROM _input JOIN UNNEST(a) AS i ON i.x > 1',
    'sql_unsupported',
    'UNNEST',
    'the join with UNNEST takes no condition but true',
    'WHERE chooses elements',
  ],
  [
    'SELECT COUNT(*) FROM _input, UNNEST(a) AS i(x, n)',
    'sql_invalid',
    'UNNEST',
    '1 columns, 2 are named',
    'ORDINALITY',
  ],
  ['SELECT i.y FROM _input, UNNEST(a) AS i(x) GROUP BY 1', 'sql_unknown_column', 'i.y', 'has no column "y"', 'x'],
  ['SELECT i.k, COUNT(*) FROM _input, UNNEST(a) AS i', 'sql_invalid', 'i.k', 'the field i.k must be in GROUP BY'],
  ['SELECT COUNT(*) FROM _input RIGHT JOIN UNNEST(a) AS i ON true', 'sql_unsupported', '', 'found a join'],
  ['SELECT COUNT(*) FROM _input, generate_series(1, 2) AS i', 'sql_unsupported', 'FROM', 'found a function'],
  ['SELECT i + 1 AS i FROM _input, UNNEST(a) AS i GROUP BY i', 'sql_ambiguous', 'i', 'GROUP BY 1'],
  // GROUPING
  [
    'SELECT a, GROUPING(b) FROM _input GROUP BY ROLLUP (a)',
    'sql_invalid',
    'b',
    'GROUPING takes grouping expressions, b is none',
    'as GROUP BY has it',
  ],
  ['SELECT a, GROUPING(b) FROM _input GROUP BY a', 'sql_invalid', 'b', 'GROUPING takes grouping expressions'],
  [
    'SELECT a FROM _input WHERE GROUPING(a) = 0 GROUP BY a',
    'sql_invalid',
    'GROUPING',
    'GROUPING is not allowed in WHERE',
    'SELECT and HAVING',
  ],
  [
    'SELECT a, SUM(GROUPING(a)) FROM _input GROUP BY a',
    'sql_invalid',
    'GROUPING',
    'GROUPING is not allowed in the arguments of an aggregate',
  ],
  ['SELECT a, GROUPING(a) AS g FROM _input GROUP BY a, g', 'sql_invalid', 'g', 'GROUPING is not allowed in GROUP BY'],
  // fields outside
  ['SELECT a, COUNT(*) FROM _input', 'sql_invalid', 'a', 'the field a must be in GROUP BY', 'MAX(a)'],
  ['SELECT a FROM _input', 'sql_invalid', 'a', 'must be in GROUP BY'],
  ['SELECT a + b AS c, COUNT(*) FROM _input GROUP BY a', 'sql_invalid', 'b', 'the field b'],
  ['SELECT a FROM _input GROUP BY a HAVING b > 1', 'sql_invalid', 'b', 'the field b'],
  [
    "SELECT ts, COUNT(*) FROM _input GROUP BY date_trunc('hour', ts::timestamptz)",
    'sql_invalid',
    'ts',
    'grouped as date_trunc',
  ],
  ['SELECT COUNT(*) + _meta.offset FROM _input', 'sql_invalid', '_meta.offset', '_meta.offset'],
  ['SELECT 1 FROM _input', 'sql_invalid', 'SELECT', 'neither an aggregate nor GROUP BY'],
  ['SELECT a AS b FROM _input GROUP BY a HAVING b > 1', 'sql_invalid', 'b', 'the field b', 'write its expression, a.'],
  ['SELECT COUNT(*) AS n FROM _input HAVING n > 10', 'sql_invalid', 'n >', 'the field n', 'its expression, COUNT(*)'],
  // aggregates where none may be
  ['SELECT COUNT(*) FROM _input WHERE COUNT(*) > 1', 'sql_invalid', 'COUNT(*) >', 'not allowed in WHERE', 'HAVING'],
  ['SELECT SUM(MAX(a)) FROM _input', 'sql_invalid', 'MAX', 'the arguments of an aggregate'],
  ['SELECT COUNT(*) FILTER (WHERE MAX(a) > 1) FROM _input', 'sql_invalid', 'MAX', 'the arguments of an aggregate'],
  ['SELECT COUNT(*) FROM _input WHERE json_agg(a) > 1', 'sql_invalid', 'json_agg', 'not allowed in WHERE'],
  // forms of aggregates
  ['SELECT STDDEV(DISTINCT a) FROM _input', 'sql_unsupported', 'STDDEV', 'not supported yet', 'COUNT(DISTINCT x)'],
  ['SELECT APPROX_PERCENTILE(a) FROM _input', 'sql_type_mismatch', 'a)', 'does not take any', 'fraction'],
  [
    'SELECT APPROX_PERCENTILE(a::text, 0.5) FROM _input',
    'sql_type_mismatch',
    'a::',
    'does not take text and',
    'fraction',
  ],
  ['SELECT APPROX_PERCENTILE(a, b) FROM _input', 'sql_invalid', 'b)', 'must be a number from 0 to 1', '0.95'],
  ['SELECT APPROX_PERCENTILE(a, 95) FROM _input', 'sql_invalid', '95', 'must be a number from 0 to 1', '0.95'],
  ["SELECT APPROX_PERCENTILE(a, '0.5') FROM _input", 'sql_invalid', "'0.5'", 'must be a number from 0 to 1', '0.95'],
  ['SELECT APPROX_PERCENTILE(DISTINCT a, 0.5) FROM _input', 'sql_unsupported', 'APPROX', 'not supported yet'],
  ['SELECT FIRST(a ORDER BY b USING <) FROM _input', 'sql_unsupported', 'b', 'ORDER BY ... USING'],
  ['SELECT SUM(a ORDER BY lower(1)) FROM _input', 'sql_type_mismatch', 'lower', 'lower'],
  ['SELECT ARRAY_AGG(DISTINCT a ORDER BY b) FROM _input', 'sql_invalid', 'b)', 'takes its argument only'],
  ['SELECT STRING_AGG(a, b) FROM _input', 'sql_invalid', 'b)', 'must be a text, written out'],
  ["SELECT STRING_AGG(a::bigint, ',') FROM _input", 'sql_type_mismatch', 'a::', 'does not take bigint and text'],
  ['SELECT FIRST(DISTINCT a) FROM _input', 'sql_unsupported', 'FIRST', 'first(DISTINCT ...)'],
  ['SELECT SUM(a) OVER () FROM _input', 'sql_unsupported', 'SUM', 'window functions'],
  [
    'SELECT percentile_cont(0.5) FROM _input',
    'sql_invalid',
    'percentile_cont',
    'needs WITHIN GROUP',
    'ORDER BY number',
  ],
  ['SELECT SUM(1) WITHIN GROUP (ORDER BY a) FROM _input', 'sql_invalid', 'SUM', 'takes no WITHIN GROUP', 'sum(number)'],
  ['SELECT mode(a) WITHIN GROUP (ORDER BY b) FROM _input', 'sql_type_mismatch', 'a)', 'mode does not take any'],
  [
    'SELECT xmlagg(a) FROM _input',
    'sql_unsupported',
    'xmlagg',
    'the aggregate xmlagg is not supported yet',
    'approx_distinct',
  ],
  ['SELECT range_agg(a) FROM _input', 'sql_unsupported', 'range_agg', 'not supported yet'],
  ['SELECT cuont(*) FROM _input', 'sql_unknown_function', 'cuont', 'Did you mean count'],
  ['SELECT approx_distnct(a) FROM _input', 'sql_unknown_function', 'approx_distnct', 'Did you mean approx_distinct'],
  ['SELECT COUNT() FROM _input', 'sql_type_mismatch', 'COUNT', 'no arguments', 'count(*)'],
  ['SELECT SUM(*) FROM _input', 'sql_type_mismatch', 'SUM', 'does not take *'],
  ["SELECT SUM('a') FROM _input", 'sql_type_mismatch', "'a'", 'does not take text'],
  ['SELECT SUM(a, b) FROM _input', 'sql_type_mismatch', 'a, b', 'any and any'],
  ['SELECT COUNT(*) FILTER (WHERE 1) FROM _input', 'sql_type_mismatch', '1', 'FILTER takes a boolean'],
  // conditions
  ['SELECT COUNT(*) FROM _input WHERE 1', 'sql_type_mismatch', '1', 'WHERE takes a boolean, found bigint'],
  ["SELECT COUNT(*) FROM _input WHERE 'x'", 'sql_invalid', "'x'", 'boolean'],
  ['SELECT COUNT(*) FROM _input HAVING COUNT(*)', 'sql_type_mismatch', 'COUNT(*)', 'HAVING takes a boolean'],
  // outputs
  ['SELECT * FROM _input', 'sql_unsupported', '*', 'SELECT * is not allowed'],
  ['SELECT _input.*, COUNT(*) FROM _input', 'sql_unsupported', '_input.*', 'SELECT *'],
  ['SELECT COUNT(*), COUNT(a) FROM _input', 'sql_invalid', 'COUNT(a)', 'two outputs have the name "count"', 'AS'],
  ['SELECT a AS x, b AS x FROM _input GROUP BY 1, 2', 'sql_invalid', 'b AS x', 'the name "x"'],
  ['SELECT SUM(a) + 1, SUM(b) + 1 FROM _input', 'sql_invalid', 'SUM(b)', '"?column?"'],
  ['SELECT COUNT(*) AS _id FROM _input', 'sql_invalid', 'COUNT', "group's id"],
  ['SELECT _input, COUNT(*) FROM _input GROUP BY 1', 'sql_unsupported', '_input', 'not a value', '_input.country'],
  ['SELECT COUNT(_input) FROM _input', 'sql_unsupported', '_input', 'not a value'],
  ['SELECT FROM _input', 'sql_invalid', 'SELECT', 'no outputs'],
  // FROM
  ['SELECT COUNT(*)', 'sql_invalid', 'SELECT', 'FROM _input is missing'],
  ['SELECT COUNT(*) FROM orders', 'sql_unsupported', 'orders', '"orders"', 'FROM _input'],
  ['SELECT COUNT(*) FROM public._input', 'sql_unsupported', 'public', '"public._input"'],
  ['SELECT COUNT(*) FROM _input, b', 'sql_unsupported', 'b', '"b"'],
  ['SELECT COUNT(*) FROM _input JOIN b ON TRUE', 'sql_unsupported', 'b ON', 'a join'],
  ['SELECT COUNT(*) FROM (SELECT 1) x', 'sql_unsupported', 'FROM', 'a subquery'],
  ['SELECT COUNT(*) FROM unnest(a) x', 'sql_unsupported', 'FROM', 'a function'],
  ['SELECT COUNT(*) FROM ONLY _input', 'sql_unsupported', '_input', 'ONLY'],
  ['SELECT COUNT(*) FROM _input AS e (a, b)', 'sql_unsupported', '_input', 'column names'],
  // clauses
  ['WITH x AS (SELECT 1) SELECT COUNT(*) FROM _input', 'sql_unsupported', 'WITH', 'WITH'],
  ['SELECT DISTINCT a FROM _input', 'sql_unsupported', 'DISTINCT', 'GROUP BY'],
  ['SELECT a FROM _input GROUP BY a ORDER BY a', 'sql_unsupported', 'ORDER', 'query over the rollup'],
  ['SELECT a FROM _input GROUP BY a LIMIT 5', 'sql_unsupported', 'LIMIT', 'query over the rollup'],
  ['SELECT a FROM _input GROUP BY a OFFSET 5', 'sql_unsupported', 'OFFSET', 'query over the rollup'],
  ['SELECT a INTO b FROM _input GROUP BY a', 'sql_unsupported', 'INTO', 'INTO'],
  ['SELECT a FROM _input GROUP BY a FOR UPDATE', 'sql_unsupported', 'FOR', 'FOR UPDATE'],
  ['SELECT a FROM _input GROUP BY a UNION SELECT 1', 'sql_unsupported', 'UNION', 'UNION'],
  ['SELECT a FROM _input GROUP BY a WINDOW w AS ()', 'sql_unsupported', 'WINDOW', 'WINDOW'],
  ['VALUES (1)', 'sql_unsupported', 'VALUES', 'VALUES'],
  ['SELECT (SELECT 1) FROM _input', 'sql_unsupported', '(SELECT 1', 'subqueries'],
  ['SELECT COUNT(*) FROM _input WHERE a = :x', 'sql_unsupported', ':x', 'parameters'],
  ['SELECT COUNT(*) FROM _input WHERE now() > ts::timestamptz', 'sql_unsupported', 'now', 'refused'],
]

test.each(REFUSED.map((refusal) => ({ sql: refusal[0], refusal })))('$sql', ({ sql, refusal }) => {
  expect(refusalOf(() => planOf(sql), refusal)).toEqual(refusal)
})

/** [statement, ingest half, wrap half] */
const ACCEPTED: readonly (readonly [sql: string, ingest: string, wrap: string])[] = [
  ['SELECT COUNT(*) FROM _input', 'SELECT COUNT(*) AS p0 FROM _input', 'SELECT p0 AS count FROM groups'],
  ['SELECT k FROM _input GROUP BY k', 'SELECT k AS k0 FROM _input GROUP BY 1', 'SELECT k0 AS k FROM groups'],
  // ways to name a group
  [
    'SELECT upper(k) AS k FROM _input GROUP BY 1',
    'SELECT upper(k) AS k0 FROM _input GROUP BY 1',
    'SELECT k0 AS k FROM groups',
  ],
  [
    'SELECT upper(k) AS k FROM _input GROUP BY _input.k',
    'SELECT k AS k0 FROM _input GROUP BY 1',
    'SELECT upper(k0) AS k FROM groups',
  ],
  [
    'SELECT a AS b, b AS a FROM _input GROUP BY a, b',
    'SELECT b AS k0, a AS k1 FROM _input GROUP BY 1, 2',
    'SELECT k1 AS b, k0 AS a FROM groups',
  ],
  [
    'SELECT lower(a), COUNT(*) FROM _input GROUP BY lower',
    'SELECT lower(a) AS k0, COUNT(*) AS p0 FROM _input GROUP BY 1',
    'SELECT k0 AS lower, p0 AS count FROM groups',
  ],
  [
    'SELECT COUNT(*) FROM _input GROUP BY a, b',
    'SELECT a AS k0, b AS k1, COUNT(*) AS p0 FROM _input GROUP BY 1, 2',
    'SELECT p0 AS count FROM groups',
  ],
  [
    'SELECT a, a + 1 AS b FROM _input GROUP BY a, _input.a, 1',
    'SELECT a AS k0 FROM _input GROUP BY 1',
    'SELECT k0 AS a, k0 + 1 AS b FROM groups',
  ],
  [
    "SELECT 'x' AS a, COUNT(*) FROM _input GROUP BY a",
    "SELECT 'x' AS k0, COUNT(*) AS p0 FROM _input GROUP BY 1",
    'SELECT k0 AS a, p0 AS count FROM groups',
  ],
  // an alias of _input, and what keeps its meaning
  [
    'SELECT e.a, _input.b, c FROM _input AS e GROUP BY e.a, b, c',
    'SELECT a AS k0, b AS k1, c AS k2 FROM _input GROUP BY 1, 2, 3',
    'SELECT k0 AS a, k1 AS b, k2 AS c FROM groups',
  ],
  [
    "SELECT e->'long name' AS x FROM _input e GROUP BY 1",
    'SELECT "long name" AS k0 FROM _input GROUP BY 1',
    'SELECT k0 AS x FROM groups',
  ],
  [
    'SELECT _meta.partition, _input._meta.x AS m FROM _input GROUP BY 1, 2',
    'SELECT _meta.partition AS k0, _input._meta.x AS k1 FROM _input GROUP BY 1, 2',
    'SELECT k0 AS partition, k1 AS m FROM groups',
  ],
  // equal calls are stored once, others apart
  [
    'SELECT AVG(a) AS x, AVG( _input.a ) * 2 AS y, COUNT(*) - COUNT(*) AS z FROM _input',
    'SELECT AVG(a) AS p0, COUNT(*) AS p1 FROM _input',
    'SELECT finalize(p0) AS x, finalize(p0) * 2 AS y, p1 - p1 AS z FROM groups',
  ],
  [
    'SELECT COUNT(*) FILTER (WHERE ok) AS a, COUNT(*) AS b, COUNT(ok) AS c FROM _input',
    'SELECT COUNT(*) FILTER (WHERE ok) AS p0, COUNT(*) AS p1, COUNT(ok) AS p2 FROM _input',
    'SELECT p0 AS a, p1 AS b, p2 AS c FROM groups',
  ],
  // HAVING, with and without GROUP BY, over what is not selected
  [
    'SELECT k FROM _input GROUP BY k HAVING MAX(v) > 3 AND k IS NOT NULL',
    'SELECT k AS k0, MAX(v) AS p0 FROM _input GROUP BY 1',
    'SELECT k0 AS k FROM groups WHERE finalize(p0) > 3 AND k0 IS NOT NULL',
  ],
  [
    'SELECT COUNT(*) FROM _input HAVING COUNT(*) > 0',
    'SELECT COUNT(*) AS p0 FROM _input',
    'SELECT p0 AS count FROM groups WHERE p0 > 0',
  ],
  [
    'SELECT 1 AS one FROM _input HAVING COUNT(*) > 0',
    'SELECT COUNT(*) AS p0 FROM _input',
    'SELECT 1 AS one FROM groups WHERE p0 > 0',
  ],
  // literals of aggregates' sides
  [
    'SELECT SUM(a::bigint) * 1.5 AS x, COALESCE(SUM(a::bigint), 0) AS y, COALESCE(SUM(a), 0) AS z FROM _input',
    'SELECT SUM(a::bigint) AS p0, SUM(a) AS p1 FROM _input',
    'SELECT finalize(p0) * 1.5 AS x, COALESCE(finalize(p0), 0) AS y, COALESCE(finalize(p1), 0) AS z FROM groups',
  ],
  // a grouped literal does not reach into calls that read their literals once
  [
    "SELECT 'hour' AS u, date_trunc('hour', ts::timestamptz) AS h FROM _input GROUP BY 1, ts::timestamptz",
    "SELECT 'hour' AS k0, ts::timestamptz AS k1 FROM _input GROUP BY 1, 2",
    "SELECT k0 AS u, date_trunc('hour', k1) AS h FROM groups",
  ],
]

test.each(ACCEPTED)('%s', (sql, ingest, wrap) => {
  const { ingestSql, wrapSql } = planOf(sql)
  expect({ ingestSql, wrapSql }).toEqual({ ingestSql: ingest, wrapSql: wrap })
  // The ingest half is a statement of the same dialect: it splits into itself.
  expect(planOf(ingestSql).ingestSql).toBe(ingestSql)
})

const NAMES: readonly (readonly [output: string, name: string])[] = [
  ['COUNT(*)', 'count'],
  ['AVG(a)', 'avg'],
  ["date_trunc('hour', MAX(a::timestamptz))", 'date_trunc'],
  ['extract(hour FROM MAX(a::timestamptz))', 'extract'],
  ['MAX(a)::text', 'max'],
  ["'1'::bigint", 'int8'],
  ['MAX(a) + 1', '?column?'],
  ['CASE WHEN TRUE THEN 1 END', 'case'],
  ['CASE WHEN TRUE THEN 1 ELSE MAX(a) END', 'max'],
  ['COALESCE(MAX(a), 1)', 'coalesce'],
  ['NULLIF(MAX(a), 1)', 'nullif'],
  ['trim(MAX(a::text))', 'btrim'],
  ["NOT BOOLEAN 't'", '?column?'],
  ['TRUE', '?column?'],
]

test.each(NAMES)('PostgreSQL calls %s %s', (output, name) => {
  expect(planOf(`SELECT ${output}, COUNT(a) AS n FROM _input`).wrap.outputs[0]?.name).toBe(name)
})

const OUTPUT_TYPES: readonly (readonly [output: string, type: string])[] = [
  // a number with a point takes the other side's type: numeric beside a declared numeric, else double
  ['SUM(a::bigint) * 1.5', 'numeric'],
  ['SUM(a) * 1.5', 'double precision'],
  ['COUNT(*) * 1.5', 'double precision'],
  ['COUNT(*) / 2', 'bigint'],
  ['SUM(a::bigint) / 2', 'numeric'],
  ['COALESCE(SUM(a::bigint), 0.5)', 'numeric'],
  ['COALESCE(SUM(a), 0)', 'number'],
  ['COALESCE(AVG(a), 0)', 'double precision'],
  ['CASE WHEN COUNT(*) > 0 THEN COUNT(*) ELSE 0.5 END', 'double precision'],
  ["MAX(a::timestamptz) > '2026-01-01'", 'boolean'],
]

test.each(OUTPUT_TYPES)('%s is %s', (output, type) => {
  expect(planOf(`SELECT ${output} AS x FROM _input`).wrap.outputs[0]?.type).toBe(type)
})

test('fields keep their last name', () => {
  const { outputs } = planOf('SELECT device.os, tags[1], "user id", a::bigint FROM _input GROUP BY 1, 2, 3, 4').wrap
  expect(outputs.map(({ name }) => name)).toEqual(['os', 'tags', 'user id', 'a'])
})

test('a path into a grouped field is read from the group', () => {
  const { ingest, wrapSql } = planOf(
    "SELECT device.os, device->'tags'->>0 AS tag, COUNT(*) FROM _input GROUP BY device",
  )
  expect(ingest.groupBy.map(({ output }) => output)).toEqual([undefined])
  expect(wrapSql).toContain(`k0 -> 'os' AS os`)
})

test('a field written with capitals and without quotes is a warning', () => {
  const { warnings } = planOf(
    'SELECT userId, COUNT(*), MAX(Device.osName) AS os, SUM("Bytes") FROM _input GROUP BY userid',
  )
  expect(warnings).toEqual([
    'userId without quotes reads the field userid; for letters as written: "userId"',
    'Device.osName without quotes reads the field device.osname; for letters as written: "Device"."osName"',
  ])
})

test('a name in double quotes that a field is compared with is told: a text was meant', () => {
  const warningsOf = (condition: string) => planOf(`SELECT COUNT(*) FROM _input WHERE ${condition}`).warnings
  const warning = '"paid" in double quotes is a field; as a text it is \'paid\''
  expect(warningsOf('status = "paid"')).toEqual([warning])
  expect(warningsOf('lower(status) LIKE "paid"')).toEqual([warning])
  expect(warningsOf('status IN (\'open\', "paid") AND NOT status <> "paid"')).toEqual([warning])
  expect(warningsOf('"userId" = "ownerId" AND "paid" AND "userId" = \'paid\' AND status = _input."paid"')).toEqual([])
})

test('a plan is plain data: it survives being stored', () => {
  const stored = planOf(readFileSync('sql/pageviews.sql', 'utf8'))
  expect(JSON.parse(JSON.stringify(stored))).toEqual(stored)
})

test('too many columns are refused', () => {
  const many = Array.from({ length: 501 }, (_, index) => `COUNT(f${index}) AS c${index}`).join(', ')
  const refusal: Refusal = [`SELECT ${many} FROM _input`, 'sql_unsupported', '', '501 columns', 'at most 500']
  expect(refusalOf(() => planOf(refusal[0]), refusal)).toEqual(refusal)
})
