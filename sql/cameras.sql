-- Cameras report what they see: by hour and location the cats in sum, and the most animals seen at once (a high-water mark).
-- A record: {"event_time":"2026-01-01T08:15:00Z","location":"garden","cats":2,"dogs":1}
SELECT date_trunc('hour', event_time::timestamptz) AS hour, location,
       SUM(cats) AS cats, MAX(cats + dogs) AS most_animals,
       COUNT(*) * AVG(dogs) + APPROX_DISTINCT(cats) AS my_crazy_metric
FROM _input GROUP BY hour, location
