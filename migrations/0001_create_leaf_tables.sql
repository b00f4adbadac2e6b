-- The leaf's fixed tables. The tables of each rollup's groups (g1, g2, ...) are made from its plan: src/leaf/leaf-schema.ts.

CREATE TABLE leaf_state (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  -- Number of the last commit.
  epoch INTEGER NOT NULL,
  -- Raised by each process that takes the leaf over; an older owner's commits fail.
  owner_epoch INTEGER NOT NULL,
  -- For the message that refuses a second process.
  owner_pid INTEGER NOT NULL
) STRICT;
INSERT INTO leaf_state VALUES (1, 0, 0, 0);

-- AUTOINCREMENT: an id is never used again, so that late commits of a dropped rollup find nothing.
CREATE TABLE rollups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  plan_json TEXT NOT NULL,
  topic TEXT NOT NULL,
  start_json TEXT NOT NULL,
  on_error TEXT NOT NULL,
  on_loss TEXT NOT NULL,
  indexes_json TEXT NOT NULL,
  status TEXT NOT NULL,
  reason_code TEXT,
  reason_message TEXT,
  warnings_json TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- Apart from rollups: commits write it, and a row of rollups is long.
CREATE TABLE rollup_figures (
  rollup_id INTEGER PRIMARY KEY REFERENCES rollups (id),
  groups INTEGER NOT NULL DEFAULT 0 CHECK (groups >= 0),
  overflow_groups INTEGER NOT NULL DEFAULT 0 CHECK (overflow_groups >= 0),
  -- Content of the group rows and of their index entries, without the pages' free space.
  bytes INTEGER NOT NULL DEFAULT 0,
  dead_letters INTEGER NOT NULL DEFAULT 0 CHECK (dead_letters >= 0),
  dead_letter_bytes INTEGER NOT NULL DEFAULT 0 CHECK (dead_letter_bytes >= 0)
) STRICT;

CREATE TABLE shards (
  rollup_id INTEGER NOT NULL REFERENCES rollups (id),
  topic_id TEXT NOT NULL,
  partition INTEGER NOT NULL,
  -- 0, and one more for each restart after a truncation; only the last one may be open.
  generation INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  next_offset INTEGER NOT NULL,
  leader_epoch INTEGER NOT NULL DEFAULT -1,
  max_timestamp_ms INTEGER NOT NULL DEFAULT -1,
  closed INTEGER NOT NULL DEFAULT 0,
  halt_code TEXT,
  halt_message TEXT,
  halt_go_on_at INTEGER,
  accepted_error_offset INTEGER,
  aggregated INTEGER NOT NULL DEFAULT 0,
  filtered INTEGER NOT NULL DEFAULT 0,
  dead INTEGER NOT NULL DEFAULT 0,
  tombstones INTEGER NOT NULL DEFAULT 0,
  markers INTEGER NOT NULL DEFAULT 0,
  aborted INTEGER NOT NULL DEFAULT 0,
  holes INTEGER NOT NULL DEFAULT 0,
  lost INTEGER NOT NULL DEFAULT 0,
  expired INTEGER NOT NULL DEFAULT 0,
  kind_mismatch INTEGER NOT NULL DEFAULT 0,
  dead_letters_dropped INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (rollup_id, topic_id, partition, generation),
  -- Law 6, conservation.
  CHECK (
    next_offset - start_offset =
      aggregated + filtered + dead + tombstones + markers + aborted + holes + lost + expired
  )
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX open_shards ON shards (rollup_id, topic_id, partition) WHERE closed = 0;

-- Sums of the shards that were pruned.
CREATE TABLE pruned_shards (
  rollup_id INTEGER PRIMARY KEY REFERENCES rollups (id),
  shards INTEGER NOT NULL DEFAULT 0,
  passed INTEGER NOT NULL DEFAULT 0,
  aggregated INTEGER NOT NULL DEFAULT 0,
  filtered INTEGER NOT NULL DEFAULT 0,
  dead INTEGER NOT NULL DEFAULT 0,
  tombstones INTEGER NOT NULL DEFAULT 0,
  markers INTEGER NOT NULL DEFAULT 0,
  aborted INTEGER NOT NULL DEFAULT 0,
  holes INTEGER NOT NULL DEFAULT 0,
  lost INTEGER NOT NULL DEFAULT 0,
  expired INTEGER NOT NULL DEFAULT 0,
  kind_mismatch INTEGER NOT NULL DEFAULT 0,
  dead_letters_dropped INTEGER NOT NULL DEFAULT 0,
  CHECK (passed = aggregated + filtered + dead + tombstones + markers + aborted + holes + lost + expired)
) STRICT;

CREATE TABLE dead_letters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  rollup_id INTEGER NOT NULL REFERENCES rollups (id),
  topic_id TEXT NOT NULL,
  partition INTEGER NOT NULL,
  record_offset INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  value BLOB
) STRICT;
CREATE INDEX dead_letters_of_rollup ON dead_letters (rollup_id, id);
