/** Owns the one group of a rollup without GROUP BY: its answer has a row before the first record. */
import type BetterSqlite3 from 'better-sqlite3'
import { KeyWriter } from '../core/key-bytes.ts'
import { HASH_BYTES, hashKey } from '../core/murmur3.ts'
import { NO_BUCKET } from '../planner/bucket.ts'
import { type LeafSchema, toInsertSql } from './leaf-schema.ts'

/** Writes the group with no records. Caller has the transaction. */
export function createGlobalGroup(connection: BetterSqlite3.Database, schema: LeafSchema, epoch: number): void {
  const key = new KeyWriter()
  key.appendGroupingSet(0)
  const id = new Uint8Array(HASH_BYTES)
  hashKey(key.bytes, 0, key.length, id, 0)
  const states = schema.partials.flatMap(({ aggregate }) => aggregate.identity())
  connection.prepare(toInsertSql(schema)).run(NO_BUCKET, id, key.bytes.slice(0, key.length), 0, ...states, epoch)
}
