-- Rows that UNNEST has made of aggregated records; outside the sum of law 6, which counts records.
ALTER TABLE shards ADD COLUMN unnested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pruned_shards ADD COLUMN unnested INTEGER NOT NULL DEFAULT 0;
