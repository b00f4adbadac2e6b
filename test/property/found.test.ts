/** What the properties have found once: each statement with its records, and what it must give. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OnError } from '../../src/core/policy.ts'
import { LeafBench, plan } from './leaf-run.ts'
import type { SourceRecord } from './naive-expressions.ts'

interface Found {
  readonly what: string
  readonly sql: string
  readonly records: readonly string[]
  readonly rows: readonly string[]
  readonly deadLetters?: readonly string[]
  /** Default: dead_letter. */
  readonly onError?: OnError
  /** A query over the rollup r; default: all of it. */
  readonly query?: string
}

const FOUND: readonly Found[] = [
  {
    what: 'div of a numeric beyond doubles and a double',
    sql: 'SELECT div(x::numeric * 2, y) AS d FROM _input GROUP BY 1',
    records: ['{"x":1.7976931348623157e308,"y":2.5}'],
    rows: [],
    deadLetters: ['0:0 number_out_of_range'],
  },
  {
    what: 'a numeric among undeclared values is their double, at ingest as in a query',
    sql: `SELECT greatest(a, x::numeric)::bigint AS g, (CASE WHEN a IS NULL THEN x::numeric ELSE a END)::bigint AS c, coalesce(a, x::numeric)::bigint AS o, COUNT(*) AS n FROM _input GROUP BY 1, 2, 3`,
    records: ['{"x":2.5}'],
    rows: ['{"g":2,"c":2,"o":2,"n":1}'],
  },
  {
    what: 'a number has as many blanks around it as it likes',
    sql: `SELECT (repeat(' ', 20000) || '7')::float8 AS d, (repeat(' ', 20000) || '7')::bigint AS b, COUNT(*) AS n FROM _input GROUP BY 1, 2`,
    records: ['{}'],
    rows: ['{"d":7,"b":7,"n":1}'],
  },
  {
    what: 'an array contains a number with a fraction that it holds',
    sql: 'SELECT t @> x AS a, x <@ t AS b, t, x, COUNT(*) AS n FROM _input GROUP BY 1, 2, 3, 4',
    records: ['{"t":[0.1,43.397],"x":43.397}'],
    rows: ['{"a":true,"b":true,"c":true,"d":true}'],
    query: "SELECT a, b, t @> x AS c, x <@ '[43.397]'::jsonb AS d FROM r",
  },
  {
    what: 'a field that no key holds is NULL in the key alone',
    sql: 'SELECT MAX(concat(a)) AS c, COUNT(a) AS n FROM _input GROUP BY a',
    records: [`{"a":{"z":1${'0'.repeat(1_100)}}}`],
    rows: ['{"c":null,"n":1}'],
    onError: 'null',
  },
  {
    what: 'totals over no row are equal rows, of which DISTINCT keeps one',
    sql: 'SELECT a, COUNT(*) AS n FROM _input GROUP BY 1',
    records: [],
    rows: ['{"a":null,"g":1,"n":0}'],
    query: 'SELECT DISTINCT a, GROUPING(a) AS g, COUNT(*) AS n FROM r GROUP BY GROUPING SETS ((a), (), ())',
  },
  {
    what: 'an argument that was not given is none at ingest either',
    sql: "SELECT rtrim(a) AS t, substr(a, 2) AS s, time_bucket(INTERVAL '1 day', MAX(b::timestamptz)) AS d FROM _input GROUP BY 1, 2",
    records: ['{"a":"it ","b":"2026-01-01T10:00:00Z"}'],
    rows: ['{"t":"it","s":"t ","d":"2026-01-01T00:00:00Z"}'],
  },
  {
    what: 'equal arguments of replace',
    sql: 'SELECT replace(a, a, a) AS r FROM _input GROUP BY 1',
    records: ['{"a":"x"}'],
    rows: ['{"r":"x"}'],
  },
  {
    what: 'a NULL step is no index',
    sql: 'SELECT a -> NULL::bigint AS v FROM _input GROUP BY 1',
    records: ['{"a":[1]}'],
    rows: ['{"v":null}'],
  },
  {
    what: 'a text that is none is an error of the record as a condition too',
    sql: 'SELECT COUNT(*) FILTER (WHERE a) AS n FROM _input',
    records: ['{"a":"\\u0000"}', '{"a":"x"}', '{"a":true}'],
    rows: ['{"n":1}'],
    deadLetters: ['0:0 invalid_text'],
  },
  {
    what: 'digits are counted inside arrays as in fields',
    sql: "SELECT a #> '{0}' AS v FROM _input GROUP BY 1",
    records: [`{"a":[1${'0'.repeat(1000)}]}`],
    rows: [],
    deadLetters: ['0:0 number_out_of_range'],
  },
  {
    what: 'a path into a grouped field',
    sql: "SELECT a.b, a -> 'c' ->> 0 AS c FROM _input GROUP BY a",
    records: ['{"a":{"b":1,"c":["x"]}}'],
    rows: ['{"b":1,"c":"x"}'],
  },
  {
    what: 'NULL of another number type is a branch',
    sql: 'SELECT CASE WHEN a THEN NULL::bigint ELSE 0.5 END AS v FROM _input GROUP BY 1',
    records: ['{"a":true}', '{"a":false}'],
    rows: ['{"v":0.5}', '{"v":null}'],
  },
  {
    what: 'upper leaves the record alone',
    sql: 'SELECT upper(a::text) AS u, a::text AS t FROM _input GROUP BY 1, 2',
    records: ['{"a":false}', '{"a":"xy"}', '{"a":false}'],
    rows: ['{"u":"FALSE","t":"false"}', '{"u":"XY","t":"xy"}'],
  },
  {
    what: 'a numeric has one text, at ingest and in a query',
    sql: 'SELECT a::bigint AS k, (a::bigint / 1000000000000000000000000)::text AS t FROM _input GROUP BY 1, 2',
    records: ['{"a":5}'],
    query: 'SELECT t, (k / 1000000000000000000000000)::text AS q FROM r',
    rows: ['{"t":"0.000000000000000000000005","q":"0.000000000000000000000005"}'],
  },
  {
    what: 'a numeric that is exactly a double stays one',
    sql: 'SELECT SUM(a::bigint) / COUNT(*) / 3 AS v FROM _input',
    records: ['{"a":2}', '{"a":3}'],
    rows: ['{"v":0.83333333333333333333}'],
  },
  {
    what: 'an index with a point is that index',
    sql: 'SELECT a -> b AS v, round(1.25, b) AS r FROM _input GROUP BY 1, 2',
    records: ['{"a":[5,6],"b":1.0}', '{"a":[5,6],"b":1}'],
    rows: ['{"v":6,"r":1.3}'],
  },
  {
    what: 'an undeclared whole number has one text',
    sql: "SELECT a::text AS t, a || '' AS j, o ->> 'a' AS p FROM _input GROUP BY 1, 2, 3",
    records: ['{"a":1e15,"o":{"a":1e15}}', '{"a":1000000000000000,"o":{"a":1e15}}'],
    rows: ['{"t":"1000000000000000","j":"1000000000000000","p":"1000000000000000"}'],
  },
  {
    what: 'the opposite of a numeric has no bounds',
    sql: 'SELECT - (-9223372036854775809 + a::bigint) AS v FROM _input GROUP BY 1',
    records: ['{"a":1}'],
    rows: ['{"v":9223372036854775808}'],
  },
  {
    what: 'a tiny number inside an object is no 0',
    sql: 'SELECT a = b AS same FROM _input GROUP BY 1',
    records: ['{"a":{"x":1e-400},"b":{"x":0}}'],
    rows: ['{"same":false}'],
  },
  {
    what: 'a part between Infinity and 0 is counted from the one that the order has first',
    sql: `SELECT PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY d::float8 DESC) AS down, PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY d::float8) AS up FROM _input`,
    records: ['{"d":"Infinity"}', '{"d":0}'],
    rows: ['{"down":"NaN","up":"Infinity"}'],
  },
  {
    what: 'what has no text fails format with its own error',
    sql: `SELECT format('%s', o::jsonb) AS f, COUNT(*) AS n FROM _input GROUP BY 1`,
    records: [`{"o":[1${'0'.repeat(1000)}]}`],
    rows: [],
    deadLetters: ['0:0 number_out_of_range'],
  },
]

let bench: LeafBench

beforeAll(async () => {
  bench = await LeafBench.create()
})

afterAll(() => bench.close())

test.each(FOUND)(
  '$what',
  ({ sql, records, rows, deadLetters = [], onError = 'dead_letter', query = 'SELECT * FROM r' }) => {
    const sources = records.map((text, offset): SourceRecord => ({
      partition: 0,
      offset,
      timestampMs: -1,
      key: null,
      value: undefined,
      text,
    }))
    bench.withRollup(plan(sql), sources, 'whole', { onError }, (name) => {
      expect(bench.stored(name).deadLetters).toEqual(deadLetters)
      expect(bench.query(query.replace('FROM r', `FROM ${name}`)).lines.toSorted()).toEqual(rows.toSorted())
    })
  },
)
