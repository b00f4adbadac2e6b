/** Owns the shape in which a rollup is shown over HTTP (docs/HTTP.md). */
import { addCounts, type Counts, type HaltReason, toShardKey, zeroCounts } from '../core/shard.ts'
import type { StoredRollup, StoredShard } from '../leaf/leaf-store.ts'
import type { ShardReport } from '../tailer/ingest-events.ts'
import { type PlanAnswer, toPlanAnswer } from './plan-answer.ts'

export interface ShownReason {
  readonly code: string
  readonly message: string
}

export interface RollupAnswer extends PlanAnswer {
  readonly name: string
  readonly version: number
  readonly sql: string
  readonly source: { readonly rollup?: string; readonly topic: string; readonly start: unknown }
  readonly on_error: string
  readonly on_loss: string
  readonly indexes: readonly (readonly string[])[]
  readonly status: 'running' | 'paused' | 'halted'
  readonly reason?: ShownReason
  readonly warnings: readonly string[]
  readonly created_at: string
  readonly groups: number
  readonly bytes: number
  readonly counts: Counts
  readonly shards: readonly ShardAnswer[]
  readonly pruned: { readonly shards: number; readonly passed: number; readonly counts: Counts }
}

export interface ShardAnswer {
  readonly topic_id: string
  readonly partition: number
  readonly status: 'waiting' | 'reading' | 'halted' | 'closed'
  readonly reason?: ShownReason
  readonly start_offset: number
  readonly next_offset: number
  readonly high_watermark: number | null
  readonly lag: number | null
  readonly lag_seconds: number | null
  readonly blocked_by_transaction: boolean
  readonly counts: Counts
}

export interface RollupFacts {
  readonly rollup: StoredRollup
  readonly reports: readonly ShardReport[]
  /** A halt that couldn't be stored (the disk is full). */
  readonly halt: HaltReason | undefined
  readonly nowMs: number
}

export function toRollupAnswer({ rollup, reports, halt, nowMs }: RollupFacts): RollupAnswer {
  const { plan } = rollup
  const reportByShard = new Map(reports.map((report) => [toShardKey(report.shard), report]))
  // nothing of the rollup is read then, whatever was last heard of a shard
  const wholeHalt = halt ?? (rollup.status === 'halted' ? rollup.reason : undefined)
  const shards = rollup.shards.map((stored) => {
    const report = reportByShard.get(toShardKey(stored.shard))
    return toShardAnswer(stored, rollup.status === 'paused' ? toUnread(report) : report, wholeHalt, nowMs)
  })
  const counts = zeroCounts()
  for (const shard of rollup.shards) addCounts(counts, shard.counts)
  addCounts(counts, rollup.pruned.counts)
  const reason = halt ?? rollup.reason ?? rollup.shards.find((shard) => shard.halt !== undefined)?.halt
  const status = rollup.status === 'running' && reason !== undefined ? 'halted' : rollup.status
  return {
    name: rollup.name,
    version: rollup.version,
    sql: plan.sql,
    source: toShownSource(rollup),
    on_error: rollup.onError,
    on_loss: rollup.onLoss,
    indexes: rollup.indexes,
    status,
    ...(reason === undefined ? {} : { reason: toShownReason(reason) }),
    ...toPlanAnswer(plan),
    warnings: rollup.warnings,
    created_at: rollup.createdAt,
    groups: rollup.groups,
    bytes: rollup.bytes,
    counts,
    shards,
    pruned: rollup.pruned,
  }
}

function toShownSource({ source, topic, start }: StoredRollup): RollupAnswer['source'] {
  return source === undefined ? { topic, start } : { rollup: source.name, topic, start }
}

function toUnread(report: ShardReport | undefined): ShardReport | undefined {
  return report === undefined ? undefined : { ...report, status: 'waiting' }
}

function toShardAnswer(
  stored: StoredShard,
  report: ShardReport | undefined,
  wholeHalt: HaltReason | undefined,
  nowMs: number,
): ShardAnswer {
  // what a closed shard's log is like now says nothing about the shard: it may belong to another log of the same name
  const live = stored.closed ? undefined : report
  const told = live?.highWatermark ?? null
  // a commit is seen some milliseconds before the report of the fetch that it came from: the log is at least as long as what is stored
  const isReportOlder = told !== null && live?.status === 'reading' && told < stored.nextOffset
  const highWatermark = isReportOlder ? stored.nextOffset : told
  const lag = highWatermark === null ? null : Math.max(0, highWatermark - stored.nextOffset)
  const reason = stored.halt ?? wholeHalt ?? live?.reason
  return {
    topic_id: stored.shard.topicId,
    partition: stored.shard.partition,
    status: toStatus(stored, wholeHalt, live),
    ...(reason === undefined || stored.closed ? {} : { reason: toShownReason(reason) }),
    start_offset: stored.startOffset,
    next_offset: stored.nextOffset,
    high_watermark: highWatermark,
    lag,
    lag_seconds: toLagSeconds(lag, live?.lastTimestampMs ?? -1, nowMs),
    blocked_by_transaction: !isReportOlder && (live?.isBlockedByTransaction ?? false),
    counts: stored.counts,
  }
}

function toStatus(
  stored: StoredShard,
  wholeHalt: HaltReason | undefined,
  report: ShardReport | undefined,
): ShardAnswer['status'] {
  if (stored.closed) return 'closed'
  if (stored.halt !== undefined || wholeHalt !== undefined) return 'halted'
  return report?.status ?? 'waiting'
}

/** How old the last folded record is while others wait behind it; null where that isn't known. */
function toLagSeconds(lag: number | null, lastTimestampMs: number, nowMs: number): number | null {
  if (lag === null) return null
  if (lag === 0) return 0
  if (lastTimestampMs < 0) return null
  return Math.max(0, Math.round(nowMs - lastTimestampMs) / 1000)
}

function toShownReason({ code, message }: HaltReason): ShownReason {
  return { code, message }
}
