/**
 * Owns the positions: which ranges are accepted (law 2), what is counted on each shard (law 6), halts and decisions about
 * shards. Caller has the transaction.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { BatchRange } from '../aggregator/partial-batch.ts'
import { assert } from '../core/assert.ts'
import { RollupdError } from '../core/errors.ts'
import {
  COUNT_NAMES,
  type Counts,
  type HaltCode,
  type HaltReason,
  type Shard,
  sumConserved,
  toShardKey,
  toTopicId,
} from '../core/shard.ts'
import type { RangeOutcome, ShardChange, StartPosition, StoredRollup, StoredShard } from './leaf-store.ts'

type ShardRow = Counts & {
  readonly topic_id: string
  readonly partition: number
  readonly generation: number
  readonly start_offset: number
  readonly next_offset: number
  readonly leader_epoch: number
  readonly max_timestamp_ms: number
  readonly closed: number
  readonly halt_code: HaltCode | null
  readonly halt_message: string | null
  readonly halt_go_on_at: number | null
  readonly accepted_error_offset: number | null
}

type Values = (number | string | null)[]

const OF_OPEN_SHARD = 'WHERE rollup_id = ? AND topic_id = ? AND partition = ? AND closed = 0'
const ADDED_COUNTS = COUNT_NAMES.map((name) => `${name} = ${name} + ?`).join(', ')

export class ShardTable {
  readonly #open: BetterSqlite3.Statement<Values, ShardRow>
  readonly #advance: BetterSqlite3.Statement<Values>
  readonly #haltOpen: BetterSqlite3.Statement<Values>
  readonly #dropLetters: BetterSqlite3.Statement<Values>
  readonly #list: BetterSqlite3.Statement<Values, ShardRow>
  readonly #insert: BetterSqlite3.Statement<Values>
  readonly #ofShard: BetterSqlite3.Statement<Values, ShardRow>
  readonly #prune: BetterSqlite3.Statement<Values>
  readonly #addPruned: BetterSqlite3.Statement<Values>
  readonly #dropPrunedLetters: BetterSqlite3.Statement<Values>
  readonly #readPruned: BetterSqlite3.Statement<Values, Counts & { shards: number; passed: number }>
  readonly #changeOpen: (assignments: string) => BetterSqlite3.Statement<Values>

  constructor(connection: BetterSqlite3.Database) {
    this.#open = connection.prepare(`SELECT * FROM shards ${OF_OPEN_SHARD}`)
    this.#advance = connection.prepare(
      `UPDATE shards SET next_offset = ?, leader_epoch = max(leader_epoch, ?), max_timestamp_ms = max(max_timestamp_ms, ?),
         accepted_error_offset = iif(accepted_error_offset < ?, NULL, accepted_error_offset), ${ADDED_COUNTS} ${OF_OPEN_SHARD}`,
    )
    this.#haltOpen = connection.prepare(
      `UPDATE shards SET halt_code = ?, halt_message = ?, halt_go_on_at = ? ${OF_OPEN_SHARD}`,
    )
    this.#dropLetters = connection.prepare(
      `UPDATE shards SET dead_letters_dropped = dead_letters_dropped + ? WHERE rollup_id = ? AND topic_id = ? AND partition = ?
         AND generation = (SELECT max(generation) FROM shards s
           WHERE s.rollup_id = shards.rollup_id AND s.topic_id = shards.topic_id AND s.partition = shards.partition)`,
    )
    this.#list = connection.prepare('SELECT * FROM shards WHERE rollup_id = ? ORDER BY topic_id, partition, generation')
    this.#insert = connection.prepare(
      `INSERT INTO shards (rollup_id, topic_id, partition, generation, start_offset, next_offset) VALUES (?, ?, ?, ?, ?, ?)`,
    )
    this.#ofShard = connection.prepare(
      'SELECT * FROM shards WHERE rollup_id = ? AND topic_id = ? AND partition = ? ORDER BY closed DESC, generation',
    )
    this.#prune = connection.prepare(
      'DELETE FROM shards WHERE rollup_id = ? AND topic_id = ? AND partition = ? AND generation = ?',
    )
    this.#addPruned = connection.prepare(
      `UPDATE pruned_shards SET shards = shards + 1, passed = passed + ?, ${ADDED_COUNTS} WHERE rollup_id = ?`,
    )
    this.#dropPrunedLetters = connection.prepare(
      'UPDATE pruned_shards SET dead_letters_dropped = dead_letters_dropped + ? WHERE rollup_id = ?',
    )
    this.#readPruned = connection.prepare('SELECT * FROM pruned_shards WHERE rollup_id = ?')
    this.#changeOpen = (assignments) => connection.prepare(`UPDATE shards SET ${assignments} ${OF_OPEN_SHARD}`)
  }

  /** What becomes of a range that stands where the position is, before, or elsewhere. Changes nothing. */
  judge(rollupId: number, { shard, first, next }: BatchRange): RangeOutcome {
    const row = this.#open.get(rollupId, shard.topicId, shard.partition)
    if (row === undefined) return { shard, outcome: 'gone' }
    if (first === row.next_offset) return { shard, outcome: 'accepted', nextOffset: next }
    return { shard, outcome: next <= row.next_offset ? 'duplicate' : 'refused', nextOffset: row.next_offset }
  }

  /** Moves the position behind an accepted range and adds its counts. */
  advance(rollupId: number, range: BatchRange): void {
    const { shard, next, leaderEpoch, maxTimestampMs, counts, halt } = range
    const added = COUNT_NAMES.map((name) => counts[name])
    const ofShard = [rollupId, shard.topicId, shard.partition]
    const result = this.#advance.run(next, leaderEpoch, maxTimestampMs, next, ...added, ...ofShard)
    assert(result.changes === 1, `position of shard ${toShardKey(shard)} is moved`)
    if (halt !== undefined) this.#halt(rollupId, shard, halt)
  }

  /** Counts dead letters of the shard that were dropped to keep the bound; of a pruned shard, in the pruned sums. */
  countDroppedLetters(rollupId: number, shard: Shard, dropped: number): void {
    const { changes } = this.#dropLetters.run(dropped, rollupId, shard.topicId, shard.partition)
    if (changes === 0) this.#dropPrunedLetters.run(dropped, rollupId)
  }

  /** Errors: conflict when an open shard of that identity is there. */
  add(rollupId: number, shards: readonly StartPosition[]): void {
    for (const { shard, startOffset } of shards) {
      const known = this.#ofShard.all(rollupId, shard.topicId, shard.partition)
      if (known.some((row) => row.closed === 0)) {
        throw new RollupdError('conflict', `partition ${shard.partition} of topic ${shard.topicId} is read already`)
      }
      const generation = known.reduce((last, row) => Math.max(last, row.generation), -1) + 1
      this.#insert.run(rollupId, shard.topicId, shard.partition, generation, startOffset, startOffset)
    }
  }

  /** Errors: not_found when there is no open shard of that identity; bad_parameter when an offset is behind the position. */
  change(rollupId: number, shard: Shard, change: ShardChange): void {
    const row = this.#open.get(rollupId, shard.topicId, shard.partition)
    if (row === undefined) {
      throw new RollupdError('not_found', `partition ${shard.partition} of topic ${shard.topicId} is not read`)
    }
    const ofShard = [rollupId, shard.topicId, shard.partition]
    const clearHalt = 'halt_code = NULL, halt_message = NULL, halt_go_on_at = NULL'
    switch (change.kind) {
      case 'halt':
        this.#halt(rollupId, shard, change.reason)
        break
      case 'clear_halt':
        this.#changeOpen(clearHalt).run(...ofShard)
        break
      case 'skip_lost':
        if (change.to < row.next_offset) {
          throw new RollupdError('bad_parameter', `offset ${change.to} is before next offset ${row.next_offset}`)
        }
        this.#changeOpen(`${clearHalt}, lost = lost + ?, next_offset = ?`).run(
          change.to - row.next_offset,
          change.to,
          ...ofShard,
        )
        break
      case 'accept_error':
        this.#changeOpen(`${clearHalt}, accepted_error_offset = ?`).run(change.offset, ...ofShard)
        break
      case 'close':
        this.#changeOpen(`${clearHalt}, closed = 1`).run(...ofShard)
        break
      case 'restart':
        this.#changeOpen(`${clearHalt}, closed = 1`).run(...ofShard)
        this.add(rollupId, [{ shard, startOffset: change.at }])
        break
    }
  }

  /**
   * Removes positions and adds their sums to the pruned ones. A shard that was restarted has several rows: each mention takes
   * one, closed ones first.
   */
  prune(rollupId: number, shards: readonly Shard[]): void {
    for (const { topicId, partition } of shards) {
      const row = this.#ofShard.get(rollupId, topicId, partition)
      if (row === undefined) continue
      this.#addPruned.run(row.next_offset - row.start_offset, ...COUNT_NAMES.map((name) => row[name]), rollupId)
      this.#prune.run(rollupId, topicId, partition, row.generation)
    }
  }

  list(rollupId: number): StoredShard[] {
    return this.#list.all(rollupId).map(toStoredShard)
  }

  prunedSums(rollupId: number): StoredRollup['pruned'] {
    const row = this.#readPruned.get(rollupId)
    assert(row !== undefined, `rollup ${rollupId} has a row of pruned sums`)
    return { shards: row.shards, passed: row.passed, counts: toCounts(row) }
  }

  #halt(rollupId: number, shard: Shard, { code, message, goOnAt }: HaltReason): void {
    this.#haltOpen.run(code, message, goOnAt ?? null, rollupId, shard.topicId, shard.partition)
  }
}

/** Law 6 for what one range brings. Errors: BrokenInvariant. */
export function assertConserved({ shard, first, next, counts }: BatchRange): void {
  const passed = sumConserved(counts)
  assert(
    next >= first && passed === next - first,
    `range [${first}, ${next}) of shard ${toShardKey(shard)} accounts for ${passed} of ${next - first} offsets`,
  )
}

function toStoredShard(row: ShardRow): StoredShard {
  return {
    shard: { topicId: toTopicId(row.topic_id), partition: row.partition },
    startOffset: row.start_offset,
    nextOffset: row.next_offset,
    leaderEpoch: row.leader_epoch,
    maxTimestampMs: row.max_timestamp_ms,
    closed: row.closed === 1,
    ...(row.halt_code === null
      ? {}
      : {
          halt: {
            code: row.halt_code,
            message: row.halt_message ?? '',
            ...(row.halt_go_on_at === null ? {} : { goOnAt: row.halt_go_on_at }),
          },
        }),
    ...(row.accepted_error_offset === null ? {} : { acceptedErrorOffset: row.accepted_error_offset }),
    counts: toCounts(row),
  }
}

function toCounts(row: Counts): Counts {
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, row[name]])) as Counts
}
