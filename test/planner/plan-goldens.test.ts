/** Whole plans as text. After a change that is meant: `npx vitest run test/planner/plan-goldens.test.ts -u`, and read the difference. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { printPlan } from '../../src/planner/print-plan.ts'
import { loadParser } from '../../src/sql/parse-statement.ts'
import { planOf } from '../support/plan-of.ts'

beforeAll(loadParser)

const STATEMENTS: Readonly<Record<string, string>> = {
  pageviews: readFileSync('sql/pageviews.sql', 'utf8'),
  cameras: readFileSync('sql/cameras.sql', 'utf8'),
  global: 'SELECT COUNT(*) AS n, SUM(v) AS s, MAX(v) AS m FROM _input WHERE v > 100',
  filters: `SELECT country, COUNT(*) FILTER (WHERE status >= 500) AS errors, COUNT(*) AS n,
      COUNT(*) FILTER (WHERE status >= 500) * 1.0 / COUNT(*) AS error_rate
    FROM _input GROUP BY country HAVING COUNT(*) FILTER (WHERE status >= 500) > 0`,
  types: `SELECT a::bigint AS big, b::double precision AS dbl, c::text AS txt, d::boolean AS flag, e::timestamptz AS at, f AS undeclared,
      SUM(a::bigint) AS sum_big, SUM(b::double precision) AS sum_dbl, SUM(f) AS sum_any, AVG(a::bigint) AS avg_big,
      MIN(e::timestamptz) AS first_at, MAX(c::text) AS last_text, COUNT(f) AS count_any
    FROM _input GROUP BY 1, 2, 3, 4, 5, 6`,
  paths: `SELECT device.os, tags[1] AS first_tag, headers->>'user-agent' AS agent, _meta.topic, _meta.headers."X-Id" AS id, _input."user",
      _input->'key that is longer than the sixty-three bytes which the scanner takes' AS long, COUNT(*)
    FROM _input GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  collected: `SELECT country, COUNT(DISTINCT user_id) AS users, MIN(DISTINCT ms) AS lo, MIN(ms) - 1 AS below,
      APPROX_PERCENTILE(ms, 0.5) AS p50, APPROX_PERCENTILE(ms, 0.95) / APPROX_PERCENTILE(ms, 0.5) AS spread
    FROM _input GROUP BY country HAVING APPROX_PERCENTILE(ms, 1) > 10`,
  sets: `SELECT date_trunc('day', ts::timestamptz) AS day, country, city, GROUPING(day, country, city) AS g, GROUPING(city) AS no_city, SUM(v)
    FROM _input GROUP BY day, ROLLUP (country, city) HAVING GROUPING(country) = 0 OR COUNT(*) > 10`,
  elements: `SELECT shop, line.item.sku, line.n, COUNT(*), SUM(item.price * item.qty) FILTER (WHERE NOT item.gift) AS total
    FROM _input AS o LEFT JOIN UNNEST(o."order".items) WITH ORDINALITY AS line(item, n) ON true WHERE item.qty > 0 GROUP BY 1, 2, 3`,
  // GROUP BY _input.country is not the output country, which is computed from it at read time.
  conditions: `SELECT CASE WHEN latency_ms < 100 THEN 'fast' WHEN latency_ms BETWEEN 100 AND 1000 THEN 'slow' ELSE 'broken' END AS class,
      COALESCE(country, 'none') AS country, COUNT(*)
    FROM _input
    WHERE path LIKE '/api/%' AND method IN ('GET', 'POST') AND NOT bot IS TRUE AND (a IS NOT NULL OR b IS DISTINCT FROM c)
    GROUP BY class, _input.country`,
}

test.each(Object.entries(STATEMENTS))('%s', async (name, sql) => {
  await expect(printPlan(planOf(sql))).toMatchFileSnapshot(`goldens/${name}.txt`)
})
