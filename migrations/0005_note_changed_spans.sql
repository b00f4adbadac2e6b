-- For each rollup with a time: which minutes' groups (leaf/changed-spans.ts) were changed last by which commit. A reader that holds a copy of an
-- older commit reads those minutes again. A minute without a row was last changed before this table was there.
CREATE TABLE changed_spans (
  rollup_id INTEGER NOT NULL,
  span INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  PRIMARY KEY (rollup_id, span)
) WITHOUT ROWID;
CREATE INDEX changed_spans_by_epoch ON changed_spans (rollup_id, epoch);
