/** Owns the dead letters: the newest of each rollup are kept, the oldest dropped and counted. Caller has the transaction. */
import type BetterSqlite3 from 'better-sqlite3'
import type { DeadLetter } from '../aggregator/partial-batch.ts'
import { assert } from '../core/assert.ts'
import { type Shard, toShardKey, toTopicId } from '../core/shard.ts'
import type { StoredDeadLetter } from './leaf-store.ts'

/** Past either bound the oldest letters of the rollup are dropped. */
export interface DeadLetterLimits {
  readonly countMax: number
  /** Of values and reasons: a record may have 16 MiB. */
  readonly bytesMax: number
}

export const DEAD_LETTER_LIMITS: DeadLetterLimits = { countMax: 1000, bytesMax: 64 << 20 }

interface DroppedLetters {
  readonly shard: Shard
  count: number
}

/** What appending changed: kept letters, and dropped ones by shard. */
export interface DeadLetterChanges {
  readonly count: number
  readonly bytes: number
  readonly dropped: readonly DroppedLetters[]
}

interface LetterRow {
  readonly id: number
  readonly topic_id: string
  readonly partition: number
  readonly bytes: number
}

interface ListedRow {
  readonly id: number
  readonly topic: string
  readonly partition: number
  readonly record_offset: number
  readonly timestamp_ms: number
  readonly code: string
  readonly reason: string
  readonly value: Uint8Array | null
}

export class DeadLetterTable {
  readonly #limits: DeadLetterLimits
  readonly #insert: BetterSqlite3.Statement
  readonly #oldest: BetterSqlite3.Statement<[number], LetterRow>
  readonly #deleteUpTo: BetterSqlite3.Statement<[number, number]>
  readonly #figures: BetterSqlite3.Statement<[number], { dead_letters: number; dead_letter_bytes: number }>
  readonly #list: BetterSqlite3.Statement<[number, number, number], ListedRow>

  constructor(connection: BetterSqlite3.Database, limits: DeadLetterLimits) {
    this.#limits = limits
    this.#insert = connection.prepare(
      `INSERT INTO dead_letters (rollup_id, topic_id, partition, record_offset, timestamp_ms, code, reason, value)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#oldest = connection.prepare(
      `SELECT id, topic_id, partition, coalesce(length(value), 0) + octet_length(reason) AS bytes
       FROM dead_letters WHERE rollup_id = ? ORDER BY id`,
    )
    this.#deleteUpTo = connection.prepare('DELETE FROM dead_letters WHERE rollup_id = ? AND id <= ?')
    this.#figures = connection.prepare('SELECT dead_letters, dead_letter_bytes FROM rollup_figures WHERE rollup_id = ?')
    this.#list = connection.prepare(
      `SELECT d.*, r.topic FROM dead_letters d JOIN rollups r ON r.id = d.rollup_id
       WHERE d.rollup_id = ? AND d.id > ? ORDER BY d.id LIMIT ?`,
    )
  }

  /** Keeps the letters as far as the bounds allow. The caller stores the figures. */
  append(rollupId: number, letters: readonly DeadLetter[]): DeadLetterChanges {
    const dropped = new Map<string, DroppedLetters>()
    const drop = (shard: Shard): void => {
      const key = toShardKey(shard)
      const known = dropped.get(key)
      if (known === undefined) dropped.set(key, { shard, count: 1 })
      else known.count++
    }
    // a batch with more letters than are kept would only delete its own again
    const surplus = Math.max(0, letters.length - this.#limits.countMax)
    let bytes = 0
    letters.forEach(({ shard, offset, timestampMs, code, reason, value }, index) => {
      if (index < surplus) return drop(shard)
      this.#insert.run(rollupId, shard.topicId, shard.partition, offset, timestampMs, code, reason, value)
      bytes += (value?.byteLength ?? 0) + Buffer.byteLength(reason)
    })
    const added = { count: letters.length - surplus, bytes }
    const removed = this.#removeOldest(rollupId, added, drop)
    return { count: added.count - removed.count, bytes: added.bytes - removed.bytes, dropped: [...dropped.values()] }
  }

  /** Ids above `after`, oldest first. */
  list(rollupId: number, limit: number, after: number): StoredDeadLetter[] {
    return this.#list.all(rollupId, after, limit).map((row) => ({
      id: row.id,
      topic: row.topic,
      partition: row.partition,
      offset: row.record_offset,
      timestampMs: row.timestamp_ms,
      code: row.code,
      reason: row.reason,
      value: row.value,
    }))
  }

  #removeOldest(
    rollupId: number,
    added: { readonly count: number; readonly bytes: number },
    drop: (shard: Shard) => void,
  ): { count: number; bytes: number } {
    const figures = this.#figures.get(rollupId)
    assert(figures !== undefined, `rollup ${rollupId} has figures`)
    const excessCount = figures.dead_letters + added.count - this.#limits.countMax
    const excessBytes = figures.dead_letter_bytes + added.bytes - this.#limits.bytesMax
    const removed = { count: 0, bytes: 0 }
    if (excessCount <= 0 && excessBytes <= 0) return removed
    let lastId = 0
    for (const row of this.#oldest.iterate(rollupId)) {
      if (removed.count >= excessCount && removed.bytes >= excessBytes) break
      lastId = row.id
      removed.count++
      removed.bytes += row.bytes
      drop({ topicId: toTopicId(row.topic_id), partition: row.partition })
    }
    this.#deleteUpTo.run(rollupId, lastId)
    return removed
  }
}
