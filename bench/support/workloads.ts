/** The two rollups of the throughput figures: the same work as the peers' programs. */
export const WORKLOADS = {
  coarse: `SELECT date_trunc('minute', ts::timestamptz) AS minute, country,
       COUNT(*) AS views, SUM(bytes) AS bytes, AVG(latency_ms) AS avg_latency, MAX(latency_ms) AS max_latency
FROM _input WHERE ok GROUP BY minute, country`,
  fine: `SELECT date_trunc('minute', ts::timestamptz) AS minute, country, path,
       COUNT(*) AS views, SUM(bytes) AS bytes, AVG(latency_ms) AS avg_latency, MAX(latency_ms) AS max_latency
FROM _input WHERE ok GROUP BY minute, country, path`,
} as const

export type Workload = keyof typeof WORKLOADS
