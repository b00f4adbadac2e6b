-- A rollup may read the groups of another one instead of records. Its topic is that of the rollup at the top; it has no shards of its own.
ALTER TABLE rollups ADD COLUMN source_id INTEGER REFERENCES rollups (id);
