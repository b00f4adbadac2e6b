-- Orders of a shop by hour and city; a field of a nested object is reached by dots.
-- A record: {"created_at":"2026-05-01T08:00:05Z","customer":"ann","status":"paid","items":2,"total":30.5,"address":{"city":"Berlin"}}
SELECT date_trunc('hour', created_at::timestamptz) AS hour, address.city AS city,
       COUNT(*) AS orders, SUM(total) AS revenue, AVG(total) AS avg_order, APPROX_DISTINCT(customer) AS customers,
       SUM(items) FILTER (WHERE status = 'paid') AS items_paid
FROM _input WHERE status <> 'cancelled' GROUP BY hour, city
