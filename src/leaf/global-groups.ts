/**
 * Owns the groups that are there before the first record: that of a rollup without GROUP BY, and one of each grouping set `()`, as in
 * PostgreSQL.
 */
import type BetterSqlite3 from 'better-sqlite3'
import { KeyWriter } from '../core/key-bytes.ts'
import { HASH_BYTES, hashKey } from '../core/murmur3.ts'
import { NO_BUCKET, NULL_BUCKET } from '../planner/bucket.ts'
import { type IngestHalf, valueColumnsOf } from '../planner/plan.ts'
import { type LeafSchema, toInsertSql } from './leaf-schema.ts'

/** Writes the groups with no records and gives their number. Caller has the transaction. */
export function createGlobalGroups(
  connection: BetterSqlite3.Database,
  schema: LeafSchema,
  half: IngestHalf,
  epoch: number,
): number {
  const values = valueColumnsOf(half)
  const sets = half.groupingSets ?? (values.length === 0 ? [{ columns: [], grouping: undefined }] : [])
  const insert = connection.prepare(toInsertSql(schema))
  const states = schema.partials.flatMap(({ aggregate }) => aggregate.identity())
  const bucket = schema.bucketGroup < 0 ? NO_BUCKET : NULL_BUCKET
  let created = 0
  for (const [set, { columns, grouping }] of sets.entries()) {
    if (columns.length > 0) continue
    const key = new KeyWriter()
    key.appendGroupingSet(set)
    for (let column = 0; column < values.length; column++) key.appendNull()
    const id = new Uint8Array(HASH_BYTES)
    hashKey(key.bytes, 0, key.length, id, 0)
    const cells = [...values.map(() => null), ...(grouping === undefined ? [] : [grouping])]
    insert.run(bucket, id, key.bytes.slice(0, key.length), ...cells, 0, ...states, epoch)
    created++
  }
  return created
}
