-- Page views by minute and country: how many, how slow, and one number built from three aggregates.
-- A record: {"ts":"2026-01-01T00:00:12Z","country":"de","user_id":"u17","latency_ms":42.5,"ok":true}
SELECT date_trunc('minute', ts::timestamptz) AS minute, country,
       COUNT(*) AS views, AVG(latency_ms) AS avg_latency,
       COUNT(*) * AVG(latency_ms) + APPROX_DISTINCT(user_id) AS my_crazy_metric
FROM _input WHERE ok GROUP BY minute, country HAVING COUNT(*) > 10
