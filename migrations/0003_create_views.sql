-- Views: SELECTs under a name, which queries read as they read rollups.

CREATE TABLE views (
  name TEXT PRIMARY KEY,
  sql TEXT NOT NULL,
  -- Names of the rollups and views in it: they stay while it does.
  reads_json TEXT NOT NULL,
  columns_json TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
